package eigen

import (
	"context"
	"fmt"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// randomBand is a random band matrix of norm near 1.
func randomBand(n, b int) banded {
	a := randomSymmetric(n, 5)
	blas64.Scal(0.1, vector(a.Data))
	m := newBanded(n, b)
	for i := range n {
		copy(m.from(i, i), row(a, i)[i:min(n, i+b+1)])
	}
	return m
}

func (t tridiagonal) dense() matrix {
	return symmetric(len(t.d), func(i, j int) float64 {
		switch j {
		case i:
			return t.d[i]
		case i + 1:
			return t.e[i]
		}
		return 0
	})
}

func TestChaseLeavesATridiagonalMatrixSimilarToTheBand(t *testing.T) {
	ctx := context.Background()
	for _, b := range []int{1, 2, 3, 4, 5, 8, 32} {
		for _, n := range []int{1, 2, 3, 4, b + 1, b + 2, 2*b - 1, 2 * b, 2*b + 1, 65, 66, 67, 150, 300} {
			m := randomBand(n, b)
			want := m.dense()
			tri, c, err := chaseBulges(ctx, m)
			if err != nil {
				t.Fatal(err)
			}
			// Q·T·Qᵀ: Q applied to T, and to the transpose of that.
			q := tri.dense()
			for range 2 {
				if err := c.apply(ctx, q); err != nil {
					t.Fatal(err)
				}
				if q, err = kernel.Transposed(ctx, q); err != nil {
					t.Fatal(err)
				}
			}
			checkSame(t, fmt.Sprintf("n=%d b=%d", n, b), q, want)
		}
	}
}
