package learn_test

import (
	"bytes"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// Columns of features that alone tell a label predict it, kept in a file, too, and vectors that tell as much are not replaced.
// Labels are what the signs of two columns, or their sum, say, of which an edge and a vector know nothing.
func TestColumnsPredictWhereVectorsDoNot(t *testing.T) {
	const n = 300
	ctx := t.Context()
	x, noise := testkit.Normal(n, 6, 1, 1), testkit.Normal(n, 6, 1, 2)
	g := testkit.RandomGraph(3, n, 0.02)
	var all, sets, numbers learn.Labels
	for i := range n {
		up, right := 0, 2
		if x.At(i, 0) > 0 {
			up = 1
		}
		if x.At(i, 1) > 0 {
			right = 3
		}
		all.Classes = append(all.Classes, up)
		sets.Sets = append(sets.Sets, []int{up, right})
		numbers.Values = append(numbers.Values, x.At(i, 0)+x.At(i, 1))
	}
	of := map[string]learn.Labels{"classes": all, "sets": sets, "numbers": numbers}
	for kind, l := range of {
		p := testkit.Must(learn.Fit(ctx, g, noise, l, learn.Options{Columns: x}))
		if p.Columns == nil || testkit.Must(learn.Fit(ctx, nil, noise, l, learn.Options{Columns: x})).Columns == nil {
			t.Fatalf("%s: the columns are not taken", kind)
		}
		var file bytes.Buffer
		testkit.Must(p.WriteTo(&file))
		read := testkit.Must(learn.ReadPredictor(&file))
		nested := learn.Predictor{Linear: p.Linear, Ridge: p.Ridge, Several: p.Several, Columns: p} // a third follows
		testkit.Must(nested.WriteTo(&file))
		testkit.WantError(t, testkit.Err(learn.ReadPredictor(&file)), coles.ErrFormat)
		wrong := 0
		for i, a := range testkit.Must(read.Columns.Predict(ctx, g, x, learn.Labels{}, nil)) {
			switch {
			case kind == "numbers" && math.Abs(a.Value-l.Values[i]) > 0.3,
				kind == "classes" && a.Classes[0].Class != l.Classes[i],
				kind == "sets" && (a.Has != 2 || a.Classes[0].Class+a.Classes[1].Class != l.Sets[i][0]+l.Sets[i][1]):
				wrong++
			}
		}
		if wrong > n/20 {
			t.Errorf("%s: %d of %d rows are wrong by the columns", kind, wrong, n)
		}
		for name, how := range map[string]learn.Options{"the same columns": {Columns: x}, "columns of noise": {Columns: noise}, "vectors alone": {Columns: x, Alone: true}} {
			y := mat.Matrix(x)
			if how.Alone {
				y = noise
			}
			if p := testkit.Must(learn.Fit(ctx, g, y, l, how)); p.Columns != nil {
				t.Errorf("%s, %s: taken in place of vectors", kind, name)
			}
		}
	}
	testkit.WantError(t, testkit.Err(learn.Fit(ctx, g, noise, all, learn.Options{Columns: testkit.Normal(2, 2, 1, 1)})), coles.ErrShape)
	huge := mat.NewDense(n, 1, nil)
	huge.Set(0, 0, 1e300)
	if p := testkit.Must(learn.Fit(ctx, g, noise, all, learn.Options{Columns: huge})); p.Columns != nil {
		t.Error("columns that overflow are taken")
	}
}
