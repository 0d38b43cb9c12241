package docs

import (
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// part matches a word of a name: "Fit" and "Rows" of FitRows.
var part = regexp.MustCompile(`[A-Z][a-z]*`)

// TestWords holds exported names to the table of words of CONTRIBUTING.md: a word stands in names of the packages that its
// row lists, and of no others.
func TestWords(t *testing.T) {
	tr, err := readTree(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]set{} // the packages with a word
	for folder, names := range tr.names {
		if inside.MatchString(folder+"/") || strings.HasSuffix(folder, ".go") || regexp.MustCompile(`^(?:lab|cmd|docs|distributed)(?:/|$)`).MatchString(folder) {
			continue
		}
		for name := range names {
			if isTest.MatchString(name) || slices.ContainsFunc(strings.Split(name, "."), func(part string) bool { return !token.IsExported(part) }) {
				continue
			}
			for _, word := range part.FindAllString(name[strings.LastIndex(name, ".")+1:], -1) {
				put(found, word, strings.Replace(folder, ".", "coles", 1))
			}
		}
	}
	rows := 0
	for _, table := range tables.FindAllString(tr.pages["CONTRIBUTING.md"], -1) {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		if lines[0] != "| word | means | in names of |" {
			continue
		}
		for _, line := range lines[2:] {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			want := spans(cells[2])
			slices.Sort(want)
			var got []string
			for _, word := range spans(cells[0]) {
				for folder := range found[word] {
					got = append(got, folder)
				}
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s: in names of %q, and CONTRIBUTING.md says %q", strings.TrimSpace(cells[0]), got, want)
			}
			rows++
		}
	}
	if rows == 0 {
		t.Error("CONTRIBUTING.md has no table of words")
	}
}

// isTest matches the names of tests.
var isTest = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz|Example)`)
