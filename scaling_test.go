package coles_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// On a complete graph smoothing makes all rows equal: what rounding leaves of their differences is
// not blown up to the norm that embeddings have.
func TestFitOfEqualRows(t *testing.T) {
	g, x := completeGraph(7), testkit.RandomDense(testkit.Random(9), 7, 4)
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize} {
		opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Filter, s.Preparation, s.Dim = coles.SGC(2), how, 3 })}
		m := fitted(g, x, append(opts, coles.WithPrecision(coles.Float64))...)
		if largest := mat.Max(m.Embedding()); largest > 10 { // normal numbers, averaged
			t.Errorf("%v: an entry of %g, factors %v", how, largest, m.Parts()[0].Scaling.Factors)
		}
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)), coles.ErrPrecision)
	}
}

// degreeDirection is v = (FX)ᵀs/‖(FX)ᵀs‖ by the formula, and z = FXv.
func degreeDirection(g *coles.Graph, fx *mat.Dense) (v []float64, z *mat.Dense) {
	s := expectations[coles.ExpectedDegreeNegatives()](g)
	direction := testkit.Product(fx.T(), mat.NewVecDense(len(s), s))
	direction.Scale(1/mat.Norm(direction, 2), direction)
	return mat.Col(nil, 0, direction), testkit.Product(fx, direction)
}

// degreeShare is most·clip((t − 1)/9, 0, 1) with t = n·‖cᵀX̄‖²/‖X̄‖²_F of prepared features, by the formula.
func degreeShare(most float64, g *coles.Graph, x mat.Matrix) float64 {
	roots := mat.NewDense(g.Nodes(), 1, g.Degrees())
	roots.Apply(func(_, _ int, degree float64) float64 { return math.Sqrt(degree) }, roots)
	c, centred := testkit.Centred(roots), testkit.Centred(testkit.DenseOf(x))
	along := mat.Norm(testkit.Product(c.T(), centred), 2) / mat.Norm(c, 2) / mat.Norm(centred, 2)
	return most * min(max((float64(g.Nodes())*along*along-1)/9, 0), 1)
}

// The last column follows the formulas, and has its share of the energy, as P has the rest: both
// by the mean norm of their centred rows.
func TestDegreeColumnEqualsFormulas(t *testing.T) {
	const norm = 3
	for name, opts := range map[string][]coles.Option{
		"direct":      {coles.With(func(s *coles.Settings) { s.Solver = coles.SolverDirect })},
		"krylov":      {coles.With(func(s *coles.Settings) { s.Solver = coles.SolverKrylov })},
		"all columns": {coles.WithDim(40)},
		"two columns": {coles.WithDim(2)},
		"uniform":     {coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.ExpectedUniformNegatives(), 1, 1 })},
		"no contrast": {coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = noNegatives, 0, 1 })},
		"drawn":       {coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(3), 2, 0.5 })},
		"filter":      {coles.WithFilter(coles.Polynomial(0.5, -0.1, 0.4))},
		"far filter":  {coles.WithFilter(coles.Polynomial(0x1p-300, 0x1p-301))},
	} {
		for _, most := range []float64{1e-6, 0.1, 0.97} {
			t.Run(fmt.Sprint(name, ", ", most), func(t *testing.T) {
				g, words, x := small(171)
				all := append([]coles.Option{
					coles.With(func(s *coles.Settings) {
						s.Kind = coles.UseGraph
						s.Dim = 7
						s.DegreeShare = most
						s.Scaling = coles.ScalingRule{Rank: 5, Floor: 2, Norm: norm}
					}),
				}, opts...)
				m := fitted(g, words, all...)
				plain := fitted(g, words, append(all, coles.With(func(s *coles.Settings) { s.DegreeShare = 0 }))...)
				dim := m.Settings().Dim
				coefficients := m.Settings().Filter.Coefficients()
				f := testkit.Powers(coles.Normalize(g), len(coefficients)-1, func(k int) float64 { return coefficients[k] })
				v, z := degreeDirection(g, testkit.Product(f, prepared(x, coles.PrepareBalanced)))

				directions := m.Parts()[0].Directions
				testkit.WantClose(t, "v", directions.RowView(dim-1), mat.NewVecDense(40, v), 1e-9)
				testkit.WantSame(t, "P", testkit.Bits(m.P()), testkit.Bits(directions.Slice(0, dim-1, 0, 40)))
				testkit.WantSame(t, "rows of P, columns of the report, of the settings, eigenvalues",
					[]int{m.P().RawMatrix().Rows, m.Report().Dim, m.Settings().Dim, len(m.Parts()[0].Lambda)}, []int{dim - 1, dim, dim, dim - 1})
				share := degreeShare(most, g, prepared(x, coles.PrepareBalanced))
				testkit.WantNear(t, "the share", m.Report().DegreeShare, share, 1e-12)
				if share < 0.01*most || share > 0.99*most {
					t.Errorf("a share of %g: the case shows nothing", share)
				}
				testkit.WantSame(t, "no share", plain.Report().DegreeShare, 0.0)
				for k, l := range m.Parts()[0].Lambda {
					if math.Abs(l-plain.Parts()[0].Lambda[k]) > 1e-6*plain.Parts()[0].Lambda[0] { // krylov
						t.Errorf("λ_%d is %v, without the column %v", k, l, plain.Parts()[0].Lambda[k])
					}
				}
				e := m.Embedding()
				z.Scale(math.Sqrt(share)*norm/testkit.MeanNorm(z), z)
				testkit.WantClose(t, "the column", e.Slice(0, 120, dim-1, dim), z, 1e-9*mat.Norm(z, math.Inf(1)))
				testkit.WantNear(t, "the norm of the column's rows", testkit.MeanNorm(mat.DenseCopyOf(e.Slice(0, 120, dim-1, dim))), math.Sqrt(share)*norm, 1e-9)
				testkit.WantNear(t, "the norm of the other rows", testkit.MeanNorm(mat.DenseCopyOf(e.Slice(0, 120, 0, dim-1))), math.Sqrt(1-share)*norm, 1e-9)
				testkit.WantSame(t, "read again", testkit.Bits(read(m).Parts()[0].Directions), testkit.Bits(directions))
			})
		}
	}
}

// Where all nodes have nearly the same degree the column is nearly constant. Its mean is bounded by
// ten times the norm that its centred rows would get.
func TestDegreeColumnOfNearlyEqualDegrees(t *testing.T) {
	const n, norm, most = 60, 3., 0.2
	rng := testkit.Random(176)
	for _, c := range []struct {
		side, more int
		bounded    bool
	}{{5, 1, true}, {1, 60, false}} {
		list := testkit.Ring(n, c.side)
		for range c.more {
			list = append(list, coles.Edge{U: rng.IntN(n), V: rng.IntN(n / 4)})
		}
		g := testkit.Must(coles.NewGraph(n, list))
		x := mat.NewDense(n, 4, nil)
		degrees := g.Degrees() // which the features predict
		x.Apply(func(i, _ int, _ float64) float64 { return 3 + 0.1*rng.NormFloat64() + 0.2*degrees[i] }, x)
		m := fitted(g, x, coles.With(func(s *coles.Settings) {
			s.Preparation = coles.PrepareNone
			s.DegreeShare = most
			s.Dim = 3
			s.Scaling = coles.ScalingRule{Norm: norm}
			s.Kind = coles.UseGraph
		}))
		_, z := degreeDirection(g, testkit.Product(testkit.Powers(coles.Normalize(g), 8, func(k int) float64 { return 1. / 8 }), x))
		factor, mean := norm/testkit.MeanNorm(z), math.Abs(mat.Sum(z))/n
		if bounded := factor*mean > 10*norm; bounded != c.bounded {
			t.Errorf("%d more edges: a mean of %.3g norms, the case shows nothing", c.more, factor*mean/norm)
		}
		share := degreeShare(most, g, x)
		if share == 0 {
			t.Error("no share: the case shows nothing")
		}
		z.Scale(math.Sqrt(share)*min(factor, 10*norm/mean), z)
		testkit.WantClose(t, "the column", m.Embedding().Slice(0, n, 2, 3), z, 1e-9*mat.Norm(z, math.Inf(1)))
	}
}

// The other columns are weighted as if there were no degree column.
func TestDegreeColumnLeavesTheOthersAsTheyAre(t *testing.T) {
	g, words, _ := small(172)
	with := fitted(g, words, coles.With(func(s *coles.Settings) { s.Kind, s.Dim, s.DegreeShare = coles.UseGraph, 9, 0.36 }))
	without := fitted(g, words, coles.With(func(s *coles.Settings) { s.Kind, s.Dim, s.DegreeShare = coles.UseGraph, 8, 0 }))
	want := without.Parts()[0].Scaling.Factors
	floats.Scale(math.Sqrt(1-with.Report().DegreeShare), want)
	got := with.Parts()[0].Scaling
	testkit.WantClose(t, "factors", mat.NewVecDense(8, got.Factors[:8]), mat.NewVecDense(8, want), 1e-12*want[0])
	testkit.WantClose(t, "P", with.P(), without.P(), 1e-12)
	testkit.WantNear(t, "γ", got.Power, without.Parts()[0].Scaling.Power, 1e-9)
	testkit.WantNear(t, "the effective rank", got.EffectiveRank, without.Parts()[0].Scaling.EffectiveRank, 1e-9)
}

// The share follows how well features predict degrees, whatever their size, storage and precision and the
// order of the nodes: all of it where a column is √degree, a part, or none where c is taken out of them.
func TestDegreeShareFollowsTheFeatures(t *testing.T) {
	const n, most = 120, 0.4
	g := testkit.RandomGraph(177, n, 0.04)
	c := mat.NewDense(n, 1, g.Degrees())
	c.Apply(func(_, _ int, degree float64) float64 { return math.Sqrt(degree) }, c)
	c = testkit.Centred(c)
	c.Scale(1/mat.Norm(c, 2), c)
	noise := testkit.RandomDense(testkit.Random(178), n, 12)
	var ignorant mat.Dense // of c
	ignorant.Sub(noise, testkit.Product(c, c.T(), noise))
	order := testkit.Random(179).Perm(n)
	var list []coles.Edge
	var weights []float64
	place := make([]int, n)
	for to, from := range order {
		place[from] = to
	}
	for e, w := range g.Edges() {
		list, weights = append(list, coles.Edge{U: place[e.U], V: place[e.V]}), append(weights, w)
	}
	permuted := weighing(n, list, weights...)
	for name, known := range map[string]float64{"all": 30, "a part": 6, "none": 0} { // c times that in the first column
		x := mat.DenseCopyOf(&ignorant)
		for i := range n {
			x.Set(i, 0, x.At(i, 0)+known*c.At(i, 0))
		}
		want := degreeShare(most, g, x)
		if full := want == most; full != (known == 30) || (want == 0) != (known == 0) {
			t.Fatalf("%s: a share of %g, the case shows nothing", name, want)
		}
		opts := []coles.Option{
			coles.With(func(s *coles.Settings) {
				s.Kind = coles.UseGraph
				s.Preparation = coles.PrepareNone
				s.DegreeShare = most
				s.Dim = 5
			}),
		}
		wantShare := func(what string, g *coles.Graph, x mat.Matrix, tolerance float64, opts ...coles.Option) {
			t.Helper()
			m := fitted(g, x, opts...)
			testkit.WantNear(t, name+", "+what, m.Report().DegreeShare, want, tolerance)
			rows := map[bool]int{false: 5, true: 4}[want > 0]
			testkit.WantSame(t, name+", "+what+": columns, rows of P", []int{m.Report().Dim, len(m.Parts()[0].Lambda)}, []int{5, rows})
			testkit.WantSame(t, name+", "+what+": the most", m.Settings().DegreeShare, most)
		}
		for _, size := range []float64{1e-130, 1e-10, 1, 1e140} {
			scaled := mat.DenseCopyOf(x)
			scaled.Scale(size, x)
			for _, solver := range solvers {
				by := append(slices.Clone(opts), coles.With(func(s *coles.Settings) { s.Solver = solver }))
				wantShare(fmt.Sprint("dense, ", size, ", ", solver), g, scaled, 1e-11, by...)
				wantShare(fmt.Sprint("sparse, ", size, ", ", solver), g, testkit.SparseOf(scaled), 1e-11, by...)
			}
		}
		moved := mat.DenseCopyOf(x)
		moved.Apply(func(_, j int, v float64) float64 { return v + 1e4*float64(j) }, x)
		wantShare("of large means", g, moved, 1e-9, opts...)
		x32 := append(slices.Clone(opts), coles.WithPrecision(coles.Float32), coles.WithDim(2))
		testkit.WantNear(t, name+", float32", fitted(g, x, x32...).Report().DegreeShare, want, 1e-5)
		rows := mat.NewDense(n, 12, nil)
		for to, from := range order {
			rows.SetRow(to, x.RawRowView(from))
		}
		wantShare("permuted", permuted, rows, 1e-11, opts...)
	}
}

func TestWithoutDegreeColumn(t *testing.T) {
	g, words, _ := small(173)
	// On a ring all degrees are equal, and columns that sum to zero have nothing of them.
	const n = 50
	ring, level := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 2))), testkit.Centred(testkit.RandomDense(testkit.Random(174), n, 6))
	graph := coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })
	for name, c := range map[string]struct {
		g    *coles.Graph
		x    mat.Matrix
		opts []coles.Option
		dim  int
	}{
		"no share":            {g, words, []coles.Option{graph, coles.With(func(s *coles.Settings) { s.DegreeShare, s.Dim = 0, 4 })}, 4},
		"one column":          {g, words, []coles.Option{graph, coles.WithDim(1)}, 1},
		"one feature":         {g, mat.NewDense(120, 1, mat.Col(nil, 0, words)), []coles.Option{graph}, 1},
		"features alone":      {g, words, []coles.Option{coles.With(func(s *coles.Settings) { s.Kind, s.Dim = coles.UseFeatures, 4 })}, 4},
		"equal degrees":       {ring, level, []coles.Option{graph, coles.With(func(s *coles.Settings) { s.Preparation, s.Dim = coles.PrepareNone, 4 })}, 4},
		"equal, standardised": {ring, level, []coles.Option{graph, coles.With(func(s *coles.Settings) { s.Preparation, s.Dim = coles.PrepareStandardize, 4 })}, 4},
		"equal, float32": {ring, level, []coles.Option{graph, coles.With(func(s *coles.Settings) {
			s.Preparation, s.Dim, s.Precision = coles.PrepareStandardize, 4, coles.Float32
		})}, 4},
		"equal, krylov": {ring, level, []coles.Option{graph, coles.With(func(s *coles.Settings) {
			s.Preparation, s.Dim, s.Solver = coles.PrepareStandardize, 4, coles.SolverKrylov
		})}, 4},
		"no edges":               {graphOf(n), level, []coles.Option{graph, coles.WithDim(4)}, 4},
		"features that are zero": {ring, mat.NewDense(n, 6, nil), []coles.Option{graph, coles.WithDim(4)}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			m := fitted(c.g, c.x, c.opts...)
			if r := m.Report(); len(m.Parts()[0].Lambda) != c.dim || r.Dim != c.dim || r.DegreeShare != 0 {
				t.Errorf("%d eigenvalues for %d columns, share %v", len(m.Parts()[0].Lambda), r.Dim, r.DegreeShare)
			}
			testkit.WantSame(t, "directions", testkit.Bits(m.Parts()[0].Directions), testkit.Bits(m.P()))
		})
	}
}
