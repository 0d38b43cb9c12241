//go:build !noasm

package kernel

import (
	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas/blas64"
)

var (
	pathAVX512 = path{name: "avx512", rows: 8, lanes: 8, vecs: 3, maskedVecs: 3}
	pathAVX2   = path{name: "avx2", rows: 4, lanes: 4, vecs: 3, maskedVecs: 2}
)

// available lists the paths that this machine supports, the best first.
func available() []*path {
	list := []*path{&portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		list = append([]*path{&pathAVX2}, list...)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
			list = append([]*path{&pathAVX512}, list...)
		}
	}
	return list
}

// The methods choose by a switch and not by a function value, for which
// whatever they point to would have to lie on the heap.

// tile sets c = alpha·a·b + beta·c, where c is rows × cols with its rows cRow
// apart, a has k columns aStep apart in which the rows are aRow apart, and b has
// k rows bStep apart. With beta = 0, c is not read. rows is a power of two.
func (p *path) tile(rows, cols, k int, a []float64, aRow, aStep int, b []float64, bStep int, c []float64, cRow int, alpha, beta float64) {
	switch p {
	case &pathAVX512:
		tileAVX512(rows, cols, k, &a[0], aRow, aStep, &b[0], bStep, &c[0], cRow, alpha, beta)
	case &pathAVX2:
		tileAVX2(rows, cols, k, &a[0], aRow, aStep, &b[0], bStep, &c[0], cRow, alpha, beta)
	default:
		portableTile(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
	}
}

// pack copies k rows of count numbers, at most a tile's width, that lie fromRow
// apart, to where they lie toRow apart, and fills the last vector up with zeros.
func (p *path) pack(k, count int, from []float64, fromRow int, to []float64, toRow int) {
	switch p {
	case &pathAVX512:
		packAVX512(k, count, &from[0], fromRow, &to[0], toRow)
	case &pathAVX2:
		packAVX2(k, count, &from[0], fromRow, &to[0], toRow)
	default:
		portablePack(k, count, from, fromRow, to, toRow)
	}
}

// spmm sets the rows lo to hi of dst to those of a·x, plus c·z if z has any.
func (p *path) spmm(lo, hi int, dst blas64.General, a *CSR, x blas64.General, c float64, z blas64.General) {
	if p == &portable {
		portableSpMM(lo, hi, dst, a, x, c, z)
		return
	}
	// Where there are no entries no address of any is read.
	var col *int32
	var val, xFirst, zFirst *float64
	end, zStride := int(a.Ptr[hi]), 0
	if a.Ptr[lo] < a.Ptr[hi] {
		col, val, xFirst = &a.Col[0], &a.Val[0], &x.Data[0]
	}
	if z.Rows > 0 {
		zFirst, zStride = &z.Data[lo*z.Stride], z.Stride
	}
	if p == &pathAVX512 {
		spmmAVX512(hi-lo, &a.Ptr[lo], col, val, end, xFirst, x.Stride, dst.Cols, &dst.Data[lo*dst.Stride], dst.Stride, zFirst, zStride, c)
		return
	}
	spmmAVX2(hi-lo, &a.Ptr[lo], col, val, end, xFirst, x.Stride, dst.Cols, &dst.Data[lo*dst.Stride], dst.Stride, zFirst, zStride, c)
}

// symv4 is Symv4 on slices that are not empty.
func (p *path) symv4(a []float64, stride int, m *[4]float64, x, y []float64, s *[4]float64) {
	switch p {
	case &pathAVX512:
		symv4AVX512(len(x), &a[0], stride, &x[0], &y[0], &m[0], &s[0])
	case &pathAVX2:
		symv4AVX2(len(x), &a[0], stride, &x[0], &y[0], &m[0], &s[0])
	default:
		portableSymv4(a, stride, m, x, y, s)
	}
}
