package rivals

import (
	"context"
	"math"

	"coles/gnn/autodiff"
	"coles/internal/parallel"
)

// gaussianKL is the m×1 matrix of the divergences between pairs of normal distributions with diagonal covariances.
// N_i has the mean μ_i and the positive variances σ_i, which are rows of the n×d matrices mean and variance. With i =
// is[k] and j = js[k],
//
//	y_k = KL(N_j ‖ N_i) = ½·Σ_l [σ_jl/σ_il + (μ_il − μ_jl)²/σ_il − 1 − log(σ_jl/σ_il)],
//
// the energy of Graph2Gauss (Bojchevski and Günnemann, 2018, Deep Gaussian embedding of graphs). Pair
// k adds to the gradients
//
//	g_μ of row i: g_k·(μ_il − μ_jl)/σ_il, and its negative to row j,
//	g_σ of row i: (g_k/2)·(1 − (σ_jl + (μ_il − μ_jl)²)/σ_il)/σ_il, of row j: (g_k/2)·(1/σ_il − 1/σ_jl).
//
// The cost is O(m·d), with m·d logarithms.
func gaussianKL[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], mean, variance *autodiff.Value[T], is, js []int) *autodiff.Value[T] {
	m, d := len(is), mean.Cols()
	mu, sigma := mean.Data(), variance.Data()
	return t.Operation(m, 1, func(y autodiff.Matrix[T]) {
		eachRow(ctx, t, m, func(k int) {
			y.Row(k)[0] = T(divergence(mu.Row(is[k]), sigma.Row(is[k]), mu.Row(js[k]), sigma.Row(js[k])))
		})
	}, func(_, g autodiff.Matrix[T], gradients []autodiff.Matrix[T]) {
		gMean, gVariance := gradients[0], gradients[1]
		scatter(ctx, t, m, d, func(k, lo, hi int) {
			i, j, g := is[k], js[k], g.Data[k]
			part := func(m autodiff.Matrix[T], i int) []T { return m.Row(i)[lo:hi] }
			mi, mj, si, sj := part(mu, i), part(mu, j), part(sigma, i), part(sigma, j)
			if gMean.Data != nil {
				gi, gj := part(gMean, i), part(gMean, j)
				for l := range gi {
					c := g * (mi[l] - mj[l]) / si[l]
					gi[l] += c
					gj[l] -= c
				}
			}
			if gVariance.Data != nil {
				gi, gj := part(gVariance, i), part(gVariance, j)
				for l := range gi {
					gap := mi[l] - mj[l]
					gi[l] += g / 2 * (si[l] - sj[l] - gap*gap) / si[l] / si[l]
					gj[l] += g / 2 * (sj[l] - si[l]) / si[l] / sj[l]
				}
			}
		})
	}, mean, variance)
}

// scatter calls add for every k in [0, m) and for ranges [lo, hi) that cover all columns. Within a range the k are in
// order, since several may add to the same row.
func scatter[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], m, cols int, add func(k, lo, hi int)) {
	const atOnce, columns = 1 << 14, 64 // rows between two looks at the context, and the columns of a task
	for first := 0; first < m && t.Err() == nil; first += atOnce {
		t.Fail(parallel.Ranges(ctx, cols, columns, func(lo, hi int) {
			for k := first; k < min(m, first+atOnce); k++ {
				add(k, lo, hi)
			}
		}))
	}
}

// divergence is KL(N_j ‖ N_i).
func divergence[T autodiff.Float](mi, si, mj, sj []T) float64 {
	total := 0.0
	for l := range mi {
		gap, s := float64(mi[l])-float64(mj[l]), float64(si[l])
		ratio := float64(sj[l]) / s
		total += ratio - 1 - math.Log(ratio) + gap*gap/s
	}
	return total / 2
}
