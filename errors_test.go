package coles_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/race"
	"coles/internal/testkit"
	"coles/internal/testkit/promise"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
)

// readers are all calls that take a context and features, on a graph of n nodes with d of them.
func readers(g *coles.Graph, d int) map[string]func(ctx context.Context, x mat.Matrix) error {
	w, dw := coles.Normalize(g), contrast(g, coles.ExpectedDegreeNegatives())
	train := testkit.RandomDense(testkit.Random(92), g.Nodes(), d)
	m := fitted(g, train, coles.With(func(s *coles.Settings) {
		s.Filter = coles.SGC(1)
		s.Preparation = coles.PrepareStandardize
		s.Kind = coles.UseGraph
	}))
	alone := fitted(g, train, coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures }))
	fit := func(opts ...coles.Option) func(ctx context.Context, x mat.Matrix) error {
		return func(ctx context.Context, x mat.Matrix) error { return testkit.Err(coles.Fit(ctx, g, x, opts...)) }
	}
	return map[string]func(ctx context.Context, x mat.Matrix) error{
		"Fit":             fit(),
		"Fit, direct":     fit(coles.With(func(s *coles.Settings) { s.Precision, s.Solver = coles.Float64, coles.SolverDirect })),
		"Fit, krylov":     fit(coles.With(func(s *coles.Settings) { s.Precision, s.Solver, s.Dim = coles.Float32, coles.SolverKrylov, 16 })),
		"Fit, unprepared": fit(coles.With(func(s *coles.Settings) { s.Precision, s.Preparation = coles.Float32, coles.PrepareNone })),
		"Fit, alone":      fit(coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })),
		"Embed":           func(ctx context.Context, x mat.Matrix) error { return testkit.Err(m.Embed(ctx, g, x)) },
		"Embed, no graph": func(ctx context.Context, x mat.Matrix) error { return testkit.Err(alone.Embed(ctx, nil, x)) },
		"DeltaW.Apply":    func(ctx context.Context, x mat.Matrix) error { return testkit.Err(dw.Apply(ctx, x)) },
		"Alignment": func(ctx context.Context, x mat.Matrix) error {
			return testkit.Err(coles.DefaultSettings().Alignment(ctx, g, x))
		},
		"Filter.Apply": func(ctx context.Context, x mat.Matrix) error { return testkit.Err(coles.S2GCSum(8).Apply(ctx, w, x)) },
		"Solve":        func(ctx context.Context, x mat.Matrix) error { return testkit.Err(coles.Solve(ctx, x, dw, 16)) },
		"SolveImplicit": func(ctx context.Context, x mat.Matrix) error {
			return testkit.Err(coles.SolveImplicit(ctx, x, w, coles.S2GCSum(8), dw, 16))
		},
		"Preparation.Fit": func(ctx context.Context, x mat.Matrix) error {
			return testkit.Err(coles.PrepareStandardize.Fit(ctx, x))
		},
		"PrepareAuto.Fit": func(ctx context.Context, x mat.Matrix) error { return testkit.Err(coles.PrepareAuto.Fit(ctx, x)) },
		"Preparer.Apply":  func(ctx context.Context, x mat.Matrix) error { return testkit.Err(m.Parts()[0].Preparer.Apply(ctx, x)) },
		"KNN":             func(ctx context.Context, x mat.Matrix) error { return testkit.Err(coles.KNN(ctx, x, 10)) },
	}
}

// cancellable are all calls that take a context.
func cancellable(n, d int) map[string]func(ctx context.Context) error {
	g, x := sparseGraph(91, n, 3*n), testkit.RandomDense(testkit.Random(92), n, d)
	dw, lambda, scaling := contrast(g, coles.ExpectedDegreeNegatives()), make([]float64, d), &coles.Scaling{Factors: make([]float64, d)}
	calls := map[string]func(ctx context.Context) error{
		"Fit, no features": func(ctx context.Context) error { return testkit.Err(coles.Fit(ctx, g, nil, coles.WithDim(32))) },
		"Contrast": func(ctx context.Context) error {
			return testkit.Err(coles.Contrast(ctx, g, coles.UniformNegatives(5), 3, 1, 1))
		},
		"Sample": func(ctx context.Context) error { return testkit.Err(coles.ErdosRenyiNegatives(1e-3).Sample(ctx, g, 1)) },
		"ScalingRule.Fit": func(ctx context.Context) error {
			return testkit.Err(coles.DefaultSettings().Scaling.Fit(ctx, x, lambda))
		},
		"Scaling.Apply": func(ctx context.Context) error { return testkit.Err(scaling.Apply(ctx, x)) },
		"Eigenmaps": func(ctx context.Context) error {
			_, _, err := coles.Eigenmaps(ctx, dw, 32)
			return err
		},
	}
	for name, read := range readers(g, d) {
		calls[name] = func(ctx context.Context) error { return read(ctx, x) }
	}
	return calls
}

// Every function that takes a context stops in time where it has much to do.
func TestEveryFunctionStopsPromptly(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes seconds, and half a gigabyte")
	}
	for name, call := range cancellable(50_000, 128) {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}

// Wherever a context ends, the function that was given it says so.
func TestEveryFunctionEndsAnywhere(t *testing.T) {
	promise.EndsAnywhere(t, cancellable(200, 20))
}

func TestBadMatricesAreRefused(t *testing.T) {
	doors := map[string]func(x mat.Matrix) error{}
	for name, read := range readers(testkit.RandomGraph(101, 120, 0.04), 40) {
		doors[name] = func(x mat.Matrix) error { return read(ctx, x) }
	}
	testkit.RefuseMatrices(t, 120, 40, doors)
}

func TestBadGraphsAreRefused(t *testing.T) {
	for what, bad := range testkit.BadGraphs(3) {
		t.Run(what, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(coles.NewGraph(3, bad.Edges, coles.WithWeights(bad.Weights))), bad.Want)
			if bad.Weights == nil {
				testkit.WantError(t, testkit.Err(coles.NewGraph(3, bad.Edges)), bad.Want)
				testkit.WantError(t, testkit.Err(graphOf(3).Negative(bad.Edges)), bad.Want)
			}
			if bad.Weights != nil && len(bad.Weights) != len(bad.Edges) {
				return // which a sequence cannot have
			}
			fine := maps.All(map[coles.Edge]float64{{U: 0, V: 1}: 1})
			entries := func(yield func(coles.Edge, float64) bool) {
				for k, e := range bad.Edges {
					w := 1.0
					if bad.Weights != nil {
						w = bad.Weights[k]
					}
					if !yield(e, w) {
						return
					}
				}
			}
			_, err := inside.FromEdges(3, []iter.Seq2[coles.Edge, float64]{fine, entries})
			if testkit.WantError(t, err, bad.Want); bad.Want == coles.ErrIndex && !strings.Contains(err.Error(), "edge ") {
				t.Errorf("%v does not name the edge", err)
			}
		})
	}
	ids := func(names ...string) []coles.GraphOption { return []coles.GraphOption{coles.WithIDs(names)} }
	for name, c := range map[string]struct {
		n     int
		edges []coles.Edge
		opts  []coles.GraphOption
		want  error
	}{
		"no nodes":                   {0, nil, nil, coles.ErrShape},
		"fewer than no nodes":        {-1, nil, nil, coles.ErrShape},
		"more nodes than an int32":   {min(math.MaxInt32+1, math.MaxInt), nil, nil, coles.ErrTooLarge},
		"a node beyond an int32":     {3, edges(0, min(math.MaxInt32+2, math.MaxInt)), nil, coles.ErrIndex},
		"too few ids":                {3, nil, ids("a", "b"), coles.ErrIDs},
		"an empty list of ids":       {3, nil, []coles.GraphOption{coles.WithIDs([]string{})}, coles.ErrIDs},
		"a repeated id":              {3, nil, ids("a", "b", "a"), coles.ErrIDs},
		"more ids than there should": {2, nil, ids("5", "6", "7"), coles.ErrIDs},
		"repeats joined by nothing":  {2, nil, []coles.GraphOption{coles.WithRepeats("median")}, coles.ErrSetting},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(coles.NewGraph(c.n, c.edges, c.opts...)), c.want)
		})
	}
	testkit.WantError(t, testkit.Err(coles.FromGonum(simple.NewUndirectedGraph())), coles.ErrShape)
	negative := simple.NewWeightedUndirectedGraph(0, 0)
	negative.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(0), T: simple.Node(1), W: -1})
	testkit.WantError(t, testkit.Err(coles.FromGonum(negative)), coles.ErrNegative)
	negative.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(70), T: simple.Node(1), W: math.Inf(1)})
	negative.RemoveEdge(0, 1)
	err := testkit.Err(coles.FromGonum(negative))
	testkit.WantError(t, err, coles.ErrNotFinite)
	testkit.WantText(t, err.Error(), "between 1 and 70") // by ids, not rows
	testkit.WantError(t, testkit.Err(coles.KNN(ctx, testkit.Eye(5), 2, ids("a")...)), coles.ErrIDs)
}

func TestBadAdjacencyMatricesAreRefused(t *testing.T) {
	csr := func(r, c int, ptr, ind []int, val ...float64) *sparse.CSR { return sparse.NewCSR(r, c, ptr, ind, val) }
	for name, c := range map[string]struct {
		a    *sparse.CSR
		want error
	}{
		"zero value":                   {&sparse.CSR{}, coles.ErrShape},
		"0 × 0":                        {csr(0, 0, []int{0}, nil), coles.ErrShape},
		"not square":                   {csr(2, 3, []int{0, 0, 0}, nil), coles.ErrShape},
		"column n":                     {csr(2, 2, []int{0, 1, 2}, []int{2, 0}, 1, 1), coles.ErrIndex},
		"column -1":                    {csr(2, 2, []int{0, 1, 2}, []int{-1, 0}, 1, 1), coles.ErrIndex},
		"too few row pointers":         {csr(2, 2, []int{0, 1}, []int{1}, 1), coles.ErrShape},
		"descending row pointers":      {csr(3, 3, []int{0, 2, 1, 2}, []int{1, 0}, 1, 1), coles.ErrShape},
		"negative row pointer":         {csr(3, 3, []int{0, -1, 1, 2}, []int{1, 0}, 1, 1), coles.ErrShape},
		"pointers beyond the entries":  {csr(2, 2, []int{0, 1, 3}, []int{1, 0}, 1, 1), coles.ErrShape},
		"fewer values than indices":    {csr(2, 2, []int{0, 1, 2}, []int{1, 0}, 1), coles.ErrShape},
		"first pointer not 0":          {csr(2, 2, []int{1, 1, 2}, []int{1, 0}, 1, 1), coles.ErrShape},
		"NaN":                          {csr(2, 2, []int{0, 1, 2}, []int{1, 0}, math.NaN(), 1), coles.ErrNotFinite},
		"negative behind a larger one": {csr(2, 2, []int{0, 2, 4}, []int{1, 1, 0, 0}, -5, 1, -5, 1), coles.ErrNegative},
		"negative":                     {csr(2, 2, []int{0, 1, 2}, []int{1, 0}, -1, -1), coles.ErrNegative},
		"one direction only":           {csr(2, 2, []int{0, 1, 1}, []int{1}, 1), coles.ErrAsymmetric},
		"other weight back":            {csr(2, 2, []int{0, 1, 2}, []int{1, 0}, 1, 2), coles.ErrAsymmetric},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(coles.FromCSR(c.a)), c.want)
			_, err := coles.FromCSR(c.a, coles.WithMirrors())
			if c.want != coles.ErrAsymmetric {
				testkit.WantError(t, err, c.want)
			} else if err != nil {
				t.Errorf("as a directed graph: %v", err)
			}
		})
	}
}

// The table of unusual inputs for every door: a named error, or numbers that are numbers.
func TestUnusualInputs(t *testing.T) {
	type refusals = map[error][]string // by doors
	g, words, x := small(151)
	const n, d, wide = 120, 40, 50_000 // wide² > 2³¹
	with := func(change func(i, j int, v float64) float64) *mat.Dense {
		changed := mat.DenseCopyOf(x)
		changed.Apply(change, x)
		return changed
	}
	scaled := func(c float64) *mat.Dense { return with(func(_, _ int, v float64) float64 { return c * v }) }
	path := edges(0, 1, 1, 2)
	loops := testkit.Must(coles.NewGraph(n, edges(0, 0, 1, 1), coles.WithSelfLoopsKept()))
	badK := refusals{coles.ErrSetting: {"Fit", "Fit, krylov", "Fit, graph", "Fit, alone", "Fit, no x", "Solve", "SolveImplicit", "Estimate", "Eigenmaps", "KNN"}}
	zeroK := refusals{coles.ErrSetting: {"Solve", "SolveImplicit", "Eigenmaps", "KNN"}} // the default elsewhere
	reading := []string{"Fit", "Fit, krylov", "Fit, graph", "Fit, alone", "Filter", "Solve", "SolveImplicit", "Estimate", "Alignment"}
	steps := []string{"Solve", "SolveImplicit"} // prepare nothing
	for name, c := range map[string]struct {
		in   input
		want refusals
	}{
		"plain":                   {input{g, words, 3}, nil},
		"a row too few":           {input{g, x.Slice(0, n-1, 0, d), 3}, refusals{coles.ErrShape: reading}},
		"k = 0":                   {input{g, words, 0}, zeroK},
		"k < 0":                   {input{g, words, -3}, badK},
		"k = d":                   {input{g, words, d}, nil},
		"k > d":                   {input{g, words, d + 1}, refusals{coles.ErrSetting: steps}},
		"k > n":                   {input{g, words, n + 1}, zeroK},
		"the largest k":           {input{g, words, math.MaxInt}, badK},
		"one node":                {input{graphOf(1), x.Slice(0, 1, 0, d), 1}, refusals{coles.ErrDense: {"Contrast"}, coles.ErrSetting: {"KNN"}}},
		"one edge":                {input{graphOf(2, 0, 1), x.Slice(0, 2, 0, d), 1}, nil},
		"one feature":             {input{g, x.Slice(0, n, 0, 1), 1}, nil},
		"more features than rows": {input{graphOf(9, 0, 1, 2, 3), x.Slice(0, 9, 0, d), 7}, nil},
		"no edges":                {input{graphOf(n), words, 3}, nil},
		"isolated nodes":          {input{graphOf(n, 0, 1, 1, 2, 5, 6), words, 3}, nil},
		"complete":                {input{completeGraph(n), words, 3}, nil},
		"self loops only":         {input{loops, words, 3}, nil},
		"huge and tiny weights":   {input{weighing(n, path, 1e300, 1e-300), words, 3}, nil},
		"the largest weights":     {input{weighing(n, path, 1.5e308, 1e307), words, 3}, nil},
		"the smallest weights":    {input{weighing(n, path, 5e-324, 5e-324), words, 3}, nil},
		"zero features":           {input{g, mat.NewDense(n, d, nil), 3}, nil},
		"zero rows":               {input{g, with(func(i, _ int, v float64) float64 { return v * float64(i/50) }), 3}, nil},
		"constant features":       {input{g, with(func(int, int, float64) float64 { return 1 }), 3}, nil},
		"columns twice":           {input{g, with(func(i, j int, _ float64) float64 { return x.At(i, j%20) }), 30}, nil},
		"features of 1e200":       {input{g, scaled(1e200), 3}, refusals{coles.ErrNotFinite: steps}},
		"features of 1e308":       {input{g, scaled(5e307), 3}, refusals{coles.ErrNotFinite: {"Solve", "SolveImplicit"}}},
		"features of 1e-200":      {input{g, scaled(1e-200), 3}, refusals{coles.ErrPrecision: steps}},
		"the smallest features":   {input{g, scaled(5e-324), 3}, refusals{coles.ErrPrecision: steps}},
		"n² > 2³¹":                {input{graphOf(wide, 0, 1, 1, 2, 7, 9), mat.NewDense(wide, 2, nil), 2}, nil},
	} {
		for door, open := range doors {
			t.Run(name+", "+door, func(t *testing.T) {
				if c.in.g.Nodes() == wide {
					skipUnderRace(t)
				}
				var want error
				for err, by := range c.want {
					if slices.Contains(by, door) {
						want = err
					}
				}
				switch y, err := open(c.in); {
				case want != nil:
					testkit.WantError(t, err, want)
				case err != nil:
					t.Errorf("error %v, want none", err)
				default:
					wantFinite(t, door, y)
				}
			})
		}
	}
}

// No door writes to its input, and what it returns shares nothing with it.
func TestInputsAreLeftAlone(t *testing.T) {
	g, words, x := small(82)
	part := mat.NewDense(120, 45, nil).Slice(0, 120, 3, 43).(*mat.Dense) // of a larger matrix
	part.Copy(x)
	graph, features := testkit.Bits(g.CSR()), testkit.Bits(x)
	for name, x := range map[string]mat.Matrix{"sparse": words, "dense": x, "a part": part, "float32": testkit.SingleOf(x)} {
		for door, open := range doors {
			if y, ok := testkit.Must(open(input{g, x, 4})).(*mat.Dense); ok {
				y.Set(0, 0, 1e9)
			}
			testkit.WantSame(t, door+": "+name, testkit.Bits(x), features)
			testkit.WantSame(t, door+": the graph", testkit.Bits(g.CSR()), graph)
		}
	}
}

// Sizes that do not fit together, where there are two of them.
func TestSizesThatDoNotFit(t *testing.T) {
	g, words, x := small(152)
	other := testkit.RandomGraph(1, 119, 0.1)
	m := fitted(g, words, coles.WithDim(3))
	counted := fitted(g, words, coles.With(func(s *coles.Settings) { s.Dim, s.Preparation = 3, coles.PrepareTFIDF }))
	graphOnly := fitted(g, nil, coles.WithDim(3))
	testkit.WantRefusals(t, map[string][2]error{
		"Embed, other rows":         {testkit.Err(m.Embed(ctx, other, words)), coles.ErrShape},
		"Embed, other columns":      {testkit.Err(m.Embed(ctx, g, x.Slice(0, 120, 0, 39))), coles.ErrShape},
		"Embed, negative counts":    {testkit.Err(counted.Embed(ctx, graphOf(1), mat.NewDense(1, 40, slices.Repeat([]float64{-1}, 40)))), coles.ErrNegative},
		"Embed, features for none":  {testkit.Err(graphOnly.Embed(ctx, g, words)), coles.ErrShape},
		"DeltaW.Apply":              {testkit.Err(contrast(other, noNegatives).Apply(ctx, words)), coles.ErrShape},
		"SolveImplicit, other W":    {testkit.Err(coles.SolveImplicit(ctx, words, coles.Normalize(other), coles.SGC(1), contrast(g, noNegatives), 2)), coles.ErrShape},
		"nothing to draw for a fit": {testkit.Err(coles.Fit(ctx, completeGraph(9), testkit.Eye(9), coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(1).ExcludeEdges(), 1, 1 }))), coles.ErrDense},
	})
}

// What leaves the range of the numbers is an error, not an infinity.
func TestOverflowIsAnError(t *testing.T) {
	g, _, x := small(162)
	huge, tiny := mat.NewDense(120, 40, nil), mat.NewDense(2, 1, []float64{0, 1e-300})
	huge.Scale(4e307, x)
	equal := mat.NewDense(120, 1, slices.Repeat([]float64{1e308}, 120)) // of which the middle of a star gets √119
	none := coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareNone })
	m := fitted(g, x, none, coles.WithDim(3))
	standard := testkit.Must(coles.PrepareStandardize.Fit(ctx, tiny))
	looped := []coles.GraphOption{coles.WithSelfLoopsKept()} // to which W adds the weight of the edge
	for door, err := range map[string]error{
		"Filter.Apply":   testkit.Err(coles.Polynomial(10).Apply(ctx, coles.Normalize(g), huge)),
		"DeltaW.Apply":   testkit.Err(contrast(starGraph(119), noNegatives).Apply(ctx, equal)),
		"Embed":          testkit.Err(m.Embed(ctx, g, huge)),
		"Scaling.Apply":  testkit.Err((&coles.Scaling{Factors: []float64{10}}).Apply(ctx, mat.NewDense(1, 1, []float64{1e308}))),
		"Fit":            testkit.Err(coles.Fit(ctx, g, huge, none)),
		"a path":         testkit.Err(coles.NewGraph(3, edges(0, 1, 1, 2), coles.WithWeights([]float64{1e308, 1e308}))),
		"a loop":         testkit.Err(coles.NewGraph(2, edges(0, 1, 0, 0), append(looped, coles.WithWeights([]float64{1e308, 1e308}))...)),
		"Preparer.Apply": testkit.Err(standard.Apply(ctx, mat.NewDense(1, 1, []float64{1e300}))),
	} {
		t.Run(door, func(t *testing.T) { testkit.WantError(t, err, coles.ErrNotFinite) })
	}
	small := mat.NewDense(120, 40, nil)
	small.Scale(1e-200, x)
	for _, kind := range []coles.Kind{0, coles.UseGraph, coles.UseFeatures} {
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, small, none, coles.With(func(s *coles.Settings) { s.Kind = kind }))), coles.ErrPrecision)
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, huge, none, coles.With(func(s *coles.Settings) { s.Kind = kind }))), coles.ErrNotFinite)
	}
}

// A context that has ended already ends every call.
func TestCancelledBeforeItBegan(t *testing.T) {
	over, cancel := context.WithCancel(ctx)
	cancel()
	for door, call := range cancellable(120, 40) {
		if err := call(over); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v, want context.Canceled", door, err)
		}
	}
}

func TestBadRows(t *testing.T) {
	for _, c := range []struct {
		what    string
		ptr     []int64
		col     []int32
		weights []float64
		want    error
		text    string
	}{
		{"no node", []int64{0}, nil, nil, coles.ErrShape, "0 nodes"},
		{"no pointer", nil, nil, nil, coles.ErrShape, "-1 nodes"},
		{"weights of others", []int64{0, 1, 2}, []int32{1, 0}, []float64{1}, coles.ErrShape, "1 weights"},
		{"the mirror is elsewhere", []int64{0, 1, 2, 3}, []int32{1, 2, 1}, nil, coles.ErrAsymmetric, "(0, 1)"},
		{"the mirror weighs more", []int64{0, 1, 2}, []int32{1, 0}, []float64{1, 2}, coles.ErrAsymmetric, "(0, 1)"},
		{"weights to infinity", []int64{0, 2, 3, 4}, []int32{1, 2, 0, 0}, []float64{1e308, 1e308, 1e308, 1e308}, coles.ErrNotFinite, "node 0"},
	} {
		_, err := inside.FromRows(c.ptr, c.col, c.weights)
		testkit.WantError(t, err, c.want)
		testkit.WantText(t, fmt.Sprint(err), c.text)
	}
}
