package eigen

import (
	"math"
	"unsafe"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// symv multiplies a symmetric matrix by vectors. The rows of its upper triangle are cut into strips
// of equal work; as each row also stands for a column, every strip sums into a vector of its own,
// and these are added in their order.
type symv[T kernel.Float] struct {
	a      kernel.Matrix[T]
	strips int
	sums   [symvStrips][]T
}

const (
	symvStrips = 16 // at most: more processors would wait for memory

	// A strip has at least this many bytes of the matrix: about 3 µs of work, several times what
	// handing it out costs.
	symvStrip = 1 << 17
)

// resize turns to another matrix, for which there is room in the sums.
func (s *symv[T]) resize(a kernel.Matrix[T]) {
	s.a, s.strips = a, 1
	for s.strips < symvStrips && a.Rows*a.Rows/2*int(unsafe.Sizeof(T(0))) >= 2*s.strips*symvStrip {
		s.strips *= 2
	}
}

// start is the first row of strip i: of the triangle, the rows from x·n on hold the share (1−x)².
func (s *symv[T]) start(i int) int {
	if i == s.strips {
		return s.a.Rows
	}
	return int(float64(s.a.Rows)*(1-math.Sqrt(1-float64(i)/float64(s.strips)))) &^ 3
}

// multiply computes what strip i contributes to a·v.
func (s *symv[T]) multiply(i int, v []T) {
	clear(s.sums[i][s.start(i):s.a.Rows])
	symvRows(s.a, s.start(i), s.start(i+1), v, s.sums[i])
}

// sum sets y[lo:hi] to the sum over the strips.
func (s *symv[T]) sum(lo, hi int, y []T) {
	copy(y[lo:hi], s.sums[0][lo:hi])
	for i := 1; i < s.strips; i++ {
		if from := max(lo, s.start(i)); from < hi {
			matrix.AddScaled(y[from:hi], 1, s.sums[i][from:hi])
		}
	}
}

// symvRows adds to y[lo:] what the rows lo to hi of the upper triangle of a contribute to a·v. Four
// rows are taken together, so that an entry of y is read and written once for four entries of a.
func symvRows[T kernel.Float](a kernel.Matrix[T], lo, hi int, v, y []T) {
	n := a.Rows
	v, y = v[:n], y[:n]
	i := lo
	for ; i+4 <= hi; i += 4 {
		symvCorner(a, i, v, y)
		s := kernel.Symv4(a.Data[i*a.Stride+i+4:], a.Stride, [4]T(v[i:]), v[i+4:], y[i+4:])
		for r, t := range s {
			y[i+r] += t
		}
	}
	for ; i < hi; i++ {
		symvRow(a, i, n, v, y)
	}
}

// symvCorner adds what the four rows from i on contribute where they cross the diagonal.
func symvCorner[T kernel.Float](a kernel.Matrix[T], i int, v, y []T) {
	r0, r1 := a.Data[i*a.Stride+i:][:4], a.Data[(i+1)*a.Stride+i:][:4]
	r2, r3 := a.Data[(i+2)*a.Stride+i:][:4], a.Data[(i+3)*a.Stride+i:][:4]
	x, s := v[i:][:4], y[i:][:4]
	s[0] += (r0[0]*x[0] + r0[1]*x[1]) + (r0[2]*x[2] + r0[3]*x[3])
	s[1] += (r0[1]*x[0] + r1[1]*x[1]) + (r1[2]*x[2] + r1[3]*x[3])
	s[2] += (r0[2]*x[0] + r1[2]*x[1]) + (r2[2]*x[2] + r2[3]*x[3])
	s[3] += (r0[3]*x[0] + r1[3]*x[1]) + (r2[3]*x[2] + r3[3]*x[3])
}

// symvRow adds what row i up to column hi contributes.
func symvRow[T kernel.Float](a kernel.Matrix[T], i, hi int, v, y []T) {
	r := a.Row(i)
	s := r[i] * v[i]
	for j := i + 1; j < hi; j++ {
		s += r[j] * v[j]
		y[j] += r[j] * v[i]
	}
	y[i] += s
}
