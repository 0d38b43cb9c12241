//go:build !noasm

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var (
	pathAVX512 = path{
		name:   "avx512",
		double: shape{rows: 8, lanes: 8, vecs: 3, maskedVecs: 3},
		single: shape{rows: 8, lanes: 16, vecs: 3, maskedVecs: 3},
	}
	pathAVX2 = path{
		name:   "avx2",
		double: shape{rows: 4, lanes: 4, vecs: 3, maskedVecs: 2},
		single: shape{rows: 4, lanes: 8, vecs: 3, maskedVecs: 2},
	}
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

// The functions choose by a switch and not by a function value, for which
// whatever they point to would have to lie on the heap.

// double is the same pointer where T is float64, as the caller has made sure.
func double[T Float](p *T) *float64 { return (*float64)(unsafe.Pointer(p)) }

// tile sets c = alpha·a·b + beta·c, where c is rows × cols with its rows cRow
// apart, a has k columns aStep apart in which the rows are aRow apart, and b has
// k rows bStep apart. With beta = 0, c is not read. rows is a power of two.
func tile[S, T Float](p *path, rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T) {
	switch p {
	case &pathAVX512:
		tileAVX512(rows, cols, k, double(&a[0]), aRow, aStep, double(&b[0]), bStep, double(&c[0]), cRow, float64(alpha), float64(beta))
	case &pathAVX2:
		tileAVX2(rows, cols, k, double(&a[0]), aRow, aStep, double(&b[0]), bStep, double(&c[0]), cRow, float64(alpha), float64(beta))
	default:
		portableTile(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
	}
}

// pack copies k rows of count numbers, at most a tile's width, that lie fromRow
// apart, to where they lie toRow apart, and fills the last vector up with zeros.
func pack[S Float](p *path, k, count int, from []S, fromRow int, to []S, toRow int) {
	switch p {
	case &pathAVX512:
		packAVX512(k, count, double(&from[0]), fromRow, double(&to[0]), toRow)
	case &pathAVX2:
		packAVX2(k, count, double(&from[0]), fromRow, double(&to[0]), toRow)
	default:
		portablePack(k, count, from, fromRow, to, toRow)
	}
}

// spmmRows sets the rows lo to hi of dst to those of a·x, plus c·z if z has any.
func spmmRows[T Float](p *path, lo, hi int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	if p == &portable || !isDouble[T]() {
		portableSpMM(lo, hi, dst, a, x, c, z)
		return
	}
	// Where there are no entries no address of any is read.
	var col *int32
	var val, xFirst, zFirst *T
	end, zStride := int(a.Ptr[hi]), 0
	if a.Ptr[lo] < a.Ptr[hi] {
		col, val, xFirst = &a.Col[0], &a.Val[0], &x.Data[0]
	}
	if z.Rows > 0 {
		zFirst, zStride = &z.Data[lo*z.Stride], z.Stride
	}
	to := &dst.Data[lo*dst.Stride]
	if p == &pathAVX512 {
		spmmAVX512(hi-lo, &a.Ptr[lo], col, double(val), end, double(xFirst), x.Stride, dst.Cols, double(to), dst.Stride, double(zFirst), zStride, float64(c))
		return
	}
	spmmAVX2(hi-lo, &a.Ptr[lo], col, double(val), end, double(xFirst), x.Stride, dst.Cols, double(to), dst.Stride, double(zFirst), zStride, float64(c))
}

// symv4 is Symv4 on slices that are not empty.
func symv4[T Float](p *path, a []T, stride int, m *[4]T, x, y []T, s *[4]T) {
	if !isDouble[T]() {
		p = &portable
	}
	switch p {
	case &pathAVX512:
		symv4AVX512(len(x), double(&a[0]), stride, double(&x[0]), double(&y[0]), double(&m[0]), double(&s[0]))
	case &pathAVX2:
		symv4AVX2(len(x), double(&a[0]), stride, double(&x[0]), double(&y[0]), double(&m[0]), double(&s[0]))
	default:
		portableSymv4(a, stride, m, x, y, s)
	}
}
