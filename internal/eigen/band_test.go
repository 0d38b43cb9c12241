package eigen

import (
	"context"
	"fmt"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// dense is the matrix that m stands for.
func (m banded) dense() matrix {
	return symmetric(m.n, func(i, j int) float64 {
		if j > i+m.b {
			return 0
		}
		return m.from(i, j)[0]
	})
}

func TestBandHasTheSpectrumOfTheMatrix(t *testing.T) {
	ctx := context.Background()
	for _, b := range []int{1, 2, 5, 8, 32} {
		for _, n := range []int{1, 2, 3, b, b + 1, 2*b - 1, 2 * b, 2*b + 1, 65, 150, 300} {
			a := randomSymmetric(n, 3)
			blas64.Scal(0.1, vector(a.Data))
			reduced := clone(a)
			m, tau, err := reduceToBand(ctx, reduced, b)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("n=%d b=%d", n, b)
			// Q·B·Qᵀ is a: Q applied to B, and to the transpose of that.
			q := m.dense()
			for range 2 {
				if err := backTransform(ctx, reduced, b, tau, q); err != nil {
					t.Fatal(err)
				}
				if q, err = kernel.Transposed(ctx, q); err != nil {
					t.Fatal(err)
				}
			}
			checkSame(t, name, q, a)
		}
	}
}

// checkSame compares two matrices of norm near 1.
func checkSame(t *testing.T, name string, got, want matrix) {
	t.Helper()
	for i := range want.Data {
		if d := got.Data[i] - want.Data[i]; !(d <= 1e-13 && d >= -1e-13) {
			t.Errorf("%s: entry (%d, %d) is %g, want %g", name, i/want.Cols, i%want.Cols, got.Data[i], want.Data[i])
			return
		}
	}
}
