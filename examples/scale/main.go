// Command scale shows how time and memory of an embedding grow with the graph:
// it generates graphs of rising size, embeds them, and prints a row for each.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"coles/eval/picture"
)

const usage = `Usage: scale [flags]

Generates graphs with communities and dense float32 features, embeds each with
the features in a memory-mapped .npy file, and prints what it took as a
Markdown table. Every size has a process of its own, so that its peak memory is
its own. Progress goes to standard error.

  scale                                                    (some 15 seconds)
  scale -sizes 250000,500000,1000000,2000000 -plot scale.svg
  scale -sizes 170000 -degree 14                           (as large as ogbn-arxiv)
  scale -sizes 233000 -degree 100 -features 602 -dim 256 -hops 2   (as Reddit)

The features file is temporary, in the folder TMPDIR names, and has
4·nodes·features bytes: a gigabyte for two million nodes of 128.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "scale: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// options are the command line, checked.
type options struct {
	sizes    []int
	degree   float64
	features int
	dim      int
	hops     int
	runs     int
	seed     uint64
	file     string
	plot     string
	json     bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if !o.json {
		fmt.Fprint(stdout, tableHead)
	}
	var rows []row
	for _, n := range o.sizes {
		fmt.Fprintf(stderr, "%d nodes\n", n)
		r, err := o.size(ctx, n)
		if err != nil {
			return fmt.Errorf("%d nodes: %w", n, err)
		}
		rows = append(rows, r)
		if o.json {
			err = json.NewEncoder(stdout).Encode(r)
		} else {
			_, err = fmt.Fprintln(stdout, r)
		}
		if err != nil {
			return err
		}
	}
	if !o.json {
		fmt.Fprint(stdout, remarks(rows))
	}
	if o.plot == "" {
		return nil
	}
	return drawGrowth(rows, o.plot)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	sizes := flags.String("sizes", "25000,50000,100000,200000", "comma-separated `numbers` of nodes")
	flags.Float64Var(&o.degree, "degree", 20, "mean degree: edges are half of it times the nodes")
	flags.IntVar(&o.features, "features", 128, "number of features")
	flags.IntVar(&o.dim, "dim", 128, "columns of the embedding, at most the number of features")
	flags.IntVar(&o.hops, "hops", 8, "hops of the S²GC filter")
	flags.IntVar(&o.runs, "runs", 1, "runs of Fit at each size, of which the one with the median time counts")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the graph and of the embedding")
	flags.StringVar(&o.file, "features-file", "", "`file` to write the features to and to keep, with a single size")
	flags.StringVar(&o.plot, "plot", "", "`picture` to draw, .png, .svg or .pdf")
	flags.BoolVar(&o.json, "json", false, "print a line of JSON per size instead of a Markdown table")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, fmt.Errorf("%w (-h explains the flags)", err)
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	}
	for _, field := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return o, fmt.Errorf("-sizes %s: %q is no number of nodes", *sizes, field)
		}
		o.sizes = append(o.sizes, n)
	}
	return o, o.check()
}

// check finds what would only fail after the work is done.
func (o options) check() error {
	switch {
	case o.features < 1:
		return fmt.Errorf("-features %d: at least 1 is needed", o.features)
	case o.dim < 1 || o.dim > o.features:
		return fmt.Errorf("-dim %d: want 1 to the number of features, %d", o.dim, o.features)
	case o.hops < 1:
		return fmt.Errorf("-hops %d: at least 1 is needed", o.hops)
	case o.runs < 1:
		return fmt.Errorf("-runs %d: at least 1 is needed", o.runs)
	case o.file != "" && len(o.sizes) > 1:
		return errors.New("-features-file goes with a single size")
	}
	if o.plot != "" {
		if _, err := picture.FormatOf(o.plot); err != nil {
			return err
		}
	}
	for _, path := range []string{o.plot, o.file} {
		if info, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		} else if !info.IsDir() {
			return fmt.Errorf("cannot write %s: %s is not a folder", path, filepath.Dir(path))
		}
	}
	return nil
}
