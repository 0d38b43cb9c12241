package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Ridge predicts a number for each row x (d), such as a price or an age, with a penalty (Hoerl and Kennard 1970):
//
//	f(x) = b + w·x,  the minimum of Σᵢ(yᵢ − b − w·xᵢ)² + penalty·‖w‖²,
//
// or exp f(x) with the logarithms of the values for y. These are taken if all values are above 0, the largest is a hundred
// times the smallest, and logarithms do not raise the mean absolute error of rows left out. [Fit] takes O(t·d² + d³) for t
// rows with a value, three at least, and 16·t·d + 24·d² bytes.
type Ridge struct {
	Coef      []float64 // w
	Intercept float64   // b
	// Penalty has the smallest error of rows left out, which a closed form gives (Allen 1974), of 25 candidates: 10⁻⁴ to 10⁴
	// times the mean squared length of a centred row.
	Penalty float64
	Log     bool
	// Margin is the distance from f that nine in ten values, or their logarithms with Log, keep when their rows are left out.
	Margin float64
	Found  RidgeErrors
}

// RidgeErrors are the errors of rows that are left out one at a time, and predicted by the others with the same penalty.
type RidgeErrors struct {
	Rows   int     `json:"rows"`
	R2     float64 `json:"r2"`                  // 1 − Σ(y − ŷ)²/Σ(y − mean of the others)²
	Error  float64 `json:"mean_absolute_error"` // in the unit of the values
	OfMean float64 `json:"error_of_the_mean"`   // the mean absolute error of the mean of the others
}

const (
	decades = 100 // largest over smallest value, from which logarithms are taken
	kept    = 0.9 // of the rows, within the margin
)

// fit sets the coefficients, and returns the prediction of each row by the others.
func (r *Ridge) fit(ctx context.Context, f *matrix.Matrix[float64], rows []int, y []float64) (left []float64, err error) {
	some, err := f.Gather(ctx, rows)
	if err != nil {
		return nil, err
	}
	mean, err := given.MeanRow(ctx, some)
	if err != nil {
		return nil, err
	}
	block, err := given.Centred(ctx, some, 0, len(rows), mean)
	if err != nil {
		return nil, err
	}
	x, centre := matrix.ToDense(block), stat.Mean(y, nil)
	var gram mat.SymDense
	gram.SymOuterK(1, x.T()) // XᵀX = VΛVᵀ
	var eigen mat.EigenSym
	if !matrix.Finite(mat.Norm(&gram, 1)) || !eigen.Factorize(&gram, true) {
		return nil, fmt.Errorf("%w: squares of features overflow", coles.ErrNotFinite)
	}
	if most := matrix.Magnitude(block.Data); most > 0 && most < 1/given.MostSquared {
		return nil, fmt.Errorf("%w: squares of features vanish, which are %.2g at most; scale the features", coles.ErrPrecision, most)
	}
	var v, along mat.Dense // XV
	eigen.VectorsTo(&v)
	along.Mul(x, &v)
	lambda := eigen.Values(nil)
	off := make([]float64, len(y))
	for q := range y {
		off[q] = y[q] - centre
	}
	var pull mat.VecDense // VᵀXᵀy
	pull.MulVec(along.T(), mat.NewVecDense(len(off), off))
	scale, best, size := mat.Trace(&gram)/float64(len(rows)), math.Inf(1), matrix.Magnitude(off)
	if scale == 0 {
		scale = 1
	}
	for step := range 25 {
		penalty := scale * math.Pow(10, float64(step)/3-4)
		guess, sum := make([]float64, len(y)), 0.0
		for q := range y {
			// For a row left out ŷ − y is the error of the fit over 1 − h, with h the row's share in its own fit, 1/t for the
			// mean.
			fitted, share := 0.0, 1/float64(len(y))
			for k, a := range along.RawRowView(q) {
				w := a / (max(lambda[k], 0) + penalty)
				fitted += w * pull.AtVec(k)
				share += w * a
			}
			guess[q] = y[q] - (off[q]-fitted)/max(1-share, 1e-9)
			sum += (guess[q] - y[q]) / size * ((guess[q] - y[q]) / size)
		}
		if sum < best {
			best, left, r.Penalty = sum, guess, penalty
		}
	}
	for k := range lambda {
		pull.SetVec(k, pull.AtVec(k)/(max(lambda[k], 0)+r.Penalty))
	}
	var w mat.VecDense
	w.MulVec(&v, &pull)
	r.Coef = w.RawVector().Data
	r.Intercept = centre - given.Dot(r.Coef, mean)
	return left, ctx.Err()
}

// measure sets the margin and the errors, of values y and what was regressed t, with predictions of rows left out.
func (r *Ridge) measure(y, t, left []float64) {
	off := make([]float64, len(t))
	for q, v := range t {
		off[q] = math.Abs(v - left[q])
	}
	slices.Sort(off)
	r.Margin = off[min(len(off)-1, int(math.Ceil(kept*float64(len(off)+1)))-1)]
	r.Found.Rows = len(y)
	n, mean, size, squares, all := float64(len(y)), stat.Mean(y, nil), matrix.Magnitude(y), 0.0, 0.0
	for q, v := range y {
		others := mean + (mean-v)/(n-1)
		guess := r.unit(left[q])
		squares += (v - guess) / size * ((v - guess) / size)
		all += (v - others) / size * ((v - others) / size)
		r.Found.Error += math.Abs(v-guess) / n
		r.Found.OfMean += math.Abs(v-others) / n
	}
	r.Found.R2 = 1 - squares/all
}

// regressed is a value on the scale of the regression.
func (r *Ridge) regressed(v float64) float64 {
	if r.Log {
		return math.Log(v)
	}
	return v
}

// unit is a regressed value in its own unit.
func (r *Ridge) unit(t float64) float64 {
	if r.Log {
		return math.Exp(t)
	}
	return t
}

// linear is the regression as the score of two classes.
func (r *Ridge) linear() *LinearModel {
	return &LinearModel{Classes: []int{0, 1}, Coef: mat.NewDense(1, len(r.Coef), r.Coef), Intercept: []float64{r.Intercept}, C: 1}
}
