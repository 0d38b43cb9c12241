package dataset

import (
	"fmt"
	"math"

	"coles"
)

// maxDim bounds the number of nodes and of features: what a 32-bit index, which the kernels use,
// can name.
const maxDim = math.MaxInt32

// maxClasses bounds a label. Consumers keep arrays with one entry a class, so that a single absurd
// label would otherwise cost memory.
const maxClasses = 1 << 20

// emptyRows is how many rows or columns a sparse matrix may have besides 64 for every entry: they
// take memory even where nothing is in them.
const emptyRows = 1 << 20

// checkWidth refuses sparse features with more columns than their entries account for.
func checkWidth(cols, entries int) error {
	if int64(cols) > emptyRows+64*int64(entries) {
		return fmt.Errorf("features of %d columns and %d entries: %w", cols, entries, coles.ErrTooLarge)
	}
	return nil
}
