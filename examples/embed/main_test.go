package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEmbed(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-o", dir}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(lines) != 7 || !strings.HasPrefix(lines[6], "gil ") {
		t.Errorf("not a row for each friend, the new one last:\n%s", stdout.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "friends.txt"))
	if err != nil || !strings.HasPrefix(string(text), "6 2\nann ") {
		t.Errorf("friends.txt begins with %.20q (%v)", text, err)
	}
	if err := run(context.Background(), []string{"-o", filepath.Join(dir, "none")}, &stdout, &stderr); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
