package kernel

import (
	"strings"
	"unsafe"
)

// Unset is a new rows × cols matrix without padding, of any values, for what is written before
// it is read.
//
// [Dense] has its zeros written where memory has been used before, by one processor and
// without a look at any context: seconds for a gigabyte of pages that the system has taken back.
func Unset[T Float](rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: unset[T](rows * cols)}
}

// unset is make([]T, n) of any values: the room that a strings.Builder makes is the one memory
// that the standard library leaves as it is. Should it ever be cleared, nothing is lost but time.
func unset[T Float](n int) []T {
	const small = 1 << 13 // numbers, in pages of their own
	if n < small {
		return make([]T, n)
	}
	var room strings.Builder
	room.Grow(n * int(unsafe.Sizeof(T(0))))
	room.WriteByte(0) // without a byte there is no address
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(room.String()))), n)
}
