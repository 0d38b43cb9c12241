package linear

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// A Knowledge holds the sums over nodes that measure how well features X (n × d) predict degrees.
type Knowledge struct {
	Roots, Volume float64   // of √degree and of degree, or of a multiple of √degree and of its squares
	Squares       float64   // of all features
	Columns       []float64 // Xᵀ1, of the columns (d)
	Along         []float64 // Xᵀs, with s that multiple of √degree
}

// T is how much more X varies along the degrees of n nodes than along a direction at random:
//
//	t = n·‖cᵀX̄‖²/‖X̄‖²_F,
//
// with X̄ the features with centred columns and c the vector √degree, centred and of length 1. It is at
// most n, and n/(n − 1) in the mean over all ways to deal the same degrees to the nodes. It is 0 where
// the rows or the degrees differ by rounding only.
//
// The sums may be about any origins: X̄ is the same for X and X − 1aᵀ, and c for √degree less a number.
func (k Knowledge) T(n float64) float64 {
	inside, mean := k.Squares, k.Roots/n
	for _, sum := range k.Columns {
		inside -= sum * (sum / n)
	}
	spread := k.Volume - k.Roots*mean
	if !(inside > squareRounding*k.Squares && spread > squareRounding*k.Volume) {
		return 0
	}
	length, along := math.Sqrt(spread), 0.0
	for j, sum := range k.Columns {
		off := (k.Along[j] - mean*sum) / length
		along += off * off
	}
	return n * along / inside
}

// squareRounding bounds what rounding leaves of a sum of squares of equal numbers when their mean is taken
// out, in units of the sum.
const squareRounding = 1e-12

// Resolved has the share that the column of degrees gets beside features with that t. It is the largest that the
// settings allow, times (t − 1)/9, which counts as 0 below 0 and as 1 above 1.
func (f Terms) Resolved(t float64) Terms {
	f.DegreeShare *= min(max((t-1)/9, 0), 1)
	return f
}

// Roots is the vector √degree of length 1, or zero.
func Roots(degrees []float64) []float64 {
	s := make([]float64, len(degrees))
	for i, degree := range degrees {
		s[i] = math.Sqrt(degree)
	}
	if length := matrix.Length(s); length > 0 {
		matrix.Scale(s, 1/length)
	}
	return s
}

// Known is t of features and [Roots], see [Knowledge.T]: by two passes over the features, one of which looks for the
// largest. Sums of √degree are taken about its mean, and sums of dense features about the first row, so that t keeps
// its digits however large the means are. Sums of sparse features are about 0, which costs t as many digits as M.
func Known[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], roots []float64) (float64, error) {
	n, d := x.Dims()
	c, mean := slices.Clone(roots), matrix.Total(roots)/float64(n)
	for i := range c {
		c[i] -= mean
	}
	length := matrix.Length(c)
	if length*length <= squareRounding { // of the length of roots, 1
		return 0, ctx.Err()
	}
	largest, err := x.Largest(ctx)
	if err != nil {
		return 0, err
	}
	_, exponent := math.Frexp(largest)
	unit := math.Ldexp(1, min(-exponent, 1000)) // squares are numbers of float64
	origin := make([]float64, d)
	if x.Sparse == nil {
		for j, v := range x.Dense.Row(0) {
			origin[j] = float64(v) * unit
		}
	}
	sum, err := parallel.Sum(ctx, n, 2*d+1, func(sum []float64, lo, hi int) {
		columns, along, squares := sum[:d], sum[d:2*d], 0.0
		for i := lo; i < hi; i++ {
			cols, vals := x.Row(i)
			if cols == nil {
				for j, v := range vals {
					off := float64(v)*unit - origin[j]
					columns[j] += off
					along[j] += c[i] * off
					squares += off * off
				}
				continue
			}
			for q, j := range cols {
				v := float64(vals[q]) * unit
				columns[j] += v
				along[j] += c[i] * v
				squares += v * v
			}
		}
		sum[2*d] += squares
	})
	if err != nil {
		return 0, err
	}
	return Knowledge{
		Roots: matrix.Total(c), Volume: length * length,
		Squares: sum[2*d], Columns: sum[:d], Along: sum[d : 2*d],
	}.T(float64(n)), nil
}
