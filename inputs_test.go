package coles_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
)

// named are all errors that this package may wrap.
var named = []error{
	coles.ErrShape, coles.ErrIndex, coles.ErrNotFinite, coles.ErrNegativeWeight, coles.ErrAsymmetric, coles.ErrEmpty,
	coles.ErrTooLarge, coles.ErrIDs, coles.ErrDense, coles.ErrDim, coles.ErrSetting, coles.ErrPreparation, coles.ErrPrecision, coles.ErrTransductive,
	coles.ErrFormat, coles.ErrChecksum,
}

// wantNamed calls a door with hostile input: it must not panic, and its error,
// which must be there, wraps a named one.
func wantNamed(t *testing.T, what string, call func() error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
		}
	}()
	err := call()
	for _, n := range named {
		if errors.Is(err, n) {
			return
		}
	}
	t.Errorf("%s: error is %v, want a named one", what, err)
}

func wantNoPanic(t *testing.T, what string, call func()) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
		}
	}()
	call()
}

func second[T any](_ T, err error) error { return err }

func TestNilAndZeroValuesAreErrors(t *testing.T) {
	g, words, _ := small(101)
	w := coles.Normalize(g, coles.SelfLoops)
	dw := must(coles.Contrast(ctx, g, coles.NoNegatives()))
	m := must(coles.Fit(ctx, g, words, coles.WithDim(3)))
	p := must(coles.FitPreparation(ctx, words, coles.PrepareTFIDF))
	sgc := coles.SGC(2)

	for name, x := range map[string]mat.Matrix{
		"nil *mat.Dense":    (*mat.Dense)(nil),
		"empty *mat.Dense":  &mat.Dense{},
		"nil *sparse.CSR":   (*sparse.CSR)(nil),
		"zero *sparse.CSR":  &sparse.CSR{},
		"nil *mat.SymDense": (*mat.SymDense)(nil),
		"nil *mat.VecDense": (*mat.VecDense)(nil),
		"nil *coles.SymCSR": (*coles.SymCSR)(nil),
		"nil *Dense32":      (*coles.Dense32)(nil),
		"zero Dense32":      &coles.Dense32{},
		"zero SymCSR":       &coles.SymCSR{},
		"nil":               nil,
	} {
		for door, call := range map[string]func() error{
			"KNN":            func() error { return second(coles.KNN(ctx, x, 2)) },
			"Filter.Apply":   func() error { return second(sgc.Apply(ctx, w, x)) },
			"DeltaW.Apply":   func() error { return second(dw.Apply(ctx, x)) },
			"FitPreparation": func() error { return second(coles.FitPreparation(ctx, x, coles.PrepareAuto)) },
			"Preparer.Apply": func() error { return second(p.Apply(ctx, x)) },
			"Solve":          func() error { return second(coles.Solve(ctx, x, dw, 2)) },
			"SolveImplicit":  func() error { return second(coles.SolveImplicit(ctx, x, w, sgc, dw, 2)) },
			"Model.Embed":    func() error { return second(m.Embed(ctx, g, x)) },
		} {
			wantNamed(t, door+" of "+name, call)
		}
		if x != nil { // a nil interface means no features here
			wantNamed(t, "Fit of "+name, func() error { return second(coles.Fit(ctx, g, x)) })
			wantNoPanic(t, "Estimate of "+name, func() { coles.Estimate(g, x) })
		}
	}
	for name, bad := range map[string]*coles.Graph{"nil graph": nil, "zero graph": {}} {
		for door, call := range map[string]func() error{
			"Fit":                  func() error { return second(coles.Fit(ctx, bad, words)) },
			"Fit without features": func() error { return second(coles.Fit(ctx, bad, nil)) },
			"Model.Embed":          func() error { return second(m.Embed(ctx, bad, words)) },
			"Estimate":             func() error { return second(coles.Estimate(bad, words)) },
			"Smoothness":           func() error { return second(coles.Smoothness(ctx, bad, sgc, 1)) },
			"Filter.Apply":         func() error { return second(sgc.Apply(ctx, coles.Normalize(bad, coles.SelfLoops), words)) },
			"Laplacian":            func() error { return second(sgc.Apply(ctx, coles.Laplacian(bad, coles.NoSelfLoops), words)) },
		} {
			wantNamed(t, door+" of "+name, call)
		}
		for _, s := range append(allSamplers, coles.NoNegatives()) {
			wantNamed(t, fmt.Sprint("Contrast of ", name, " with ", s), func() error { return second(coles.Contrast(ctx, bad, s)) })
			wantNamed(t, fmt.Sprint(s, " of ", name), func() error { return second(s.Sample(ctx, bad, 1)) })
		}
		wantNoPanic(t, name, func() {
			if bad.Nodes() != 0 || len(bad.IDs()) != 0 || len(bad.Degrees()) != 0 || bad.Gonum().Nodes().Len() > 0 {
				t.Errorf("%s has nodes", name)
			}
			if _, ok := bad.Row("0"); ok {
				t.Errorf("%s has a row", name)
			}
			if _, count := bad.Components(); count != 0 {
				t.Errorf("%s has components", name)
			}
			if r, c := bad.CSR().Dims(); r != 0 || c != 0 || bad.Report() != (coles.GraphReport{}) {
				t.Errorf("%s is %d × %d, %v", name, r, c, bad.Report())
			}
		})
	}
	for name, bad := range map[string]*coles.DeltaW{"nil ΔW": nil, "zero ΔW": {}} {
		for door, call := range map[string]func() error{
			"Apply":         func() error { return second(bad.Apply(ctx, words)) },
			"Shift":         func() error { return second(bad.Shift(1).Apply(ctx, words)) },
			"Solve":         func() error { return second(coles.Solve(ctx, words, bad, 2)) },
			"SolveImplicit": func() error { return second(coles.SolveImplicit(ctx, words, w, sgc, bad, 2)) },
			"Eigenmaps":     func() error { return second(coles.Eigenmaps(ctx, bad, 2)) },
		} {
			wantNamed(t, door+" of "+name, call)
		}
		wantNoPanic(t, name, func() {
			if r, c := bad.Dims(); r != 0 || c != 0 || bad.Sparse().NNZ() != 0 {
				t.Errorf("%s is %d × %d", name, r, c)
			}
		})
	}
	for name, bad := range map[string]*coles.SymCSR{"nil W": nil, "zero W": {}} {
		wantNamed(t, "Filter.Apply of "+name, func() error { return second(sgc.Apply(ctx, bad, words)) })
		wantNamed(t, "SolveImplicit of "+name, func() error { return second(coles.SolveImplicit(ctx, words, bad, sgc, dw, 2)) })
		wantNoPanic(t, name, func() {
			r, c := bad.Dims()
			if cr, cc := bad.CSR().Dims(); r+c+cr+cc+bad.NNZ()+bad.SymmetricDim() != 0 {
				t.Errorf("%s is not empty", name)
			}
		})
	}
	wantNamed(t, "FromGonum of nil", func() error { return second(coles.FromGonum(nil)) })
	wantNamed(t, "FromGonum of a nil graph", func() error { return second(coles.FromGonum((*simple.UndirectedGraph)(nil))) })
	wantNamed(t, "zero preparer", func() error { return second(new(coles.Preparer).Apply(ctx, words)) })
	wantNamed(t, "zero model, Embed", func() error { return second(new(coles.Model).Embed(ctx, g, nil)) })
	wantNamed(t, "zero model, WriteTo", func() error { return second(new(coles.Model).WriteTo(new(bytes.Buffer))) })
	wantNoPanic(t, "zero model", func() { new(coles.Model).IDs() })
}

// The promised table of inputs, each fitted by all solvers with and without
// features: a named error (want), or an embedding that is finite.
func TestFitOfUnusualInputs(t *testing.T) {
	g, words, dense := small(102)
	const n, d = 120, 40
	with := func(change func(x *mat.Dense)) *mat.Dense {
		x := mat.DenseCopyOf(dense)
		change(x)
		return x
	}
	for _, c := range []struct {
		name string
		g    *coles.Graph
		x    mat.Matrix
		opts []coles.Option
		want error
	}{
		{"plain", g, words, nil, nil},
		{"NaN feature", g, with(func(x *mat.Dense) { x.Set(5, 5, math.NaN()) }), nil, coles.ErrNotFinite},
		{"infinite feature", g, with(func(x *mat.Dense) { x.Set(5, 5, math.Inf(-1)) }), nil, coles.ErrNotFinite},
		{"NaN in sparse X", g, sparseOf(with(func(x *mat.Dense) { x.Set(5, 5, math.NaN()) })), nil, coles.ErrNotFinite},
		{"bad column in sparse X", g, sparse.NewCSR(n, 1, append(make([]int, n), 1), []int{3}, []float64{1}), nil, coles.ErrIndex},
		{"rows missing", g, dense.Slice(0, n-1, 0, d), nil, coles.ErrShape},
		{"no edges", must(coles.NewGraph(n, nil)), words, nil, nil},
		{"one node", must(coles.NewGraph(1, nil)), dense.Slice(0, 1, 0, d), nil, nil},
		{"one feature", g, dense.Slice(0, n, 0, 1), nil, nil},
		{"isolated nodes", must(coles.NewGraph(n, edges(0, 1, 1, 2, 5, 6))), words, nil, nil},
		{"self loops", must(coles.NewGraph(n, edges(0, 0, 1, 1, 1, 2), coles.WithSelfLoopsKept())), words, nil, nil},
		{"d′ = 0", g, words, []coles.Option{coles.WithDim(0)}, coles.ErrDim},
		{"d′ < 0", g, words, []coles.Option{coles.WithDim(-3)}, coles.ErrDim},
		{"d′ > d", g, words, []coles.Option{coles.WithDim(d + 1)}, coles.ErrDim},
		{"d′ = d", g, words, []coles.Option{coles.WithDim(d)}, nil},
		{"zero rows", g, with(func(x *mat.Dense) { x.Slice(0, 50, 0, d).(*mat.Dense).Zero() }), nil, nil},
		{"nothing but zeros", g, mat.NewDense(n, d, nil), nil, nil},
		{"constant columns", g, with(func(x *mat.Dense) { x.Apply(func(int, int, float64) float64 { return 1 }, x) }), nil, nil},
		{"columns twice", g, with(func(x *mat.Dense) { x.Slice(0, n, 20, 40).(*mat.Dense).Copy(x.Slice(0, n, 0, 20)) }), nil, nil},
		{"more features than nodes", must(coles.NewGraph(9, edges(0, 1, 2, 3))), dense.Slice(0, 9, 0, d), []coles.Option{coles.WithDim(30)}, nil},
		{"huge features as they are", g, with(func(x *mat.Dense) { x.Scale(1e200, x) }), []coles.Option{coles.WithFeatures(coles.PrepareNone)}, coles.ErrNotFinite},
		{"huge features on unit rows", g, with(func(x *mat.Dense) { x.Scale(1e200, x) }), []coles.Option{coles.WithFeatures(coles.PrepareRowL2)}, nil},
		{"tiny features as they are", g, with(func(x *mat.Dense) { x.Scale(1e-200, x) }), []coles.Option{coles.WithFeatures(coles.PrepareNone)}, coles.ErrPrecision},
		{"tiny features on unit rows", g, with(func(x *mat.Dense) { x.Scale(1e-200, x) }), []coles.Option{coles.WithFeatures(coles.PrepareRowL2)}, nil},
		{"huge weights", must(coles.NewGraph(n, edges(0, 1, 1, 2), coles.WithEdgeWeights([]float64{1e300, 1e-300}))), words, nil, nil},
		{"negative counts", g, with(func(x *mat.Dense) { x.Set(1, 1, -1) }), []coles.Option{coles.WithFeatures(coles.PrepareTFIDF)}, coles.ErrPreparation},
		{"κ < 0", g, words, []coles.Option{coles.WithKappa(-1)}, coles.ErrSetting},
		{"η′ = 2", g, words, []coles.Option{coles.WithEta(2)}, coles.ErrSetting},
		{"c < 0", g, words, []coles.Option{coles.WithCovarianceShare(-1)}, coles.ErrSetting},
		{"c NaN", g, words, []coles.Option{coles.WithCovarianceShare(math.NaN())}, coles.ErrSetting},
		{"unknown preparation", g, words, []coles.Option{coles.WithFeatures(44)}, coles.ErrSetting},
		{"no negatives to draw", completeGraph(n), words, []coles.Option{coles.WithNegatives(coles.UniformNegatives(1, coles.ExcludeEdges()))}, coles.ErrDense},
		{"no features, no edges", must(coles.NewGraph(6, nil)), nil, nil, nil},
		{"no features, one node", must(coles.NewGraph(1, nil)), nil, nil, nil},
		{"no features, one edge", must(coles.NewGraph(2, edges(0, 1))), nil, nil, nil},
		{"no features, components only", must(coles.NewGraph(3, edges(0, 1, 1, 2, 2, 0))), nil, []coles.Option{coles.WithDim(3)}, coles.ErrDim},
		{"no features, plain", g, nil, nil, nil},
	} {
		for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
			t.Run(fmt.Sprint(c.name, ", ", solver), func(t *testing.T) {
				if c.want != nil {
					var err error
					wantNoPanic(t, "Fit", func() { _, err = coles.Fit(ctx, c.g, c.x, append(c.opts, coles.WithSolver(solver))...) })
					wantError(t, err, c.want)
					return
				}
				wantNoPanic(t, "Fit and what follows", func() { checkFitted(t, c.g, c.x, append(c.opts, coles.WithSolver(solver))) })
			})
		}
	}
}

// checkFitted fits, and sends the model through everything that a model can do.
func checkFitted(t *testing.T, g *coles.Graph, x mat.Matrix, opts []coles.Option) {
	t.Helper()
	m, err := coles.Fit(ctx, g, x, opts...)
	if err != nil {
		t.Error(err)
		return
	}
	y := m.Embedding()
	if r, c := y.Dims(); r != g.Nodes() || c != m.Report().Dim || c != m.Settings().Dim {
		t.Errorf("embedding of %d × %d for %d nodes, dim %d", r, c, g.Nodes(), m.Report().Dim)
	}
	scale := 0.0
	for _, v := range y.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("the embedding holds %v", v)
			return
		}
		scale = math.Max(scale, math.Abs(v))
	}
	again, err := m.Embed(ctx, g, x)
	if err != nil {
		t.Error(err)
		return
	}
	wantClose(t, "Embed", again, y, 1e-12*scale)
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		t.Error(err)
		return
	}
	if _, err := coles.ReadModel(&file); err != nil {
		t.Error(err)
	}
}

// A matrix of features (1, −1) on one edge has M = −2: truncation leaves nothing.
func TestTruncationMayLeaveNoColumn(t *testing.T) {
	g := must(coles.NewGraph(2, edges(0, 1)))
	x := mat.NewDense(2, 1, []float64{1, -1})
	wantNoPanic(t, "model without columns", func() {
		m := must(coles.Fit(ctx, g, x, coles.WithFilter(coles.Identity()), coles.WithFeatures(coles.PrepareNone), coles.WithTruncation()))
		if m.Report().Dim != 0 || !m.Embedding().IsEmpty() {
			t.Errorf("%d columns left", m.Report().Dim)
		}
		if y := must(m.Embed(ctx, g, x)); !y.IsEmpty() {
			t.Error("Embed gives columns")
		}
		must(must(coles.ReadModel(bytes.NewReader(modelBytes(m)))).Embed(ctx, g, x))
	})
}

// Foreign matrices that panic or lie about their size are the caller's trouble, reported.
type brokenMatrix struct{ mat.Matrix }

func (brokenMatrix) Dims() (r, c int)    { return 120, 3 }
func (brokenMatrix) At(i, j int) float64 { panic("disk on fire") }
func (m brokenMatrix) T() mat.Matrix     { return m }

func TestForeignMatrixThatPanics(t *testing.T) {
	g, _, _ := small(103)
	wantNamed(t, "Fit", func() error { return second(coles.Fit(ctx, g, brokenMatrix{})) })
	wantNamed(t, "KNN", func() error { return second(coles.KNN(ctx, brokenMatrix{}, 2)) })
}

func TestCancelledBeforeItBegan(t *testing.T) {
	g, words, _ := small(104)
	over, cancel := context.WithCancel(ctx)
	cancel()
	w := coles.Normalize(g, coles.SelfLoops)
	dw := must(coles.Contrast(ctx, g, coles.NoNegatives()))
	m := must(coles.Fit(ctx, g, words, coles.WithDim(3)))
	for door, call := range map[string]func() error{
		"Fit":           func() error { return second(coles.Fit(over, g, words)) },
		"Fit, no x":     func() error { return second(coles.Fit(over, g, nil)) },
		"Embed":         func() error { return second(m.Embed(over, g, words)) },
		"KNN":           func() error { return second(coles.KNN(over, words, 2)) },
		"Filter.Apply":  func() error { return second(coles.SGC(2).Apply(over, w, words)) },
		"Contrast":      func() error { return second(coles.Contrast(over, g, coles.UniformNegatives(2))) },
		"DeltaW.Apply":  func() error { return second(dw.Apply(over, words)) },
		"Smoothness":    func() error { return second(coles.Smoothness(over, g, coles.SGC(2), 1)) },
		"Solve":         func() error { return second(coles.Solve(over, words, dw, 2)) },
		"SolveImplicit": func() error { return second(coles.SolveImplicit(over, words, w, coles.SGC(2), dw, 2)) },
		"Eigenmaps":     func() error { return second(coles.Eigenmaps(over, dw, 2)) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v, want context.Canceled", door, err)
		}
	}
}
