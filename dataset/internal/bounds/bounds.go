// Package bounds has the largest sizes of a dataset.
package bounds

import (
	"fmt"
	"math"

	"coles"
)

const (
	// Dim bounds the number of nodes and of features: what a 32-bit index, which the kernels use, can name.
	Dim = math.MaxInt32

	// Classes bounds a label. Consumers keep arrays with one entry a class, so that a single absurd label would otherwise
	// cost memory.
	Classes = 1 << 20

	// Empty is how many rows or columns a sparse matrix may have besides 64 for every entry: they take memory even where
	// nothing is in them.
	Empty = 1 << 20
)

// Width refuses sparse features with more columns than their entries account for.
func Width(cols, entries int) error {
	if int64(cols) > Empty+64*int64(entries) {
		return fmt.Errorf("features of %d columns and %d entries: %w", cols, entries, coles.ErrTooLarge)
	}
	return nil
}
