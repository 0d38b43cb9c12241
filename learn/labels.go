package learn

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
)

// Labels are what is known of n rows, of one of three kinds. Without any, nothing is known of all rows.
type Labels struct {
	Classes []int     // one class a row, negative where it is unknown
	Sets    [][]int   // several classes a row, none where they are unknown
	Values  []float64 // a number a row, NaN where it is unknown
}

// A target is what labels of one kind ask of a model: an opinion of each row in columns, one for each class, or one of
// numbers.
type target interface {
	known
	columns() int
	labelled() []int
	enough() error                    // names what lacks for cross-validation
	without(rows []int) target        // as if these had no label
	split(how Options) (parts, error) // for cross-validation
	// fit learns from some rows, all that are labelled outside a part.
	fit(ctx context.Context, f *matrix.Matrix[float64], part int, rows []int) (opinion, error)
	// hit is how right an opinion of row i is. A score is start + Σ hit/total.
	hit(i int, row []float64) float64
	worth(rows []int) (start, total float64)
	// learn learns from all labels. It returns the parts to cross-validate in, none where that chooses nothing.
	learn(ctx context.Context, f *matrix.Matrix[float64], how Options) (*Predictor, parts, error)
	// measure sets what a trial finds, but for α.
	measure(p *Predictor, found trial) error
}

// An opinion is what a model says of some rows by themselves, of all where rows is nil.
type opinion func(ctx context.Context, rows []int) (kernel.Matrix[float64], error)

// known are labels that an opinion has to agree with.
type known interface {
	unit(first []float64) float64 // what opinions are smoothed in, given the first ones
	hold(i int, row []float64)    // sets the row of a label that is known, in that unit
}

// count is the number of rows.
func (l Labels) count() int {
	switch {
	case l.Values != nil:
		return len(l.Values)
	case l.Sets != nil:
		return len(l.Sets)
	}
	return len(l.Classes)
}

// target checks the labels of n rows.
func (l Labels) target(n int) (target, error) {
	if l.count() != n {
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, l.count(), n)
	}
	if l.Values != nil {
		return numbersOf(l.Values)
	}
	return groupsOf(l)
}

// sets are classes as sets.
func (l Labels) sets() [][]int {
	if l.Sets != nil {
		return l.Sets
	}
	sets := make([][]int, len(l.Classes))
	for i, label := range l.Classes {
		if label >= 0 {
			sets[i] = l.Classes[i : i+1]
		}
	}
	return sets
}

// picked are the entries of some rows.
func picked[T any](of []T, rows []int) []T {
	some := make([]T, len(rows))
	for q, i := range rows {
		some[q] = of[i]
	}
	return some
}
