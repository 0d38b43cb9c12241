package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// View is the rows × cols part of a whose first entry is a[i, j]. It shares
// memory with a; an empty part shares none.
func View(a blas64.General, i, j, rows, cols int) blas64.General {
	if i < 0 || j < 0 || rows < 0 || cols < 0 || i+rows > a.Rows || j+cols > a.Cols {
		panic(fmt.Sprintf("kernel: view %d×%d at (%d, %d) of a %d×%d matrix", rows, cols, i, j, a.Rows, a.Cols))
	}
	v := blas64.General{Rows: rows, Cols: cols, Stride: max(1, a.Stride)}
	if rows > 0 && cols > 0 {
		lo := i*a.Stride + j
		v.Data = a.Data[lo : lo+(rows-1)*a.Stride+cols]
	}
	return v
}

// Dense is a new rows × cols matrix of zeros without padding.
func Dense(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float64, rows*cols)}
}

// row is row i of a.
func row(a blas64.General, i int) []float64 {
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// MirrorUpper copies the part of the square matrix c above its diagonal to
// below it, in squares so that neither side is read against the grain for long.
func MirrorUpper(c blas64.General) {
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
