package coles_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/embedtest"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func fitWith(opts ...coles.Option) func(context.Context, *coles.Graph, mat.Matrix) (embedtest.Model, error) {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
		return coles.Fit(ctx, g, x, opts...)
	}
}

// An eigenmap embeds its own graph and is not kept in files.
type eigenmap struct{ y *mat.Dense }

func (e eigenmap) Embedding() *mat.Dense { return e.y }

func fitEigenmap(ctx context.Context, g *coles.Graph, _ mat.Matrix) (embedtest.Model, error) {
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives(), 1, 1, 1)
	if err != nil {
		return nil, err
	}
	y, _, err := coles.Eigenmaps(ctx, dw, 6)
	return eigenmap{y}, err
}

func TestConformance(t *testing.T) {
	dim, alone := coles.WithDim(5), coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })
	unscaled := coles.With(func(s *coles.Settings) { s.Scaling = coles.ScalingRule{Norm: 4} })
	for name, e := range map[string]embedtest.Embedder{
		"default":                   {Fit: fitWith(dim)},
		"direct":                    {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Solver, s.Preparation = coles.SolverDirect, coles.PrepareRowL2 }))},
		"krylov":                    {Fit: fitWith(coles.With(func(s *coles.Settings) { s.Dim, s.Solver = 3, coles.SolverKrylov }))},
		"standardized":              {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Preparation, s.Kind = coles.PrepareStandardize, coles.UseGraph }))},
		"features":                  {Fit: fitWith(dim, alone)},
		"features, krylov":          {Fit: fitWith(coles.WithDim(3), alone, coles.With(func(s *coles.Settings) { s.Solver = coles.SolverKrylov }))},
		"features, float32":         {Fit: fitWith(dim, alone, coles.WithPrecision(coles.Float32)), Tolerance: 1e-4},
		"features, measured":        {Fit: fitWith(dim, alone, coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareStandardize }))},
		"features, krylov, float32": {Fit: fitWith(coles.WithDim(3), alone, coles.With(func(s *coles.Settings) { s.Solver, s.Precision = coles.SolverKrylov, coles.Float32 })), Tolerance: 1e-4},
		"as they are":               {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Preparation, s.Filter = coles.PrepareNone, coles.Heat(4, 2) }))},
		"float32":                   {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Preparation, s.Precision = coles.PrepareStandardize, coles.Float32 })), Tolerance: 1e-4},
		"uniform":                   {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.ExpectedUniformNegatives(), 1, 1 }))},
		"LPP":                       {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = noNegatives, 0, 1 }))},
		"drawn":                     {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(3), 4, 1 })), OrderMatters: true},
		"drawn pairs":               {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.ErdosRenyiNegatives(0.2), 1, 1 })), OrderMatters: true},
		"truncated":                 {Fit: fitWith(dim, coles.With(func(s *coles.Settings) { s.Truncate = true }), unscaled)},
		// Products in another order: FXPᵀ is F(XPᵀ) where there are more than 3·d′ dense features.
		"projected first": {Fit: fitWith(coles.With(func(s *coles.Settings) { s.Dim, s.Preparation, s.Truncate = 3, coles.PrepareStandardize, true }))},
		"projected first, float32": {Fit: fitWith(coles.With(func(s *coles.Settings) {
			s.Dim, s.Preparation, s.Precision = 3, coles.PrepareStandardize, coles.Float32
		})), Tolerance: 1e-4},
		"no features": {Fit: fitWith(coles.WithDim(3)), NoFeatures: true, OrderMatters: true, Tolerance: 1e-4},
		"eigenmaps":   {Fit: fitEigenmap, NoFeatures: true},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "eigenmaps" {
				e.Read = func(r io.Reader) (embedtest.Model, error) { return coles.ReadModel(r) }
			}
			embedtest.Test(t, e)
		})
	}
}

// modelCases are fits by every way through the library.
var modelCases = map[string]struct {
	opts []coles.Option
	none bool // no features
}{

	"default": {},
	"krylov, sampled": {opts: []coles.Option{coles.With(func(s *coles.Settings) {
		s.Solver = coles.SolverKrylov
		s.Dim = 10
		s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(3), 2, 0.9
	})}},
	"standardised": {opts: []coles.Option{coles.With(func(s *coles.Settings) { s.Preparation, s.Kind, s.Dim = coles.PrepareStandardize, coles.UseGraph, 8 })}},
	"uniform": {opts: []coles.Option{coles.With(func(s *coles.Settings) {
		s.Kind = coles.UseGraph
		s.Dim = 6
		s.Negatives, s.Kappa, s.Eta = coles.ExpectedUniformNegatives(), 1, 1
	})}},
	"features":         {opts: []coles.Option{coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })}},
	"features, krylov": {opts: []coles.Option{coles.With(func(s *coles.Settings) { s.Kind, s.Solver, s.Dim = coles.UseFeatures, coles.SolverKrylov, 10 })}},
	"unit rows, by degree, γ = ½": {opts: []coles.Option{coles.With(func(s *coles.Settings) {
		s.Preparation = coles.PrepareRowL2
		s.Dim = 12
		s.Negatives, s.Kappa, s.Eta = coles.DegreeNegatives(2), 1, 1
		s.Scaling = coles.ScalingRule{Power: 0.5, Norm: 4}
	})}},
	"as they are, APPNP, truncated": {opts: []coles.Option{coles.With(func(s *coles.Settings) {
		s.Preparation = coles.PrepareNone
		s.Filter = coles.APPNP(6, 0.1)
		s.Truncate = true
	})}},
	"without features": {opts: []coles.Option{coles.WithDim(10)}, none: true},
}

// smallFit is the fit of a case to a small graph.
func smallFit(seed uint64, none bool, opts ...coles.Option) (*coles.Model, *coles.Graph, mat.Matrix) {
	g, words, _ := small(seed)
	if none {
		return fitted(g, nil, opts...), g, nil
	}
	// Features that are drawn tell nothing, and would be taken alone.
	graph := coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })
	return fitted(g, words, append([]coles.Option{graph}, opts...)...), g, words
}

// stepByStep is F(W)·X·Vᵀ by products of its own, with V the directions, column by column times its
// factor; X prepared as train was. A model of features alone has no filter.
func stepByStep(m *coles.Model, train mat.Matrix, g *coles.Graph, x mat.Matrix) *mat.Dense {
	p := testkit.Must(m.Report().Preparation.Fit(ctx, train))
	fx := testkit.DenseOf(testkit.Must(p.Apply(ctx, x)))
	if m.Report().Kind == coles.UseGraph {
		fx = testkit.Must(m.Settings().Filter.Apply(ctx, coles.Normalize(g), fx))
	}
	e, factors := testkit.Product(fx, m.Parts()[0].Directions.T()), m.Parts()[0].Scaling.Factors
	e.Apply(func(_, j int, v float64) float64 { return v * factors[j] }, e)
	return e
}

func TestEmbeddingIsThatOfTheFormula(t *testing.T) {
	other := testkit.RandomGraph(77, 33, 0.1)
	_, y := testkit.RandomWords(testkit.Random(77), 33, 40)
	for name, c := range modelCases {
		if c.none {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m, g, x := smallFit(74, false, c.opts...)
			want, elsewhere := stepByStep(m, x, g, x), stepByStep(m, x, other, y)
			tolerance := 1e-12 * math.Max(mat.Max(want), -mat.Min(want))
			testkit.WantClose(t, "the embedding", m.Embedding(), want, tolerance)
			testkit.WantClose(t, "Embed of dense X", testkit.Must(m.Embed(ctx, g, testkit.DenseOf(x))), want, tolerance)
			testkit.WantSame(t, "the preparer", m.Parts()[0].Preparer.Preparation(), m.Report().Preparation)
			// Another graph with the same features is prepared by this one's column weights.
			testkit.WantClose(t, "Embed of another graph", testkit.Must(m.Embed(ctx, other, y)), elsewhere, 1e-12*math.Max(mat.Max(elsewhere), -mat.Min(elsewhere)))
		})
	}
}

// New nodes hang on node 0: only rows within K hops of it may move.
func TestGrownGraphMovesOnlyTheNeighbourhood(t *testing.T) {
	const n, hops = 200, 3
	ring := testkit.Ring(n, 1)
	words, dense := testkit.RandomWords(testkit.Random(75), n, 30)
	m := fitted(testkit.Must(coles.NewGraph(n, ring)), words, coles.With(func(s *coles.Settings) { s.Filter, s.Dim, s.Kind = coles.S2GC(hops, 0.05), 10, coles.UseGraph }))
	before := m.Embedding()

	grown := testkit.Must(coles.NewGraph(n+2, append(ring, edges(0, n, n, n+1)...)))
	more := mat.NewDense(n+2, 30, nil)
	more.Copy(dense)
	more.Set(n, 3, 1)
	more.Set(n+1, 4, 2)
	after := testkit.Must(m.Embed(ctx, grown, testkit.SparseOf(more)))
	moved := 0
	for i := range n {
		distance := min(i, n-i)
		diff := testkit.MaxDiff(after.Slice(i, i+1, 0, 10), before.Slice(i, i+1, 0, 10))
		if distance > hops && diff > 1e-12 {
			t.Errorf("row %d, %d hops away, moved by %g", i, distance, diff)
		}
		if distance <= hops && diff > 1e-9 {
			moved++
		}
	}
	testkit.WantSame(t, "rows near the new nodes that moved", moved, 2*hops+1)
	if mat.Norm(after.RowView(n), 2) == 0 || mat.Norm(after.RowView(n+1), 2) == 0 {
		t.Error("a new node has no embedding")
	}
}

// matrixHash is the hash by its formula, over all entries of a dense matrix.
func matrixHash(x *mat.Dense) string {
	mix := func(h, v uint64) uint64 { y := (h ^ v) * 0x9e3779b97f4a7c15; return y ^ y>>32 }
	n, d := x.Dims()
	h := mix(mix(0, uint64(n)), uint64(d))
	for i := range n {
		row := uint64(0)
		for j := range d {
			if v := x.At(i, j); v != 0 {
				row = mix(row, math.Float64bits(v)^uint64(j+1)*0xd6e8feb86659fd93)
			}
		}
		h = mix(h, row)
	}
	return fmt.Sprintf("%016x", h)
}

// The hashes of the report follow the formula in every type of features, on any number of
// processors.
func TestReportIdentifiesTheInput(t *testing.T) {
	g, words, dense := small(131)
	hashes := func(g *coles.Graph, x mat.Matrix) [2]string {
		r := fitted(g, x, coles.With(func(s *coles.Settings) { s.Dim, s.Filter, s.Preparation = 1, coles.SGC(1), coles.PrepareRowL2 })).Report()
		return [2]string{r.GraphHash, r.FeaturesHash}
	}
	want := [2]string{matrixHash(testkit.DenseOf(g.CSR())), matrixHash(dense)}
	testkit.ForProcessors(t, func(int) {
		for name, x := range map[string]mat.Matrix{
			"sparse": words, "dense": dense, "float32, which holds counts": testkit.SingleOf(dense), "transposed twice": dense.T().T(),
		} {
			testkit.WantSame(t, name, hashes(g, x), want)
		}
	})
	dense.Set(3, 4, math.Nextafter(dense.At(3, 4)+1, 9))
	if got := hashes(g, dense); got[0] != want[0] || got[1] == want[1] {
		t.Errorf("with another value: %v, was %v", got, want)
	}
}

func TestReportSaysWhatWasDone(t *testing.T) {
	with, _, _ := smallFit(123, false, coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph }))
	alone, _, _ := smallFit(123, false, coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures }))
	without, _, _ := smallFit(123, true, coles.WithDim(4))
	for _, c := range []struct {
		m    *coles.Model
		want []string
	}{
		{with, []string{"120 nodes", "features: 40, prepared by balanced", "model by: graph\n", "40 columns by the direct solver", "seconds: prepare"}},
		{alone, []string{"features: 40, prepared by balanced", "model by: features\n", "40 columns by the direct solver"}},
		{without, []string{"features: none, so 40 columns are made of the graph", "model by: graph\n", "4 columns by the direct solver"}},
	} {
		r := c.m.Report()
		for _, w := range c.want {
			if !strings.Contains(r.String(), w) {
				t.Errorf("report does not say %q:\n%s", w, r)
			}
		}
		if r.Version == "" || r.Refitted || r.Kernels == "" || (r.FeaturesHash == "") != (r.Features == 0) || r.Memory.Bytes <= 0 {
			t.Errorf("the report is %+v", r)
		}
		if s := read(c.m).Report().String(); strings.Contains(s, "seconds") {
			t.Errorf("a file keeps the time it took:\n%s", s)
		}
	}
}

func TestProgressCallsStagesInOrder(t *testing.T) {
	for name, c := range modelCases {
		var stages []string
		var prepare []int
		last := 0
		watch := coles.WithProgress(func(stage string, done, total int) {
			if len(stages) == 0 || stage != stages[len(stages)-1] {
				stages, last = append(stages, stage), 0
				if done != 0 {
					t.Errorf("%s: %s begins with %d of %d", name, stage, done, total)
				}
			}
			if done < last || total < 1 {
				t.Errorf("%s: %s is at %d of %d after %d", name, stage, done, total, last)
			}
			if last = done; stage == "prepare" {
				prepare = append(prepare, done)
			}
		})
		m, _, _ := smallFit(85, c.none, append(slices.Clone(c.opts), watch)...)
		want := []string{"prepare", "solve", "embed"}
		if m.Report().Solver == coles.SolverDirect {
			want = []string{"prepare", "filter", "solve", "embed"}
		}
		testkit.WantSame(t, name, stages, want)
		testkit.WantSame(t, name+", prepare", prepare, []int{0, 1, 2, 3})
	}
}

// A model of features alone projects on the top eigenvectors of XᵀX with half of its diagonal, by gonum,
// scaled by the rule.
func TestFeatureModelEqualsFormula(t *testing.T) {
	g, words, x := small(181)
	for how := coles.PrepareNone; how < coles.PrepareUndamped; how++ {
		for _, solver := range solvers {
			t.Run(fmt.Sprint(how, ", ", solver), func(t *testing.T) {
				const dim = 12
				rule := coles.ScalingRule{Rank: 5, Floor: 2, Norm: 3}
				ready := testkit.DenseOf(prepared(x, how))
				own := testkit.Product(ready.T(), ready)
				for j := range 40 {
					own.Set(j, j, own.At(j, j)/2)
				}
				values, vectors := oracle(own)
				p := vectors.Slice(0, dim, 0, 40)
				e := testkit.Product(ready, p.T())
				s := testkit.Must(rule.Fit(ctx, e, values[:dim]))
				want := testkit.Must(s.Apply(ctx, e))
				gram := testkit.Product(want, want.T())
				if s.Power == 0 {
					t.Fatal("γ is 0: the case shows less than it should")
				}
				for form, x := range map[string]mat.Matrix{"sparse": words, "dense": x} {
					for _, precision := range precisions {
						tolerance := map[coles.Precision]float64{coles.Float64: 1e-6, coles.Float32: 1e-4}[precision]
						if solver == coles.SolverDirect && precision == coles.Float64 {
							tolerance = 1e-11
						}
						m := fitted(g, x, coles.With(func(s *coles.Settings) {
							s.Kind = coles.UseFeatures
							s.Preparation = how
							s.Dim = dim
							s.Scaling = rule
							s.Solver = solver
							s.Precision = precision
						}))
						for k, l := range m.Parts()[0].Lambda {
							if math.Abs(l-values[k]) > tolerance*values[0] {
								t.Errorf("%s, %v: λ_%d is %v, want %v", form, precision, k, l, values[k])
							}
						}
						testkit.WantClose(t, fmt.Sprint(form, ", ", precision, ": EEᵀ"), testkit.Product(m.Embedding(), m.Embedding().T()), gram, tolerance*mat.Max(gram)*10)
						testkit.WantSame(t, "directions", testkit.Bits(m.Parts()[0].Directions), testkit.Bits(m.P()))
						testkit.WantSame(t, "the model", m.Report().Kind, coles.UseFeatures)
					}
				}
			})
		}
	}
}

// It looks at no edge: another graph changes nothing, and Embed needs none.
func TestFeatureModelDoesNotSeeTheGraph(t *testing.T) {
	g, words, x := small(182)
	alone := coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })
	for _, solver := range solvers {
		opts := []coles.Option{alone, coles.With(func(s *coles.Settings) { s.Dim, s.Solver = 10, solver })}
		m := fitted(g, words, opts...)
		want := testkit.Bits(m.Embedding())
		for name, other := range map[string]*coles.Model{
			"another graph": fitted(testkit.RandomGraph(9, 120, 0.3), words, opts...),
			"no edges":      fitted(graphOf(120), words, opts...),
		} {
			testkit.WantSame(t, name, testkit.Bits(other.Embedding()), want)
		}
		for _, m := range []*coles.Model{m, read(m)} {
			for _, g := range []*coles.Graph{nil, g, testkit.RandomGraph(10, 120, 0.1)} {
				testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(m.Embed(ctx, g, words))), want)
			}
			some := testkit.Must(m.Embed(ctx, nil, x.Slice(5, 9, 0, 40)))
			testkit.WantClose(t, "four rows", some, fitted(g, words, opts...).Embedding().Slice(5, 9, 0, 10), 1e-12*mat.Max(some))
			testkit.WantError(t, testkit.Err(m.Embed(ctx, g, x.Slice(0, 9, 0, 40))), coles.ErrShape)
			testkit.WantError(t, testkit.Err(m.Embed(ctx, nil, x.Slice(0, 9, 0, 39))), coles.ErrShape)
		}
	}
	testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, nil, alone)), coles.ErrSetting)
	testkit.WantSame(t, "without features", fitted(g, nil, coles.WithDim(3)).Report().Kind, coles.UseGraph)
}
