// Command coles-parquet turns Parquet files into text that the command coles reads, and its vectors into Parquet.
package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"

	"coles/dataset"
	"coles/dataset/parquet"
	"coles/dataset/parse"
	"coles/table"
)

const usage = `Usage: coles-parquet edges|table|vectors FILE.parquet
       coles-parquet write FILE.parquet

The first writes what is in FILE to standard output, as text that coles reads:

   edges     columns called source and target, or the like, and perhaps weight
   table     a column of ids, called id or first, and columns of cells: CSV
   vectors   columns id and vector, or another list of numbers: CSV

The second reads vectors as coles writes them, in CSV, TSV or JSON lines, from
standard input, and writes the columns id and vector, a list of float32.

Examples:
   coles-parquet table people.parquet > people.csv
   coles embed friends.tsv -features people.csv -to jsonl -o - | coles-parquet write vectors.parquet
`

func main() {
	if len(os.Args) != 3 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coles-parquet:", err)
		os.Exit(1)
	}
}

func run(what, path string, stdin io.Reader, stdout io.Writer) error {
	out := bufio.NewWriter(stdout)
	switch what {
	case "edges":
		d, err := dataset.Open(path, parquet.ReadEdges)
		if err != nil {
			return err
		}
		edges, _ := dataset.FormatNamed("edges")
		if err := edges.Write(out, d); err != nil {
			return err
		}
	case "table":
		t, err := dataset.Open(path, parquet.ReadTable)
		if err != nil {
			return err
		}
		if err := writeTable(out, t); err != nil {
			return err
		}
	case "vectors":
		d, err := dataset.Open(path, parquet.ReadVectors)
		if err != nil {
			return err
		}
		if err := dataset.WriteCSV(out, d.IDs, d.Features); err != nil {
			return err
		}
	case "write":
		rows, _ := dataset.FormatNamed("jsonl")
		d, err := rows.Read(stdin, parse.Options{})
		if err != nil {
			return err
		}
		if d.Table != nil {
			return fmt.Errorf("vectors are numbers, and not all cells are")
		}
		return dataset.WriteFile(path, func(w io.Writer) error { return parquet.WriteVectors(w, d.IDs, d.Features) })
	default:
		return fmt.Errorf("%q: want edges, table, vectors or write", what)
	}
	return out.Flush()
}

// writeTable writes a table as CSV, the ids first.
func writeTable(w io.Writer, t *table.Table) error {
	out := csv.NewWriter(w)
	line := []string{"id"}
	for _, c := range t.Columns {
		line = append(line, c.Name)
	}
	out.Write(line)
	for i, id := range t.IDs {
		line = append(line[:0], id)
		for _, c := range t.Columns {
			line = append(line, c.Cells[i])
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}
