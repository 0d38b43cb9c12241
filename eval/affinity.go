package eval

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// affinities are the pᵢⱼ of [TSNE].
func affinities(ctx context.Context, x *matrix.Source) (kernel.Matrix[float64], error) {
	p, err := squaredDistances(ctx, x)
	if err != nil {
		return p, err
	}
	perplexity := max(1, min(tsnePerplexity, float64(p.Rows-1)/3))
	if err := parallel.For(ctx, p.Rows, func(i int) { conditional(p.Row(i), i, perplexity) }); err != nil {
		return p, err
	}
	// Each task owns the pairs (i, j) of one i and of j > i.
	return p, parallel.For(ctx, p.Rows, func(i int) {
		for j := i + 1; j < p.Cols; j++ {
			there, back := &p.Data[i*p.Stride+j], &p.Data[j*p.Stride+i]
			both := (*there + *back) / float64(2*p.Rows)
			*there, *back = both, both
		}
	})
}

// squaredDistances are ‖xᵢ‖² − 2xᵢ·xⱼ + ‖xⱼ‖², up to a common factor that brings the numbers near
// 1, so that no square overflows. Dense rows are centred: a large mean would take up the digits of
// the differences. Sparse rows, which have zeros, stay as they are.
func squaredDistances(ctx context.Context, x *matrix.Source) (kernel.Matrix[float64], error) {
	n := x.Rows()
	d := kernel.Dense[float64](n, n)
	largest, err := x.Largest(ctx)
	if err != nil || largest == 0 {
		return d, err
	}
	scale := math.Ldexp(1, -max(math.Ilogb(largest), -1000))
	x = x.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, scale) })
	if !x.Sparse() {
		sums, _, err := matrix.Moments(ctx, x)
		if err != nil {
			return d, err
		}
		x = x.Changed(false, func(_ []int32, vals []float64) { matrix.AddScaled(vals, -1, sums.Mean) })
	}
	f, err := matrix.As[float64](ctx, x)
	if err != nil {
		return d, err
	}
	for lo := 0; lo < n; lo += parallel.RowsAtOnce {
		hi := min(n, lo+parallel.RowsAtOnce)
		block, err := f.Slice(lo, hi).Panel(ctx)
		if err != nil {
			return d, err
		}
		transposed, err := kernel.Transposed(ctx, block)
		if err != nil {
			return d, err
		}
		if err := f.Times(ctx, kernel.Columns(d, lo, hi), transposed); err != nil {
			return d, err
		}
	}
	squares := make([]float64, n)
	for i := range squares {
		squares[i] = d.Data[i*d.Stride+i]
	}
	return d, parallel.For(ctx, n, func(i int) {
		row := d.Row(i)
		for j, product := range row {
			row[j] = max(0, squares[i]-2*product+squares[j])
		}
	})
}

// conditional turns the squared distances of row i into pⱼ|ᵢ = exp(−βdⱼ)/Σₖ exp(−βdₖ) of a given
// perplexity exp(H), with pᵢ|ᵢ = 0. Newton's steps on H over log β, whose derivative is −β²·var(d),
// find β between bounds that close in. Where equal distances allow no such perplexity, β ends
// large, which shares p among the nearest rows.
func conditional(row []float64, i int, perplexity float64) {
	row[i] = math.Inf(1) // exp(−β·∞) = 0
	least, far := math.Inf(1), 0.0
	for j, d := range row {
		if j != i {
			least, far = min(least, d), max(far, d)
		}
	}
	if math.IsInf(least, 1) { // the only row
		row[i] = 0
		return
	}
	const tolerance, tries = 1e-9, 100
	lo, hi, beta := 0.0, math.Inf(1), 1.0
	if far > least {
		beta = 1 / (far - least)
	}
	for range tries {
		sum, first, second := 0.0, 0.0, 0.0
		for j, d := range row {
			if j != i {
				e := math.Exp(-beta * (d - least))
				sum += e
				first += e * (d - least)
				second += e * (d - least) * (d - least)
			}
		}
		mean := first / sum
		excess := math.Log(sum) + beta*mean - math.Log(perplexity)
		if math.Abs(excess) <= tolerance {
			break
		}
		if excess > 0 {
			lo = beta
		} else {
			hi = beta
		}
		next := beta * math.Exp(excess/(beta*beta*(second/sum-mean*mean)))
		switch {
		case lo < next && next < hi && next < 10*beta:
			beta = next
		case math.IsInf(hi, 1):
			beta *= 2
		default:
			beta = (lo + hi) / 2
		}
	}
	sum := 0.0
	for j, d := range row {
		row[j] = math.Exp(-beta * (d - least))
		sum += row[j]
	}
	matrix.Scale(row, 1/sum)
}
