package matrix

import (
	"context"
	"math"

	"coles/internal/parallel"
)

// A Tally says which kinds of values a matrix has.
type Tally struct {
	NonZero  int
	Negative bool // some value is below zero
	Fraction bool // some value is no whole number
}

// TallyOf counts in one pass over the stored values.
func TallyOf(ctx context.Context, s *Source) (*Tally, error) {
	return parallel.Fold(ctx, s.Rows(),
		func() *Tally { return &Tally{} },
		func(t *Tally, lo, hi int) {
			s.Each(lo, hi, func(_ int, _ []int32, vals []float64) {
				for _, v := range vals {
					if v != 0 {
						t.NonZero++
					}
					t.Negative = t.Negative || v < 0
					t.Fraction = t.Fraction || v != math.Floor(v)
				}
			})
		},
		func(t, part *Tally) {
			t.NonZero += part.NonZero
			t.Negative = t.Negative || part.Negative
			t.Fraction = t.Fraction || part.Fraction
		})
}

// Counts is the number of rows in which each column is not zero.
func Counts(ctx context.Context, s *Source) ([]float64, error) {
	return parallel.Sum(ctx, s.Rows(), s.Cols(), func(count []float64, lo, hi int) {
		s.Each(lo, hi, func(_ int, cols []int32, vals []float64) {
			for q, v := range vals {
				if v != 0 {
					count[Column(cols, q)]++
				}
			}
		})
	})
}

// columnSums holds the sums of one pass over the columns of a matrix.
type columnSums struct {
	mean, stored, largest []float64 // largest magnitude
}

func columnSumsOf(ctx context.Context, s *Source) (columnSums, error) {
	share, d := 1/float64(s.Rows()), s.Cols()
	return parallel.Fold(ctx, s.Rows(),
		func() columnSums { return columnSums{make([]float64, d), make([]float64, d), make([]float64, d)} },
		func(sums columnSums, lo, hi int) {
			s.Each(lo, hi, func(_ int, cols []int32, vals []float64) {
				for q, v := range vals {
					j := Column(cols, q)
					sums.mean[j] += v * share
					sums.stored[j]++
					sums.largest[j] = max(sums.largest[j], math.Abs(v))
				}
			})
		},
		func(sums, part columnSums) {
			for j := range d {
				sums.mean[j] += part.mean[j]
				sums.stored[j] += part.stored[j]
				sums.largest[j] = max(sums.largest[j], part.largest[j])
			}
		})
}

// Moments returns the mean of every column and one over its (population) deviation, 0 for a
// constant column, by two passes: the one-pass formula loses the variance of a large mean.
func Moments(ctx context.Context, s *Source) (mean, inverse []float64, err error) {
	sums, err := columnSumsOf(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	// Divided by a power of two near the largest magnitude, squares neither overflow nor vanish.
	scale, centre := make([]float64, s.Cols()), make([]float64, s.Cols())
	for j, l := range sums.largest {
		_, exponent := math.Frexp(l)
		scale[j] = math.Ldexp(1, -max(exponent, -1000))
		centre[j] = sums.mean[j] * scale[j]
	}
	squares, err := parallel.Sum(ctx, s.Rows(), s.Cols(), func(sum []float64, lo, hi int) {
		s.Each(lo, hi, func(_ int, cols []int32, vals []float64) {
			for q, v := range vals {
				j := Column(cols, q)
				off := v*scale[j] - centre[j]
				sum[j] += off * off
			}
		})
	})
	n := float64(s.Rows())
	inverse = make([]float64, s.Cols())
	for j, sum := range squares {
		absent := (n - sums.stored[j]) * centre[j] * centre[j]
		deviation := math.Sqrt((sum+absent)/n) / scale[j]
		// Below the first it is the rounding of a constant, below the second one over it overflows.
		if deviation > 1e-12*math.Abs(sums.mean[j]) && deviation >= 0x1p-1022 {
			inverse[j] = 1 / deviation
		}
	}
	return sums.mean, inverse, err
}

// FirstNegative is the first entry below zero, v being 0 where there is none.
func FirstNegative(ctx context.Context, s *Source) (i, j int, v float64, err error) {
	type place struct {
		i, j int
		v    float64
	}
	found, err := parallel.Fold(ctx, s.Rows(),
		func() *place { return &place{} },
		func(found *place, lo, hi int) {
			s.Each(lo, hi, func(i int, cols []int32, vals []float64) {
				for q, v := range vals {
					if v < 0 && found.v == 0 {
						*found = place{i, Column(cols, q), v}
					}
				}
			})
		},
		func(first, next *place) {
			if first.v == 0 {
				*first = *next
			}
		})
	return found.i, found.j, found.v, err
}
