// Command tables measures COLES and its baselines by the protocol of the paper
// (Zhu, Sun and Koniusz, NeurIPS 2021) and prints the paper's figures beside.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

const usage = `Usage: tables -data DIR [flags]

Measures node classification by the protocol of the COLES paper: embed the graph
without labels, train a logistic regression on 5 and on 20 nodes per class,
test on all others, over 50 random splits.

For each NAME it reads DIR/npz/NAME.npz or DIR/planetoid/ind.NAME.*, and the
splits DIR/splits/NAME_5.json and NAME_20.json; splits that have no file are
drawn with a fixed seed. The table goes to standard output, progress to
standard error.

  tables -data data -fetch -datasets cora
  tables -data data -datasets cora,citeseer,pubmed
  tables -data data -datasets cora -methods coles-s2gc,s2gc -json
  tables -data data -table kappa -datasets cora,citeseer
  tables -data data -methods coles-gcn,gcn-supervised -seeds 3
  tables -data data -table means

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "tables: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// options are the command line, checked.
type options struct {
	data     string
	datasets []string
	methods  []method
	splits   int
	seeds    int
	fetch    bool
	json     bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tables", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var o options
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz, planetoid and splits (required)")
	table := flags.String("table", "classification", "which table: classification; kappa or kappa-gcn, for the number of negative graphs; means, for the generalised means")
	datasets := flags.String("datasets", "cora,citeseer,pubmed", "comma-separated `names`")
	methods := flags.String("methods", "", "comma-separated `methods` of the classification table: "+strings.Join(methodNames(allMethods()), ", ")+" (default those before "+trainedMethods[0].name+": the others train networks)")
	flags.IntVar(&o.splits, "splits", 50, "number of splits to use")
	flags.IntVar(&o.seeds, "seeds", 3, "how often to train what is trained")
	flags.BoolVar(&o.fetch, "fetch", false, "first fetch the Planetoid files of the data sets into DIR/planetoid (cora, citeseer and pubmed only)")
	flags.BoolVar(&o.json, "json", false, "print a line of JSON per cell instead of a Markdown table")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w (-h explains the flags)", err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	}
	if o.data == "" {
		return errors.New("-data is missing: the folder that holds npz, planetoid and splits (-h explains)")
	}
	if o.splits < 1 {
		return fmt.Errorf("-splits %d: at least 1 is needed", o.splits)
	}
	if o.seeds < 1 {
		return fmt.Errorf("-seeds %d: at least 1 is needed", o.seeds)
	}
	o.datasets = fields(*datasets)
	if len(o.datasets) == 0 {
		return errors.New("-datasets names none")
	}
	out := newReport(stdout, *table, o.json)
	progress := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	var err error
	if *methods != "" && *table != "classification" {
		return errors.New("-methods goes with -table classification; the other tables have methods of their own")
	}
	switch *table {
	case "classification":
		if o.methods, err = findMethods(*methods); err != nil {
			return err
		}
		err = classification(ctx, o, out, progress)
	case "means":
		o.methods = meanMethods()
		err = classification(ctx, o, out, progress)
	case "kappa", "kappa-gcn":
		err = kappa(ctx, o, *table, out, progress)
	default:
		return fmt.Errorf("-table %q: there are classification, kappa, kappa-gcn and means", *table)
	}
	if err != nil {
		return err
	}
	return out.finish()
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
