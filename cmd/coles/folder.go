package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coles/dataset"
)

// datasets are those that stand in a folder.
type datasets []namedDataset

type namedDataset struct {
	Format string `json:"format"`
	Path   string `json:"path"`
}

// datasetsIn finds the datasets of several files in a folder.
func datasetsIn(dir string) datasets {
	var found datasets
	entries, _ := os.ReadDir(dir) // what cannot be read holds none
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".gz"), "-G.json")
		name = strings.TrimSuffix(strings.TrimPrefix(name, "ind."), ".graph")
		path := filepath.Join(dir, name)
		for _, f := range dataset.FormatsAt(path) {
			if one := (namedDataset{f.Name, path}); f.IsAt != nil && !slices.Contains(found, one) {
				found = append(found, one)
			}
		}
	}
	return found
}

func (d datasets) print(w io.Writer) {
	for _, one := range d {
		fmt.Fprintf(w, "%s\t%s\n", one.Format, one.Path)
	}
}

// holding is the end of an error about a folder: the datasets in it, if there are any.
func holding(dir string) string {
	found := datasetsIn(dir)
	if len(found) == 0 {
		return ""
	}
	paths := make([]string, len(found))
	for k, d := range found {
		paths[k] = d.Path
	}
	return "; it holds " + strings.Join(paths, ", ")
}
