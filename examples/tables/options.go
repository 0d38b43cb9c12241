package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

const usage = `Usage: tables -data DIR [flags]

Measures COLES and its baselines by the protocols of the paper. The table of node
classification: embed the graph without labels, train a logistic regression on 5
and on 20 nodes per class, test on all others, over 50 random splits.

For each NAME it reads DIR/npz/NAME.npz or DIR/planetoid/ind.NAME.*, and the
splits DIR/splits/NAME_5.json and NAME_20.json; splits that have no file are
drawn with a fixed seed. The tables go to standard output or to the file that -o
names, progress to standard error.

  tables -data data -fetch -datasets cora
  tables -data data -datasets cora,citeseer,pubmed
  tables -data data -datasets cora -methods coles-s2gc,s2gc -json
  tables -data data -table all -format html -o report.html
  tables -data data -table kappa -datasets cora,citeseer -format csv
  tables -data data -methods coles-gcn,gcn-supervised -seeds 3
  tables -data data -table all,means

Flags:
`

// options are the command line, checked.
type options struct {
	data     string
	datasets []string
	tables   []table
	splits   int
	seeds    int
	fetch    bool
	format   string
	out      string // "" for standard output
}

func parse(args []string, stderr io.Writer) (options, error) {
	flags := flag.NewFlagSet("tables", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var o options
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz, planetoid and splits (required)")
	tables := flags.String("table", "classification", "comma-separated `tables`: "+strings.Join(tableNames(), ", ")+", or all: those that train no networks")
	datasets := flags.String("datasets", "cora,citeseer,pubmed", "comma-separated `names`")
	methods := flags.String("methods", "", "comma-separated `methods`, of which each table measures those it has (default what trains no networks). The classification table has "+strings.Join(methodNames(allMethods()), ", "))
	flags.IntVar(&o.splits, "splits", 50, "number of splits to use")
	flags.IntVar(&o.seeds, "seeds", 3, "how often to train what is trained")
	flags.BoolVar(&o.fetch, "fetch", false, "first fetch the Planetoid files of the data sets into DIR/planetoid (cora, citeseer and pubmed only)")
	flags.StringVar(&o.format, "format", "markdown", "markdown, csv, json (a line per cell, as soon as it is measured) or html (a page with plots)")
	asJSON := flags.Bool("json", false, "-format json")
	flags.StringVar(&o.out, "o", "", "`file` to write to, which appears when all is measured (default standard output)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, fmt.Errorf("%w (-h explains the flags)", err)
	}
	if *asJSON {
		named := false
		flags.Visit(func(f *flag.Flag) { named = named || f.Name == "format" })
		if named && o.format != "json" {
			return o, fmt.Errorf("-json contradicts -format %s", o.format)
		}
		o.format = "json"
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	}
	o.datasets = fields(*datasets)
	if err := o.check(); err != nil {
		return o, err
	}
	var err error
	if o.tables, err = findTables(*tables); err != nil {
		return o, err
	}
	if *methods != "" {
		o.tables, err = chooseMethods(o.tables, *methods)
	}
	return o, err
}

// check refuses what no table can be measured with.
func (o options) check() error {
	switch {
	case o.data == "":
		return errors.New("-data is missing: the folder that holds npz, planetoid and splits (-h explains)")
	case o.splits < 1:
		return fmt.Errorf("-splits %d: at least 1 is needed", o.splits)
	case o.seeds < 1:
		return fmt.Errorf("-seeds %d: at least 1 is needed", o.seeds)
	case len(o.datasets) == 0:
		return errors.New("-datasets names none")
	}
	return nil
}

// steps is the number of measurements.
func (o options) steps() int {
	count := 0
	for _, t := range o.tables {
		count += len(o.datasets) * len(t.rows(t.standard))
	}
	return count
}

// fields splits a comma-separated list, dropping blanks.
func fields(list string) []string {
	var out []string
	for _, f := range strings.Split(list, ",") {
		if f = strings.TrimSpace(f); f != "" {
			out = append(out, f)
		}
	}
	return out
}
