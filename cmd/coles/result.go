package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"strconv"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
)

// resultOptions say where a result goes, and how it looks.
type resultOptions struct {
	path           string
	json, noHeader bool
}

func (o *resultOptions) flags() []cli.Flag {
	return []cli.Flag{
		ofOutput.file(&o.path, "o", "write to `FILE`"),
		jsonFlag(&o.json),
		ofOutput.yes(&o.noHeader, "no-header", "leave out the line of column names at the head of a .csv file"),
	}
}

func jsonFlag(to *bool) cli.Flag { return ofOutput.yes(to, "json", "print JSON") }

// output is the file of -o, or standard output.
func (o *resultOptions) output(s *session, files []string) (sink, error) {
	return s.output(files, "-o", cmp.Or(o.path, standard), false)
}

// write writes a result as JSON, or its lines: fields separated by tabs, or, into a file that
// ends in .csv or .csv.gz, by commas under the names of the columns. A field that holds the separator comes in
// double quotes.
func (o *resultOptions) write(ctx context.Context, to sink, result any, columns []string, lines iter.Seq[[]string]) error {
	return to.write(ctx, func(w io.Writer) error {
		if o.json {
			return printJSON(w, result)
		}
		out := csv.NewWriter(w)
		if extensionOf(to.path) != ".csv" {
			out.Comma = '\t'
		} else if !o.noHeader {
			out.Write(columns)
		}
		for line := range lines {
			out.Write(line) // Error has what fails
		}
		out.Flush()
		return out.Error()
	})
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func printJSON(w io.Writer, v any) error {
	encode := json.NewEncoder(w)
	encode.SetIndent("", "  ")
	encode.SetEscapeHTML(false)
	return encode.Encode(v)
}

// A description is a table of two columns. An error of w comes back as the table is flushed.
type description interface{ print(w io.Writer) }

// report prints a description on standard output.
func report(ctx context.Context, s *session, asJSON bool, d description) error {
	return sink{standard, s.stdout, s.progress}.write(ctx, func(w io.Writer) error {
		if asJSON {
			return printJSON(w, d)
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		d.print(t)
		return t.Flush()
	})
}
