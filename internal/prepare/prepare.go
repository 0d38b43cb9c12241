// Package prepare makes the numbers of features comparable before they are filtered, wherever they are
// kept. coles.Preparation describes each kind.
package prepare

import (
	"context"
	"fmt"
	"math"

	"coles/internal/matrix"
	"coles/internal/setting"
)

// A Kind is a coles.Preparation.
type Kind int

// The kinds are those of coles.Preparation, in its order.
const (
	Auto Kind = iota
	None
	TFIDF
	RowL2
	RowL1
	Standardize
	DampedCounts
	DampedTFIDF
	Undamped
)

// Names are the kinds in text.
var Names = []string{"auto", "none", "tfidf", "row-l2", "row-l1", "standardize", "damped-counts", "damped-tfidf", "undamped"}

// choice reports whether the values are to choose the kind.
func (k Kind) choice() bool { return k == Auto || k == Undamped }

// weighs reports whether columns are weighted by the number of rows that have them.
func (k Kind) weighs() bool { return k == TFIDF || k == DampedCounts || k == DampedTFIDF }

// denseShare is the share of non-zero entries from which features count as dense. Bags of words lie
// far below it (the densest tried fills 0.35), measurements of every node above.
const denseShare = 0.5

// Suitable resolves a kind that is a choice by what the values of a matrix look like.
func (k Kind) Suitable(seen *matrix.Tally, rows, columns int) Kind {
	switch {
	case !k.choice():
		return k
	case float64(seen.NonZero) >= denseShare*float64(rows)*float64(columns):
		return Standardize
	case seen.Negative, seen.Fraction && k == Undamped:
		return RowL2
	case k == Undamped:
		return TFIDF
	case seen.Fraction:
		return DampedTFIDF
	}
	return DampedCounts
}

// A Preparer is a kind, no longer a choice, with what it learned of the columns of a matrix.
type Preparer struct {
	How     Kind `json:"preparation"`
	Columns int  `json:"columns"`
	// Weight holds idf for TF-IDF, √idf for damped TF-IDF, and 1/deviation for standardised features, 0
	// for a constant column.
	Weight []float64 `json:"weight,omitempty"`
	Mean   []float64 `json:"mean,omitempty"` // of standardised features
}

// Learned is the preparer of a kind for a matrix of so many rows, with counts of the entries of each
// column that are not zero, or columns of these means and inverse deviations.
func (k Kind) Learned(rows, columns int, counts, mean, inverse []float64) Preparer {
	p := Preparer{How: k, Columns: columns}
	switch {
	case k == Standardize:
		p.Mean, p.Weight = mean, inverse
	case k.weighs():
		p.Weight = make([]float64, columns)
		for j, df := range counts {
			p.Weight[j] = math.Log((1+float64(rows))/(1+df)) + 1
			if k == DampedTFIDF {
				p.Weight[j] = math.Sqrt(p.Weight[j])
			}
		}
	}
	return p
}

// Learn fits a preparer of a kind to features in one or two passes over the stored entries.
//
// Errors: [matrix.ErrNegative] for TF-IDF, roots or row sums of negative values, [matrix.ErrTooLarge],
// [setting.ErrSetting] for no such kind, and ctx's.
func (k Kind) Learn(ctx context.Context, x *matrix.Source) (Preparer, error) {
	if k.choice() {
		seen, err := matrix.TallyOf(ctx, x)
		if err != nil {
			return Preparer{}, err
		}
		k = k.Suitable(seen, x.Rows(), x.Cols())
	}
	if _, _, ok := k.Keeps(x.Cols()); !ok {
		return Preparer{}, fmt.Errorf("features: %w: %s", setting.ErrSetting, setting.Name(k, Names))
	}
	if err := (Preparer{How: k, Columns: x.Cols()}).refuse(ctx, x); err != nil {
		return Preparer{}, err
	}
	var counts, mean, inverse []float64
	var err error
	switch {
	case k.weighs():
		counts, err = matrix.Counts(ctx, x)
	case k == Standardize:
		mean, inverse, err = matrix.Moments(ctx, x)
	}
	return k.Learned(x.Rows(), x.Cols(), counts, mean, inverse), err
}

// Keeps is how many weights and means a preparer of so many columns has; there is none of a choice.
func (k Kind) Keeps(columns int) (weights, means int, ok bool) {
	switch {
	case k == None || k == RowL1 || k == RowL2:
		return 0, 0, true
	case k.weighs():
		return columns, 0, true
	case k == Standardize:
		return columns, columns, true
	}
	return 0, 0, false
}

// View prepares rows whenever they are read.
//
// Errors: [matrix.ErrShape] for another number of columns, [matrix.ErrNegative], [matrix.ErrTooLarge],
// and ctx's.
func (p Preparer) View(ctx context.Context, x *matrix.Source) (*matrix.Source, error) {
	if err := p.refuse(ctx, x); err != nil {
		return nil, err
	}
	var err error
	if p.How.weighs() {
		if x, err = x.Thin(ctx); err != nil {
			return nil, err
		}
	}
	if p.How == None {
		return x, nil
	}
	return x.Changed(p.How == Standardize, p.row), nil
}

// row prepares the values of a row in place; cols is nil where all are there.
func (p Preparer) row(cols []int32, vals []float64) {
	switch p.How {
	case TFIDF, DampedCounts, DampedTFIDF:
		matrix.Tame(vals)
		for q, v := range vals {
			if p.How != TFIDF {
				v = math.Sqrt(v)
			}
			vals[q] = v * p.Weight[cols[q]]
		}
		divide(vals, matrix.Length(vals))
	case RowL2:
		matrix.Tame(vals)
		divide(vals, matrix.Length(vals))
	case RowL1:
		matrix.Tame(vals)
		divide(vals, matrix.Total(vals))
	case Standardize:
		for j, v := range vals {
			vals[j] = deviation(v, p.Mean[j], p.Weight[j])
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

// refuse reports features that the preparation cannot mean anything for.
func (p Preparer) refuse(ctx context.Context, x *matrix.Source) error {
	n, d := x.Dims()
	if d != p.Columns {
		return fmt.Errorf("features: %w: %d columns, prepared for %d", matrix.ErrShape, d, p.Columns)
	}
	if p.How == Standardize && float64(n)*float64(d) > math.MaxInt32*8 {
		return fmt.Errorf("features: %w: standardised, %d × %d features are dense", matrix.ErrTooLarge, n, d)
	}
	if !p.How.weighs() && p.How != RowL1 {
		return nil
	}
	i, j, v, err := matrix.FirstNegative(ctx, x)
	if err == nil && v < 0 {
		return fmt.Errorf("features: %w: %v at row %d, column %d, but %s takes values from 0 up", matrix.ErrNegative, v, i, j, setting.Name(p.How, Names))
	}
	return err
}
