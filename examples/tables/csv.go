package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// writeCSV writes a line of names and a line a cell. A name that a cell does not
// have is left blank: tables of different kinds go in one file.
func writeCSV(w io.Writer, cells []cell) error {
	place := make(map[string]int)
	var names []string
	for _, c := range cells {
		for _, f := range c.fields() {
			if _, ok := place[f.key]; !ok {
				place[f.key] = len(names)
				names = append(names, f.key)
			}
		}
	}
	out := csv.NewWriter(w)
	lines := [][]string{names}
	for _, c := range cells {
		line := make([]string, len(names))
		for _, f := range c.fields() {
			line[place[f.key]] = fmt.Sprint(f.value)
		}
		lines = append(lines, line)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("CSV of %s: %w", strings.Join(names, ", "), err)
	}
	return nil
}
