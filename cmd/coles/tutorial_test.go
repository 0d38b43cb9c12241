package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// Every command of the tutorial prints the tutorial's output: blocks of "sh" are run,
// and a block of "text" behind one is its output.
func TestTutorial(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	page := testkit.Must(os.ReadFile(filepath.Join(docs, "tutorial.md")))
	dir := t.TempDir()
	testkit.Check(t, os.CopyFS(dir, os.DirFS(filepath.Join(docs, "sample"))))
	t.Chdir(dir)
	blocks := regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 10 {
		t.Fatalf("the tutorial has %d blocks only", len(blocks))
	}
	printed := ""
	for _, block := range blocks {
		if block[1] == "text" {
			testkit.WantSame(t, "what the tutorial prints", printed, block[2])
			continue
		}
		printed = ""
		for line := range strings.Lines(block[2]) {
			args := strings.Fields(line)[1:]
			if slices.Contains([]string{"predict", "links"}, args[0]) || slices.Contains(args, "people.csv") || slices.Contains(args, "-queries") { // on a terminal, standard error stands there, too
				var both bytes.Buffer
				testkit.WantSame(t, "the exit code", run(t.Context(), args, nil, &both, &both), 0)
				printed += both.String()
				continue
			}
			printed += must(t, "", args...)
		}
	}
}

// The page of licences has every module that one of go.mod requires, and no other; and the library
// reaches the modules that the page lists.
func TestLicences(t *testing.T) {
	root := filepath.Join("..", "..")
	text := func(name string) string { return read(t, filepath.Join(root, name)) }
	modules := func(expression, text string) []string {
		var found []string
		for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	page := text("docs/licences.md")
	rows := strings.Join(modules(`(?m)^(\|.*)`, page), "\n")
	required := strings.ReplaceAll(text("go.mod")+text("cmd/coles-serve/go.mod")+text("dataset/parquet/go.mod")+text("distributed/go.mod"), "require coles", "")
	testkit.WantSame(t, "the page of what is required", modules("`([^`]+)`", rows), modules(`(?m)^(?:require)?\s+(\S+\.\S+) v`, required))
	if testing.Short() {
		return // go list takes its time
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".", "./live", "./gnn/...", "./eval", "./dataset")
	list.Dir = root
	reached := testkit.Must(list.Output())
	library, _, _ := strings.Cut(page, "`picture`")
	rows = strings.Join(modules(`(?m)^(\|.*)`, library), "\n")
	testkit.WantSame(t, "the page of what the library reaches", modules("`([^`]+)`", rows), modules(`(\S+\.\S+)`, string(reached)))
}
