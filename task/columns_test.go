package task

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// Features that tell what vectors do not predict nodes, give reasons and are kept; nodes without them are predicted by the
// vectors. The label is the sign of a column, which noise has half the time.
func TestColumnsAlonePredictNodes(t *testing.T) {
	const n = 200
	x, y, g := testkit.Normal(n, 5, 1, 1), testkit.Normal(n, 5, 1, 2), testkit.RandomGraph(3, n, 0.03)
	d := &dataset.Dataset{Features: x, Labels: make([]int, n), Classes: []string{"down", "up"}, FeatureNames: []string{"height", "b", "c", "d", "e"}}
	for i := range n {
		if x.At(i, 0) > 0 {
			d.Labels[i] = 1
		}
	}
	data := &Data{Dataset: d, Graph: g}
	target := testkit.Must(TargetOf(d, n, ""))
	p := testkit.Must(FitPredictor(ctx, g, y, nil, target, learn.Options{}))
	testkit.WantSame(t, "by features", p.ByFeatures(), true)
	var kept bytes.Buffer
	testkit.Must((&File{Predictor: p}).WriteTo(&kept))
	read := testkit.Must(ReadFile(&kept)).Predictor
	rows := []int{1, 2, 3}
	right := func(answers []learn.Answer) (count int) {
		for i, a := range answers {
			if a.Classes[0].Class == d.Labels[i] {
				count++
			}
		}
		return count
	}
	for name, of := range map[string]*Predictor{"learnt": p, "read": read} {
		if got := right(testkit.Must(of.Answers(ctx, g, y, target, nil))); got < n*9/10 {
			t.Errorf("%s: %d of %d are right by features", name, got, n)
		}
		if got := right(testkit.Must(of.Answers(ctx, nil, y, Target{}, nil))); got > n*3/4 {
			t.Errorf("%s: %d of %d are right by noise", name, got, n)
		}
		answers := testkit.Must(of.Answers(ctx, g, y, target, rows))
		for q, w := range testkit.Must(of.Why(ctx, data, (*coles.Model)(nil), y, target, rows, answers)) {
			if !strings.HasPrefix(w.Columns[0].Name, "height") || w.Columns[0].Value != x.At(rows[q], 0) {
				t.Errorf("%s: row %d is explained by %v", name, rows[q], w)
			}
		}
	}
	one := testkit.Must(p.Newcomers(ctx, y.Slice(5, 6, 0, 5), x.Slice(5, 6, 0, 5)))
	testkit.WantSame(t, "a newcomer by features", one, testkit.Must(p.Answers(ctx, nil, y, target, []int{5})))
	why := testkit.Must(p.WhyNewcomer(ctx, y.Slice(5, 6, 0, 5), x.Slice(5, 6, 0, 5), Names(nil, n)))
	same := testkit.Must(p.Why(ctx, data, nil, y, target, []int{5}, one))
	testkit.WantSame(t, "reasons of a newcomer", why.Nodes, same[0].Nodes)
	values := make([]float64, n) // of a node without an edge, which is as a newcomer
	for i := range values {
		values[i] = x.At(i, 1) + 0.3*y.At(i, 4)
	}
	alone := testkit.Must(coles.NewGraph(n+1, testkit.Ring(n, 3)))
	grown := Target{Labels: learn.Labels{Values: append(values, math.NaN())}, features: again(x)}
	numbers := testkit.Must(FitPredictor(ctx, alone, again(y), nil, grown, learn.Options{}))
	testkit.WantSame(t, "numbers by features", numbers.ByFeatures(), true)
	testkit.WantSame(t, "a number of a newcomer", testkit.Must(numbers.Newcomers(ctx, y.Slice(0, 1, 0, 5), x.Slice(0, 1, 0, 5))),
		testkit.Must(numbers.Answers(ctx, alone, again(y), grown, []int{n})))
	unknown, notes, err := read.For(nil, target)
	testkit.Check(t, err)
	testkit.WantSame(t, "by features of an encoder that is not known", []bool{unknown.ByFeatures(), read.ByFeatures(), len(notes) == 1}, []bool{false, true, true})
}

// again is x with its first row again behind it.
func again(x *mat.Dense) *mat.Dense {
	var all mat.Dense
	_, d := x.Dims()
	all.Stack(x, x.Slice(0, 1, 0, d))
	return &all
}
