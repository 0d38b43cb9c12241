package coles

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"coles/internal/enum"

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
func (p Preparation) String() string { return enum.Name(p, preparationNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Preparation) MarshalText() ([]byte, error) {
	return enum.Marshal(p, preparationNames, ErrSetting)
}

// UnmarshalText reads a name such as "tfidf".
func (p *Preparation) UnmarshalText(text []byte) error {
	return enum.Unmarshal(p, text, preparationNames, ErrSetting)
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
// Errors: [ErrPreparation] for TF-IDF or row sums of negative values; [ErrSetting] for
// a preparation it does not know; [ErrEmpty], [ErrNotFinite], as for any matrix, and ctx's.
func FitPreparation(ctx context.Context, x mat.Matrix, how Preparation) (*Preparer, error) {
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	return fitPreparation(ctx, f, how)
}

// Preparation is what the preparer does; [PrepareAuto] has been resolved.
func (p *Preparer) Preparation() Preparation {
	if p == nil {
		return PrepareAuto
	}
	return p.how
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
	if p == nil {
		return []byte("null"), nil
	}
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
	read := Preparer{j.Preparation, j.Columns, j.Weight, j.Mean}
	if err := read.check(); err != nil {
		return err
	}
	*p = read
	return nil
}

// check compares the numbers of a preparer that comes from outside.
func (p *Preparer) check() error {
	weights, means, ok := p.how.keeps(p.columns)
	if !ok || p.columns < 1 || p.columns > math.MaxInt32 || len(p.weight) != weights || len(p.mean) != means {
		return fmt.Errorf("coles: preparer: %w: %v of %d columns with %d weights and %d means", ErrFormat, p.how, p.columns, len(p.weight), len(p.mean))
	}
	return nil
}

// keeps tells how many weights and means a preparer of so many columns has.
func (p Preparation) keeps(columns int) (weights, means int, ok bool) {
	switch p {
	case PrepareNone, PrepareRowL1, PrepareRowL2:
		return 0, 0, true
	case PrepareTFIDF:
		return columns, 0, true
	case PrepareStandardize:
		return columns, columns, true
	}
	return 0, 0, false
}

// Apply prepares features with the columns that p was fitted to. The result is
// a *sparse.CSR or a *mat.Dense; X is not changed. Rows that are zero stay zero.
//
// Errors: [ErrShape] for another number of columns, [ErrPreparation], [ErrEmpty],
// [ErrNotFinite], and ctx's.
func (p *Preparer) Apply(ctx context.Context, x mat.Matrix) (mat.Matrix, error) {
	if p == nil {
		return nil, fmt.Errorf("coles: preparation: %w: the preparer is nil", ErrEmpty)
	}
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	s, err := prepared[float64](ctx, p, f)
	if err != nil {
		return nil, err
	}
	if err := checkOverflow(ctx, "prepared, a feature", s); err != nil {
		return nil, err
	}
	return exported(ctx, s)
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
