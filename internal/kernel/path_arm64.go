//go:build !noasm

package kernel

import (
	"unsafe"

	"coles/internal/parallel"
)

// pathNEON is for every machine with arm64, of which NEON is a part.
var pathNEON = path{
	name:   "neon",
	double: shape{rows: 8, lanes: 2, vecs: 3, maskedVecs: 3, packs: true},
	single: shape{rows: 8, lanes: 4, vecs: 3, maskedVecs: 3, packs: true},
}

// available lists the paths that this machine supports, the best first.
func available() []*path { return []*path{&pathNEON, &portable} }

// The following functions hand each loop to Go or to the assembly of the types in use.

// tile sets c = alpha·a·b + beta·c. c is rows × cols with its rows cRow apart. a has k columns aStep apart, on this path of
// numbers next to each other. b has k rows bStep apart, the last vector of each filled up. With beta = 0, c is not read. rows
// is a power of two. S is T, or float32 where T is float64. While it computes, it fetches next, if the tile has the most rows.
func tile[S, T Float](p *path, rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T, next ahead[S]) {
	if p == &portable {
		portableTile(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
		return
	}
	lanes, same := shapeOf[S](p).lanes, isDouble[S]() == isDouble[T]()
	if same && cols%lanes == 0 {
		wholeTile(rows, cols, k, a, aStep, b, bStep, (*S)(unsafe.Pointer(&c[0])), cRow, S(alpha), S(beta), next)
		return
	}
	var sums [8 * 12]S // the largest tile
	width := parallel.Pieces(cols, lanes) * lanes
	if same {
		wholeTile(rows, width, k, a, aStep, b, bStep, &sums[0], width, S(alpha), 0, next)
		for i := range rows {
			out := c[i*cRow:][:cols]
			add(beta, out, unsafe.Slice((*T)(unsafe.Pointer(&sums[i*width])), cols))
		}
		return
	}
	// The terms of one call are summed in float32, the calls in float64.
	wholeTile(rows, width, k, a, aStep, b, bStep, &sums[0], width, 1, 0, next)
	if width == cols {
		accumulateFloat32NEON(rows, cols, f32(&sums[0]), f64(&c[0]), cRow, float64(alpha), float64(beta))
		return
	}
	for i := range rows {
		accumulateFloat32NEON(1, cols, f32(&sums[i*width]), f64(&c[i*cRow]), 0, float64(alpha), float64(beta))
	}
}

// wholeTile is a tile of whole vectors.
func wholeTile[S Float](rows, cols, k int, a []S, aStep int, b []S, bStep int, c *S, cRow int, alpha, beta S, next ahead[S]) {
	a0, b0, n0 := &a[0], &b[0], &a[0]
	if next.data != nil {
		n0 = &next.data[0]
	}
	if isDouble[S]() {
		tileFloat64NEON(rows, cols, k, f64(a0), 1, aStep, f64(b0), bStep, f64(c), cRow, float64(alpha), float64(beta), f64(n0), next.step, next.turn)
	} else {
		tileFloat32NEON(rows, cols, k, f32(a0), 1, aStep, f32(b0), bStep, f32(c), cRow, float32(alpha), float32(beta), f32(n0), next.step, next.turn)
	}
}

// accumulate is portableAccumulate on slices that are not empty.
func accumulate[S, T Float](p *path, to []T, from []S, more bool) {
	if p == &portable || isDouble[S]() == isDouble[T]() {
		portableAccumulate(to, from, more)
		return
	}
	beta := 0.0
	if more {
		beta = 1
	}
	accumulateFloat32NEON(1, len(from), f32(&from[0]), f64(&to[0]), 0, 1, beta)
}

// pack copies k rows of count numbers, at most a tile's width, that lie fromRow apart, to where
// they lie toRow apart, and fills the last vector up with zeros.
func pack[S Float](p *path, k, count int, from []S, fromRow int, to []S, toRow int) {
	switch {
	case p == &portable:
		portablePack(k, count, from, fromRow, to, toRow)
	case isDouble[S]():
		packFloat64NEON(k, count, f64(&from[0]), fromRow, f64(&to[0]), toRow)
	default:
		packFloat32NEON(k, count, f32(&from[0]), fromRow, f32(&to[0]), toRow)
	}
}

// spmmKernel is spmmRows by pointers.
func spmmKernel[T Float](_ *path, rows int, ptr *int64, col *int32, val *T, end int, x *T, xRow, width int, dst *T, dstRow int, z *T, zRow int, c T, fetch int) {
	if isDouble[T]() {
		spmmFloat64NEON(rows, ptr, col, f64(val), end, f64(x), xRow, width, f64(dst), dstRow, f64(z), zRow, float64(c), fetch)
	} else {
		spmmFloat32NEON(rows, ptr, col, f32(val), end, f32(x), xRow, width, f32(dst), dstRow, f32(z), zRow, float32(c), fetch)
	}
}

// symv4 is Symv4 on slices that are not empty.
func symv4[T Float](p *path, a []T, stride int, m *[4]T, x, y []T, s *[4]T) {
	switch {
	case p == &portable:
		portableSymv4(a, stride, m, x, y, s)
	case isDouble[T]():
		symv4Float64NEON(len(x), f64(&a[0]), stride, f64(&x[0]), f64(&y[0]), f64(&m[0]), f64(&s[0]))
	default:
		symv4Float32NEON(len(x), f32(&a[0]), stride, f32(&x[0]), f32(&y[0]), f32(&m[0]), f32(&s[0]))
	}
}

// sturm is SturmCounts of a matrix that is not empty.
func (p *path) sturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	if p == &portable {
		portableSturm(d, squares, x, pivot, count)
		return
	}
	sturmFloat64NEON(len(d), &d[0], &squares[0], &x[0], pivot, &count[0])
}

// convert is portableConvert on slices that are not empty.
func convert[D, S Float](p *path, dst []D, src []S) {
	n, to, from := len(src), &dst[0], &src[0]
	switch {
	case p == &portable || isDouble[D]() == isDouble[S]():
		portableConvert(dst, src)
	case isDouble[S]():
		narrowFloat32NEON(n, f64(from), f32(to))
	default:
		widenFloat32NEON(n, f32(from), f64(to))
	}
}

// exp is portableExp on slices that are not empty.
func exp[T Float](p *path, dst, x []T, scale, shift T) {
	if p == &portable || isDouble[T]() {
		portableExp(dst, x, scale, shift)
		return
	}
	expFloat32NEON(len(x), f32(&x[0]), f32(&dst[0]), float32(scale), float32(shift))
}

// rowDots is portableRowDots on at least one row.
func rowDots(p *path, dots, x []float32, y Matrix[float32], rows []int32) {
	if p == &portable {
		portableRowDots(dots, x, y, rows)
		return
	}
	rowDotsFloat32NEON(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols, &x[0], &dots[0])
}

// rowSteps is portableRowSteps on at least one row.
func rowSteps(p *path, m, x []float32, y Matrix[float32], rows []int32) {
	if p == &portable {
		portableRowSteps(m, x, y, rows)
		return
	}
	rowStepsFloat32NEON(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols, &x[0], &m[0])
}

// rowFetch has at least one row fetched, where there is an instruction for it.
func rowFetch(p *path, y Matrix[float32], rows []int32) {
	if p != &portable {
		rowFetchFloat32NEON(len(rows), &rows[0], &y.Data[0], y.Stride, y.Cols)
	}
}
