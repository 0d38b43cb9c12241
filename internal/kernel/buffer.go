package kernel

import "sync"

// buffers are kept for further products: fresh memory costs a page fault for
// every 4 KB when it is first written to.
var buffers sync.Pool

// borrow returns n numbers of any values.
func borrow(n int) *[]float64 {
	b, ok := buffers.Get().(*[]float64)
	if !ok || cap(*b) < n {
		fresh := make([]float64, n)
		return &fresh
	}
	*b = (*b)[:n]
	return b
}

// giveBack ends the use of what was borrowed.
func giveBack(b *[]float64) { buffers.Put(b) }
