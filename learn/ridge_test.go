package learn

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// linearValues are a linear function of x with noise.
func linearValues(x *mat.Dense, noise float64, seed uint64) []float64 {
	rng := testkit.Random(seed)
	n, _ := x.Dims()
	y := make([]float64, n)
	for i := range y {
		y[i] = 7 + 3*x.At(i, 0) - 2*x.At(i, 1) + noise*rng.NormFloat64()
	}
	return y
}

// ridge is a regression of values, and valued what it predicts of some rows.
func ridge(x mat.Matrix, values []float64) (*Ridge, error) {
	p, err := Fit(context.Background(), nil, x, Labels{Values: values}, Options{})
	if err != nil {
		return nil, err
	}
	return p.Ridge, nil
}

func valued(r *Ridge, x mat.Matrix, rows []int) ([]Answer, error) {
	return (&Predictor{Ridge: r}).Predict(context.Background(), nil, x, Labels{}, rows)
}

// The errors are those of regressions without each row in turn, by their normal equations.
func TestRidgeEqualsRegressionsWithoutEachRow(t *testing.T) {
	x := testkit.Normal(25, 4, 1, 171)
	y := linearValues(x, 2, 172)
	y[3], y[9] = math.NaN(), math.NaN()
	r := testkit.Must(ridge(x, y))
	without := func(out int) float64 { // the value of row out
		var rows []int
		for i, v := range y {
			if i != out && !math.IsNaN(v) {
				rows = append(rows, i)
			}
		}
		mean, centre := make([]float64, 4), 0.0
		for _, i := range rows {
			centre += y[i] / float64(len(rows))
			for j := range mean {
				mean[j] += x.At(i, j) / float64(len(rows))
			}
		}
		gram, pull := mat.NewDense(4, 4, nil), mat.NewVecDense(4, nil)
		for j := range 4 {
			gram.Set(j, j, r.Penalty)
		}
		for _, i := range rows {
			for j := range 4 {
				pull.SetVec(j, pull.AtVec(j)+(x.At(i, j)-mean[j])*(y[i]-centre))
				for k := range 4 {
					gram.Set(j, k, gram.At(j, k)+(x.At(i, j)-mean[j])*(x.At(i, k)-mean[k]))
				}
			}
		}
		var w mat.VecDense
		testkit.Check(t, w.SolveVec(gram, pull))
		value := centre
		for j := range 4 {
			value += w.AtVec(j) * (x.At(out, j) - mean[j])
		}
		return value
	}
	sum, n := 0.0, 0.0
	for i, v := range y {
		if !math.IsNaN(v) {
			sum += math.Abs(v - without(i))
			n++
		}
	}
	testkit.WantNear(t, "the mean absolute error", r.Found.Error, sum/n, 1e-9)
	values := testkit.Must(valued(r, x, []int{3}))
	testkit.WantNear(t, "a row without a value", values[0].Value, without(3), 1e-9) // which all others predict
}

// Nine in ten rows that were not learnt from are within the bounds, in the unit of the values or by logarithms, and
// in any unit.
func TestRidgeBoundsHoldNineInTen(t *testing.T) {
	for name, unit := range map[string]func(float64) float64{
		"values":     func(v float64) float64 { return v },
		"thousands":  func(v float64) float64 { return 1000 * v },
		"logarithms": math.Exp,
	} {
		inside, all := 0, 0
		for draw := range uint64(20) {
			x := testkit.Normal(300, 10, 1, 173+draw)
			y, known := linearValues(x, 1, 273+draw), make([]float64, 300)
			for i, v := range y {
				y[i] = unit(v)
				if known[i] = y[i]; i >= 100 {
					known[i] = math.NaN()
				}
			}
			r := testkit.Must(ridge(x, known))
			if r.Log != (name == "logarithms") {
				t.Fatalf("%s: logarithms %v", name, r.Log)
			}
			found := testkit.Must(valued(r, x, nil))
			for i := 100; i < 300; i++ {
				if all++; found[i].Low <= y[i] && y[i] <= found[i].High {
					inside++
				}
			}
		}
		// 20 margins from 100 rows each have errors of 3 points, and their mean one of 0.7.
		if share := float64(inside) / float64(all); share < 0.87 || share > 0.93 {
			t.Errorf("%s: %.3f are within the bounds", name, share)
		}
	}
}

func TestRidgeRefuses(t *testing.T) {
	x := testkit.Normal(6, 2, 1, 176)
	learn := func(x mat.Matrix, y ...float64) error { return testkit.Err(ridge(x, y)) }
	r := testkit.Must(ridge(x, []float64{1, 2, 3, 4, 5, 7}))
	predict := func(x mat.Matrix, rows ...int) error {
		return testkit.Err(valued(r, x, rows))
	}
	nan, huge := math.NaN(), mat.NewDense(3, 1, []float64{1e200, -1e200, 0})
	testkit.WantRefusals(t, map[string][2]error{
		"values of some":   {learn(x, 1, 2), coles.ErrShape},
		"two values":       {learn(x, 1, 2, nan, nan, nan, nan), ErrSplit},
		"values alike":     {learn(x, 1, 1, 1, 1, nan, nan), ErrSplit},
		"infinity":         {learn(x, 1, 2, 3, math.Inf(1), nan, nan), coles.ErrNotFinite},
		"squares overflow": {learn(huge, 1, 2, 3), coles.ErrNotFinite},
		"another width":    {predict(testkit.Normal(3, 5, 1, 1)), coles.ErrShape},
		"an unknown row":   {predict(x, 6), coles.ErrIndex},
	})
}

// Numbers that span decades and follow the features themselves are not predicted by logarithms, where a few scores explode.
func TestRidgeTakesLogarithmsWhereTheyHelp(t *testing.T) {
	x, values := testkit.Normal(300, 2, 1, 181), make([]float64, 300)
	for i := range values {
		values[i] = 0.01 + math.Abs(x.At(i, 0)*10)
		x.Set(i, 1, values[i])
	}
	r := testkit.Must(ridge(x, values))
	if r.Log || r.Found.R2 < 0.99 {
		t.Errorf("logarithms %v: %+v", r.Log, r.Found)
	}
}

// The unit of values says nothing, up to where their squares overflow, nor that of features; features whose squares vanish or
// overflow are refused.
func TestRidgeInAnyUnit(t *testing.T) {
	x := testkit.Normal(25, 4, 1, 171)
	y := linearValues(x, 2, 172)
	scaled := func(of *mat.Dense, unit float64) *mat.Dense {
		var to mat.Dense
		to.Scale(unit, of)
		return &to
	}
	want := testkit.Must(ridge(x, y))
	for _, unit := range []float64{1e-300, 1e-200, 1e140} {
		r := testkit.Must(ridge(x, scaled(mat.NewDense(1, 25, y), unit).RawRowView(0)))
		testkit.WantNear(t, "R²", r.Found.R2, want.Found.R2, 1e-9)
		testkit.WantNear(t, "penalty", r.Penalty, want.Penalty, 1e-9*want.Penalty)
		testkit.WantNear(t, "a coefficient", r.Coef[1]/unit, want.Coef[1], 1e-9)
	}
	for _, unit := range []float64{1e-6, 1e6} {
		wide := scaled(x, unit)
		got := testkit.Must(valued(testkit.Must(ridge(wide, y)), wide, []int{1}))
		testkit.WantNear(t, "a value", got[0].Value, testkit.Must(valued(want, x, []int{1}))[0].Value, 1e-9)
	}
	y[4] = 1e151
	testkit.WantError(t, testkit.Err(ridge(x, y)), coles.ErrNotFinite)
	y[4] = 1
	testkit.WantError(t, testkit.Err(ridge(scaled(x, 1e160), y)), coles.ErrNotFinite)
	testkit.WantError(t, testkit.Err(ridge(scaled(x, 1e-160), y)), coles.ErrPrecision)
}
