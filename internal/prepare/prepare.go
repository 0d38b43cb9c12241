// Package prepare makes the numbers of features comparable before they are filtered, wherever they are
// kept. coles.Preparation describes each kind.
package prepare

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// A Kind is a coles.Preparation.
type Kind int

// The kinds of coles.Preparation, in its order.
const (
	Auto Kind = iota
	None
	TFIDF
	RowL2
	RowL1
	Standardize
	Balanced
	Undamped
	Vectors
)

// Names are the kinds in text.
var Names = []string{"auto", "none", "tfidf", "row-l2", "row-l1", "standardize", "balanced", "undamped", "vectors"}

// choice reports whether the values are to choose the kind.
func (k Kind) choice() bool { return k == Auto || k == Undamped }

// weighs reports whether columns are weighted, and rows have length 1 then.
func (k Kind) weighs() bool { return k == TFIDF || k == Balanced }

// fills reports whether every entry of a row becomes a number.
func (k Kind) fills() bool { return k == Standardize || k == Vectors }

// denseShare is the share of non-zero entries from which features count as dense, and a column of others
// as a measurement. Bags of words lie far below it (the densest tried fills 0.35), measurements of every
// node above.
const denseShare = 0.5

// Suitable resolves a kind that is a choice by what the values of a matrix look like.
func (k Kind) Suitable(seen *matrix.Tally, rows, columns int) Kind {
	switch {
	case !k.choice():
		return k
	case float64(seen.NonZero) >= denseShare*float64(rows)*float64(columns):
		return Vectors
	case k == Auto:
		return Balanced
	case seen.Negative, seen.Fraction:
		return RowL2
	}
	return TFIDF
}

// A Preparer is a kind, no longer a choice, with what it learned of the columns of a matrix.
type Preparer struct {
	How     Kind `json:"preparation"`
	Columns int  `json:"columns"`
	// Weight holds idf for TF-IDF, and of balanced and standardised columns what their roots, or their
	// centred values, are multiplied by: 0 for a constant column.
	Weight []float64 `json:"weight,omitempty"`
	// Mean is subtracted first: 0 for a balanced column that is not centred.
	Mean   []float64 `json:"mean,omitempty"`
	Blocks []Block   `json:"blocks,omitempty"` // of vectors or balanced columns, in order
	// Used are the columns, ascending, of the features' Of ones that it keeps; nil for all of them.
	Used []int32 `json:"used,omitempty"`
	Of   int     `json:"of,omitempty"`
}

// Features is the number of columns that features have.
func (p Preparer) Features() int {
	if p.Used != nil {
		return p.Of
	}
	return p.Columns
}

// Sums are the statistics that a kind learns from. TF-IDF needs counts, balanced features need roots, and standardised
// features moments, as do balanced features with columns that every row has.
type Sums struct {
	Roots   []matrix.RootSums
	Columns matrix.ColumnSums
	Inverse []float64 // one over the deviation of every column

	// Where some columns may be an embedding:
	Runs []Block
	Gram kernel.Matrix[float64] // of the columns of all runs: sums of AddCorrelations, the upper triangle
	Rows float64                // that were added
}

// Learned is the preparer of a kind for a matrix of rows × columns.
func (k Kind) Learned(rows, columns int, s Sums) Preparer {
	p := Preparer{How: k, Columns: columns}
	n := float64(rows)
	switch {
	case k == TFIDF:
		p.Weight = make([]float64, columns)
		for j, seen := range s.Roots {
			p.Weight[j] = math.Log((1+n)/(1+seen.Count)) + 1
		}
	case k == Standardize || k == Vectors:
		p.Mean, p.Weight = s.Columns.Mean, slices.Clone(s.Inverse)
		for j, count := range s.Columns.Count {
			largest := s.Columns.Largest[j]
			all := count / n * largest // the mean of nothing but 0 and largest
			if count > 0 && count < n && math.Abs(p.Mean[j]-all) <= 1e-9*all {
				p.Weight[j] = math.Sqrt(p.Weight[j]) / math.Sqrt(largest)
			}
		}
		if k == Vectors {
			p.embed(s)
		}
	case k == Balanced:
		p.balance(n, s)
		p.embed(s)
	}
	return p
}

// balance sets the weights of the roots of columns on n rows. The energy of a measurement becomes the
// deviation of the roots in its own unit, their root mean square; the energy of a count the deviation in the
// unit of all counts, the mean root mean square of its entries. A constant column separates no rows.
func (p *Preparer) balance(n float64, s Sums) {
	p.Weight, p.Mean = make([]float64, p.Columns), make([]float64, p.Columns)
	rms := func(c matrix.RootSums) float64 { return math.Sqrt(max(c.Size, math.SmallestNonzeroFloat64)) } // a mean may vanish
	all, entries := 0.0, 0.0
	for _, c := range s.Roots {
		if c.Count < denseShare*n {
			all += math.Sqrt(c.Count/n) * rms(c)
			entries += c.Count / n
		}
	}
	for j, c := range s.Roots {
		switch {
		case c.Count == n:
			p.Mean[j], p.Weight[j] = s.Columns.Mean[j], math.Sqrt(s.Inverse[j])
		case c.Count > 0:
			unit := rms(c)
			if c.Count < denseShare*n {
				unit = all / entries
			}
			mean := c.Root / rms(c)
			p.Weight[j] = math.Sqrt(math.Sqrt(max(0, 1-mean*mean))) / (math.Sqrt(rms(c)) * math.Sqrt(unit))
		}
	}
}

// Learn fits a preparer of a kind to features in one to four passes over the stored entries.
//
// Errors: [matrix.ErrNegative] for TF-IDF or row sums of negative values, [matrix.ErrTooLarge],
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
		return Preparer{}, setting.Bad("Preparation", k, "%s", strings.Join(Names, ", "))
	}
	if err := k.refuse(ctx, x); err != nil {
		return Preparer{}, err
	}
	var s Sums
	var err error
	if k.weighs() {
		if s.Roots, err = matrix.SumRoots(ctx, x); err != nil {
			return Preparer{}, err
		}
	}
	if k.Deviates(s.Roots, x.Rows()) {
		if s.Columns, s.Inverse, err = matrix.Moments(ctx, x); err != nil {
			return Preparer{}, err
		}
	}
	if s.Runs = k.Runs(x.Rows(), s); len(s.Runs) > 0 {
		count := 0
		if s.Gram, count, err = s.correlations(ctx, x); err != nil {
			return Preparer{}, err
		}
		s.Rows = float64(count)
	}
	return k.Learned(x.Rows(), x.Cols(), s), nil
}

// MostUsed is how many of d columns [Kind.LearnUsed] keeps at most, by the number of entries.
func MostUsed(d, entries int) int {
	if entries > 0 && 2*entries <= d {
		return entries
	}
	return d
}

// LearnUsed is Learn, but it keeps only columns that have an entry. A column of zeros says nothing, and in hashed features
// most are such and would take memory. A later row is read without them.
func (k Kind) LearnUsed(ctx context.Context, x *matrix.Source) (Preparer, error) {
	used := usedColumns(x)
	if used == nil {
		return k.Learn(ctx, x)
	}
	kept, err := x.Pick(ctx, used)
	if err != nil {
		return Preparer{}, err
	}
	p, err := k.Learn(ctx, kept)
	p.Used, p.Of = used, x.Cols()
	return p, err
}

// usedColumns are the columns, ascending, that have an entry; nil for all of them, or none.
func usedColumns(x *matrix.Source) (used []int32) {
	const strip = 64 // rows, of which the first mostly show all
	n, d := x.Dims()
	seen, missing := make([]uint64, (d+63)/64), d
	for lo := 0; lo < n && missing > 0; lo += strip {
		x.Each(lo, min(lo+strip, n), func(_ int, cols []int32, vals []float64) {
			for q, v := range vals {
				j := matrix.Column(cols, q)
				if bit := uint64(1) << (j % 64); v != 0 && seen[j/64]&bit == 0 {
					seen[j/64] |= bit
					missing--
				}
			}
		})
	}
	for j := 0; missing > 0 && j < d; j++ {
		if seen[j/64]>>(j%64)&1 != 0 {
			used = append(used, int32(j))
		}
	}
	return used
}

// Keep is the columns of features that a preparer keeps. Errors: [matrix.ErrShape] for another number of columns.
func (p Preparer) Keep(ctx context.Context, x *matrix.Source) (*matrix.Source, error) {
	switch d := x.Cols(); {
	case d != p.Features():
		return nil, fmt.Errorf("features: %w: %d columns, prepared for %d", matrix.ErrShape, d, p.Features())
	case p.Used == nil:
		return x, ctx.Err()
	}
	return x.Pick(ctx, p.Used)
}

// Deviates reports whether a kind needs the moments of columns.
func (k Kind) Deviates(seen []matrix.RootSums, rows int) bool {
	everywhere, mostly := 0, 0
	for _, c := range seen {
		if c.Count == float64(rows) {
			everywhere++
		}
		if c.Count >= denseShare*float64(rows) {
			mostly++
		}
	}
	return k.fills() || k == Balanced && (everywhere > 0 || mostly >= narrowest)
}

// Keeps is how many weights and means a preparer has for a number of columns; a choice has no preparer.
func (k Kind) Keeps(columns int) (weights, means int, ok bool) {
	switch {
	case k == None || k == RowL1 || k == RowL2:
		return 0, 0, true
	case k == TFIDF:
		return columns, 0, true
	case k.fills() || k == Balanced:
		return columns, columns, true
	}
	return 0, 0, false
}

// View prepares rows whenever they are read.
//
// Errors: [matrix.ErrShape] for another number of columns, [matrix.ErrNegative], [matrix.ErrTooLarge],
// and ctx's.
func (p Preparer) View(ctx context.Context, x *matrix.Source) (*matrix.Source, error) {
	x, err := p.Keep(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := p.How.refuse(ctx, x); err != nil {
		return nil, err
	}
	if p.How.weighs() {
		if x, err = x.Thin(ctx); err != nil {
			return nil, err
		}
	}
	if p.How == None {
		return x, nil
	}
	return x.Changed(p.How.fills(), p.row), nil
}

// row prepares the values of a row in place; cols is nil where all are there.
func (p Preparer) row(cols []int32, vals []float64) {
	switch p.How {
	case TFIDF:
		matrix.Tame(vals)
		for q, v := range vals {
			vals[q] = v * p.Weight[cols[q]]
		}
		divide(vals, matrix.Length(vals))
	case Balanced:
		from, to := 0, 0
		for _, b := range p.Blocks {
			from = to + within(cols[to:], b.From)
			p.damp(cols[to:from], vals[to:from])
			to = from + within(cols[from:], b.To)
			for q := from; q < to; q++ {
				vals[q] = deviation(vals[q], p.Mean[cols[q]], p.Weight[cols[q]])
			}
			divide(vals[from:to], matrix.Length(vals[from:to])/b.Length)
		}
		p.damp(cols[to:], vals[to:])
		divide(vals, matrix.Length(vals))
	case RowL2:
		matrix.Tame(vals)
		divide(vals, matrix.Length(vals))
	case RowL1:
		matrix.Tame(vals)
		divide(vals, matrix.Total(vals))
	case Standardize, Vectors:
		for j, v := range vals {
			vals[j] = deviation(v, p.Mean[j], p.Weight[j])
		}
		for _, b := range p.Blocks {
			divide(vals[b.From:b.To], matrix.Length(vals[b.From:b.To])/b.Length)
		}
	}
}

// within is how many of ascending columns come before one.
func within(cols []int32, end int) int {
	k, _ := slices.BinarySearch(cols, int32(end))
	return k
}

// damp takes weighted roots in place, for balanced features.
func (p Preparer) damp(cols []int32, vals []float64) {
	for q, v := range vals {
		j, weight := cols[q], p.Weight[cols[q]]
		if p.Mean[j] != 0 && v != 0 { // a number that is not there is as the mean
			v, weight = v/2-p.Mean[j]/2, weight*math.Sqrt2 // the difference may overflow
		}
		vals[q] = matrix.Root(v) * weight
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

// refuse reports features that a kind has no meaning for.
func (k Kind) refuse(ctx context.Context, x *matrix.Source) error {
	n, d := x.Dims()
	if k.fills() && float64(n)*float64(d) > math.MaxInt32*8 {
		return fmt.Errorf("features: %w: standardised, %d × %d features are dense", matrix.ErrTooLarge, n, d)
	}
	if k != TFIDF && k != RowL1 {
		return nil
	}
	i, j, v, err := matrix.FirstNegative(ctx, x)
	if err == nil && v < 0 {
		return fmt.Errorf("features: %w: %v at row %d, column %d, but %s takes values from 0 up", matrix.ErrNegative, v, i, j, setting.Name(k, Names))
	}
	return err
}
