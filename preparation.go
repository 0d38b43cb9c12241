package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// Preparation says what is done to features before they are filtered.
type Preparation int

const (
	// PrepareAuto chooses by the values, never by labels: standardised columns
	// where half of the entries or more are not zero; TF-IDF and unit rows where
	// all are counts or 0/1; unit rows alone otherwise (real numbers, mostly zero).
	PrepareAuto Preparation = iota
	// PrepareNone leaves the features as they are.
	PrepareNone
	// PrepareTFIDF multiplies column j by log((1+n)/(1+df_j)) + 1, df_j the
	// number of rows where it is not zero, and then scales rows to unit length.
	PrepareTFIDF
	// PrepareRowL2 scales every row to unit Euclidean length.
	PrepareRowL2
	// PrepareRowL1 scales every row to sum 1.
	PrepareRowL1
	// PrepareStandardize shifts and scales every column to mean 0 and
	// (population) standard deviation 1; a constant column becomes zero.
	PrepareStandardize
)

var preparationNames = []string{"auto", "none", "tfidf", "row-l2", "row-l1", "standardize"}

// String is the name that UnmarshalText reads.
func (p Preparation) String() string { return enumName(p, preparationNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Preparation) MarshalText() ([]byte, error) { return marshalEnum(p, preparationNames) }

// UnmarshalText reads a name such as "tfidf".
func (p *Preparation) UnmarshalText(text []byte) error {
	return unmarshalEnum(p, text, preparationNames)
}

// denseShare is the share of non-zero entries from which features count as
// dense. Bags of words lie far below it (the densest tried fills 0.35),
// measurements of every node above.
const denseShare = 0.5

// A Preparer is a preparation fitted to a feature matrix: it applies the same
// column weights, means and scales to the features of nodes that come later.
type Preparer struct {
	how     Preparation // never PrepareAuto
	columns int
	weight  []float64 // TF-IDF: idf; standardised: 1/deviation, 0 for a constant column
	mean    []float64 // standardised
}

// FitPreparation learns a preparation from features X (n × d) in one or two
// passes over the stored entries.
//
// Errors: [ErrPreparation] for TF-IDF or row sums of negative values;
// [ErrEmpty], [ErrNotFinite], and as for any matrix.
func FitPreparation(x mat.Matrix, how Preparation) (*Preparer, error) {
	f, err := readFeatures(context.Background(), x)
	if err != nil {
		return nil, err
	}
	return fitPreparation(context.Background(), f, how)
}

// Preparation is what the preparer does; [PrepareAuto] has been resolved.
func (p *Preparer) Preparation() Preparation { return p.how }

// Apply prepares features with the columns that p was fitted to. The result is
// a *sparse.CSR or a *mat.Dense; X is not changed. Rows that are zero stay zero.
//
// Errors: [ErrShape] for another number of columns, [ErrPreparation].
func (p *Preparer) Apply(x mat.Matrix) (mat.Matrix, error) {
	ctx := context.Background()
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	s, err := prepared[float64](ctx, p, f)
	if err != nil {
		return nil, err
	}
	return s.matrix(ctx)
}

func fitPreparation(ctx context.Context, f *features, how Preparation) (*Preparer, error) {
	if f.rows() == 0 || f.cols() == 0 {
		return nil, fmt.Errorf("coles: features: %w: %d × %d", ErrEmpty, f.rows(), f.cols())
	}
	seen, err := tallyOf(ctx, f)
	if err != nil {
		return nil, err
	}
	if how == PrepareAuto {
		how = seen.suitable(f)
	}
	p := &Preparer{how: how, columns: f.cols()}
	if err := p.refuse(ctx, f); err != nil {
		return nil, err
	}
	switch how {
	case PrepareNone, PrepareRowL2, PrepareRowL1:
	case PrepareTFIDF:
		p.weight, err = inverseDocumentFrequency(ctx, f)
	case PrepareStandardize:
		p.mean, p.weight, err = columnMoments(ctx, f)
	default:
		return nil, fmt.Errorf("coles: features: %w: preparation %d", ErrSetting, how)
	}
	return p, err
}

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
					t.other = t.other || v < 0 || v != math.Floor(v)
				}
			})
		},
		func(t, part *tally) {
			t.nonzero += part.nonzero
			t.other = t.other || part.other
		})
}

// suitable is the rule of PrepareAuto.
func (t *tally) suitable(f *features) Preparation {
	switch {
	case float64(t.nonzero) >= denseShare*float64(f.rows())*float64(f.cols()):
		return PrepareStandardize
	case t.other:
		return PrepareRowL2
	}
	return PrepareTFIDF
}

// refuse reports values that the preparation cannot mean anything for.
func (p *Preparer) refuse(ctx context.Context, f *features) error {
	if f.cols() != p.columns {
		return fmt.Errorf("coles: features: %w: %d columns, prepared for %d", ErrShape, f.cols(), p.columns)
	}
	if p.how == PrepareStandardize && float64(f.rows())*float64(f.cols()) > math.MaxInt32*8 {
		return fmt.Errorf("coles: features: %w: standardised, %d × %d features are dense", ErrTooLarge, f.rows(), f.cols())
	}
	if p.how != PrepareTFIDF && p.how != PrepareRowL1 {
		return nil
	}
	return firstNegative(ctx, f, p.how)
}

// firstNegative is the error for the first negative value, nil if there is none.
func firstNegative(ctx context.Context, f *features, how Preparation) error {
	found, err := foldRows(ctx, f.rows(),
		func() *error { return new(error) },
		func(found *error, lo, hi int) {
			f.eachRow(lo, hi, func(i int, cols []int32, vals []float64) {
				for q, v := range vals {
					if v < 0 && *found == nil {
						if cols != nil {
							q = int(cols[q])
						}
						*found = fmt.Errorf("coles: features: %w: %v at row %d, column %d, but %v takes values from 0 up", ErrPreparation, v, i, q, how)
					}
				}
			})
		},
		func(first, next *error) {
			if *first == nil {
				*first = *next
			}
		})
	if err != nil {
		return err
	}
	return *found
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
	n, d := float64(f.rows()), f.cols()
	return foldRows(ctx, f.rows(),
		func() columnSums { return columnSums{make([]float64, d), make([]float64, d), make([]float64, d)} },
		func(s columnSums, lo, hi int) {
			f.eachRow(lo, hi, func(_ int, cols []int32, vals []float64) {
				for q, v := range vals {
					if cols != nil {
						q = int(cols[q])
					}
					s.mean[q] += v / n
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
	// Squares of shares of the largest magnitude neither overflow nor vanish.
	inverse, err = sumRows(ctx, f.rows(), f.cols(), func(sum []float64, lo, hi int) {
		f.eachRow(lo, hi, func(_ int, cols []int32, vals []float64) {
			for q, v := range vals {
				if cols != nil {
					q = int(cols[q])
				}
				if s.largest[q] > 0 {
					share := v/s.largest[q] - s.mean[q]/s.largest[q]
					sum[q] += share * share
				}
			}
		})
	})
	n := float64(f.rows())
	for j := range inverse {
		if s.largest[j] == 0 {
			continue
		}
		absent := s.mean[j] / s.largest[j]
		deviation := s.largest[j] * math.Sqrt((inverse[j]+(n-s.stored[j])*absent*absent)/n)
		inverse[j] = 0
		if deviation > 1e-12*math.Abs(s.mean[j]) { // below this it is the rounding of a constant
			inverse[j] = 1 / deviation
		}
	}
	return s.mean, inverse, err
}

// prepared applies a preparation and gives the result in numbers of type T.
func prepared[T kernel.Float](ctx context.Context, p *Preparer, f *features) (*signal[T], error) {
	if err := p.refuse(ctx, f); err != nil {
		return nil, err
	}
	switch p.how {
	case PrepareTFIDF:
		f, err := f.thin(ctx)
		if err != nil {
			return nil, err
		}
		return mapRows[T](ctx, f, p.row)
	case PrepareRowL2, PrepareRowL1:
		return mapRows[T](ctx, f, p.row)
	case PrepareStandardize:
		return mapDenseRows[T](ctx, f, p.row)
	}
	return signalOf[T](ctx, f)
}

// row prepares the values of a row in place; cols is nil where all are there.
func (p *Preparer) row(cols []int32, vals []float64) {
	switch p.how {
	case PrepareTFIDF:
		for q := range vals {
			vals[q] *= p.weight[cols[q]]
		}
		divide(vals, euclidean(vals))
	case PrepareRowL2:
		divide(vals, euclidean(vals))
	case PrepareRowL1:
		divide(vals, total(vals))
	case PrepareStandardize:
		for j, v := range vals {
			vals[j] = (v - p.mean[j]) * p.weight[j]
		}
	}
}

func divide(row []float64, length float64) {
	if length > 0 {
		for q := range row {
			row[q] /= length
		}
	}
}

// mapRows changes the stored entries of every row, in new storage.
func mapRows[T kernel.Float](ctx context.Context, f *features, change func(cols []int32, vals []float64)) (*signal[T], error) {
	if f.sparse == nil {
		return mapDenseRows[T](ctx, f, change)
	}
	a := f.sparse
	out := &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: make([]T, a.NNZ())}
	return &signal[T]{sparse: out}, eachBlock(ctx, a.Rows, func(lo, hi int) {
		var buf []float64
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			buf = append(buf[:0], vals...)
			change(cols, buf)
			_, to := out.Row(i)
			for q, v := range buf {
				to[q] = T(v)
			}
		}
	})
}

// mapDenseRows changes every row as a whole and gives a dense matrix.
func mapDenseRows[T kernel.Float](ctx context.Context, f *features, change func(cols []int32, vals []float64)) (*signal[T], error) {
	out := kernel.Dense[T](f.rows(), f.cols())
	return &signal[T]{dense: out, owned: true}, eachBlock(ctx, out.Rows, func(lo, hi int) {
		buf := make([]float64, out.Cols)
		for i := lo; i < hi; i++ {
			f.load(buf, i)
			change(nil, buf)
			for j, v := range buf {
				out.Data[i*out.Stride+j] = T(v)
			}
		}
	})
}

// euclidean is the length of a row, safe from overflow for finite entries.
func euclidean(row []float64) float64 {
	largest, sum := 0.0, 0.0
	for _, v := range row {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return 0
	}
	for _, v := range row {
		sum += v / largest * (v / largest)
	}
	return largest * math.Sqrt(sum)
}

func total(row []float64) float64 {
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	return sum
}
