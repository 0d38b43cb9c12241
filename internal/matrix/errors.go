package matrix

import (
	"errors"
	"fmt"
	"math"
)

// What is wrong with a matrix from outside. The public packages give these errors under the same
// names.
var (
	ErrShape     = errors.New("wrong size")
	ErrIndex     = errors.New("index out of range")
	ErrNotFinite = errors.New("value is not finite")
	ErrTooLarge  = errors.New("too large")
	ErrNegative  = errors.New("value is negative")
	ErrPrecision = errors.New("not enough precision")
)

// CheckSize fails if a dense matrix of rows × cols numbers of 16 bytes has more bytes than this machine
// can address, before memory is taken for it.
func CheckSize(rows, cols int) error {
	if cols > 0 && rows > math.MaxInt/16/cols {
		return fmt.Errorf("%w: a dense matrix of %d × %d", ErrTooLarge, rows, cols)
	}
	return nil
}
