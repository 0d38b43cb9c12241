// Command tables measures COLES and its baselines by the protocols of the paper (Zhu, Sun and
// Koniusz, NeurIPS 2021) and prints the paper's figures next to them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/lab/internal/programs"
)

const usage = `Usage: tables [-data DIR] [flags]

Measures COLES and its baselines by the protocols of the paper. The table of node
classification: embed the graph without labels, train a logistic regression on 5
and on 20 nodes per class, test on all others, over 50 random splits. Where
COLES-S2GC is measured, the others are compared with it split by split.

For each NAME it reads DIR/npz/NAME.npz or DIR/planetoid/ind.NAME.*, and the
splits DIR/splits/NAME_5.json and NAME_20.json; splits that have no file are
drawn with a fixed seed. A system within 1.5 points of COLES-S2GC in a cell is
trained -seeds times, others once. The tables go to standard output or to the file that -o
names, progress to standard error.

  tables -data data -fetch -datasets cora
  tables -data data -datasets cora,citeseer,pubmed
  tables -data data -datasets cora -methods coles-s2gc,s2gc -json
  tables -data data -table all -o report.md
  tables -data data -table kappa -datasets cora,citeseer
  tables -data data -methods coles-gcn,gcn-supervised -seeds 3
  tables -data data -table all,means
  tables -data data -table homophily -datasets all
  tables -data data -columns raw,norm1,norm4,best,cv,scaled -methods all
  tables -data data -table league -keep trained
  tables -table homophily
  tables -data data -table vectors -splits 15 -peer 'python3 tables/testdata/peers.py'
  tables -table large -nodes 20000 -seeds 1 -epochs 20

The large table reads DIR/ogbn_arxiv (the folder of the Open Graph Benchmark) and
DIR/reddit (GraphSAGE's files); what is not there it generates in the same size.
Without -data it generates both, as the homophily table does its graphs.
Their features go to temporary files in the folder TMPDIR names, 1 GB for Reddit.

Flags:
`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := optionsOf(args, stderr)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		out := &report{w: w, asJSON: o.asJSON}
		if err := measureAll(ctx, o, out, cli.NewLine(stderr)); err != nil {
			return err
		}
		return out.finish()
	}
	if o.out == "" {
		return write(stdout)
	}
	// The file is opened first: not to be found impossible after minutes.
	return dataset.WriteFile(o.out, write)
}

// options are the command line, checked.
type options struct {
	data     string
	datasets []string
	tables   []table
	splits   int
	seeds    int       // 0 for the table's own number
	columns  []scaling // nil for a table's own
	keep     string    // the folder of embeddings that are kept; "" for none
	nodes    int       // of what the large table generates; 0 for the paper's
	epochs   int       // of a training of the large table, at most; 0 for a system's own
	fetch    bool
	asJSON   bool
	out      string // "" for standard output

	reference []cell // of the method that the one at hand is compared with, on the data set at hand
}

func optionsOf(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := cli.Flags(usage, stderr)
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz, planetoid and splits (required, but by what is generated)")
	list := flags.String("table", "classification", "comma-separated `tables`: "+programs.Names(tables())+", or all: those that do not take long")
	datasets := flags.String("datasets", "", "comma-separated `names`, or all: every archive in DIR/npz (default cora,citeseer,pubmed; the homophily table generates its own)")
	methods := flags.String("methods", "", "comma-separated `methods`, of which each table measures those it has, or all (default what trains no networks): "+programs.Names(methodsOf(tables())))
	flags.IntVar(&o.splits, "splits", 50, "number of splits to use")
	flags.Func("seeds", "how `often` to train what is trained (default 3, and 10 for the large table)", func(text string) (err error) {
		if o.seeds, err = strconv.Atoi(text); err != nil || o.seeds < 1 {
			err = errors.New("a whole number, at least 1, is needed")
		}
		return err
	})
	flags.IntVar(&o.nodes, "nodes", 0, "`nodes` of the graphs that the large table generates (default as many as ogbn-arxiv and Reddit have)")
	flags.IntVar(&o.epochs, "epochs", 0, "`epochs` of a training of the large table, at most (default as many as a system's authors take)")
	peer := flags.String("peer", "", "`command` to measure beside COLES in the table vectors, its words separated by spaces, such as python3 tables/testdata/peers.py; for each of its methods and numbers of labels it is run as CMD --csv FILE --splits FILE --method NAME, and prints the share that is right of every split, a list in JSON")
	columns := flags.String("columns", "", "comma-separated `columns`, in which accuracy is measured: raw (C = 1 and the scale that an embedding has, as in the paper), norm1 and norm4 (C = 1 and one mean norm for all), best (of these three, the best in the test), cv (C by cross-validation in the training labels), scaled (C = 1 after COLES's spectral scaling); what is trained on labels is the same in each (default raw; best and cv for the league)")
	flags.StringVar(&o.keep, "keep", "", "`folder` in which embeddings of accuracy tables are kept: a run that is stopped goes on there")
	flags.BoolVar(&o.fetch, "fetch", false, "first fetch the Planetoid files of the data sets into DIR/planetoid (cora, citeseer and pubmed only)")
	flags.BoolVar(&o.asJSON, "json", false, "write a line of JSON per cell, as soon as it is measured, instead of tables in Markdown")
	flags.StringVar(&o.out, "o", "", "`file` to write to, which appears when all is measured (default standard output)")
	if err := cli.Parse(flags, args, cli.Least{"splits": 1, "nodes": 0, "epochs": 0}); err != nil {
		return o, err
	}
	var err error
	if o.datasets = programs.Fields(*datasets); *datasets != "" && o.datasets == nil {
		return o, errors.New("-datasets names none")
	}
	if *datasets == "all" && o.data != "" {
		if o.datasets, err = allDatasets(o.data); err != nil {
			return o, err
		}
	}
	if o.tables, err = findTables(*list); err != nil {
		return o, err
	}
	if command := strings.Fields(*peer); len(command) > 0 {
		at := slices.IndexFunc(o.tables, func(t table) bool { return t.Name == "vectors" })
		if at < 0 {
			return o, errors.New("-peer is for -table vectors")
		}
		o.tables[at].rows = append(o.tables[at].rows, peers(o.data, command)...)
	}
	if *columns != "" {
		if o.columns, err = programs.Find("columns", *columns, scalings, func(s scaling, name string) bool { return s.name == name }); err != nil {
			return o, err
		}
	}
	if *methods != "" {
		o.tables, err = chooseMethods(o.tables, *methods)
	}
	if err != nil || o.data != "" {
		return o, err
	}
	for _, t := range o.tables {
		for _, name := range o.datasetsOf(t) {
			if !isGenerated(name) {
				return o, fmt.Errorf("-data is missing: the folder that holds npz, planetoid and splits, for %s (-h explains)", name)
			}
		}
	}
	return o, nil
}
