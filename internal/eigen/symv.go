package eigen

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

// symv multiplies symmetric matrices by vectors in parallel. The rows are cut
// into strips of equal work; as each row also stands for a column, every strip
// sums into a vector of its own, and these are added in their order.
type symv struct {
	sums [][]float64
}

const (
	symvStrips = 16 // at most: more processors would wait for memory

	// A strip has at least this many multiplications: about 5 µs of work,
	// several times what handing it out costs.
	symvStrip = 1 << 15
)

func newSymv(n int) symv {
	s := symv{make([][]float64, symvStrips)}
	for i := range s.sums {
		s.sums[i] = make([]float64, n)
	}
	return s
}

// mul computes y = a·v from the upper triangle of a.
func (s symv) mul(ctx context.Context, y []float64, a matrix, v []float64) error {
	n := a.Rows
	strips := 1
	for strips < symvStrips && n*n/2 >= 2*strips*symvStrip {
		strips *= 2
	}
	if strips == 1 {
		symvRows(a, 0, n, v, y)
		return ctx.Err()
	}
	// Of the triangle, the rows from x·n on hold the share (1−x)².
	start := func(i int) int {
		if i == strips {
			return n
		}
		return int(float64(n)*(1-math.Sqrt(1-float64(i)/float64(strips)))) &^ 3
	}
	if err := parallel.For(ctx, strips, func(i int) {
		symvRows(a, start(i), start(i+1), v, s.sums[i])
	}); err != nil {
		return err
	}
	copy(y, s.sums[0][:n])
	for i := 1; i < strips; i++ {
		lo := start(i)
		blas64.Axpy(1, vector(s.sums[i][lo:n]), vector(y[lo:]))
	}
	return nil
}

// symvRows sets y[lo:] to what the rows lo to hi of the upper triangle of a
// contribute to a·v. Four rows are taken together, so that an entry of y is
// read and written once for four entries of a.
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
