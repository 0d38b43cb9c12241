package kernel

import (
	"context"
	"fmt"
	"sort"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// tileCols columns of a result row are summed at once, in registers: as
	// many as leave room for the factor on a machine with sixteen of them.
	tileCols = 8

	// spmmTask is the number of multiplications in one block of rows: below a
	// millisecond, far above the cost of handing a task out.
	spmmTask = 1 << 19

	// segment is the number of entries of one row summed between two looks at
	// the context: a row may have as many entries as the matrix has columns.
	segment = 1 << 14
)

// SpMM computes dst = a·x for a sparse a (m × n) and a dense x (n × d), dst
// being m × d, in O((entries + m)·d).
func SpMM(ctx context.Context, dst blas64.General, a *CSR, x blas64.General) error {
	return spmm(ctx, dst, a, x, 0, blas64.General{})
}

// SpMMAdd computes dst = a·x + c·z, z being added while each piece of dst is
// in registers: one step of Horner's rule for a polynomial of a.
func SpMMAdd(ctx context.Context, dst blas64.General, a *CSR, x blas64.General, c float64, z blas64.General) error {
	if z.Rows != dst.Rows || z.Cols != dst.Cols {
		panic(fmt.Sprintf("kernel: %d×%d added to a product %d×%d", z.Rows, z.Cols, dst.Rows, dst.Cols))
	}
	return spmm(ctx, dst, a, x, c, z)
}

func spmm(ctx context.Context, dst blas64.General, a *CSR, x blas64.General, c float64, z blas64.General) error {
	if dst.Rows != a.Rows || x.Rows != a.Cols || dst.Cols != x.Cols {
		panic(fmt.Sprintf("kernel: %d×%d times %d×%d into %d×%d", a.Rows, a.Cols, x.Rows, x.Cols, dst.Rows, dst.Cols))
	}
	if a.Rows == 0 || x.Cols == 0 {
		return ctx.Err()
	}
	// A row costs its entries and one more, so that empty rows, which have to
	// be cleared, weigh something.
	weight := func(i int) int { return int(a.Ptr[i]) + i }
	total := weight(a.Rows)
	blocks := min(a.Rows, 1+total/max(1, spmmTask/x.Cols))
	start := func(b int) int {
		share := int(float64(total) / float64(blocks) * float64(b))
		return sort.Search(a.Rows, func(i int) bool { return weight(i) >= share })
	}
	return parallel.For(ctx, blocks, func(b int) {
		hi := a.Rows
		if b+1 < blocks {
			hi = start(b + 1)
		}
		for i := start(b); i < hi; i++ {
			if !spmmRow(ctx, i, dst, a, x, c, z) {
				return
			}
		}
	})
}

// spmmRow computes row i and reports whether it was finished.
func spmmRow(ctx context.Context, i int, dst blas64.General, a *CSR, x blas64.General, c float64, z blas64.General) bool {
	cols, vals := a.Row(i)
	out := row(dst, i)
	var add []float64
	if z.Rows > 0 {
		add = row(z, i)
	}
	j := 0
	for ; j+tileCols <= len(out); j += tileCols {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for lo := 0; lo < len(cols); lo += segment {
			if lo > 0 && ctx.Err() != nil {
				return false
			}
			hi := min(len(cols), lo+segment)
			part := vals[lo:hi]
			for q, col := range cols[lo:hi] {
				v := part[q]
				at := int(col)*x.Stride + j
				p := x.Data[at : at+tileCols : at+tileCols]
				s0 += v * p[0]
				s1 += v * p[1]
				s2 += v * p[2]
				s3 += v * p[3]
				s4 += v * p[4]
				s5 += v * p[5]
				s6 += v * p[6]
				s7 += v * p[7]
			}
		}
		if add != nil {
			t := add[j : j+tileCols : j+tileCols]
			s0 += c * t[0]
			s1 += c * t[1]
			s2 += c * t[2]
			s3 += c * t[3]
			s4 += c * t[4]
			s5 += c * t[5]
			s6 += c * t[6]
			s7 += c * t[7]
		}
		o := out[j : j+tileCols : j+tileCols]
		o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = s0, s1, s2, s3, s4, s5, s6, s7
	}
	for ; j < len(out); j++ {
		s := 0.0
		for q, col := range cols {
			if q%segment == segment-1 && ctx.Err() != nil {
				return false
			}
			s += vals[q] * x.Data[int(col)*x.Stride+j]
		}
		if add != nil {
			s += c * add[j]
		}
		out[j] = s
	}
	return true
}
