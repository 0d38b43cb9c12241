package coles

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/archive"
	"coles/internal/input"
)

// The errors of this package. What a function returns wraps one of them with
// where and what: test with errors.Is, print for the place.
var (
	// ErrShape: sizes that do not fit together.
	ErrShape = errors.New("sizes do not agree")
	// ErrIndex: a node, row or column number outside its range.
	ErrIndex = errors.New("index out of range")
	// ErrNotFinite: a NaN or an infinity in the input.
	ErrNotFinite = errors.New("value is not finite")
	// ErrNegativeWeight: an edge weight below zero.
	ErrNegativeWeight = errors.New("negative edge weight")
	// ErrAsymmetric: a matrix that has to be symmetric is not.
	ErrAsymmetric = errors.New("matrix is not symmetric")
	// ErrEmpty: a graph without nodes, features without columns, or a nil where
	// something is needed: a graph, a matrix, a model, a reader or a writer.
	ErrEmpty = errors.New("nothing to embed")
	// ErrTooLarge: more nodes or entries than the library can index.
	ErrTooLarge = errors.New("too large")
	// ErrIDs: node ids that are repeated, or not one for every node.
	ErrIDs = errors.New("bad node ids")
	// ErrDense: a node has too few non-neighbours to draw negatives from.
	ErrDense = errors.New("graph too dense for negatives without true edges")
	// ErrDim: an embedding dimension that the input cannot have.
	ErrDim = errors.New("bad embedding dimension")
	// ErrSetting: a setting outside its range, or a nil context.
	ErrSetting = errors.New("bad setting")
	// ErrPreparation: a feature preparation that makes no sense for the features.
	ErrPreparation = errors.New("features do not suit this preparation")
	// ErrPrecision: features too large or too small for [Float32], or too small for any
	// number; eigenvalues that are nothing but rounding in [Float32].
	ErrPrecision = errors.New("magnitude out of range")
	// ErrTransductive: a model fitted without features knows its own graph only.
	ErrTransductive = errors.New("model without features embeds only the graph it was fitted on")
	// ErrFormat: bytes that are not a model of a version this package reads.
	ErrFormat = archive.ErrFormat
	// ErrChecksum: a model whose bytes were changed or cut off.
	ErrChecksum = archive.ErrChecksum
)

// A ConvergenceError says that an iterative solver stopped before every pair
// asked for had converged. Partial holds those that did.
type ConvergenceError struct {
	Wanted    int         // eigenpairs asked for
	Converged int         // eigenpairs within the bound
	Residual  float64     // largest ‖Mv − λv‖ / max|λ| among those asked for
	Partial   *Projection // the converged pairs, in descending order; nil when there are none, and from [Eigenmaps]
}

// Error says how many pairs converged, and how far off the rest are.
func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("coles: %d of %d eigenpairs converged, residual %.2g", e.Converged, e.Wanted, e.Residual)
}

// checkContext refuses a nil context, which would panic wherever it is first asked.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("coles: %w: the context is nil", ErrSetting)
	}
	return nil
}

// inputError gives what is wrong with a matrix from outside its name in this package.
func inputError(what string, err error) error {
	var bad *input.Error
	if !errors.As(err, &bad) {
		return err // the context's
	}
	named := map[input.Kind]error{
		input.Empty: ErrEmpty, input.Shape: ErrShape, input.Index: ErrIndex,
		input.NotFinite: ErrNotFinite, input.TooLarge: ErrTooLarge,
	}
	return fmt.Errorf("coles: %s: %w: %s", what, named[bad.Kind], bad.Where)
}
