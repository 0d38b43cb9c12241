package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// formats write cells, by the names that -format knows.
var formats = map[string]func(w io.Writer, cells []cell) error{
	"markdown": writeMarkdown,
	"csv":      writeCSV,
	"json":     writeJSON,
	"html":     writeHTML,
}

// A report takes cells as they are measured. JSON is a line for each and goes out
// at once; the other formats are written when all are there.
type report struct {
	w      io.Writer
	format string
	cells  []cell
}

func newReport(w io.Writer, format string) (*report, error) {
	if formats[format] == nil {
		return nil, fmt.Errorf("-format %q is none of %s", format, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	}
	return &report{w: w, format: format}, nil
}

func (r *report) add(c cell) error {
	if r.format == "json" {
		return writeJSON(r.w, []cell{c})
	}
	r.cells = append(r.cells, c)
	return nil
}

func (r *report) finish() error {
	if r.format == "json" {
		return nil
	}
	return formats[r.format](r.w, r.cells)
}
