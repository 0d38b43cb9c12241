package eval

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/input"
)

// The errors of this package wrap one of these and say what was wrong and
// where.
var (
	// ErrShape reports sizes that do not fit each other, or a matrix without
	// rows or columns.
	ErrShape = errors.New("eval: sizes do not fit")
	// ErrNotFinite reports a NaN or an infinity in what is given, or numbers so
	// large that their products overflow.
	ErrNotFinite = errors.New("eval: not a finite number")
	// ErrCorrupt reports a sparse matrix whose indices point outside of it.
	ErrCorrupt = errors.New("eval: corrupt sparse matrix")
	// ErrRow reports a row number outside the matrix.
	ErrRow = errors.New("eval: row out of range")
	// ErrDuplicate reports something given twice that may be given once.
	ErrDuplicate = errors.New("eval: given twice")
	// ErrLabel reports a negative label where a class is needed.
	ErrLabel = errors.New("eval: label out of range")
	// ErrEmpty reports that there are no rows to learn from or to be judged by,
	// or none of what is to be averaged.
	ErrEmpty = errors.New("eval: no rows")
	// ErrOneClass reports training rows that all have the same label.
	ErrOneClass = errors.New("eval: a single class in the training rows")
	// ErrSplit reports a split that trains and tests on the same row or tests
	// one row twice.
	ErrSplit = errors.New("eval: bad split")
	// ErrPenalty reports a C that is not a positive finite number.
	ErrPenalty = errors.New("eval: C must be positive and finite")
	// ErrDimension reports a target dimension outside 1..columns.
	ErrDimension = errors.New("eval: dimension out of range")
	// ErrConvergence reports that the optimiser stopped short of its tolerance.
	ErrConvergence = errors.New("eval: no convergence")
	// ErrDense reports a graph in which no pair, or no pair of a node that has
	// neighbours, is without an edge.
	ErrDense = errors.New("eval: graph too dense for negative pairs")
	// ErrParameter reports a count, an exponent or a scale outside its range, or
	// a nil context.
	ErrParameter = errors.New("eval: parameter out of range")
	// ErrBandwidth reports a bandwidth that is not a positive number, a sample
	// without the spread to derive one from, or a grid too coarse for it.
	ErrBandwidth = errors.New("eval: no usable bandwidth")
	// ErrClusters reports a number of clusters that the rows do not allow.
	ErrClusters = errors.New("eval: number of clusters out of range")
	// ErrDistribution reports weights that are negative or add up to zero.
	ErrDistribution = errors.New("eval: not a distribution")
)

// checkContext refuses a nil context, which would panic wherever it is first asked.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrParameter)
	}
	return nil
}

// inputError gives what is wrong with a matrix from outside its name in this package.
func inputError(err error) error {
	var bad *input.Error
	if !errors.As(err, &bad) {
		return err // the context's
	}
	switch bad.Kind {
	case input.NotFinite:
		return fmt.Errorf("%w: %s", ErrNotFinite, bad.Where)
	case input.Index:
		return fmt.Errorf("%w: %s", ErrCorrupt, bad.Where)
	}
	return fmt.Errorf("%w: %s", ErrShape, bad.Where)
}
