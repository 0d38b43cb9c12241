package tape

import (
	"fmt"
	"strings"

	"coles/internal/kernel"
)

// fit panics unless the sizes of an operation's arguments fit together.
func fit[T kernel.Float](ok bool, operation string, arguments ...*Value[T]) {
	if ok {
		return
	}
	var sizes []string
	for _, v := range arguments {
		sizes = append(sizes, fmt.Sprintf("%d×%d", v.Rows(), v.Cols()))
	}
	panic(fmt.Sprintf("tape: %s of %s", operation, strings.Join(sizes, " and ")))
}

// fitIndices panics unless all indices are in [0, n).
func fitIndices(operation string, indices []int, n int) {
	for k, i := range indices {
		if i < 0 || i >= n {
			panic(fmt.Sprintf("tape: %s: index %d at place %d, outside of [0, %d)", operation, i, k, n))
		}
	}
}

func sameSize[T kernel.Float](a, b *Value[T]) bool {
	return a.Rows() == b.Rows() && a.Cols() == b.Cols()
}
