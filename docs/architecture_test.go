package docs

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture compares the tables of architecture.md with the files of the root and with the
// imports of the packages.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := project()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range tr.architecture(string(page)) {
		t.Error(wrong)
	}
}

// architecture lists what is wrong with a page: a table "file, what" has the files of the root, one
// "where, what, knows of" the packages that each imports, where internal stands for all under internal/;
// every package with code has a row.
func (tr *tree) architecture(text string) []string {
	var wrong []string
	inRoot, _ := fs.Glob(tr.files, "*.go")
	inRoot = slices.DeleteFunc(inRoot, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	var inTable []string
	var head string
	rows := set{} // the folders that have one
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			head = ""
			continue
		}
		if head == "" {
			head = line
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for _, name := range spans(cells[0]) {
			rows[tr.folderOf(name)] = true
		}
		switch head {
		case "| file | what |":
			inTable = append(inTable, plainFile.FindAllString(cells[0], -1)...)
		case "| where | what | knows of |":
			for _, name := range spans(cells[0]) {
				if want := tr.knows(tr.folderOf(name)); !inWords(cells[2]) && !slices.Equal(want, slices.Sorted(slices.Values(spans(cells[2])))) {
					wrong = append(wrong, "architecture.md: "+name+" knows of "+strings.Join(want, ", ")+", not of "+strings.Join(spans(cells[2]), ", "))
				}
			}
		}
	}
	if slices.Sort(inTable); !slices.Equal(inTable, inRoot) {
		wrong = append(wrong, "architecture.md: the table has "+strings.Join(inTable, " ")+", the root "+strings.Join(inRoot, " "))
	}
	for _, folder := range slices.Sorted(maps.Keys(tr.imports)) {
		if !isPart.MatchString(folder) && !rows[folder] {
			wrong = append(wrong, "architecture.md: "+folder+" is not there")
		}
	}
	return wrong
}

// isPart matches the folder of a package that belongs to the one above it.
var isPart = regexp.MustCompile(`/internal/|(?:^|/)examples/|^internal/\w+/`)

// spans are the words in code of a cell.
func spans(cell string) []string {
	var all []string
	for _, found := range codeSpan.FindAllStringSubmatch(cell, -1) {
		all = append(all, found[1])
	}
	return all
}

// inWords reports whether a cell says without names what is known, which is not checked.
func inWords(cell string) bool { return strings.TrimSpace(cell) != "" && spans(cell) == nil }

// folderOf is the folder of a package by its path: the root is called coles, and under internal/ the last
// name may stand alone.
func (tr *tree) folderOf(name string) string {
	switch {
	case name == "coles":
		return "."
	case tr.imports[name] == nil && tr.imports["internal/"+name] != nil:
		return "internal/" + name
	}
	return name
}

// knows lists what the code of a folder imports of the project, apart from its own parts.
func (tr *tree) knows(folder string) []string {
	known := set{}
	for imported := range tr.imports[folder] {
		switch first, _, _ := strings.Cut(imported, "/"); {
		case imported == ".":
			known["coles"] = true
		case strings.HasPrefix(imported, folder+"/internal/"):
		case first == "internal":
			known["internal"] = true
		default:
			known[path.Clean(imported)] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}
