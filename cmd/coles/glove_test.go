package main

import (
	"path/filepath"
	"testing"
)

// GloVe's files have no first line, and quotes and hashes for tokens.
func TestGloVe(t *testing.T) {
	const rows = "the 1.0 0.0\n\" 0.5 0.5\n# 0.0 1.0\nof 1.0 0.1\n"
	dir := folder(t, map[string]string{"glove.2d.txt": "the 1 0\nof 1 2\n", "vectors.txt": rows})
	prints(t, "the\tof\t0.447214\n", "", "similar", "-embedding", filepath.Join(dir, "glove.2d.txt"), "-k", "1", "the") // 1/√5
	prints(t, "#\t\"\"\"\"\t0.707107\n", "", "similar", "-embedding", filepath.Join(dir, "vectors.txt"), "-k", "1", "#")
}
