package plane

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/parallel"
)

const (
	tsnePerplexity = 30.
	tsneNeighbours = 3 * tsnePerplexity // all others have next to no part in p
)

// affinities are the pᵢⱼ of [TSNE].
func affinities(ctx context.Context, x *matrix.Source) (*kernel.CSR[float64], error) {
	n := x.Rows()
	p, err := neighbours(ctx, x, min(n-1, tsneNeighbours))
	if err != nil {
		return nil, err
	}
	perplexity := max(1, min(tsnePerplexity, float64(n-1)/3))
	if err := parallel.EachRow(ctx, n, func(i int) {
		_, row := p.Row(i)
		conditional(row, perplexity)
	}); err != nil {
		return nil, err
	}
	share := 1 / float64(2*n)
	return matrix.Add(ctx, share, p, share, p.Transpose())
}

// neighbours are the squared distances from every row to its k nearest rows, up to a common factor: numbers near 1 have
// squares that do not overflow. Dense rows are centred, as a large mean would take up the digits of the differences.
// Sparse rows stay as they are.
func neighbours(ctx context.Context, x *matrix.Source, k int) (*kernel.CSR[float64], error) {
	largest, err := x.Largest(ctx)
	if err != nil {
		return nil, err
	}
	scale := math.Ldexp(1, -max(math.Ilogb(max(largest, math.SmallestNonzeroFloat64)), -1000))
	x = x.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, scale) })
	if !x.Sparse() {
		sums, _, err := matrix.Moments(ctx, x)
		if err != nil {
			return nil, err
		}
		x = x.Changed(false, func(_ []int32, vals []float64) { matrix.AddScaled(vals, -1, sums.Mean) })
	}
	f, err := matrix.As[float64](ctx, x)
	if err != nil {
		return nil, err
	}
	index, err := nearest.New(ctx, f, nearest.Distance)
	if err != nil {
		return nil, err
	}
	found, err := index.NearRows(ctx, nil, k)
	if err != nil {
		return nil, err
	}
	d := &kernel.CSR[float64]{Rows: f.Rows(), Cols: f.Rows(), Ptr: make([]int64, f.Rows()+1)}
	for i := range found {
		d.Ptr[i+1] = int64(k)
	}
	matrix.MakeEntries(d)
	return d, parallel.EachRow(ctx, d.Rows, func(i int) {
		others := found[i]
		slices.SortFunc(others, func(a, b nearest.Match) int { return a.Row - b.Row })
		cols, vals := d.Row(i)
		for q, m := range others {
			cols[q], vals[q] = int32(m.Row), max(0, -m.Score)
		}
	})
}

// conditional turns the squared distances from a row into pⱼ = exp(−βdⱼ)/Σₖ exp(−βdₖ) of a given
// perplexity exp(H). Newton's steps on H over log β, whose derivative is −β²·var(d), find β between
// bounds that close in. Where equal distances allow no such perplexity, β ends large, which shares
// p among the nearest rows.
func conditional(row []float64, perplexity float64) {
	if len(row) == 0 { // there is no other row
		return
	}
	least, far := slices.Min(row), slices.Max(row)
	const tolerance, tries = 1e-9, 100
	lo, hi, beta := 0.0, math.Inf(1), 1.0
	if far > least {
		beta = 1 / (far - least)
	}
	for range tries {
		sum, first, second := 0.0, 0.0, 0.0
		for _, d := range row {
			e := math.Exp(-beta * (d - least))
			sum += e
			first += e * (d - least)
			second += e * (d - least) * (d - least)
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
