package gnn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// centred are the rows of H less their mean: row i of H is mean + unit·rows_i. The unit is a power
// of two near the largest magnitude of H, in which squares are numbers whatever the size of H.
type centred[T kernel.Float] struct {
	rows kernel.Matrix[T]
	unit float64
}

// meanRow is the mean of the rows of H.
func meanRow[T kernel.Float](ctx context.Context, h kernel.Matrix[T]) ([]float64, error) {
	return matrix.TransposeTimes(ctx, matrix.Of(h), slices.Repeat([]float64{1 / float64(h.Rows)}, h.Rows))
}

// centre takes the mean from the rows of H, in memory that release gives back.
func centre[T kernel.Float](ctx context.Context, h kernel.Matrix[T], mean []float64) (c centred[T], release func(), err error) {
	c.rows, release = kernel.Scratch[T](h.Rows, h.Cols)
	most, err := matrix.Of(h).Largest(ctx)
	if err != nil {
		return c, release, err
	}
	_, exponent := math.Frexp(most)
	c.unit = math.Ldexp(1, min(max(exponent, -1000), 1000))
	inverse := 1 / c.unit // of a power of two, exact
	return c, release, parallel.EachRow(ctx, h.Rows, func(i int) {
		to := c.rows.Row(i)
		for j, v := range h.Row(i) {
			to[j] = T((float64(v) - mean[j]) * inverse)
		}
	})
}

// spread measures how the energy of H is spread over its columns: by ‖HᵀH/n − I‖²_F/d′, and by the effective rank (Tr
// C)²/‖C‖²_F of the covariance C of its rows. Without energy the rank is 0. With the mean row h̄, HᵀH/n = C + h̄ᵀh̄.
// C is taken from HᵀH, which the loss may have computed. Where h̄ is so long, or the numbers so near the ends of
// their range, that this would cost digits, C is taken from the centred rows.
func spread[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], output *autodiff.Value[T]) (orthogonality, rank float64, err error) {
	h, gram := output.Data(), t.Gram(output).Data()
	if err := t.Err(); err != nil {
		return 0, 0, err
	}
	mean, err := meanRow(ctx, h)
	if err != nil {
		return 0, 0, err
	}
	energy, length := 0.0, 0.0
	for j, m := range mean {
		energy += float64(gram.Data[j*gram.Stride+j])
		length += m * m
	}
	n, unit, whole := float64(h.Rows), 1.0, true // whole: gram holds h̄ᵀh̄
	if !(energy > 0x1p-60 && energy < 0x1p100 && energy > 1.1*n*length) {
		centred, release, err := centre(ctx, h, mean)
		defer release()
		if err != nil {
			return 0, 0, err
		}
		var giveBack func()
		gram, giveBack = kernel.Scratch[T](h.Cols, h.Cols)
		defer giveBack()
		if err := matrix.Clear(ctx, gram); err != nil {
			return 0, 0, err
		}
		if err := kernel.Gram(ctx, 1, centred.rows, centred.rows, gram); err != nil {
			return 0, 0, err
		}
		unit, whole = centred.unit, false
	}
	const rows = 64 // of gram, as a task
	parts := make([][3]float64, parallel.Pieces(h.Cols, rows))
	if err := parallel.Ranges(ctx, h.Cols, rows, func(lo, hi int) {
		distance, trace, squares := 0.0, 0.0, 0.0
		for i := lo; i < hi; i++ {
			identity, times := 1.0, 1.0
			for j, v := range gram.Row(i)[i:] {
				outer := mean[i] * mean[i+j]
				c := float64(v) / n
				if whole { // of rows that are centred it may be infinite
					c -= outer
				}
				g := c*unit*unit + outer - identity
				trace += c * identity
				distance += times * g * g
				squares += times * c * c
				identity, times = 0, 2 // the lower triangle is the same
			}
		}
		parts[lo/rows] = [3]float64{distance, trace, squares}
	}); err != nil {
		return 0, 0, err
	}
	distance, trace, squares := 0.0, 0.0, 0.0
	for _, p := range parts {
		distance, trace, squares = distance+p[0], trace+p[1], squares+p[2]
	}
	if squares != 0 {
		rank = trace * trace / squares
	}
	if math.IsNaN(distance) { // squares beyond the numbers, of either sign
		distance = math.Inf(1)
	}
	return distance / float64(h.Cols), rank, nil
}

// scaled is h times a factor, and that factor. The mean norm of the centred rows becomes r. The factor is 1 for r =
// 0, and where rows are equal but for rounding.
func scaled[T kernel.Float](ctx context.Context, h kernel.Matrix[T], r float64) (*mat.Dense, float64, error) {
	factor := 1.0
	if r != 0 {
		norm, err := centredNorm(ctx, h)
		if err != nil {
			return nil, 0, err
		}
		if norm > 0 {
			factor = r / norm
		}
	}
	y := kernel.Unset[float64](h.Rows, h.Cols)
	if err := kernel.Convert(ctx, y, h); err != nil {
		return nil, 0, err
	}
	out, err := times(ctx, y, factor)
	return out, factor, err
}

// centredNorm is the mean norm of the centred rows of h, or 0 where they are nothing but rounding.
func centredNorm[T kernel.Float](ctx context.Context, h kernel.Matrix[T]) (float64, error) {
	mean, err := meanRow(ctx, h)
	if err != nil {
		return 0, err
	}
	centred, release, err := centre(ctx, h, mean)
	defer release()
	if err != nil {
		return 0, err
	}
	sums, err := parallel.Sum(ctx, h.Rows, 2, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			square := 0.0
			for _, v := range centred.rows.Row(i) {
				square += float64(v) * float64(v)
			}
			sum[0] += math.Sqrt(square)
			sum[1] += square
		}
	})
	if err != nil {
		return 0, err
	}
	rounding := 1e-12
	if _, single := any(h).(kernel.Matrix[float32]); single {
		rounding = 1e-6
	}
	n := float64(h.Rows)
	if math.Sqrt(sums[1]/n)*centred.unit <= rounding*matrix.Length(mean) {
		return 0, nil
	}
	return sums[0] / n * centred.unit, nil
}

// times multiplies y by a factor, in place.
func times(ctx context.Context, y kernel.Matrix[float64], factor float64) (*mat.Dense, error) {
	if factor != 1 {
		if err := parallel.EachRow(ctx, y.Rows, func(i int) { matrix.Scale(y.Row(i), factor) }); err != nil {
			return nil, err
		}
	}
	out, err := matrix.ToFiniteDense(ctx, "the embedding", y)
	if err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	return out, nil
}
