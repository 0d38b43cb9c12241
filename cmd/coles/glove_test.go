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

// A file of Parquet is called one, and how to read it is said.
func TestParquetIsNamed(t *testing.T) {
	dir := folder(t, map[string]string{"friends.parquet": "PAR1\x15\x04\x15"})
	refused(t, dir, exitUsage, "unpack it by coles-parquet table", "", "embed", filepath.Join(dir, "friends.parquet"))
}
