package eigen

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// twisted is the work space for eigenvectors of a tridiagonal matrix T by twisted factors of T −
// x·I: pivots from above down to some row and from below up to it (Fernando, On computing an
// eigenvector of a tridiagonal matrix, SIAM J. Matrix Anal. Appl. 18 (1997)).
type twisted struct {
	squares    []float64 // squares[i] couples i−1 and i
	down, up   []float64 // the pivots
	tiny, norm float64
}

func newTwisted(t tridiagonal, norm float64) *twisted {
	n := len(t.d)
	w := &twisted{make([]float64, n), make([]float64, n), make([]float64, n), epsilon * norm / 4, norm}
	for i, e := range t.e {
		w.squares[i+1] = e * e
	}
	return w
}

// vector sets z to the eigenvector of the eigenvalue x, of norm 1, and reports whether its residual
// is a small multiple of ε‖T‖. The pivots that meet in row r leave γ = 1/((T − x·I)⁻¹)ᵣᵣ there, and
// the vector with z[r] = 1 that the other rows determine has the residual γ/‖z‖: the least γ is as
// good as a step of inverse iteration from the best start.
func (w *twisted) vector(t tridiagonal, x float64, z []float64) bool {
	n := len(t.d)
	down, up, squares := w.down[:n], w.up[:n], w.squares[:n]
	q, p := clampPivot(t.d[0]-x, w.tiny), clampPivot(t.d[n-1]-x, w.tiny)
	down[0], up[n-1] = q, p
	for i := 1; i < n; i++ {
		q = clampPivot(t.d[i]-x-squares[i]/q, w.tiny)
		down[i] = q
		j := n - 1 - i
		p = clampPivot(t.d[j]-x-squares[j+1]/p, w.tiny)
		up[j] = p
	}
	r, least := 0, math.Inf(1)
	for i, d := range t.d {
		if g := math.Abs(down[i] + up[i] - (d - x)); g < least {
			r, least = i, g
		}
	}
	z[r] = 1
	for i := r - 1; i >= 0; i-- {
		z[i] = -t.e[i] / down[i] * z[i+1]
	}
	for i := r + 1; i < n; i++ {
		z[i] = -t.e[i-1] / up[i] * z[i-1]
	}
	const fair = 16 // multiples of ε‖T‖: what inverse iteration comes to as well
	length := blas64.Nrm2(vector(z))
	return least <= fair*epsilon*w.norm*length && normalise(z)
}
