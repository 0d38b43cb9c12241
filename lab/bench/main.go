// Command bench times the embedding of graphs, in turn with another program on the same files, so that
// their ratio holds on a machine whose speed drifts.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"coles/examples/shared/cli"
	"coles/lab/internal/programs"
)

const usage = `Usage: bench [-data DIR] [-peer CMD] [flags]

Times coles.Fit at the setting of its peers on the graphs in DIR/npz and on a
generated one of the size of ogbn-arxiv; without -data on the latter alone. It
prints a Markdown table: for each graph and number of columns d′ the median of
-runs fits and, in brackets, the fastest and the slowest; the number type and
the solver that were chosen; and what memory the fit took.

Every fit runs in a fresh process, with the graph and its features in memory:
starting the process and reading are not timed, taking memory from the system
is. "warm" is a second fit in the same process, which finds memory there.
"fresh" is the memory that the first fit touched first, page by page, and
"peak" the largest resident memory, graph and features included (Linux only).

-peer names a program to compare with. After each fit it is run as
  CMD --npz FILE --dim N --solver dense|free
with the solver that is its faster one for the row, and prints one JSON object
with its own seconds for the embedding, "total", without those for starting
and for reading FILE. The generated graph is written to a temporary file for
it, of 110 MB. The ratio divides the medians.

With -train the rows are trainings: gcn is COLES-GCN, and dgi and grace are of
coles/lab/rivals, GRACE on Pubmed with 1024 anchors. A run counts by the mean
seconds of 12 epochs. The peer is run as
  CMD --npz FILE --hidden H --dim N --epochs 12
and prints its seconds as "epoch_seconds".

  bench                                                    (some 10 seconds)
  bench -data data -graphs cora,flickr
  bench -data data -peer 'python3 coles_ref.py' -runs 5
  bench -peer 'python3 coles_ref.py' -graphs generated
  bench -train gcn -data data -peer 'python3 gcn_ref.py'

Rows: `

func main() { cli.Main(program(graphs)) }

// options are the command line, checked.
type options struct {
	data string
	peer []string // program and arguments; empty for none
	runs int
	jobs []job
	json bool
	// train names the training that the rows are of; "" for fits.
	train string
	args  []string // as they were given
}

// program measures what its arguments choose of the jobs that there are.
func program(all []job) cli.Program {
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		o, err := parse(args, all, stderr)
		if err != nil {
			return err
		}
		_, err = programs.Rows(ctx, stdout, stderr, tableHead, o.json, o.jobs, o.measure, func(j job) []string { return o.alone(j) })
		return err
	}
}

func parse(args []string, all []job, stderr io.Writer) (options, error) {
	o := options{args: args}
	flags := cli.Flags(fmt.Sprintf("%s%s; with -train: %s\n\nFlags:\n", usage, programs.Names(all), programs.Names(trainings["gcn"])), stderr)
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz/NAME.npz")
	peer := flags.String("peer", "", "`command` to compare with, its words separated by spaces")
	flags.IntVar(&o.runs, "runs", 3, "fits of each row, of which the median counts")
	chosen := flags.String("graphs", "", "comma-separated `rows`: cora for all of Cora, cora:512 for one (default all that there are)")
	flags.StringVar(&o.train, "train", "", "time the training of a `network`: gcn, dgi or grace")
	flags.BoolVar(&o.json, "json", false, "print a line of JSON a row, with the seconds of every run, instead of a Markdown table")
	if err := cli.Parse(flags, args, cli.Least{"runs": 1}); err != nil {
		return o, err
	}
	if *peer != "" {
		o.peer = strings.Fields(*peer)
		if len(o.peer) == 0 {
			return o, fmt.Errorf("-peer %q names no program", *peer)
		}
		if _, err := exec.LookPath(o.peer[0]); err != nil {
			return o, fmt.Errorf("-peer: %w", err)
		}
	}
	if o.train != "" {
		if all = trainings[o.train]; all == nil {
			return o, fmt.Errorf("-train %s: want gcn, dgi or grace", o.train)
		}
	}
	var err error
	o.jobs, err = choose(all, *chosen, o.data != "")
	if err == nil && len(o.jobs) == 0 {
		err = errors.New("-train reads graphs from files, so -data is needed")
	}
	return o, err
}

// choose returns the jobs of a list of names; of an empty one, all that can be run.
func choose(all []job, list string, files bool) ([]job, error) {
	if list == "" {
		return slices.DeleteFunc(slices.Clone(all), func(j job) bool { return !files && j.generated == nil }), nil
	}
	found, err := programs.Find("graphs", list, all, func(j job, name string) bool { return name == j.name || name == j.String() })
	if err != nil || files {
		return found, err
	}
	if k := slices.IndexFunc(found, func(j job) bool { return j.generated == nil }); k >= 0 {
		return nil, fmt.Errorf("-graphs %s: %v is read from a file, so -data is needed", list, found[k])
	}
	return found, nil
}
