package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

// A cell is one measurement of a table, and one line of its JSON form.
type cell struct {
	Table    string   `json:"table"`
	Dataset  string   `json:"dataset"`
	PerClass int      `json:"per_class"`
	Method   string   `json:"method"`
	Kappa    *int     `json:"kappa,omitempty"`
	Mean     float64  `json:"mean"`  // percent
	Std      float64  `json:"std"`   // population standard deviation over splits and seeds
	Seeds    int      `json:"seeds"` // trainings
	Paper    *float64 `json:"paper,omitempty"`
	Seconds  float64  `json:"seconds"` // to embed once
}

// A report prints cells: as JSON at once, or as a Markdown table at the end.
type report struct {
	w     io.Writer
	table string
	json  bool
	cells []cell
}

func newReport(w io.Writer, table string, asJSON bool) *report {
	return &report{w: w, table: table, json: asJSON}
}

func (r *report) add(c cell) error {
	c.Table = r.table
	c.Mean, c.Std, c.Seconds = round(c.Mean, 2), round(c.Std, 2), round(c.Seconds, 4)
	if r.json {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(r.w, "%s\n", line)
		return err
	}
	r.cells = append(r.cells, c)
	return nil
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}

// finish prints the Markdown table: a row a method, a column a data set and
// number of labels, the paper's figure in brackets.
func (r *report) finish() error {
	if r.json {
		return nil
	}
	var rows, columns []string
	texts := make(map[[2]string]string)
	for _, c := range r.cells {
		row, column := c.Method, fmt.Sprintf("%s, %d", c.Dataset, c.PerClass)
		if c.Kappa != nil {
			row = fmt.Sprintf("%s, κ = %d", c.Method, *c.Kappa)
		}
		rows, columns = appendNew(rows, row), appendNew(columns, column)
		text := fmt.Sprintf("%.1f ± %.1f", c.Mean, c.Std)
		if c.Paper != nil {
			text += fmt.Sprintf(" (%.1f)", *c.Paper)
		}
		texts[[2]string{row, column}] = text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, column := range columns {
			fmt.Fprintf(&b, " %s |", texts[[2]string{row, column}])
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nAccuracy in percent, mean ± standard deviation over the splits (and seeds, of what is trained); the columns are data set and labelled nodes per class; the paper's mean in brackets.\n")
	_, err := io.WriteString(r.w, b.String())
	return err
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
