package coles

import (
	"context"
	"math"
)

// tally is what the values of a matrix are like.
type tally struct {
	nonzero int
	other   bool // there is something else than counts
}

func tallyOf(ctx context.Context, f *features) (*tally, error) {
	return foldRows(ctx, f.rows(),
		func() *tally { return &tally{} },
		func(t *tally, lo, hi int) {
			f.eachRow(lo, hi, func(_ int, _ []int32, vals []float64) {
				for _, v := range vals {
					if v != 0 {
						t.nonzero++
					}
					if !t.other {
						t.other = v < 0 || v != math.Floor(v)
					}
				}
			})
		},
		func(t, part *tally) {
			t.nonzero += part.nonzero
			t.other = t.other || part.other
		})
}

func inverseDocumentFrequency(ctx context.Context, f *features) ([]float64, error) {
	idf, err := sumRows(ctx, f.rows(), f.cols(), func(count []float64, lo, hi int) {
		f.eachRow(lo, hi, func(_ int, cols []int32, vals []float64) {
			for q, v := range vals {
				if v == 0 {
					continue
				}
				if cols != nil {
					q = int(cols[q])
				}
				count[q]++
			}
		})
	})
	for j, df := range idf {
		idf[j] = math.Log((1+float64(f.rows()))/(1+df)) + 1
	}
	return idf, err
}

// columnSums is what one pass over a matrix tells of its columns.
type columnSums struct {
	mean, stored, largest []float64 // largest magnitude
}

func columnSumsOf(ctx context.Context, f *features) (columnSums, error) {
	share, d := 1/float64(f.rows()), f.cols()
	return foldRows(ctx, f.rows(),
		func() columnSums { return columnSums{make([]float64, d), make([]float64, d), make([]float64, d)} },
		func(s columnSums, lo, hi int) {
			f.eachRow(lo, hi, func(_ int, cols []int32, vals []float64) {
				for q, v := range vals {
					if cols != nil {
						q = int(cols[q])
					}
					s.mean[q] += v * share
					s.stored[q]++
					s.largest[q] = max(s.largest[q], math.Abs(v))
				}
			})
		},
		func(s, part columnSums) {
			for j := range d {
				s.mean[j] += part.mean[j]
				s.stored[j] += part.stored[j]
				s.largest[j] = max(s.largest[j], part.largest[j])
			}
		})
}

// columnMoments returns the mean of every column and one over its deviation,
// by two passes: the one-pass formula loses the variance of a large mean.
func columnMoments(ctx context.Context, f *features) (mean, inverse []float64, err error) {
	s, err := columnSumsOf(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	// Divided by a power of two near the largest magnitude, squares neither
	// overflow nor vanish.
	scale, centre := make([]float64, f.cols()), make([]float64, f.cols())
	for j, l := range s.largest {
		_, exponent := math.Frexp(l)
		scale[j] = math.Ldexp(1, -max(exponent, -1000))
		centre[j] = s.mean[j] * scale[j]
	}
	squares, err := sumRows(ctx, f.rows(), f.cols(), func(sum []float64, lo, hi int) {
		f.eachRow(lo, hi, func(_ int, cols []int32, vals []float64) {
			for q, v := range vals {
				if cols != nil {
					q = int(cols[q])
				}
				off := v*scale[q] - centre[q]
				sum[q] += off * off
			}
		})
	})
	n := float64(f.rows())
	inverse = make([]float64, f.cols())
	for j, sum := range squares {
		absent := (n - s.stored[j]) * centre[j] * centre[j]
		deviation := math.Sqrt((sum+absent)/n) / scale[j]
		// Below the first it is the rounding of a constant, below the second one over it overflows.
		if deviation > 1e-12*math.Abs(s.mean[j]) && deviation >= 0x1p-1022 {
			inverse[j] = 1 / deviation
		}
	}
	return s.mean, inverse, err
}
