package learn_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// reasoned is a small graph with its vectors and a model of its labels, a third of which are not known.
func reasoned(t *testing.T, classes int, opts ...coles.Option) (d *dataset.Dataset, g *coles.Graph, m *coles.Model, labels []int) {
	t.Helper()
	d = testkit.Must(synthetic.Communities{Nodes: 150, Classes: classes, Features: 40}.Generate(t.Context()))
	g = testkit.Must(d.Graph())
	m = testkit.Must(coles.Fit(t.Context(), g, d.Features, append(opts, coles.WithDim(8), coles.With(func(s *coles.Settings) { s.Precision = coles.Float64 }))...))
	labels = slices.Clone(d.Labels)
	for i := 0; i < len(labels); i += 3 {
		labels[i] = -1
	}
	return d, g, m, labels
}

// The parts add up to the score, those of rows as far as the fit is at its optimum, and are what the definition says.
func TestReasonsAddUp(t *testing.T) {
	for _, c := range []struct {
		classes int
		opts    []coles.Option
	}{{2, nil}, {4, nil}, {3, []coles.Option{coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })}}} {
		d, g, m, labels := reasoned(t, c.classes, c.opts...)
		y := m.Embedding()
		l := testkit.Must(learn.Fit(t.Context(), nil, y, learn.Labels{Classes: labels}, learn.Options{})).Linear
		rows := []int{0, 3, 77}
		scores := testkit.Must(l.Scores(t.Context(), y, rows))
		predicted := testkit.Must(l.Predict(t.Context(), y, rows))
		const accuracy = 2e-3 // of the coefficients, which a fit has at least
		all := testkit.Must(l.RowReasons(t.Context(), y, labels, rows, nil, 1000))
		columns := testkit.Must(l.ColumnReasons(t.Context(), m, g, d.Features, y, rows, nil, 1000))
		for q, r := range all {
			k, sign := slices.Index(l.Classes, predicted[q]), 1.0
			if c.classes == 2 {
				k, sign = 0, []float64{-1, 1}[k]
			}
			testkit.WantSame(t, "the class", r.Class, predicted[q])
			testkit.WantNear(t, "the score", r.Score, sign*scores.At(q, k), 1e-12)
			size := mat.Norm(l.Coef.RowView(k), 2) * mat.Norm(y.RowView(rows[q]), 2)
			if math.Abs(r.Rest) > accuracy*size {
				t.Errorf("%d classes, row %d: %g of a score of %g is not explained", c.classes, rows[q], r.Rest, r.Score)
			}
			for _, part := range r.Parts[:5] {
				s := mat.Dot(l.Coef.RowView(k), y.RowView(part.Of)) + l.Intercept[k]
				of := -1.0
				if labels[part.Of] == l.Classes[len(l.Classes)-1] && c.classes == 2 || c.classes > 2 && labels[part.Of] == l.Classes[k] {
					of = 1
				}
				want := sign * l.C * of / (1 + math.Exp(of*s)) * mat.Dot(y.RowView(part.Of), y.RowView(rows[q]))
				testkit.WantNear(t, "a part", part.Part, want, 1e-9*(1+math.Abs(want)))
			}
			if n := len(r.Parts); n != 100 || !slices.IsSortedFunc(r.Parts, func(a, b learn.Reason) int {
				return int(math.Copysign(1, math.Abs(b.Part)-math.Abs(a.Part)))
			}) {
				t.Errorf("%d parts of 100 labels, or in no order", n)
			}
			if r := columns[q]; math.Abs(r.Rest) > 1e-9*size || len(r.Parts) == 0 || r.Parts[len(r.Parts)-1].Part == 0 {
				t.Errorf("%d classes, row %d: %g of a score of %g is not explained by columns", c.classes, rows[q], r.Rest, r.Score)
			}
		}
		few := testkit.Must(l.RowReasons(t.Context(), y, labels, rows[:1], nil, 3))[0]
		testkit.WantNear(t, "the rest of three parts", few.Intercept+few.Parts[0].Part+few.Parts[1].Part+few.Parts[2].Part+few.Rest, few.Score, 1e-12)
		if _, err := l.ColumnReasons(t.Context(), m, g, nil, y, rows, nil, 1); !errors.Is(err, coles.ErrShape) {
			t.Errorf("no features: %v", err)
		}
		if _, err := l.RowReasons(t.Context(), y, labels, rows[:1], []int{9}, 1); !errors.Is(err, coles.ErrIndex) {
			t.Errorf("a class that there is not: %v", err)
		}
		other := l.Classes[(slices.Index(l.Classes, predicted[0])+1)%c.classes]
		against := testkit.Must(l.RowReasons(t.Context(), y, labels, rows[:1], []int{other}, 1000))[0]
		if against.Class != other || against.Score >= all[0].Score || c.classes == 2 && against.Score != -all[0].Score {
			t.Errorf("class %d against %d: scores %g and %g", other, predicted[0], against.Score, all[0].Score)
		}
		if _, err := l.RowReasons(t.Context(), y, labels[1:], rows, nil, 1); !errors.Is(err, coles.ErrShape) {
			t.Errorf("a label too few: %v", err)
		}
	}
}

// Filters of several hops, sparse or centred features, weights that span decades: a column's part is what the score
// changes by, times the value, where its value in FX changes.
func TestColumnReasonsFollowTheModel(t *testing.T) {
	x := testkit.RandomDense(testkit.Random(5), 60, 6)
	var edges []coles.Edge
	var weights []float64
	for i := range 60 {
		edges, weights = append(edges, coles.Edge{U: i, V: (i + 1) % 60}, coles.Edge{U: i, V: (i + 7) % 60}), append(weights, 1, math.Pow(10, float64(i%5)))
	}
	g := testkit.Must(coles.NewGraph(60, edges, coles.WithWeights(weights)))
	labels := make([]int, 60)
	for i := range labels {
		labels[i] = i % 3
	}
	m := testkit.Must(coles.Fit(t.Context(), g, x, coles.With(func(s *coles.Settings) { s.Kind, s.Precision = coles.UseGraph, coles.Float64 })))
	y := m.Embedding()
	l := testkit.Must(learn.Fit(t.Context(), nil, y, learn.Labels{Classes: labels}, learn.Options{})).Linear
	for q, r := range testkit.Must(l.ColumnReasons(t.Context(), m, g, x, y, nil, nil, 6)) {
		if math.Abs(r.Rest) > 1e-9*(1+math.Abs(r.Score)) {
			t.Errorf("row %d: %g of %g is not explained", q, r.Rest, r.Score)
		}
	}
}

// Beside columns of the structure the features make up the score of their own columns.
func TestColumnReasonsBesideTheStructure(t *testing.T) {
	d, g, m, labels := reasoned(t, 3, coles.With(func(s *coles.Settings) { s.Structure, s.Kind = 0.4, coles.UseGraph }), coles.WithDim(16))
	if share := m.Report().StructureShare; share != 0.4 {
		t.Fatalf("a share of %v", share)
	}
	y := m.Embedding()
	l := testkit.Must(learn.Fit(t.Context(), nil, y, learn.Labels{Classes: labels}, learn.Options{})).Linear
	own := len(m.Parts()[0].Scaling.Factors)
	for i, r := range testkit.Must(l.ColumnReasons(t.Context(), m, g, d.Features, y, nil, nil, 40)) {
		want := 0.0
		for j := own; j < y.RawMatrix().Cols; j++ {
			want += l.Coef.At(r.Class, j) * y.At(i, j)
		}
		if math.Abs(r.Rest-want) > 1e-9*(1+math.Abs(r.Score)) {
			t.Errorf("row %d: %g of the score is left, and the structure has %g", i, r.Rest, want)
		}
	}
}
