package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	f, err := readFeatures(context.Background(), x)
	if err != nil {
		return nil, err
	}
	if f, err = p.apply(context.Background(), f); err != nil {
		return nil, err
	}
	return f.matrix(), nil
}

func fitPreparation(ctx context.Context, f *features, how Preparation) (*Preparer, error) {
	if f.rows() == 0 || f.cols() == 0 {
		return nil, fmt.Errorf("coles: features: %w: %d × %d", ErrEmpty, f.rows(), f.cols())
	}
	if how == PrepareAuto {
		how = suitable(ctx, f)
	}
	p := &Preparer{how: how, columns: f.cols()}
	if err := p.refuse(ctx, f); err != nil {
		return nil, err
	}
	switch how {
	case PrepareNone, PrepareRowL2, PrepareRowL1:
	case PrepareTFIDF:
		p.weight = inverseDocumentFrequency(ctx, f)
	case PrepareStandardize:
		p.mean, p.weight = columnMoments(ctx, f)
	default:
		return nil, fmt.Errorf("coles: features: %w: preparation %d", ErrSetting, how)
	}
	return p, ctx.Err()
}

// suitable is the rule of PrepareAuto.
func suitable(ctx context.Context, f *features) Preparation {
	if float64(f.nonzeros(ctx)) >= denseShare*float64(f.rows())*float64(f.cols()) {
		return PrepareStandardize
	}
	counts := true
	f.each(ctx, func(_, _ int, v float64) bool {
		counts = v >= 0 && v == math.Floor(v)
		return counts
	})
	if counts {
		return PrepareTFIDF
	}
	return PrepareRowL2
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
	var err error
	f.each(ctx, func(i, j int, v float64) bool {
		if v < 0 {
			err = fmt.Errorf("coles: features: %w: %v at row %d, column %d, but %v takes values from 0 up", ErrPreparation, v, i, j, p.how)
		}
		return err == nil
	})
	return err
}

func inverseDocumentFrequency(ctx context.Context, f *features) []float64 {
	idf := make([]float64, f.cols())
	f.each(ctx, func(_, j int, v float64) bool {
		if v != 0 {
			idf[j]++
		}
		return true
	})
	for j, df := range idf {
		idf[j] = math.Log((1+float64(f.rows()))/(1+df)) + 1
	}
	return idf
}

// columnMoments returns the mean of every column and one over its deviation,
// by two passes: the one-pass formula loses the variance of a large mean.
func columnMoments(ctx context.Context, f *features) (mean, inverse []float64) {
	n := float64(f.rows())
	mean, inverse = make([]float64, f.cols()), make([]float64, f.cols())
	stored := make([]float64, f.cols())
	largest := make([]float64, f.cols()) // magnitude; squares of shares of it neither overflow nor vanish
	f.each(ctx, func(_, j int, v float64) bool {
		mean[j] += v / n
		stored[j]++
		largest[j] = max(largest[j], math.Abs(v))
		return true
	})
	f.each(ctx, func(_, j int, v float64) bool {
		if largest[j] > 0 {
			share := v/largest[j] - mean[j]/largest[j]
			inverse[j] += share * share
		}
		return true
	})
	for j := range inverse {
		if largest[j] == 0 {
			continue
		}
		absent := mean[j] / largest[j]
		deviation := largest[j] * math.Sqrt((inverse[j]+(n-stored[j])*absent*absent)/n)
		inverse[j] = 0
		if deviation > 1e-12*math.Abs(mean[j]) { // below this it is the rounding of a constant
			inverse[j] = 1 / deviation
		}
	}
	return mean, inverse
}

func (p *Preparer) apply(ctx context.Context, f *features) (*features, error) {
	if err := p.refuse(ctx, f); err != nil {
		return nil, err
	}
	switch p.how {
	case PrepareTFIDF:
		return scaleRows(ctx, f.thin(ctx), p.weight, euclidean), ctx.Err()
	case PrepareRowL2:
		return scaleRows(ctx, f, nil, euclidean), ctx.Err()
	case PrepareRowL1:
		return scaleRows(ctx, f, nil, total), ctx.Err()
	case PrepareStandardize:
		return p.standardize(ctx, f), ctx.Err()
	}
	return f, nil
}

// scaleRows multiplies columns by weight (nil: by 1) and divides every row by
// its length, in new storage. Where ctx ends it stops, for the caller to notice.
func scaleRows(ctx context.Context, f *features, weight []float64, length func([]float64) float64) *features {
	scale := func(row []float64, cols []int32) {
		for q := range row {
			switch {
			case weight == nil:
			case cols != nil:
				row[q] *= weight[cols[q]]
			default:
				row[q] *= weight[q]
			}
		}
		if l := length(row); l > 0 {
			for q := range row {
				row[q] /= l
			}
		}
	}
	if f.sparse == nil {
		out := kernel.Dense(f.dense.Rows, f.dense.Cols)
		for i := 0; i < out.Rows && ctx.Err() == nil; i++ {
			row := out.Data[i*out.Stride:][:out.Cols]
			copy(row, f.dense.Data[i*f.dense.Stride:])
			scale(row, nil)
		}
		return &features{dense: out}
	}
	out := *f.sparse
	out.Val = slices.Clone(f.sparse.Val)
	for i := 0; i < out.Rows && ctx.Err() == nil; i++ {
		cols, vals := out.Row(i)
		scale(vals, cols)
	}
	return &features{sparse: &out}
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

func (p *Preparer) standardize(ctx context.Context, f *features) *features {
	out := kernel.Dense(f.rows(), f.cols())
	f.each(ctx, func(i, j int, v float64) bool {
		out.Data[i*out.Stride+j] = v
		return true
	})
	for i := 0; i < out.Rows && ctx.Err() == nil; i++ {
		row := out.Data[i*out.Stride:][:out.Cols]
		for j, v := range row {
			row[j] = (v - p.mean[j]) * p.weight[j]
		}
	}
	return &features{dense: out}
}
