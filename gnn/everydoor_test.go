package gnn

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/kernel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A refusal is an error that some doors give; the others give finite numbers.
type refusal struct {
	err error
	by  []string
}

func by(err error, doors ...string) refusal { return refusal{err, doors} }

// The table of inputs for every door: a named error, or numbers that are numbers.
func TestDoors(t *testing.T) {
	const n, d = 40, 12
	g, words := small(81)
	dense := mat.DenseCopyOf(words)
	labels := make([]int, n)
	labels[0], labels[2] = 1, 1
	var kept *Checkpoint
	opts := smallOptions(WithEpochs(2))
	m := must(Train(ctx, g, words, append(opts, WithCheckpoints(1, func(c *Checkpoint) error { kept = c; return nil }))...))
	k := must(TrainClassifier(ctx, g, words, labels, []int{0, 1}, []int{2, 3}, WithEpochs(1)))
	doors := []struct {
		name string
		open func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
	}{
		{"Train", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			m, err := Train(ctx, g, x, opts...)
			return m.Embedding(), err
		}},
		{"pairs", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			m, err := Train(ctx, g, x, append(opts, WithObjective(SampledNCE(2, 1)))...)
			return m.Embedding(), err
		}},
		{"Classifier", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			k, err := TrainClassifier(ctx, g, x, labels[:g.Nodes()], []int{0, 1}, []int{2, 3}, WithEpochs(1))
			if err != nil {
				return nil, err
			}
			return k.Scores(ctx, g, x)
		}},
		{"Resume", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			m, err := Resume(ctx, kept, g, x)
			return m.Embedding(), err
		}},
		{"Embed", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) { return m.Embed(ctx, g, x) }},
		{"Scores", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) { return k.Scores(ctx, g, x) }},
		{"Predict", func(g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			_, err := k.Predict(ctx, g, x)
			return nil, err
		}},
	}
	with := func(change func(x *mat.Dense)) *mat.Dense {
		x := mat.DenseCopyOf(dense)
		change(x)
		return x
	}
	scaled := func(c float64) *mat.Dense { return with(func(x *mat.Dense) { x.Scale(c, x) }) }
	graph := func(edges ...coles.Edge) *coles.Graph { return must(coles.NewGraph(n, edges)) }
	all := []string{"Train", "pairs", "Classifier", "Resume", "Embed", "Scores", "Predict"}
	unfitted := []string{"Resume", "Embed", "Scores", "Predict"} // those that know other features
	graphless := []refusal{by(coles.ErrShape, all...), by(ErrLabels, "Classifier")}
	empty, shape := []refusal{by(coles.ErrEmpty, all...)}, []refusal{by(coles.ErrShape, all...)}
	notFinite, other := []refusal{by(coles.ErrNotFinite, all...)}, []refusal{by(ErrCheckpoint, "Resume")}
	for _, c := range []struct {
		name string
		g    *coles.Graph
		x    mat.Matrix
		want []refusal
	}{
		{"plain", g, words, nil},
		{"a nil graph", nil, words, graphless},
		{"a zero graph", new(coles.Graph), words, graphless},
		{"no features", g, nil, empty},
		{"a nil *mat.Dense", g, (*mat.Dense)(nil), empty},
		{"a nil *sparse.CSR", g, (*sparse.CSR)(nil), empty},
		{"an empty *mat.Dense", g, new(mat.Dense), shape},
		{"a matrix that panics", g, brokenMatrix{n}, shape},
		{"NaN", g, with(func(x *mat.Dense) { x.Set(5, 5, math.NaN()) }), notFinite},
		{"-Inf", g, with(func(x *mat.Dense) { x.Set(5, 5, math.Inf(-1)) }), notFinite},
		{"a row too few", g, dense.Slice(0, n-1, 0, d), shape},
		{"a column too few", g, dense.Slice(0, n, 0, d-1), []refusal{by(coles.ErrShape, unfitted...), by(ErrCheckpoint, "Resume")}},
		{"a column out of range", g, sparse.NewCSR(n, d, append(make([]int, n), 1), []int{33}, []float64{1}), []refusal{by(coles.ErrIndex, all...)}},
		{"one node", must(coles.NewGraph(1, nil)), dense.Slice(0, 1, 0, d), []refusal{by(ErrLabels, "Classifier"), by(ErrCheckpoint, "Resume")}},
		{"no edges", graph(), words, other},
		{"isolated nodes", graph(coles.Edge{U: 0, V: 1}), words, other},
		{"edges twice", graph(coles.Edge{U: 0, V: 1}, coles.Edge{U: 1, V: 0}), words, other},
		{"self loops only", must(coles.NewGraph(n, []coles.Edge{{U: 0, V: 0}}, coles.WithSelfLoopsKept())), words, other},
		{"the smallest weights", must(coles.NewGraph(n, []coles.Edge{{U: 0, V: 1}}, coles.WithEdgeWeights([]float64{5e-324}))), words, other},
		{"the largest weights", must(coles.NewGraph(n, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithEdgeWeights([]float64{1.5e308, 1e307}))), words, other},
		{"zero features", g, mat.NewDense(n, d, nil), other},
		{"constant features", g, with(func(x *mat.Dense) { x.Apply(func(int, int, float64) float64 { return 1 }, x) }), other},
		{"columns twice", g, with(func(x *mat.Dense) { x.Slice(0, n, 6, 12).(*mat.Dense).Copy(x.Slice(0, n, 0, 6)) }), other},
		{"features of 1e200", g, scaled(1e200), other},
		{"features of 1e308", g, scaled(1e308), other},
		{"features of 1e-200", g, scaled(1e-200), other},
		{"the smallest features", g, scaled(5e-324), other},
	} {
		for _, door := range doors {
			t.Run(c.name+", "+door.name, func(t *testing.T) {
				var want error
				for _, r := range c.want {
					if slices.Contains(r.by, door.name) {
						want = r.err // the last of them
					}
				}
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("panic: %v", r)
					}
				}()
				y, err := door.open(c.g, c.x)
				switch {
				case want != nil:
					wantError(t, err, want)
				case err != nil:
					t.Errorf("error %v, want none", err)
				case y != nil && checkFinite(ctx, kernel.Matrix[float64](y.RawMatrix()), coles.ErrNotFinite) != nil:
					t.Error("the result is not finite")
				}
			})
		}
	}
}
