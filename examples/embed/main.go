// Command embed writes a vector for every node of a graph in files of yours.
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
	"time"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

const usage = `Usage: embed (-edges FILE [-features FILE] | -npz FILE | -planetoid DIR/NAME) -o OUT [flags]

Embeds the nodes of a graph and writes one row per node.

  -edges     a line per edge: two node ids and perhaps a weight, separated by
             tabs, commas or spaces; ids are any text
  -features  a line per node: its id and its values, or its id and index:value pairs
  -npz       a gnn-benchmark archive
  -planetoid a folder and a name: DIR/NAME reads DIR/ind.NAME.graph and its fellows
  -o         OUT.npy (NumPy), OUT.tsv (id, values) or OUT.txt (word2vec text)

Files may be gzipped. Directed edges are made undirected. Without features the
graph alone is embedded. What was done goes to standard error.

  embed -edges friends.tsv -features profiles.csv -o friends.npy
  embed -npz cora.npz -o cora.txt -model cora.model

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "embed: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	edges, features, npz, planetoid string
	out, model                      string
	json                            bool
	fit                             []coles.Option
}

// summary is what -json prints.
type summary struct {
	Nodes    int `json:"nodes"`
	Edges    int `json:"edges"`
	Features int `json:"features"`
	Dim      int `json:"dim"`
	Seconds  struct {
		Read    float64 `json:"read"`
		Prepare float64 `json:"prepare"`
		Filter  float64 `json:"filter"`
		Solve   float64 `json:"solve"`
		Embed   float64 `json:"embed"`
		Write   float64 `json:"write"`
	} `json:"seconds"`
	PeakBytes int64 `json:"peak_bytes"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	var s summary
	start := time.Now()
	d, g, err := read(o)
	if err != nil {
		return err
	}
	s.Seconds.Read = time.Since(start).Seconds()

	line := progressLine(stderr)
	m, err := coles.Fit(ctx, g, d.Features, append(o.fit, coles.WithProgress(line.show))...)
	line.clear()
	if err != nil {
		return err
	}
	r := m.Report()
	fmt.Fprintln(stderr, r)

	start = time.Now()
	if err := write(o, d.IDs, m); err != nil {
		return err
	}
	s.Seconds.Write = time.Since(start).Seconds()
	fmt.Fprintf(stderr, "wrote %s\n", o.out)
	if !o.json {
		return nil
	}
	s.Nodes, s.Edges, s.Features, s.Dim = r.Graph.Nodes, r.Graph.Edges, r.Features, r.Dim
	s.Seconds.Prepare, s.Seconds.Filter = r.Seconds.Prepare, r.Seconds.Filter
	s.Seconds.Solve, s.Seconds.Embed = r.Seconds.Solve, r.Seconds.Embed
	s.PeakBytes = peakBytes()
	return json.NewEncoder(stdout).Encode(s)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("embed", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.edges, "edges", "", "edge list `file`")
	flags.StringVar(&o.features, "features", "", "features `file`, for -edges")
	flags.StringVar(&o.npz, "npz", "", "gnn-benchmark `archive`")
	flags.StringVar(&o.planetoid, "planetoid", "", "folder and name, `DIR/NAME`")
	flags.StringVar(&o.out, "o", "", "output `file`: .npy, .tsv or .txt (required)")
	flags.StringVar(&o.model, "model", "", "`file` to keep the model in")
	flags.BoolVar(&o.json, "json", false, "print one line of JSON: sizes, seconds of each stage, peak memory")
	dim := flags.Int("dim", 128, "columns of the embedding; unless given, at most the number of features")
	seed := flags.Uint64("seed", 1, "seed of all random draws")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, fmt.Errorf("%w (-h explains the flags)", err)
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	}
	o.fit = []coles.Option{coles.WithSeed(*seed)}
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "dim" {
			o.fit = append(o.fit, coles.WithDim(*dim))
		}
	})
	return o, o.check()
}

// check finds what would only fail after the work is done.
func (o options) check() error {
	sources := 0
	for _, s := range []string{o.edges, o.npz, o.planetoid} {
		if s != "" {
			sources++
		}
	}
	switch {
	case sources != 1:
		return errors.New("give one of -edges, -npz and -planetoid (-h explains)")
	case o.features != "" && o.edges == "":
		return errors.New("-features goes with -edges; archives hold their own")
	case o.out == "":
		return errors.New("-o is missing: where to write, .npy, .tsv or .txt")
	}
	if _, err := writerFor(o.out); err != nil {
		return err
	}
	for _, path := range []string{o.out, o.model} {
		if folder := filepath.Dir(path); path != "" {
			if info, err := os.Stat(folder); err != nil {
				return fmt.Errorf("cannot write %s: %w", path, err)
			} else if !info.IsDir() {
				return fmt.Errorf("cannot write %s: %s is not a folder", path, folder)
			}
		}
	}
	return nil
}

// read opens the graph, checks it and makes it undirected.
func read(o options) (*dataset.Dataset, *coles.Graph, error) {
	var d *dataset.Dataset
	var err error
	switch {
	case o.npz != "":
		d, err = dataset.OpenNPZ(o.npz)
	case o.planetoid != "":
		d, err = dataset.OpenPlanetoid(filepath.Split(o.planetoid))
	default:
		d, err = dataset.OpenEdgeList(o.edges, o.features, "")
	}
	if err != nil {
		return nil, nil, err
	}
	opts := []coles.GraphOption{coles.WithSymmetrization()}
	if d.IDs != nil {
		opts = append(opts, coles.WithIDs(d.IDs))
	}
	g, err := coles.FromCSR(d.Adjacency, opts...)
	return d, g, err
}

// writerFor chooses the format by the ending of a file's name.
func writerFor(path string) (func(w io.Writer, ids []string, y mat.Matrix) error, error) {
	switch ext := filepath.Ext(path); ext {
	case ".npy":
		return func(w io.Writer, _ []string, y mat.Matrix) error { return dataset.WriteNPY(w, y) }, nil
	case ".tsv":
		return dataset.WriteTSV, nil
	case ".txt":
		return dataset.WriteWord2Vec, nil
	default:
		return nil, fmt.Errorf("cannot write %s: the ending %q is none of .npy, .tsv, .txt", path, ext)
	}
}

// write puts embedding and model into files that appear whole or not at all.
func write(o options, ids []string, m *coles.Model) error {
	format, err := writerFor(o.out)
	if err != nil {
		return err
	}
	if err := dataset.WriteFile(o.out, func(w io.Writer) error { return format(w, ids, m.Embedding()) }); err != nil {
		return err
	}
	if o.model == "" {
		return nil
	}
	return dataset.WriteFile(o.model, func(w io.Writer) error {
		_, err := m.WriteTo(w)
		return err
	})
}
