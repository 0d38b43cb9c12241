package linear

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// WeightUnit is the median of weights of which the largest is span times it or more, else 0, as for a span of 0. Of
// an even number it is the smaller of the two in the middle.
func WeightUnit(ctx context.Context, weights []float64, span float64) (float64, error) {
	if len(weights) == 0 || span == 0 {
		return 0, ctx.Err()
	}
	largest := slices.Max(weights)
	most, err := parallel.Sum(ctx, len(weights), 1, func(sum []float64, lo, hi int) {
		for _, w := range weights[lo:hi] {
			if w <= largest/span {
				sum[0]++
			}
		}
	})
	if err != nil || 2*most[0] < float64(len(weights)) {
		return 0, err
	}
	return ranked(weights, (len(weights)-1)/2), ctx.Err()
}

// ranked is the weight of a rank, from 0, that sorting would find. It counts digits, of 16 bits, from the first on, and
// makes no copy: numbers above 0 have the order of their bits.
func ranked(weights []float64, rank int) float64 {
	const width, digits = 16, 1 << 16
	var found, known uint64
	count := make([]int, digits)
	for shift := 64 - width; shift >= 0; shift -= width {
		clear(count)
		for _, w := range weights {
			if bits := math.Float64bits(w); bits&known == found {
				count[bits>>shift&(digits-1)]++
			}
		}
		digit := 0
		for ; rank >= count[digit]; digit++ {
			rank -= count[digit]
		}
		found |= uint64(digit) << shift
		known |= uint64(digits-1) << shift
	}
	return math.Float64frombits(found)
}

// Weight is what a fit takes for the weight of an edge: w, or log(1 + w/unit) for a unit above 0.
func Weight(w, unit float64) float64 {
	const least = 0x1p-1022 // an edge stays one
	switch ratio := w / unit; {
	case unit == 0:
		return w
	case math.IsInf(ratio, 0):
		return (math.Log2(w) - math.Log2(unit)) * math.Ln2 // math.Log of a subnormal number is wrong on amd64
	default:
		return max(math.Log1p(ratio), least)
	}
}

// Weighed is a matrix of such weights, itself for a unit of 0.
func Weighed(ctx context.Context, a *kernel.CSR[float64], unit float64) (*kernel.CSR[float64], error) {
	if unit == 0 {
		return a, nil
	}
	b := *a
	b.Val = make([]float64, len(a.Val))
	return &b, parallel.EachRow(ctx, len(b.Val), func(q int) { b.Val[q] = Weight(a.Val[q], unit) })
}
