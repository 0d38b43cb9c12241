package kernel

import (
	"math/bits"
	"sync"
)

// Buffers are kept for further use until the garbage collector asks for them:
// fresh memory costs a page fault for every 4 KB when it is first written to,
// and used memory has to be cleared. There is a pool for every size class.
var buffers32, buffers64 [4 * bits.UintSize]sync.Pool

func buffers[T Float]() *[4 * bits.UintSize]sync.Pool {
	if isDouble[T]() {
		return &buffers64
	}
	return &buffers32
}

// sizeClass is the number of the smallest of the sizes 4, 5, 6, 7, 8, 10, 12,
// 14, 16, 20, … that is not below n, and that size.
func sizeClass(n int) (class, size int) {
	const first = 4
	if n <= first {
		return 0, first
	}
	shift := bits.Len(uint(n-1)) - 3 // n−1 is 4 to 7 times this power of two
	quarters := (n - 1) >> shift
	return 4*shift + quarters + 1 - first, (quarters + 1) << shift
}

// borrow returns n numbers of any values.
func borrow[T Float](n int) *[]T {
	class, size := sizeClass(n)
	b, ok := buffers[T]()[class].Get().(*[]T)
	if !ok {
		fresh := unset[T](size)
		b = &fresh
	}
	*b = (*b)[:n]
	return b
}

// giveBack ends the use of what was borrowed.
func giveBack[T Float](b *[]T) {
	class, _ := sizeClass(cap(*b))
	buffers[T]()[class].Put(b)
}

// Scratch returns a rows × cols matrix of any values, for use until release is
// called.
func Scratch[T Float](rows, cols int) (m Matrix[T], release func()) {
	b := borrow[T](rows * cols)
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: *b}, func() { giveBack(b) }
}
