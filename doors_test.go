package coles_test

import (
	"math"
	"slices"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// An input is what hostile callers bring: a graph, features, and a dimension k.
type input struct {
	g *coles.Graph
	x mat.Matrix
	k int
}

// doors are the functions that take such things. What they return is looked at by wantFinite.
var doors = []struct {
	name string
	open func(in input) (any, error)
}{
	{"Fit", func(in input) (any, error) { return embeddingOf(coles.Fit(ctx, in.g, in.x, coles.WithDim(in.k))) }},
	{"Fit, no x", func(in input) (any, error) { return embeddingOf(coles.Fit(ctx, in.g, nil, coles.WithDim(in.k))) }},
	{"Filter", func(in input) (any, error) {
		return coles.SGC(2).Apply(ctx, coles.Normalize(in.g, coles.SelfLoops), in.x)
	}},
	{"Contrast", func(in input) (any, error) { return contrastOn(in.g, coles.ExpectedDegreeNegatives()) }},
	{"drawn", func(in input) (any, error) { return contrastOn(in.g, coles.UniformNegatives(2)) }},
	{"Solve", func(in input) (any, error) {
		dw, err := coles.Contrast(ctx, in.g, coles.NoNegatives())
		if err != nil {
			return nil, err
		}
		return projectionOf(coles.Solve(ctx, in.x, dw, in.k))
	}},
	{"implicit", func(in input) (any, error) {
		dw, err := coles.Contrast(ctx, in.g, coles.NoNegatives())
		if err != nil {
			return nil, err
		}
		return projectionOf(coles.SolveImplicit(ctx, in.x, coles.Normalize(in.g, coles.SelfLoops), coles.SGC(1), dw, in.k))
	}},
	{"Eigenmaps", func(in input) (any, error) {
		dw, err := coles.Contrast(ctx, in.g, coles.NoNegatives())
		if err != nil {
			return nil, err
		}
		e, err := coles.Eigenmaps(ctx, dw, in.k)
		if err != nil {
			return nil, err
		}
		return e.Y, nil
	}},
	{"KNN", func(in input) (any, error) {
		if in.g.Nodes() > 1000 {
			return nil, nil // all pairs would take a minute
		}
		return second2(coles.KNN(ctx, in.x, in.k))
	}},
	{"prepare", func(in input) (any, error) {
		p, err := coles.FitPreparation(ctx, in.x, coles.PrepareStandardize)
		if err != nil {
			return nil, err
		}
		return p.Apply(ctx, in.x)
	}},
	{"Smoothness", func(in input) (any, error) { return coles.Smoothness(ctx, in.g, coles.SGC(2), 1) }},
	{"Estimate", func(in input) (any, error) { return second2(coles.Estimate(in.g, in.x, coles.WithDim(in.k))) }},
	{"HashInput", func(in input) (any, error) { return second2(coles.HashInput(ctx, in.g, in.x)) }},
}

// second2 drops a result that has no numbers to look at.
func second2[T any](_ T, err error) (any, error) { return nil, err }

func embeddingOf(m *coles.Model, err error) (any, error) { return m.Embedding(), err }

func projectionOf(p *coles.Projection, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return p.P, nil
}

func contrastOn(g *coles.Graph, s coles.NegativeSampler) (any, error) {
	dw, err := coles.Contrast(ctx, g, s)
	if err != nil {
		return nil, err
	}
	return dw.Apply(ctx, mat.NewDense(g.Nodes(), 1, nil))
}

// wantFinite looks for a number that is none.
func wantFinite(t *testing.T, result any) {
	t.Helper()
	switch r := result.(type) {
	case float64:
		if math.IsNaN(r) || math.IsInf(r, 0) {
			t.Errorf("the result is %v", r)
		}
	case mat.Matrix:
		rows, cols := r.Dims()
		for i := range min(rows, 2000) {
			for j := range cols {
				if v := r.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%v in row %d, column %d", v, i, j)
				}
			}
		}
	}
}

// The doors that look at features, and at graphs.
var (
	readX     = []string{"Fit", "Filter", "Solve", "implicit", "KNN", "prepare", "Estimate", "HashInput"}
	readGraph = []string{"Fit", "Fit, no x", "Contrast", "drawn", "Solve", "implicit", "Eigenmaps", "Smoothness", "Estimate", "HashInput"}
)

// A refusal is an error that some doors give; the others give finite numbers.
type refusal struct {
	err error
	by  []string
}

func by(err error, doors ...string) refusal { return refusal{err, doors} }

// The table of inputs for every door: a named error, or numbers that are numbers.
func TestDoors(t *testing.T) {
	g, words, dense := small(151)
	const n, d = 120, 40
	with := func(change func(x *mat.Dense)) *mat.Dense {
		x := mat.DenseCopyOf(dense)
		change(x)
		return x
	}
	scaled := func(c float64) *mat.Dense { return with(func(x *mat.Dense) { x.Scale(c, x) }) }
	graph := func(pairs ...int) *coles.Graph { return must(coles.NewGraph(n, edges(pairs...))) }
	weighing := func(a, b float64) *coles.Graph {
		return must(coles.NewGraph(n, edges(0, 1, 1, 2), coles.WithEdgeWeights([]float64{a, b})))
	}
	const wide = 50_000 // n² > 2³¹
	badK := []refusal{by(coles.ErrDim, "Fit", "Fit, no x", "Solve", "implicit", "Eigenmaps", "Estimate"), by(coles.ErrSetting, "KNN")}
	for _, c := range []struct {
		name string
		in   input
		want []refusal
	}{
		{"plain", input{g, words, 3}, nil},
		{"a nil graph", input{nil, words, 3}, []refusal{by(coles.ErrEmpty, readGraph...), by(coles.ErrShape, "Filter")}},
		{"a zero graph", input{new(coles.Graph), words, 3}, []refusal{by(coles.ErrEmpty, readGraph...), by(coles.ErrShape, "Filter")}},
		{"a nil *mat.Dense", input{g, (*mat.Dense)(nil), 3}, []refusal{by(coles.ErrEmpty, readX...)}},
		{"a nil *Dense32", input{g, (*coles.Dense32)(nil), 3}, []refusal{by(coles.ErrEmpty, readX...)}},
		{"a nil *SymCSR", input{g, (*coles.SymCSR)(nil), 3}, []refusal{by(coles.ErrEmpty, readX...)}},
		{"a nil *mat.SymDense", input{g, (*mat.SymDense)(nil), 3}, []refusal{by(coles.ErrEmpty, readX...)}},
		{"a nil *sparse.CSR", input{g, (*sparse.CSR)(nil), 3}, []refusal{by(coles.ErrEmpty, readX...)}},
		{"an empty *mat.Dense", input{g, new(mat.Dense), 3}, []refusal{
			by(coles.ErrShape, "Fit", "Filter", "Solve", "implicit", "Estimate", "HashInput"), by(coles.ErrEmpty, "KNN", "prepare")}},
		{"a matrix that panics", input{g, brokenMatrix{}, 2}, []refusal{by(coles.ErrShape, readX...)}},
		{"NaN", input{g, with(func(x *mat.Dense) { x.Set(5, 5, math.NaN()) }), 3}, []refusal{by(coles.ErrNotFinite, readX...)}},
		{"+Inf", input{g, with(func(x *mat.Dense) { x.Set(5, 5, math.Inf(1)) }), 3}, []refusal{by(coles.ErrNotFinite, readX...)}},
		{"-Inf, sparse", input{g, sparseOf(with(func(x *mat.Dense) { x.Set(5, 5, math.Inf(-1)) })), 3}, []refusal{by(coles.ErrNotFinite, readX...)}},
		{"a column out of range", input{g, sparse.NewCSR(n, 1, append(make([]int, n), 1), []int{3}, []float64{1}), 1}, []refusal{by(coles.ErrIndex, readX...)}},
		{"a row too few", input{g, dense.Slice(0, n-1, 0, d), 3}, []refusal{by(coles.ErrShape, "Fit", "Filter", "Solve", "implicit", "Estimate", "HashInput")}},
		{"k = 0", input{g, words, 0}, badK},
		{"k < 0", input{g, words, -3}, badK},
		{"k = d", input{g, words, d}, nil},
		{"k > d", input{g, words, d + 1}, []refusal{by(coles.ErrDim, "Fit", "Solve", "implicit", "Estimate")}},
		{"k > n", input{g, words, n + 1}, badK},
		{"the largest k", input{g, words, math.MaxInt}, badK},
		{"one node", input{must(coles.NewGraph(1, nil)), dense.Slice(0, 1, 0, d), 1}, []refusal{by(coles.ErrDense, "drawn"), by(coles.ErrSetting, "KNN")}},
		{"one edge", input{must(coles.NewGraph(2, edges(0, 1))), dense.Slice(0, 2, 0, d), 1}, nil},
		{"no edges", input{graph(), words, 3}, nil},
		{"isolated nodes", input{graph(0, 1, 1, 2, 5, 6), words, 3}, nil},
		{"edges twice", input{graph(0, 1, 1, 0, 0, 1, 2, 3), words, 3}, nil},
		{"self loops only", input{must(coles.NewGraph(n, edges(0, 0, 1, 1), coles.WithSelfLoopsKept())), words, 3}, nil},
		{"huge and tiny weights", input{weighing(1e300, 1e-300), words, 3}, nil},
		{"the largest weights", input{weighing(1.5e308, 1e307), words, 3}, nil},
		{"the smallest weights", input{weighing(5e-324, 5e-324), words, 3}, nil},
		{"zero features", input{g, mat.NewDense(n, d, nil), 3}, nil},
		{"constant features", input{g, with(func(x *mat.Dense) { x.Apply(func(int, int, float64) float64 { return 1 }, x) }), 3}, nil},
		{"columns twice", input{g, with(func(x *mat.Dense) { x.Slice(0, n, 20, 40).(*mat.Dense).Copy(x.Slice(0, n, 0, 20)) }), 30}, nil},
		{"features of 1e200", input{g, scaled(1e200), 3}, []refusal{by(coles.ErrNotFinite, "Solve", "implicit")}},
		{"features of 1e308", input{g, scaled(5e307), 3}, []refusal{by(coles.ErrNotFinite, "Solve", "implicit")}},
		{"features of 1e-200", input{g, scaled(1e-200), 3}, []refusal{by(coles.ErrPrecision, "Solve", "implicit")}},
		{"the smallest features", input{g, scaled(5e-324), 3}, []refusal{by(coles.ErrPrecision, "Solve", "implicit")}},
		{"n² > 2³¹", input{must(coles.NewGraph(wide, edges(0, 1, 1, 2, 7, 9))), mat.NewDense(wide, 2, nil), 2}, nil},
	} {
		for _, door := range doors {
			t.Run(c.name+", "+door.name, func(t *testing.T) {
				var want error
				for _, r := range c.want {
					if slices.Contains(r.by, door.name) {
						want = r.err
					}
				}
				wantNoPanic(t, door.name, func() {
					result, err := door.open(c.in)
					if want != nil {
						wantError(t, err, want)
					} else if err != nil {
						t.Errorf("error %v, want none", err)
					} else {
						wantFinite(t, result)
					}
				})
			})
		}
	}
}
