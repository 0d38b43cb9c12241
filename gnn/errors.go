package gnn

import (
	"context"
	"errors"
	"fmt"

	"coles"
	"coles/internal/input"
)

// The errors of this package beside those of [coles], which it uses where they
// say what is wrong.
var (
	// ErrDiverged: a loss or a gradient that is no longer a number, or a weight
	// that lost its rank; a smaller learning rate helps.
	ErrDiverged = errors.New("training diverged")
	// ErrCheckpoint: a checkpoint of other data, or of settings that are not to be changed.
	ErrCheckpoint = errors.New("checkpoint of another training")
	// ErrLabels: labels or rows that a classifier cannot be trained on.
	ErrLabels = errors.New("bad labels")
)

// checkContext refuses a nil context, which would panic wherever it is first asked.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return fmt.Errorf("gnn: %w: the context is nil", coles.ErrSetting)
	}
	return nil
}

// inputError gives what is wrong with a matrix from outside its name in this
// module.
func inputError(what string, err error) error {
	var bad *input.Error
	if !errors.As(err, &bad) {
		return err // the context's
	}
	named := map[input.Kind]error{
		input.Empty: coles.ErrEmpty, input.Shape: coles.ErrShape, input.Index: coles.ErrIndex,
		input.NotFinite: coles.ErrNotFinite, input.TooLarge: coles.ErrTooLarge,
	}
	return fmt.Errorf("gnn: %s: %w: %s", what, named[bad.Kind], bad.Where)
}
