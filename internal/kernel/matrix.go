// Package kernel holds the inner loops: products of sparse and dense matrices, and the innermost
// loops of the eigensolvers.
//
// Dense matrices are row-major, of float64 or float32, possibly with padding between the rows, which is neither read
// nor written. A product writes into a destination that must not overlap its other arguments. Every sum is taken in
// an order fixed by the sizes alone, and every entry of a result is written by one task. So the bytes are the same
// for every GOMAXPROCS. They depend on the path in use: assembly for AVX-512, AVX2 or NEON with fused
// multiplications, or Go. The path is chosen when the program starts (see [Path]); COLES_KERNEL=portable in the
// environment, or the build tag noasm, selects Go, which every machine has.
//
// The only error is the context's, noticed within some milliseconds; the destination then holds an
// unfinished result. Sizes that do not fit together are a mistake of the caller inside this module
// and panic.
package kernel

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"unsafe"

	"coles/internal/parallel"
)

//go:generate go run -C gen .

// Float is a type of numbers that the package computes with.
type Float interface{ float32 | float64 }

// Matrix is a dense matrix: entry (i, j) is Data[i·Stride + j], Stride ≥ Cols. Its fields are those
// of gonum's blas64.General and blas32.General, to and from which it converts for free.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T // row after row
	Stride     int // from one row to the next
}

// Row is row i.
func (a Matrix[T]) Row(i int) []T {
	if a.Cols == 0 {
		return nil
	}
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// isDouble is a constant wherever T is known.
func isDouble[T Float]() bool { return unsafe.Sizeof(T(0)) == 8 }

// View is the rows × cols part of a whose first entry is a[i, j]. It shares memory with a; an empty
// part shares none.
func View[T Float](a Matrix[T], i, j, rows, cols int) Matrix[T] {
	if i < 0 || j < 0 || rows < 0 || cols < 0 || i+rows > a.Rows || j+cols > a.Cols {
		panic(fmt.Sprintf("kernel: view %d×%d at (%d, %d) of a %d×%d matrix", rows, cols, i, j, a.Rows, a.Cols))
	}
	v := Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, a.Stride)}
	if rows > 0 && cols > 0 {
		lo := i*a.Stride + j
		v.Data = a.Data[lo : lo+(rows-1)*a.Stride+cols]
	}
	return v
}

// Columns is the part of a between two columns, [lo, hi).
func Columns[T Float](a Matrix[T], lo, hi int) Matrix[T] { return View(a, 0, lo, a.Rows, hi-lo) }

// Rows is the part of a between two rows, [lo, hi).
func Rows[T Float](a Matrix[T], lo, hi int) Matrix[T] { return View(a, lo, 0, hi-lo, a.Cols) }

// Copy copies src into dst, of the same size.
func Copy[T Float](dst, src Matrix[T]) {
	for i := range src.Rows {
		copy(dst.Row(i), src.Row(i))
	}
}

// Transposed is a new copy of aᵀ, made in squares that stay in cache.
func Transposed[T Float](ctx context.Context, a Matrix[T]) (Matrix[T], error) {
	const square = 32
	t := Unset[T](a.Cols, a.Rows)
	return t, parallel.Ranges(ctx, a.Rows, square, func(top, bottom int) {
		for left := 0; left < a.Cols; left += square {
			for j := left; j < min(a.Cols, left+square); j++ {
				for i := top; i < bottom; i++ {
					t.Data[j*t.Stride+i] = a.Data[i*a.Stride+j]
				}
			}
		}
	})
}

// Dense is a new rows × cols matrix of zeros without padding.
func Dense[T Float](rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]T, rows*cols)}
}

// MirrorUpper copies the upper triangle of the square matrix c to the lower one, in squares that
// stay in cache.
func MirrorUpper[T Float](c Matrix[T]) {
	eachAbove(c, func(upper, lower *T) { *lower = *upper })
}

// Symmetrize replaces the square matrix c by (c + cᵀ)/2.
func Symmetrize[T Float](c Matrix[T]) {
	eachAbove(c, func(upper, lower *T) {
		mean := (*upper + *lower) / 2
		*upper, *lower = mean, mean
	})
}

// eachAbove calls do for every entry above the diagonal of the square matrix c with the one that
// mirrors it.
func eachAbove[T Float](c Matrix[T], do func(upper, lower *T)) {
	const square = 32
	n := c.Rows
	for i0 := 0; i0 < n; i0 += square {
		for j0 := i0; j0 < n; j0 += square {
			for i := i0; i < min(n, i0+square); i++ {
				for j := max(i+1, j0); j < min(n, j0+square); j++ {
					do(&c.Data[i*c.Stride+j], &c.Data[j*c.Stride+i])
				}
			}
		}
	}
}

// Unset is a new rows × cols matrix without padding, of any values, to be written before it is
// read. [Dense] clears memory that was used before on one processor and without a look at the
// context, which for a gigabyte may take seconds.
func Unset[T Float](rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: unset[T](rows * cols)}
}

// unset is make([]T, n) of any values: the memory that a strings.Builder allocates is the only one
// that the standard library does not clear. Should that change, nothing is lost but time.
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

// The pools keep buffers for further use until the garbage collector empties them: fresh memory
// costs a page fault for every 4 KB. There is a pool for every size class.
var buffers32, buffers64 [4 * bits.UintSize]sync.Pool

func buffers[T Float]() *[4 * bits.UintSize]sync.Pool {
	if isDouble[T]() {
		return &buffers64
	}
	return &buffers32
}

// SizeClass returns the smallest of the sizes 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, … that is not
// below n, and its index.
func SizeClass(n int) (class, size int) {
	const first = 4
	if n <= first {
		return 0, first
	}
	shift := bits.Len(uint(n-1)) - 3 // n−1 is 4 to 7 times this power of two
	quarters := (n - 1) >> shift
	return 4*shift + quarters + 1 - first, (quarters + 1) << shift
}

// borrow returns n numbers of any values, to be given back.
func borrow[T Float](n int) *[]T {
	class, size := SizeClass(n)
	b, ok := buffers[T]()[class].Get().(*[]T)
	if !ok {
		fresh := unset[T](size)
		b = &fresh
	}
	*b = (*b)[:n]
	return b
}

// giveBack ends the use of borrowed numbers.
func giveBack[T Float](b *[]T) {
	class, _ := SizeClass(cap(*b))
	buffers[T]()[class].Put(b)
}

// Scratch returns a rows × cols matrix of any values, for use until release is called.
func Scratch[T Float](rows, cols int) (m Matrix[T], release func()) {
	b := borrow[T](rows * cols)
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: *b}, func() { giveBack(b) }
}

// InRoom is [Scratch] in float64, within room if that is large enough. It returns the rest of room.
func InRoom[T Float](room []T, rows, cols int) (m Matrix[float64], rest []T, release func()) {
	size := int(unsafe.Sizeof(T(0)))
	if need := 8 * rows * cols; need > 0 && need <= size*len(room) && uintptr(unsafe.Pointer(&room[0]))%8 == 0 {
		data := unsafe.Slice((*float64)(unsafe.Pointer(&room[0])), rows*cols)
		return Matrix[float64]{Rows: rows, Cols: cols, Stride: cols, Data: data}, room[need/size:], func() {}
	}
	m, release = Scratch[float64](rows, cols)
	return m, room, release
}

// A Buffer keeps the storage of a matrix from one use to the next.
type Buffer[T Float] struct{ data []T }

// Sized is a matrix of any values, valid until the next call.
func (b *Buffer[T]) Sized(rows, cols int) Matrix[T] {
	if cap(b.data) < rows*cols {
		b.data = unset[T](rows * cols)
	}
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: b.data[:rows*cols]}
}
