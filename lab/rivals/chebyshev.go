package rivals

import (
	"context"
	"math"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// risingBasis has a row for every step i: coefficients, in Chebyshev polynomials of W = I − L, of the polynomial that
// is 0 at the nodes up to λ_i and 1 at the nodes behind. The formula of interpolation is c_k = 2/(K+1)·Σ_j
// γ_j·T_k(x_j), of which c₀ counts half; and T_k(−x) = (−1)^k·T_k(x).
func risingBasis[T autodiff.Float]() autodiff.Matrix[T] {
	const n = polynomialDegree + 1
	basis := autodiff.NewMatrix[T](polynomialDegree, n)
	for i := range polynomialDegree {
		for k := range n {
			sum := 0.0
			for j := i + 1; j < n; j++ { // T_k(−x_j), the nodes in W descending as those in L rise
				sum += math.Cos(float64(k) * (float64(j) + 0.5) * math.Pi / n)
			}
			if basis.Row(i)[k] = T(2 * sum / n); k == 0 {
				basis.Row(i)[k] /= 2
			}
		}
	}
	return basis
}

// chebyshev is Σ_k c_k·T_k(W)·Z for a symmetric W, given twice, and a row c. With G = ∂L/∂Y,
//
//	∂L/∂Z = Σ_k c_k·T_k(W)·G,  ∂L/∂c_k = ⟨T_k(W)·G, Z⟩.
//
// It holds three matrices like Z while it computes, and nothing afterwards.
func chebyshev[T autodiff.Float](t *autodiff.Tape[T], twice *autodiff.CSR[T], z, c *autodiff.Value[T]) *autodiff.Value[T] {
	terms := func(x autodiff.Matrix[T], do func(k int, term []T)) {
		ctx := context.Background() // the tape looks at its own between operations
		var room [3]autodiff.Matrix[T]
		for k := range room {
			var release func()
			room[k], release = kernel.Scratch[T](x.Rows, x.Cols)
			defer release()
		}
		kernel.Copy(room[0], x)
		do(0, room[0].Data)
		for k := 1; k < c.Cols(); k++ {
			next, last := room[k%3], room[(k+2)%3]
			if k == 1 {
				t.Fail(kernel.SpMM(ctx, next, twice, last))
				matrix.Scale(next.Data, 0.5)
			} else {
				t.Fail(kernel.SpMMAdd(ctx, next, twice, last, -1, room[(k+1)%3]))
			}
			do(k, next.Data)
		}
	}
	combine := func(y, x autodiff.Matrix[T], also func(k int, term []T)) {
		terms(x, func(k int, term []T) {
			if factor := c.Data().Data[k]; y.Data != nil {
				t.Fail(parallel.Ranges(context.Background(), len(term), 1<<14, func(lo, hi int) { matrix.AddScaled(y.Data[lo:hi], factor, term[lo:hi]) }))
			}
			also(k, term)
		})
	}
	return t.Operation(z.Rows(), z.Cols(), func(y autodiff.Matrix[T]) {
		clear(y.Data)
		combine(y, z.Data(), func(int, []T) {})
	}, func(_, g autodiff.Matrix[T], gradients []autodiff.Matrix[T]) {
		combine(gradients[0], g, func(k int, term []T) {
			sums, err := parallel.Sum(context.Background(), len(term), 1, func(sum []float64, lo, hi int) {
				for i, v := range term[lo:hi] {
					sum[0] += float64(v) * float64(z.Data().Data[lo+i])
				}
			})
			t.Fail(err)
			gradients[1].Data[k] += T(sums[0])
		})
	}, z, c)
}
