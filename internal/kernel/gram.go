package kernel

import (
	"context"
	"fmt"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// gramTile is the side of the squares of the result, one task each.
	gramTile = 64

	// gramSlab is the least number of rows in one of the slabs into which
	// long sums are cut when the result has few squares.
	gramSlab = 1024

	// gramTasks is the number of tasks below which sums are cut: enough for
	// sixteen processors to end at about the same time.
	gramTasks = 64
)

// Gram adds alpha·aᵀ·b, known to be symmetric, to the square matrix c:
// a and b are r × n, c is n × n. Only the diagonal of c and what lies above it
// is read and written, for half the work of a product: r·n² operations. A small
// result of long sums (n < 700, r > 1024) takes up to 64 times n² numbers of
// memory for partial sums, fewer the larger n is.
func Gram(ctx context.Context, alpha float64, a, b, c blas64.General) error {
	r, n := a.Rows, a.Cols
	if b.Rows != r || b.Cols != n || c.Rows != n || c.Cols != n {
		panic(fmt.Sprintf("kernel: (%d×%d)ᵀ times %d×%d into %d×%d", r, n, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	if r == 0 || n == 0 {
		return ctx.Err()
	}
	tiles := upperTiles(n)
	slabs := min(ceilDiv(gramTasks, len(tiles)), ceilDiv(r, gramSlab))
	height := ceilDiv(r, slabs)
	slabs = ceilDiv(r, height)
	if slabs == 1 {
		return parallel.For(ctx, len(tiles), func(t int) {
			gramTask(ctx, alpha, a, b, tiles[t], 0, r, c)
		})
	}
	part := make([]blas64.General, slabs)
	for s := range part {
		part[s] = Dense(n, n)
	}
	if err := parallel.For(ctx, slabs*len(tiles), func(t int) {
		s := t / len(tiles)
		gramTask(ctx, alpha, a, b, tiles[t%len(tiles)], s*height, min(r, (s+1)*height), part[s])
	}); err != nil {
		return err
	}
	// The slabs are added in their order, whoever computed them.
	return parallel.Ranges(ctx, n, gramTile, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, p := range part {
				blas64.Axpy(1, upperRow(p, i), upperRow(c, i))
			}
		}
	})
}

// upperRow is row i of c from the diagonal on.
func upperRow(c blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: c.Cols - i, Inc: 1, Data: row(c, i)[i:]}
}

// upperTiles lists the corners of the squares on and above the diagonal.
func upperTiles(n int) [][2]int {
	side := ceilDiv(n, gramTile)
	tiles := make([][2]int, 0, side*(side+1)/2)
	for i := 0; i < n; i += gramTile {
		for j := i; j < n; j += gramTile {
			tiles = append(tiles, [2]int{i, j})
		}
	}
	return tiles
}

// gramTask adds the rows lo to hi of the sums of one square of c.
func gramTask(ctx context.Context, alpha float64, a, b blas64.General, corner [2]int, lo, hi int, c blas64.General) {
	i, j := corner[0], corner[1]
	rows, cols := min(gramTile, c.Rows-i), min(gramTile, c.Cols-j)
	tile := View(c, i, j, rows, cols)
	onDiagonal := i == j
	if onDiagonal {
		// What lies below the diagonal belongs to the caller.
		var square [gramTile * gramTile]float64
		tile = blas64.General{Rows: rows, Cols: cols, Stride: gramTile, Data: square[:]}
	}
	for ; lo < hi && ctx.Err() == nil; lo += gemmInner {
		inner := min(gemmInner, hi-lo)
		blas64.Gemm(blas.Trans, blas.NoTrans, alpha, View(a, lo, i, inner, rows), View(b, lo, j, inner, cols), 1, tile)
	}
	if onDiagonal {
		square := View(c, i, i, rows, rows)
		for q := range rows {
			blas64.Axpy(1, upperRow(tile, q), upperRow(square, q))
		}
	}
}
