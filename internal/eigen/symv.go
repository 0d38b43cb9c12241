package eigen

import (
	"math"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// symv multiplies a symmetric matrix by vectors. The rows of its upper triangle are cut into strips
// of equal work; as each row also stands for a column, every strip sums into a vector of its own,
// and these are added in their order.
type symv struct {
	a      matrix
	strips int
	sums   [][]float64
}

const (
	symvStrips = 16 // at most: more processors would wait for memory

	// A strip has at least this many multiplications: about 3 µs of work, several times what
	// handing it out costs.
	symvStrip = 1 << 14
)

func newSymv(n int) symv {
	s := symv{sums: make([][]float64, symvStrips)}
	for i := range s.sums {
		s.sums[i] = make([]float64, n)
	}
	return s
}

// resize turns to another matrix, no larger than the first.
func (s *symv) resize(a matrix) {
	s.a, s.strips = a, 1
	for s.strips < symvStrips && a.Rows*a.Rows/2 >= 2*s.strips*symvStrip {
		s.strips *= 2
	}
}

// start is the first row of strip i: of the triangle, the rows from x·n on hold the share (1−x)².
func (s *symv) start(i int) int {
	if i == s.strips {
		return s.a.Rows
	}
	return int(float64(s.a.Rows)*(1-math.Sqrt(1-float64(i)/float64(s.strips)))) &^ 3
}

// multiply computes what strip i contributes to a·v.
func (s *symv) multiply(i int, v []float64) {
	symvRows(s.a, s.start(i), s.start(i+1), v, s.sums[i])
}

// sum sets y[lo:hi] to the sum over the strips.
func (s *symv) sum(lo, hi int, y []float64) {
	copy(y[lo:hi], s.sums[0][lo:hi])
	for i := 1; i < s.strips; i++ {
		if from := max(lo, s.start(i)); from < hi {
			blas64.Axpy(1, vector(s.sums[i][from:hi]), vector(y[from:hi]))
		}
	}
}

// symvRows sets y[lo:] to what the rows lo to hi of the upper triangle of a contribute to a·v. Four
// rows are taken together, so that an entry of y is read and written once for four entries of a.
func symvRows(a matrix, lo, hi int, v, y []float64) {
	n := a.Rows
	v, y = v[:n], y[:n]
	clear(y[lo:])
	i := lo
	for ; i+4 <= hi; i += 4 {
		for p := i; p < i+4; p++ {
			symvRow(a, p, i+4, v, y)
		}
		s := kernel.Symv4(a.Data[i*a.Stride+i+4:], a.Stride, [4]float64(v[i:]), v[i+4:], y[i+4:])
		for r, t := range s {
			y[i+r] += t
		}
	}
	for ; i < hi; i++ {
		symvRow(a, i, n, v, y)
	}
}

// symvRow adds what row i up to column hi contributes.
func symvRow(a matrix, i, hi int, v, y []float64) {
	r := row(a, i)
	s := r[i] * v[i]
	for j := i + 1; j < hi; j++ {
		s += r[j] * v[j]
		y[j] += r[j] * v[i]
	}
	y[i] += s
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
