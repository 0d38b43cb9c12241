//go:build (amd64 || arm64) && !noasm

package kernel

import "unsafe"

// f64 is the same pointer; T must be float64.
func f64[T Float](p *T) *float64 { return (*float64)(unsafe.Pointer(p)) }

// f32 is the same pointer; T must be float32.
func f32[T Float](p *T) *float32 { return (*float32)(unsafe.Pointer(p)) }

// spmm fetches rows of x ahead if x has more bytes than caches may hold, and a row so few that the processor does not fetch by
// itself. Elsewhere that would cost up to a quarter of the time.
const (
	spmmCached = 16 << 20
	spmmNarrow = 512
)

// spmmRows sets the rows lo to hi of dst to rows of a·x, plus c·z if z has rows.
func spmmRows[T Float](p *path, lo, hi int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	if p == &portable {
		portableSpMM(lo, hi, dst, a, x, c, z)
		return
	}
	// Without entries there is nothing to point to.
	var col *int32
	var val, x0, z0 *T
	rows, end, zRow := hi-lo, int(a.Ptr[hi]), 0
	if a.Ptr[lo] < a.Ptr[hi] {
		col, val, x0 = &a.Col[0], &a.Val[0], &x.Data[0]
	}
	if z.Rows > 0 {
		z0, zRow = &z.Data[lo*z.Stride], z.Stride
	}
	fetch := 0
	if size := int(unsafe.Sizeof(c)); size*x.Cols <= spmmNarrow && size*x.Rows*x.Cols > spmmCached {
		fetch = 1
	}
	spmmKernel(p, rows, &a.Ptr[lo], col, val, end, x0, x.Stride, dst.Cols, &dst.Data[lo*dst.Stride], dst.Stride, z0, zRow, c, fetch)
}
