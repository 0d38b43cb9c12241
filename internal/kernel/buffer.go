package kernel

import "sync"

// Buffers are kept for further products: fresh memory costs a page fault for
// every 4 KB when it is first written to.
var buffers32, buffers64 sync.Pool

func buffers[T Float]() *sync.Pool {
	if isDouble[T]() {
		return &buffers64
	}
	return &buffers32
}

// borrow returns n numbers of any values.
func borrow[T Float](n int) *[]T {
	b, ok := buffers[T]().Get().(*[]T)
	if !ok || cap(*b) < n {
		fresh := make([]T, n)
		return &fresh
	}
	*b = (*b)[:n]
	return b
}

// giveBack ends the use of what was borrowed.
func giveBack[T Float](b *[]T) { buffers[T]().Put(b) }
