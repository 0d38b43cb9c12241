package kernel

import (
	"context"
	"fmt"

	"coles/internal/parallel"
)

// View is the rows × cols part of a whose first entry is a[i, j]. It shares
// memory with a; an empty part shares none.
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
		copy(row(dst, i), row(src, i))
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

// row is row i of a.
func row[T Float](a Matrix[T], i int) []T {
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// MirrorUpper copies the part of the square matrix c above its diagonal to
// below it, in squares so that neither side is read against the grain for long.
func MirrorUpper[T Float](c Matrix[T]) {
	const square = 32
	n := c.Rows
	for i0 := 0; i0 < n; i0 += square {
		for j0 := i0; j0 < n; j0 += square {
			for i := i0; i < min(n, i0+square); i++ {
				for j := max(i+1, j0); j < min(n, j0+square); j++ {
					c.Data[j*c.Stride+i] = c.Data[i*c.Stride+j]
				}
			}
		}
	}
}
