//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

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

// The following functions hand each loop to the assembly of the path and the types in use. They
// compare instead of calling a function value, which would move their arguments to the heap.

// tile sets c = alpha·a·b + beta·c. c is rows × cols with its rows cRow apart. a has k columns aStep apart, in which the rows
// are aRow apart, and b has k rows bStep apart. With beta = 0, c is not read. rows is a power of two. S is T, or float32 where
// T is float64. While it computes, it fetches next, if the tile has the most rows.
func tile[S, T Float](p *path, rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T, next ahead[S]) {
	const line = 16 // numbers of float32
	a0, b0, c0, n0 := &a[0], &b[0], &c[0], &a[0]
	if next.data != nil {
		n0 = &next.data[0]
	}
	switch {
	case p == &portable:
		portableTile(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
	case isDouble[S]() && p == &pathAVX512:
		tileFloat64AVX512(rows, cols, k, f64(a0), aRow, aStep, f64(b0), bStep, f64(c0), cRow, float64(alpha), float64(beta), f64(n0), next.step, next.turn)
	case isDouble[S]():
		tileFloat64AVX2(rows, cols, k, f64(a0), aRow, aStep, f64(b0), bStep, f64(c0), cRow, float64(alpha), float64(beta), f64(n0), next.step, next.turn)
	case isDouble[T]() && p == &pathAVX512:
		// The terms of one call are summed in float32, the calls in float64.
		var sums [8 * 48]float32 // the largest tile
		rowFetchFloat32AVX512(rows, &tileRows[0], f32(c0), 2*cRow, 2*cols+line)
		tileFloat32AVX512(rows, cols, k, f32(a0), aRow, aStep, f32(b0), bStep, &sums[0], cols, 1, 0, f32(n0), next.step, next.turn)
		accumulateFloat32AVX512(rows, cols, &sums[0], f64(c0), cRow, float64(alpha), float64(beta))
	case isDouble[T]():
		var sums [4 * 24]float32
		rowFetchFloat32AVX2(rows, &tileRows[0], f32(c0), 2*cRow, 2*cols+line)
		tileFloat32AVX2(rows, cols, k, f32(a0), aRow, aStep, f32(b0), bStep, &sums[0], cols, 1, 0, f32(n0), next.step, next.turn)
		accumulateFloat32AVX2(rows, cols, &sums[0], f64(c0), cRow, float64(alpha), float64(beta))
	case p == &pathAVX512:
		tileFloat32AVX512(rows, cols, k, f32(a0), aRow, aStep, f32(b0), bStep, f32(c0), cRow, float32(alpha), float32(beta), f32(n0), next.step, next.turn)
	default:
		tileFloat32AVX2(rows, cols, k, f32(a0), aRow, aStep, f32(b0), bStep, f32(c0), cRow, float32(alpha), float32(beta), f32(n0), next.step, next.turn)
	}
}

// tileRows are the rows of a tile in float64 that are fetched while their sums are computed, with a line
// more each: they do not begin with one.
var tileRows = [8]int32{0, 1, 2, 3, 4, 5, 6, 7}

// accumulate is portableAccumulate on slices that are not empty.
func accumulate[S, T Float](p *path, to []T, from []S, more bool) {
	beta := 0.0
	if more {
		beta = 1
	}
	switch {
	case p == &portable || isDouble[S]() == isDouble[T]():
		portableAccumulate(to, from, more)
	case p == &pathAVX512:
		accumulateFloat32AVX512(1, len(from), f32(&from[0]), f64(&to[0]), 0, 1, beta)
	default:
		accumulateFloat32AVX2(1, len(from), f32(&from[0]), f64(&to[0]), 0, 1, beta)
	}
}

// pack copies k rows of count numbers, at most a tile's width, that lie fromRow apart, to where
// they lie toRow apart, and fills the last vector up with zeros.
func pack[S Float](p *path, k, count int, from []S, fromRow int, to []S, toRow int) {
	switch {
	case p == &portable:
		portablePack(k, count, from, fromRow, to, toRow)
	case isDouble[S]() && p == &pathAVX512:
		packFloat64AVX512(k, count, f64(&from[0]), fromRow, f64(&to[0]), toRow)
	case isDouble[S]():
		packFloat64AVX2(k, count, f64(&from[0]), fromRow, f64(&to[0]), toRow)
	case p == &pathAVX512:
		packFloat32AVX512(k, count, f32(&from[0]), fromRow, f32(&to[0]), toRow)
	default:
		packFloat32AVX2(k, count, f32(&from[0]), fromRow, f32(&to[0]), toRow)
	}
}

// spmmKernel is spmmRows by pointers.
func spmmKernel[T Float](p *path, rows int, ptr *int64, col *int32, val *T, end int, x *T, xRow, width int, dst *T, dstRow int, z *T, zRow int, c T, fetch int) {
	switch {
	case isDouble[T]() && p == &pathAVX512:
		spmmFloat64AVX512(rows, ptr, col, f64(val), end, f64(x), xRow, width, f64(dst), dstRow, f64(z), zRow, float64(c), fetch)
	case isDouble[T]():
		spmmFloat64AVX2(rows, ptr, col, f64(val), end, f64(x), xRow, width, f64(dst), dstRow, f64(z), zRow, float64(c), fetch)
	case p == &pathAVX512:
		spmmFloat32AVX512(rows, ptr, col, f32(val), end, f32(x), xRow, width, f32(dst), dstRow, f32(z), zRow, float32(c), fetch)
	default:
		spmmFloat32AVX2(rows, ptr, col, f32(val), end, f32(x), xRow, width, f32(dst), dstRow, f32(z), zRow, float32(c), fetch)
	}
}

// symv4 is Symv4 on slices that are not empty.
func symv4[T Float](p *path, a []T, stride int, m *[4]T, x, y []T, s *[4]T) {
	switch {
	case p == &portable:
		portableSymv4(a, stride, m, x, y, s)
	case isDouble[T]() && p == &pathAVX512:
		symv4Float64AVX512(len(x), f64(&a[0]), stride, f64(&x[0]), f64(&y[0]), f64(&m[0]), f64(&s[0]))
	case isDouble[T]():
		symv4Float64AVX2(len(x), f64(&a[0]), stride, f64(&x[0]), f64(&y[0]), f64(&m[0]), f64(&s[0]))
	case p == &pathAVX512:
		symv4Float32AVX512(len(x), f32(&a[0]), stride, f32(&x[0]), f32(&y[0]), f32(&m[0]), f32(&s[0]))
	default:
		symv4Float32AVX2(len(x), f32(&a[0]), stride, f32(&x[0]), f32(&y[0]), f32(&m[0]), f32(&s[0]))
	}
}

// sturm is SturmCounts of a matrix that is not empty.
func (p *path) sturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	switch p {
	case &pathAVX512:
		sturmFloat64AVX512(len(d), &d[0], &squares[0], &x[0], pivot, &count[0])
	case &pathAVX2:
		sturmFloat64AVX2(len(d), &d[0], &squares[0], &x[0], pivot, &count[0])
	default:
		portableSturm(d, squares, x, pivot, count)
	}
}

// convert is portableConvert on slices that are not empty.
func convert[D, S Float](p *path, dst []D, src []S) {
	n, to, from := len(src), &dst[0], &src[0]
	switch {
	case p == &portable || isDouble[D]() == isDouble[S]():
		portableConvert(dst, src)
	case isDouble[S]() && p == &pathAVX512:
		narrowFloat32AVX512(n, f64(from), f32(to))
	case isDouble[S]():
		narrowFloat32AVX2(n, f64(from), f32(to))
	case p == &pathAVX512:
		widenFloat32AVX512(n, f32(from), f64(to))
	default:
		widenFloat32AVX2(n, f32(from), f64(to))
	}
}

// exp is portableExp on slices that are not empty.
func exp[T Float](p *path, dst, x []T, scale, shift T) {
	switch {
	case p == &portable || isDouble[T]():
		portableExp(dst, x, scale, shift)
	case p == &pathAVX512:
		expFloat32AVX512(len(x), f32(&x[0]), f32(&dst[0]), float32(scale), float32(shift))
	default:
		expFloat32AVX2(len(x), f32(&x[0]), f32(&dst[0]), float32(scale), float32(shift))
	}
}

// rowDots is portableRowDots on at least one row.
func rowDots(p *path, dots, x []float32, y Matrix[float32], rows []int32) {
	switch p {
	case &pathAVX512:
		rowDotsFloat32AVX512(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols, &x[0], &dots[0])
	case &pathAVX2:
		rowDotsFloat32AVX2(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols, &x[0], &dots[0])
	default:
		portableRowDots(dots, x, y, rows)
	}
}

// rowSteps is portableRowSteps on at least one row.
func rowSteps(p *path, m, x []float32, y Matrix[float32], rows []int32) {
	switch p {
	case &pathAVX512:
		rowStepsFloat32AVX512(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols, &x[0], &m[0])
	case &pathAVX2:
		rowStepsFloat32AVX2(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols, &x[0], &m[0])
	default:
		portableRowSteps(m, x, y, rows)
	}
}

// rowFetch has at least one row fetched, where there is an instruction for it.
func rowFetch(p *path, y Matrix[float32], rows []int32) {
	switch p {
	case &pathAVX512:
		rowFetchFloat32AVX512(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols)
	case &pathAVX2:
		rowFetchFloat32AVX2(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols)
	}
}
