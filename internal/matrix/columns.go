package matrix

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// A Tally counts the kinds of values in a matrix.
type Tally struct {
	NonZero  int  // how many entries are not zero
	Negative bool // some value is below zero
	Fraction bool // some value is no whole number
}

// TallyOf counts in one pass over the stored values.
func TallyOf(ctx context.Context, s *Source) (*Tally, error) {
	return parallel.Fold(ctx, s.Rows(),
		func() *Tally { return &Tally{} },
		func(t *Tally, lo, hi int) {
			s.Each(lo, hi, func(_ int, _ []int32, vals []float64) { t.Add(vals) })
		},
		(*Tally).Merge)
}

// Add counts the stored values of a row, by their bits: signs of measurements are not to be guessed
// by a processor.
func (t *Tally) Add(vals []float64) {
	some, below := uint64(0), uint64(0)
	for _, v := range vals {
		bits := math.Float64bits(v)
		magnitude := bits << 1
		nonzero := (magnitude | -magnitude) >> 63
		some += nonzero
		below |= bits >> 63 & nonzero
	}
	t.NonZero += int(some)
	t.Negative = t.Negative || below != 0
	for q := 0; q < len(vals) && !t.Fraction; q++ {
		t.Fraction = vals[q] != math.Floor(vals[q])
	}
}

// Merge adds what another part of the matrix has.
func (t *Tally) Merge(part *Tally) {
	t.NonZero += part.NonZero
	t.Negative = t.Negative || part.Negative
	t.Fraction = t.Fraction || part.Fraction
}

// RootSums are sums over a column and the signed roots of its values.
type RootSums struct {
	Count float64 // number of entries that are not zero
	Size  float64 // sum of the magnitudes, over the number of rows of the matrix
	Root  float64 // sum of the roots, over that number
}

// AddRoots adds a row to the sums of its columns, share being one over the number of rows of the matrix.
func AddRoots(sums []RootSums, share float64, cols []int32, vals []float64) {
	for q, v := range vals {
		if v != 0 {
			s, size := &sums[Column(cols, q)], math.Abs(v)
			s.Count++
			s.Size += size * share
			s.Root += math.Copysign(math.Sqrt(size), v) * share
		}
	}
}

// MergeRoots adds the sums of other rows.
func MergeRoots(sums, part []RootSums) {
	for j, p := range part {
		s := &sums[j]
		s.Count, s.Size, s.Root = s.Count+p.Count, s.Size+p.Size, s.Root+p.Root
	}
}

// SumRoots adds up all rows.
func SumRoots(ctx context.Context, s *Source) ([]RootSums, error) {
	share := 1 / float64(s.Rows())
	return parallel.Fold(ctx, s.Rows(),
		func() []RootSums { return make([]RootSums, s.Cols()) },
		func(sums []RootSums, lo, hi int) {
			s.Each(lo, hi, func(_ int, cols []int32, vals []float64) { AddRoots(sums, share, cols, vals) })
		},
		MergeRoots)
}

// ColumnSums holds the sums of one pass over the columns of a matrix, or of some of its rows.
type ColumnSums struct {
	Mean    []float64 // sum over the number of rows of the matrix
	Stored  []float64 // number of stored entries
	Count   []float64 // number of these that are not zero
	Largest []float64 // magnitude
}

// NewColumnSums has no rows yet.
func NewColumnSums(columns int) ColumnSums {
	return ColumnSums{make([]float64, columns), make([]float64, columns), make([]float64, columns), make([]float64, columns)}
}

// Add adds a row, share being one over the number of rows of the matrix.
func (s ColumnSums) Add(share float64, cols []int32, vals []float64) {
	for q, v := range vals {
		j := Column(cols, q)
		s.Mean[j] += v * share
		s.Stored[j]++
		if v != 0 {
			s.Count[j]++
		}
		s.Largest[j] = max(s.Largest[j], math.Abs(v))
	}
}

// Merge adds the sums of other rows.
func (s ColumnSums) Merge(part ColumnSums) {
	for j := range s.Mean {
		s.Mean[j] += part.Mean[j]
		s.Stored[j] += part.Stored[j]
		s.Count[j] += part.Count[j]
		s.Largest[j] = max(s.Largest[j], part.Largest[j])
	}
}

// Squares are the sums of a second pass over the columns: of (x − mean)², stored entries only. They are divided by a
// power of two near the largest magnitude, so that they neither overflow nor vanish.
type Squares struct {
	sums          ColumnSums
	scale, centre []float64
}

// Squares begins the second pass over a matrix with these sums.
func (s ColumnSums) Squares() Squares {
	p := Squares{s, make([]float64, len(s.Mean)), make([]float64, len(s.Mean))}
	for j, l := range s.Largest {
		_, exponent := math.Frexp(l)
		p.scale[j] = math.Ldexp(1, -max(exponent, -1000))
		p.centre[j] = s.Mean[j] * p.scale[j]
	}
	return p
}

// Add adds the squares of a row to their sums.
func (p Squares) Add(sum []float64, cols []int32, vals []float64) {
	for q, v := range vals {
		j := Column(cols, q)
		off := v*p.scale[j] - p.centre[j]
		sum[j] += off * off
	}
}

// Inverse is one over the (population) deviation of every column, by the sums of squares of all
// rows; 0 for a constant column.
func (p Squares) Inverse(sum []float64, rows int) []float64 {
	n := float64(rows)
	inverse := make([]float64, len(sum))
	for j, sum := range sum {
		absent := (n - p.sums.Stored[j]) * p.centre[j] * p.centre[j]
		deviation := math.Sqrt((sum+absent)/n) / p.scale[j]
		// Below the first it is the rounding of a constant, below the second one over it overflows.
		if deviation > 1e-12*math.Abs(p.sums.Mean[j]) && deviation >= 0x1p-1022 {
			inverse[j] = 1 / deviation
		}
	}
	return inverse
}

// Moments returns sums of every column and one over its (population) deviation, 0 for a constant
// column, by two passes: the one-pass formula loses the variance of a large mean.
func Moments(ctx context.Context, s *Source) (sums ColumnSums, inverse []float64, err error) {
	share, d := 1/float64(s.Rows()), s.Cols()
	sums, err = parallel.Fold(ctx, s.Rows(),
		func() ColumnSums { return NewColumnSums(d) },
		func(sums ColumnSums, lo, hi int) {
			s.Each(lo, hi, func(_ int, cols []int32, vals []float64) { sums.Add(share, cols, vals) })
		},
		ColumnSums.Merge)
	if err != nil {
		return sums, nil, err
	}
	p := sums.Squares()
	squares, err := parallel.Sum(ctx, s.Rows(), d, func(sum []float64, lo, hi int) {
		s.Each(lo, hi, func(_ int, cols []int32, vals []float64) { p.Add(sum, cols, vals) })
	})
	return sums, p.Inverse(squares, s.Rows()), err
}

// ColumnSquares are the squared lengths of the columns.
func ColumnSquares[T kernel.Float](ctx context.Context, x *Matrix[T]) ([]float64, error) {
	return parallel.Sum(ctx, x.Rows(), x.Cols(), func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := x.Row(i)
			for q, v := range vals {
				sum[Column(cols, q)] += float64(v) * float64(v)
			}
		}
	})
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
