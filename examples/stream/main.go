// Command stream grows a graph and follows it with a fitted model: what an update
// takes beside a fit from scratch, how far P turns, and how near a newcomer's vector
// is when nothing else is touched. It needs no file and no network.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
)

const usage = `Usage: stream [flags]

Generates a network of neighbours along a ring, fits it, and then lets nodes and edges come
in batches. For each batch it prints

  moved     nodes whose vector changes: those within two hops
  update    seconds to take the batch in and to solve for P again
  refit     seconds to fit the grown graph from scratch, in the same precision
  turned    how far P has turned since the first fit, in radians
  equal     the largest difference of eigenvalues between both, relative
  newcomer  microseconds to embed one of the new nodes with all others frozen
  off       by how much of its length its vector then differs from the exact one

  stream
  stream -nodes 200000 -features 128 -batches 3

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "stream: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "stream:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("stream", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	nodes := flags.Int("nodes", 50000, "number of nodes at first")
	features := flags.Int("features", 64, "number of features")
	dim := flags.Int("dim", 16, "columns of the embedding, at most the number of features")
	batches := flags.Int("batches", 5, "number of batches")
	size := flags.Int("batch", 5, "new nodes in a batch; twice as many edges come with them")
	seed := flags.Uint64("seed", 1, "seed of everything that is drawn")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w (-h explains the flags)", err)
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	case *nodes < 100:
		return fmt.Errorf("-nodes %d: at least 100 are needed", *nodes)
	case *features < 2:
		return fmt.Errorf("-features %d: at least 2 are needed", *features)
	case *dim < 1 || *dim > *features:
		return fmt.Errorf("-dim %d: want 1 to the number of features, %d", *dim, *features)
	case *batches < 1 || *size < 1:
		return fmt.Errorf("-batches %d of %d nodes: at least 1 of 1 is needed", *batches, *size)
	}
	s, err := begin(ctx, newRing(*nodes, *features, *seed), *dim)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%v, %d features\n\n", s.model.Report().Graph, *features)
	fmt.Fprintln(stdout, "| nodes | moved | update, s | refit, s | refit / update | turned, rad | equal | newcomer, µs | off |")
	fmt.Fprintln(stdout, "|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for range *batches {
		if err := s.batch(ctx, *size, stdout); err != nil {
			return err
		}
	}
	return nil
}

// A stream is the network, its first model, and what follows it.
type stream struct {
	*ring
	settings []coles.Option
	model    *coles.Model
	growing  *coles.Growing
}

// filter reaches two hops: an update costs what these reach.
var filter = coles.S2GCSum(2)

func begin(ctx context.Context, r *ring, dim int) (*stream, error) {
	// The settings of a fit from scratch that an update equals: features are as they
	// come, since weights learned from them would change with every batch.
	s := &stream{ring: r, settings: []coles.Option{
		coles.WithDim(dim), coles.WithFilter(filter), coles.WithFeatures(coles.PrepareNone),
		coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect),
	}}
	g, err := r.graph()
	if err != nil {
		return nil, err
	}
	if s.model, err = coles.Fit(ctx, g, r.features(), s.settings...); err != nil {
		return nil, err
	}
	s.growing, err = s.model.Grow(ctx, g, r.features())
	return s, err
}

// batch lets nodes come and prints a row.
func (s *stream) batch(ctx context.Context, size int, w io.Writer) error {
	before, err := s.graph()
	if err != nil {
		return err
	}
	frozen, err := s.model.Freeze(ctx, before, s.features())
	if err != nil {
		return err
	}
	what := s.come(size)
	start := time.Now()
	grown, err := s.growing.Add(ctx, what)
	if err != nil {
		return err
	}
	p, err := s.growing.Solve(ctx)
	if err != nil {
		return err
	}
	update := time.Since(start)

	after, err := s.graph()
	if err != nil {
		return err
	}
	start = time.Now()
	fitted, err := coles.Fit(ctx, after, s.features(), s.settings...)
	if err != nil {
		return err
	}
	refit := time.Since(start)
	turned, err := coles.PrincipalAngle(s.model.Projection(), p.P)
	if err != nil {
		return err
	}

	first := grown.Moved[len(grown.Moved)-size] // the new nodes have the largest numbers
	newcomer, took, err := s.newcomer(ctx, frozen, first)
	if err != nil {
		return err
	}
	exact, err := s.growing.Embed(ctx, []int{first})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| %d | %d | %.4f | %.3f | %.0f | %.2g | %.0e | %d | %.2g |\n",
		s.growing.Nodes(), len(grown.Moved), update.Seconds(), refit.Seconds(), refit.Seconds()/update.Seconds(),
		turned, relative(p.Lambda, fitted.Lambda()), took.Microseconds(), off(newcomer, exact))
	return nil
}

// newcomer embeds the first of the new nodes as if it were alone.
func (s *stream) newcomer(ctx context.Context, frozen *coles.Frozen, node int) (*mat.Dense, time.Duration, error) {
	var edges []coles.Edge
	for _, e := range s.edges[len(s.edges)-s.latest:] {
		if e.U == node && e.V < node {
			edges = append(edges, e)
		}
	}
	x := mat.NewDense(1, s.d, s.x[node*s.d:][:s.d])
	start := time.Now()
	y, err := frozen.Embed(ctx, x, edges, nil)
	return y, time.Since(start), err
}

// relative is the largest difference of two descending lists, by their first.
func relative(a, b []float64) float64 {
	largest := 0.0
	for k, v := range a {
		largest = max(largest, (v-b[k])/b[0], (b[k]-v)/b[0])
	}
	return largest
}

// off is how much of its length a row differs by.
func off(got, want *mat.Dense) float64 {
	var difference mat.Dense
	difference.Sub(got, want)
	return mat.Norm(&difference, 2) / mat.Norm(want, 2)
}
