package docs

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	tables = regexp.MustCompile(`(?m)(?:^\|.*\n?)+`)
	isPart = regexp.MustCompile(`/internal/|(?:^|/)examples/|^internal/\w+/`) // of the package above it
)

// architecture lists what is wrong with a page: a table "file, what" has the files of the root, one
// "where, what, imports" the packages that each imports, where internal stands for all under internal/;
// every package with code has a row. A cell in words, without names, is not checked.
func (tr *tree) architecture(text string) []string {
	var wrong, inTable []string
	rows := set{} // the folders that have one
	for _, table := range tables.FindAllString(text, -1) {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		for _, line := range lines[1:] {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			if lines[0] == "| file | what |" {
				inTable = append(inTable, plainFile.FindAllString(cells[0], -1)...)
			}
			for _, name := range spans(cells[0]) {
				folder := tr.folderOf(name)
				rows[folder] = true
				if lines[0] != "| where | what | imports |" {
					continue
				}
				want, says := strings.Join(tr.knows(folder), ", "), strings.Join(slices.Sorted(slices.Values(spans(cells[2]))), ", ")
				if want != says && (says != "" || strings.TrimSpace(cells[2]) == "") {
					wrong = append(wrong, "architecture.md: "+name+" imports "+want+", not "+says)
				}
			}
		}
	}
	inRoot, _ := fs.Glob(tr.files, "*.go")
	inRoot = slices.DeleteFunc(inRoot, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
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

// spans are the words in code of a cell.
func spans(cell string) []string {
	var all []string
	for _, found := range codeSpan.FindAllStringSubmatch(cell, -1) {
		all = append(all, found[1])
	}
	return all
}

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
		case first == "internal", strings.Contains(imported, "/internal/"):
			known["internal"] = true
		default:
			known[path.Clean(imported)] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}
