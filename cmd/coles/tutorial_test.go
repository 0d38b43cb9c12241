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

// Every command of the tutorial and of README.md prints what the page shows: blocks of "sh" are run, those of coles, and a
// block of "text" behind one is what stands on a terminal, standard error too. With -update the page gets it.
func TestTutorial(t *testing.T) {
	docs := testkit.Must(filepath.Abs(filepath.Join("..", "..", "docs")))
	for page, sample := range map[string]string{"tutorial.md": ".", "../README.md": "docs/sample"} {
		t.Run(page, func(t *testing.T) {
			page, dir := filepath.Join(docs, page), t.TempDir()
			testkit.Check(t, os.CopyFS(filepath.Join(dir, sample), os.DirFS(filepath.Join(docs, "sample"))))
			t.Chdir(dir)
			text, printed, compared := read(t, page), "", 0
			now := regexp.MustCompile("(?s)```(\\w*)\n(.*?)```\n").ReplaceAllStringFunc(text, func(block string) string {
				language, lines, _ := strings.Cut(strings.Trim(block, "`\n"), "\n")
				switch {
				case language == "text" && printed != "":
					compared++
					return "```text\n" + printed + "```\n"
				case language != "sh":
					printed = ""
					return block
				}
				printed = ""
				for line := range strings.Lines(lines) {
					if args := strings.Fields(line); args[0] == "coles" {
						var both bytes.Buffer
						if code := run(t.Context(), args[1:], strings.NewReader(""), &both, &both); code != 0 {
							t.Errorf("%sexit code %d, %s", line, code, &both)
						}
						printed += both.String()
					}
				}
				return block
			})
			if *update {
				testkit.Check(t, os.WriteFile(page, []byte(now), 0o666))
				return
			}
			testkit.WantSame(t, "the page", text, now)
			if compared == 0 {
				t.Error("nothing was compared")
			}
		})
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
