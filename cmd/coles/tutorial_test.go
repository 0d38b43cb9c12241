package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command of the tutorial prints what the tutorial says it prints: blocks of "sh" are run,
// and a block of "text" behind one is its output.
func TestTutorial(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(docs, "sample"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	blocks := regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 10 {
		t.Fatalf("the tutorial has %d blocks only", len(blocks))
	}
	printed := ""
	for _, block := range blocks {
		if block[1] == "text" {
			if printed != block[2] {
				t.Errorf("prints\n%s\nthe tutorial has\n%s", printed, block[2])
			}
			continue
		}
		printed = ""
		for line := range strings.Lines(block[2]) {
			printed += must(t, "", strings.Fields(line)[1:]...)
		}
	}
}
