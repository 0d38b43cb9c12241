//go:build linux

package kernel

import (
	"context"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"coles/internal/parallel"
)

// guarded copies x to where a page that may not be touched follows its last number.
func guarded[T any](t *testing.T, x []T) []T {
	t.Helper()
	var one T
	bytes := len(x) * int(unsafe.Sizeof(one))
	page := syscall.Getpagesize()
	size := parallel.Pieces(bytes, page) * page
	memory, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory with a guard:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(memory[size:], syscall.PROT_NONE); err != nil {
		t.Skip("no memory with a guard:", err)
	}
	if len(x) == 0 {
		return nil
	}
	y := unsafe.Slice((*T)(unsafe.Pointer(&memory[size-bytes])), len(x))
	copy(y, x)
	return y
}

func guardedDense[T Float](t *testing.T, rnd *rand.Rand, rows, cols int) Matrix[T] {
	a := poisoned[T](rnd, rows, cols, 1)
	// The last row ends with its last entry.
	a.Data = guarded(t, a.Data[:max(0, len(a.Data)-1)])
	return a
}

// Reading or writing one number too many ends the test with a fault.
func TestKernelsStayWithinTheirMatrices(t *testing.T) {
	onEveryPath(t, testGuards[float64], testGuards[float32])
}

func testGuards[T Float](t *testing.T) {
	rnd := random(14)
	ctx := context.Background()
	big := Dense[T](3<<20, 2) // beyond the caches; all but its first rows stay untouched
	for i := range 140 {
		big.Data[i] = T(rnd.NormFloat64())
	}
	for _, n := range []int{1, 3, 4, 5, 8, 11, 12, 13, 15, 16, 17, 24, 25, 33, 48, 49, 70} {
		a, b, c := guardedDense[T](t, rnd, n, n), guardedDense[T](t, rnd, n, n), guardedDense[T](t, rnd, n, n)
		// In float64: the result of a wide product, or what is converted.
		d := guardedDense[float64](t, rnd, n, n)
		for _, transA := range flags {
			for _, transB := range flags {
				must(t, Gemm(ctx, transA, transB, 1, a, b, 1, c), Gemm(ctx, transA, transB, 1, a, b, 1, d))
			}
		}
		must(t, Gram(ctx, 1, a, b, c), Gram(ctx, 1, a, b, d))
		w := randomCSR[T](rnd, n, n, 3)
		w.Ptr, w.Col, w.Val = guarded(t, w.Ptr), guarded(t, w.Col), guarded(t, w.Val)
		must(t, SpMMAdd(ctx, c, w, a, 2, b))
		near, far := Dense[T](n, 2), Dense[T](n, 2)
		must(t, SpMM(ctx, near, w, Rows(big, 0, n)))
		w.Cols = big.Rows
		must(t, SpMM(ctx, far, w, big))
		if !slices.Equal(near.Data, far.Data) {
			t.Fatalf("%d rows: %v of a large matrix, %v of its beginning", n, far.Data, near.Data)
		}
		four := guardedDense[T](t, rnd, 4, n)
		x, y := guardedDense[T](t, rnd, 1, n), guardedDense[T](t, rnd, 1, n)
		Symv4(four.Data, four.Stride, [4]T{1, 2, 3, 4}, x.Data, y.Data)
		diagonal, squares := guarded(t, make([]float64, n)), guarded(t, make([]float64, n))
		SturmCounts(diagonal, squares, &[SturmLanes]float64{}, 0x1p-1022)
		must(t, Convert(ctx, d, a), Convert(ctx, a, d))
	}
	for _, n := range []int{16, 48, 128, 144, 256} {
		x, y := guardedDense[float32](t, rnd, 1, n), guardedDense[float32](t, rnd, 2, n)
		list, numbers := guarded(t, []int32{1, 0, 1}), guarded(t, make([]float32, 3))
		FetchRows(y, list)
		RowDots(numbers, x.Data, y, list)
		RowSteps(numbers, x.Data, y, list)
	}
	// Larger than what is multiplied as it lies.
	a, b, c := guardedDense[T](t, rnd, 260, 300), guardedDense[T](t, rnd, 300, 77), guardedDense[T](t, rnd, 260, 77)
	d := guardedDense[float64](t, rnd, 260, 77)
	must(t, Gemm(ctx, false, false, 1, a, b, 0, c), Gemm(ctx, false, false, 1, a, b, 0, d))
}
