// Command stream grows a graph and follows it with a fitted model: what an update takes compared
// with a fit from scratch, how far P turns, and how near a newcomer's vector is when nothing else
// is touched. It needs no file and no network.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"coles"
	"coles/examples/shared/cli"
	"coles/live"

	"gonum.org/v1/gonum/floats"
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

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	nodes := flags.Int("nodes", 50000, "number of nodes at first")
	features := flags.Int("features", 64, "number of features")
	dim := flags.Int("dim", 16, "columns of the embedding, at most the number of features")
	batches := flags.Int("batches", 5, "number of batches")
	size := flags.Int("batch", 5, "new nodes in a batch; twice as many edges come with them")
	seed := flags.Uint64("seed", 1, "seed of everything that is drawn")
	if err := cli.Parse(flags, args, cli.Least{"nodes": 100, "features": 2, "dim": 1, "batches": 1, "batch": 1}); err != nil {
		return err
	}
	if *dim > *features {
		return fmt.Errorf("-dim %d: want 1 to the number of features, %d", *dim, *features)
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
	growing  *live.Graph
}

func begin(ctx context.Context, r *ring, dim int) (*stream, error) {
	// The settings of a fit from scratch that an update equals: features are as they come, since
	// weights learned from them would change with every batch. An update costs what the two hops of
	// the filter reach.
	s := &stream{ring: r, settings: []coles.Option{
		coles.With(func(s *coles.Settings) {
			s.Dim = dim
			s.Filter = coles.S2GCSum(2)
			s.Preparation = coles.PrepareNone
			s.Structure = 0 // whose columns reach most nodes
			s.Precision = coles.Float64
			s.Solver = coles.SolverDirect
		}),
	}}
	g, err := r.graph()
	if err != nil {
		return nil, err
	}
	if s.model, err = coles.Fit(ctx, g, r.features(), s.settings...); err != nil {
		return nil, err
	}
	s.growing, err = live.Follow(ctx, s.model, g, r.features())
	return s, err
}

// batch lets nodes come and prints a row.
func (s *stream) batch(ctx context.Context, size int, w io.Writer) error {
	before, err := s.graph()
	if err != nil {
		return err
	}
	frozen, err := live.Freeze(ctx, s.model, before, s.features())
	if err != nil {
		return err
	}
	first := before.Nodes() // of the new nodes
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
	update := time.Since(start).Seconds()

	after, err := s.graph()
	if err != nil {
		return err
	}
	start = time.Now()
	fitted, err := coles.Fit(ctx, after, s.features(), s.settings...)
	if err != nil {
		return err
	}
	refit := time.Since(start).Seconds()
	fewer, more := s.model.P(), p.P
	if fewer.RawMatrix().Rows > more.RawMatrix().Rows { // a column of degrees has come
		fewer, more = more, fewer
	}
	turned, err := live.PrincipalAngle(fewer, more)
	if err != nil {
		return err
	}
	equal := floats.Distance(p.Lambda, fitted.Parts()[0].Lambda, math.Inf(1)) / fitted.Parts()[0].Lambda[0]

	x := mat.NewDense(1, s.d, s.x[first*s.d:][:s.d])
	start = time.Now()
	newcomer, err := frozen.Embed(ctx, x, what.Edges[:neighbours], nil)
	if err != nil {
		return err
	}
	took := time.Since(start)
	exact, err := s.growing.Embed(ctx, []int{first})
	if err != nil {
		return err
	}
	var off mat.Dense
	off.Sub(newcomer, exact)
	_, err = fmt.Fprintf(w, "| %d | %d | %.4f | %.3f | %.0f | %.2g | %.0e | %d | %.2g |\n",
		s.growing.Nodes(), len(grown.Moved), update, refit, refit/update,
		turned, equal, took.Microseconds(), mat.Norm(&off, 2)/mat.Norm(exact, 2))
	return err
}

// A ring is a network whose nodes sit along a circle, join nearby nodes, and have noisy features
// that change slowly along it.
type ring struct {
	rng   *rand.Rand
	d     int
	at    []float64 // of every node: its place on the circle, 0 to 1
	waves []float64 // phase of every feature
	x     []float64 // features, row after row
	edges []coles.Edge
}

const (
	side       = 5 // how many neighbours a node has on either side at first
	neighbours = 2 // of a node that comes
)

func newRing(n, d int, seed uint64) *ring {
	r := &ring{rng: rand.New(rand.NewPCG(seed, 0)), d: d, waves: make([]float64, d)}
	for j := range r.waves {
		r.waves[j] = r.rng.Float64()
	}
	for i := range n {
		r.settle(float64(i) / float64(n))
		for k := 1; k <= side; k++ {
			r.edges = append(r.edges, coles.Edge{U: i, V: (i + k) % n})
		}
	}
	return r
}

// settle gives a node a place and features.
func (r *ring) settle(at float64) {
	r.at = append(r.at, at)
	for j, phase := range r.waves {
		wave := math.Sin(2 * math.Pi * (float64(1+j/2)*at + phase))
		r.x = append(r.x, wave+0.5*r.rng.NormFloat64())
	}
}

// come adds nodes somewhere, each with its neighbours among those that are there, and returns what
// is new.
func (r *ring) come(count int) live.Change {
	n, old := len(r.at), len(r.edges)
	for k := range count {
		near := r.rng.IntN(n)
		r.settle(r.at[near])
		for _, other := range [neighbours]int{near, (near + 1 + r.rng.IntN(side)) % n} {
			r.edges = append(r.edges, coles.Edge{U: n + k, V: other})
		}
	}
	return live.Change{Features: mat.NewDense(count, r.d, r.x[n*r.d:]), Edges: r.edges[old:]}
}

func (r *ring) graph() (*coles.Graph, error) { return coles.NewGraph(len(r.at), r.edges) }

func (r *ring) features() *mat.Dense { return mat.NewDense(len(r.at), r.d, r.x) }
