package coles

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// readFeatures checks a matrix from outside, which must have rows and columns.
func readFeatures(ctx context.Context, x mat.Matrix) (*matrix.Source, error) {
	s, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("coles: features: %w", err)
	}
	if n, d := s.Dims(); n == 0 || d == 0 {
		return nil, fmt.Errorf("coles: features: %w: %d × %d", ErrShape, n, d)
	}
	return s, nil
}

// Preparation says what is done to features before they are filtered.
type Preparation int

const (
	// PrepareAuto chooses by the values, never by labels: PrepareStandardize where half of the
	// entries or more are not zero; of the others PrepareRowL2 where some are negative,
	// PrepareDampedCounts where all are counts or 0/1, and PrepareDampedTFIDF where they are not.
	PrepareAuto Preparation = iota
	// PrepareNone leaves the features as they are.
	PrepareNone
	// PrepareTFIDF multiplies column j by log((1+n)/(1+df_j)) + 1, df_j the number of rows where it
	// is not zero, and then scales rows to unit length.
	PrepareTFIDF
	// PrepareRowL2 scales every row to unit Euclidean length.
	PrepareRowL2
	// PrepareRowL1 scales every row to sum 1.
	PrepareRowL1
	// PrepareStandardize shifts and scales every column to mean 0 and (population) standard
	// deviation 1; a column that is constant, or deviates by less than 2⁻¹⁰²², becomes zero.
	PrepareStandardize
	// PrepareDampedCounts makes √x·idf of a count x, with the idf of PrepareTFIDF, and then scales
	// rows to unit length. The root makes the variance of a count the same whatever its mean
	// (Bartlett 1936), so that a word that one text repeats does not drown the others.
	PrepareDampedCounts
	// PrepareDampedTFIDF makes √(x·idf), for values x from 0 up that are taken to be TF-IDF
	// already, and then scales rows to unit length.
	PrepareDampedTFIDF
	// PrepareUndamped chooses as PrepareAuto does, but PrepareTFIDF for counts and PrepareRowL2 for
	// other values, as [ForClustering] has it.
	PrepareUndamped
)

var preparationNames = []string{"auto", "none", "tfidf", "row-l2", "row-l1", "standardize", "damped-counts", "damped-tfidf", "undamped"}

// String is the name that UnmarshalText reads.
func (p Preparation) String() string { return setting.Name(p, preparationNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Preparation) MarshalText() ([]byte, error) { return setting.Marshal(p, preparationNames) }

// UnmarshalText reads a name such as "tfidf".
func (p *Preparation) UnmarshalText(text []byte) error {
	return setting.Unmarshal(p, text, preparationNames)
}

// denseShare is the share of non-zero entries from which features count as dense. Bags of words lie
// far below it (the densest tried fills 0.35), measurements of every node above.
const denseShare = 0.5

// A Preparer is a preparation fitted to a feature matrix: it applies the same column weights, means
// and scales to the features of nodes that come later.
type Preparer struct {
	how     Preparation // one of those that are not a choice
	columns int
	weight  []float64 // TF-IDF: idf; damped TF-IDF: √idf; standardised: 1/deviation, 0 for a constant column
	mean    []float64 // standardised
}

// Fit learns a preparation from features X (n × d) in one or two passes over the stored entries.
//
// Errors: [ErrNegative] for TF-IDF, roots or row sums of negative values; [ErrSetting] for a preparation
// it does not know; [ErrShape], [ErrNotFinite], as for any matrix, and ctx's.
func (p Preparation) Fit(ctx context.Context, x mat.Matrix) (*Preparer, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	if p == PrepareAuto || p == PrepareUndamped {
		seen, err := matrix.TallyOf(ctx, source)
		if err != nil {
			return nil, err
		}
		p = p.Suitable(seen, source.Rows(), source.Cols())
	}
	if err := (&Preparer{how: p, columns: source.Cols()}).refuse(ctx, source); err != nil {
		return nil, err
	}
	var counts, mean, inverse []float64
	switch {
	case p == PrepareNone, p == PrepareRowL2, p == PrepareRowL1:
	case p.weighs():
		counts, err = matrix.Counts(ctx, source)
	case p == PrepareStandardize:
		mean, inverse, err = matrix.Moments(ctx, source)
	default:
		err = fmt.Errorf("coles: features: %w: %v", ErrSetting, p)
	}
	if err != nil {
		return nil, err
	}
	return p.Learned(source.Rows(), source.Cols(), counts, mean, inverse), nil
}

// Suitable is the preparation for a matrix of such values, where p is a choice: for the packages of
// this module.
func (p Preparation) Suitable(seen *matrix.Tally, rows, columns int) Preparation {
	switch {
	case p != PrepareAuto && p != PrepareUndamped:
		return p
	case float64(seen.NonZero) >= denseShare*float64(rows)*float64(columns):
		return PrepareStandardize
	case seen.Negative, seen.Fraction && p == PrepareUndamped:
		return PrepareRowL2
	case p == PrepareUndamped:
		return PrepareTFIDF
	case seen.Fraction:
		return PrepareDampedTFIDF
	}
	return PrepareDampedCounts
}

// Learned is the preparer of a preparation that is no choice, for a matrix of so many rows: counts of
// which are not zero in each column, or columns of these means and inverse deviations. It is for the
// packages of this module.
func (p Preparation) Learned(rows, columns int, counts, mean, inverse []float64) *Preparer {
	out := &Preparer{how: p, columns: columns}
	switch {
	case p == PrepareStandardize:
		out.mean, out.weight = mean, inverse
	case p.weighs():
		out.weight = make([]float64, columns)
		for j, df := range counts {
			out.weight[j] = math.Log((1+float64(rows))/(1+df)) + 1
			if p == PrepareDampedTFIDF {
				out.weight[j] = math.Sqrt(out.weight[j])
			}
		}
	}
	return out
}

// Preparation returns the preparation, with [PrepareAuto] and [PrepareUndamped] resolved.
func (p *Preparer) Preparation() Preparation { return p.how }

// Apply prepares features with the columns that p was fitted to. The result is a *sparse.CSR or a
// *mat.Dense; X is not changed. Rows that are zero stay zero.
//
// Errors: [ErrShape] for another number of columns, [ErrNegative], [ErrNotFinite], and ctx's.
func (p *Preparer) Apply(ctx context.Context, x mat.Matrix) (mat.Matrix, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	m, err := p.PrepareDouble(ctx, source)
	if err != nil {
		return nil, err
	}
	return matrix.Export(ctx, m)
}

// Prepare is [Preparer.Apply] without a copy, for the packages of this module: rows are prepared
// whenever they are read.
func (p *Preparer) Prepare(ctx context.Context, s *matrix.Source) (*matrix.Source, error) {
	if err := p.refuse(ctx, s); err != nil {
		return nil, err
	}
	var err error
	if p.how.weighs() {
		if s, err = s.Thin(ctx); err != nil {
			return nil, err
		}
	}
	if p.how == PrepareNone {
		return s, nil
	}
	return s.Changed(p.how == PrepareStandardize, p.row), nil
}

// PrepareDouble is [Preparer.Prepare] in float64, all finite.
func (p *Preparer) PrepareDouble(ctx context.Context, s *matrix.Source) (*matrix.Matrix[float64], error) {
	after, err := p.Prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	m, err := matrix.As[float64](ctx, after)
	if err != nil {
		return nil, err
	}
	return m, matrix.CheckOverflow(ctx, "prepared, a feature", m)
}

// PrepareSingle is [Preparer.Prepare] in float32, within the range of [Float32].
func (p *Preparer) PrepareSingle(ctx context.Context, s *matrix.Source) (*matrix.Matrix[float32], error) {
	return prepared[float32](ctx, p, s)
}

// row prepares the values of a row in place; cols is nil where all are there.
func (p *Preparer) row(cols []int32, vals []float64) {
	switch p.how {
	case PrepareTFIDF, PrepareDampedCounts, PrepareDampedTFIDF:
		matrix.Tame(vals)
		for q, v := range vals {
			if p.how != PrepareTFIDF {
				v = math.Sqrt(v)
			}
			vals[q] = v * p.weight[cols[q]]
		}
		divide(vals, matrix.Length(vals))
	case PrepareRowL2:
		matrix.Tame(vals)
		divide(vals, matrix.Length(vals))
	case PrepareRowL1:
		matrix.Tame(vals)
		divide(vals, matrix.Total(vals))
	case PrepareStandardize:
		for j, v := range vals {
			vals[j] = deviation(v, p.mean[j], p.weight[j])
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

// deviation is v − mean in units of 1/weight, where the difference may overflow.
func deviation(v, mean, weight float64) float64 {
	if off := v - mean; matrix.Finite(off) {
		return off * weight
	}
	return (v/2 - mean/2) * weight * 2
}

// weighs reports whether columns are weighted by the number of rows that have them.
func (p Preparation) weighs() bool {
	return p == PrepareTFIDF || p == PrepareDampedCounts || p == PrepareDampedTFIDF
}

// refuse reports features that the preparation cannot mean anything for.
func (p *Preparer) refuse(ctx context.Context, s *matrix.Source) error {
	n, d := s.Dims()
	if d != p.columns {
		return fmt.Errorf("coles: features: %w: %d columns, prepared for %d", ErrShape, d, p.columns)
	}
	if p.how == PrepareStandardize && float64(n)*float64(d) > math.MaxInt32*8 {
		return fmt.Errorf("coles: features: %w: standardised, %d × %d features are dense", ErrTooLarge, n, d)
	}
	if !p.how.weighs() && p.how != PrepareRowL1 {
		return nil
	}
	i, j, v, err := matrix.FirstNegative(ctx, s)
	if err == nil && v < 0 {
		return fmt.Errorf("coles: features: %w: %v at row %d, column %d, but %v takes values from 0 up", ErrNegative, v, i, j, p.how)
	}
	return err
}

// prepared are features, prepared, in numbers of type T, which must be able to hold their products.
func prepared[T kernel.Float](ctx context.Context, p *Preparer, s *matrix.Source) (*matrix.Matrix[T], error) {
	after, err := p.Prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	x, err := matrix.As[T](ctx, after)
	if err != nil {
		return nil, err
	}
	if _, single := any(x).(*matrix.Matrix[float32]); !single {
		return x, nil
	}
	if p.how == PrepareNone { // what vanishes in float32 is seen here only
		largest, err := s.Largest(ctx)
		if err != nil {
			return nil, err
		}
		if err := checkSingle("features", largest); err != nil {
			return nil, err
		}
	}
	largest, err := x.Largest(ctx)
	if err != nil {
		return nil, err
	}
	return x, checkSingle("features", largest)
}

// preparerJSON is a preparer outside Go.
type preparerJSON struct {
	Preparation Preparation `json:"preparation"`
	Columns     int         `json:"columns"`
	Weight      []float64   `json:"weight,omitempty"`
	Mean        []float64   `json:"mean,omitempty"`
}

// MarshalJSON writes the preparation and what it learned, to the last bit.
func (p *Preparer) MarshalJSON() ([]byte, error) {
	return json.Marshal(preparerJSON{p.how, p.columns, p.weight, p.mean})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: [ErrFormat] for JSON of another form, or with numbers that no preparer has.
func (p *Preparer) UnmarshalJSON(text []byte) error {
	var j preparerJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("coles: preparer: %w: %w", ErrFormat, err)
	}
	weights, means, ok := j.Preparation.keeps(j.Columns)
	if !ok || j.Columns < 1 || j.Columns > math.MaxInt32 || len(j.Weight) != weights || len(j.Mean) != means {
		return fmt.Errorf("coles: preparer: %w: %v of %d columns with %d weights and %d means", ErrFormat, j.Preparation, j.Columns, len(j.Weight), len(j.Mean))
	}
	*p = Preparer{j.Preparation, j.Columns, j.Weight, j.Mean}
	return nil
}

// keeps is how many weights and means a preparer of so many columns has.
func (p Preparation) keeps(columns int) (weights, means int, ok bool) {
	switch p {
	case PrepareNone, PrepareRowL1, PrepareRowL2:
		return 0, 0, true
	case PrepareTFIDF, PrepareDampedCounts, PrepareDampedTFIDF:
		return columns, 0, true
	case PrepareStandardize:
		return columns, columns, true
	}
	return 0, 0, false
}

// A Dense32 is a dense matrix of float32, row after row: features at half the memory of a
// *mat.Dense. It is a [mat.Matrix], so that whatever takes features takes one; At widens, which is
// exact. Its fields are those of gonum's BLAS,
//
//	x := &coles.Dense32{Rows: n, Cols: d, Stride: d, Data: data}
//
// and are checked by whatever reads it as features.
type Dense32 blas32.General

// Dims returns the numbers of rows and columns.
func (m *Dense32) Dims() (r, c int) { return m.Rows, m.Cols }

// At returns the entry at row i, column j, widened. Like every [mat.Matrix] it panics with
// mat.ErrRowAccess or mat.ErrColAccess out of range.
func (m *Dense32) At(i, j int) float64 {
	if uint(i) >= uint(m.Rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(m.Cols) {
		panic(mat.ErrColAccess)
	}
	return float64(m.Data[i*m.Stride+j])
}

// T returns the transpose, a view.
func (m *Dense32) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// RawMatrix returns the matrix as gonum's BLAS takes it: a view, not a copy.
func (m *Dense32) RawMatrix() blas32.General { return blas32.General(*m) }
