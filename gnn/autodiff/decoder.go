package autodiff

import (
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// InnerProductLoss is the 1×1 loss of the graph autoencoder (Kipf and Welling, 2016, Variational
// graph auto-encoders): how well the logistic function of the products of the rows of an n×d matrix
// z separates the edges of a graph from all other pairs of its nodes,
//
//	y = (ν/n²)·Σ_ij [w·Y_ij·softplus(−s_ij) + (1−Y_ij)·softplus(s_ij)],  s_ij = z_i·z_j,
//	S = Σ_ij Y_ij − n,  w = (n²−S)/S,  ν = n²/(2(n²−S)),
//
// where the target Y is a symmetric n×n matrix, the adjacency matrix plus the identity. S is thus
// the sum of the adjacency matrix, which must be above 0 and below n²; w gives edges and other
// pairs the same weight in all. g_z of row i = (2gν/n²)·(Σ_j σ(s_ij)·z_j + Σ_j Y_ij·((w−1)·σ(s_ij)
// − w)·z_j).
//
// It costs 3n²d/2 multiplications, n²d of them for the gradient, and n²/2 exponentials and one for
// each entry of Y. Memory for n·d numbers is kept.
func (t *Tape[T]) InnerProductLoss(target *Sparse[T], z *Value[T]) *Value[T] {
	n := z.Rows()
	if target.matrix.Rows != n || !target.isSymmetric() {
		panic(fmt.Sprintf("autodiff: InnerProductLoss of a %d×%d target, which must be symmetric, and %d rows", target.matrix.Rows, target.matrix.Cols, n))
	}
	pairs := float64(n) * float64(n)
	edges := sum(target.matrix.Val) - float64(n)
	if !(0 < edges && edges < pairs) {
		panic(fmt.Sprintf("autodiff: InnerProductLoss of edges whose sum is %g, between %d nodes", edges, n))
	}
	weight, share := (pairs-edges)/edges, 0.5/(pairs-edges) // w and ν/n²
	y := t.newValue(1, 1, z)
	if y.needsGrad {
		y.kept = t.take(n, z.Cols())
		t.zero(y.kept)
	}
	losses := t.wide.take(1, n)
	defer t.wide.release(&losses)
	clear(losses.Data)
	t.allPairs(z.data, losses.Data, y.kept, share)
	t.eachRow(n, (target.matrix.NNZ()/n+1)*z.Cols(), func(i int) {
		cols, vals := target.matrix.Row(i)
		from := z.data.Row(i)
		for q, j := range cols {
			other := z.data.Row(int(j))
			s := dot(from, other)
			losses.Data[i] += float64(vals[q]) * ((weight-1)*softplus(s) - weight*s)
			if y.needsGrad {
				matrix.AddScaled(y.kept.Row(i), T(2*share*float64(vals[q])*((weight-1)*sigmoid(s)-weight)), other)
			}
		}
	})
	y.data.Data[0] = T(share * sum(losses.Data))
	y.back = func() {
		t.scale(y.kept, y.grad.Data[0])
		t.pass(&y.kept, z)
	}
	return y
}

// isSymmetric reports whether s is known to be symmetric.
func (s *Sparse[T]) isSymmetric() bool {
	return len(s.transposed) == 1 && s.transposed[0].matrix == s.matrix
}

// allPairs adds Σ_j softplus(s_ij) to losses, in parts to either row of a pair, and
// 2·share·Σ_j σ(s_ij)·z_j to the rows of gradient, unless that has none.
func (t *Tape[T]) allPairs(z Matrix[T], losses []float64, gradient Matrix[T], share float64) {
	t.rounds(z.Rows, z.Rows, true, func(i, j span) {
		s, release := kernel.Scratch[T](i.hi-i.lo, j.hi-j.lo)
		defer release()
		_ = kernel.Gemm(t.ctx, false, true, 1, rowsIn(z, i), rowsIn(z, j), 0, s) // rounds reports the end of ctx
		times := 2.0
		if i == j {
			times = 1
		}
		for r := range s.Rows {
			losses[i.lo+r] += times * logistics(s.Row(r))
		}
		if gradient.Rows == 0 {
			return
		}
		addTile(t, gradient, i, T(2*share), false, s, rowsIn(z, j))
		if i != j {
			addTile(t, gradient, j, T(2*share), true, s, rowsIn(z, i))
		}
	})
}

// logistics sets x_j to σ(x_j), for no more than pairBlock numbers, and returns Σ_j softplus(x_j),
// the logarithm of the product of 1 + e^x_j: one logarithm for many factors, which are in four
// products that do not wait for each other.
func logistics[T Float](x []T) (softplus float64) {
	const (
		large = 80      // e^−80 is nothing compared with 1
		high  = 0x1p500 // with four more factors of up to 1 + e^80 still below 2^1000
	)
	var powers [pairBlock]T
	kernel.Exp(powers[:len(x)], x, 1, 0)
	product := [4]float64{1, 1, 1, 1}
	for j, e := range powers[:len(x)] {
		if x[j] > large {
			softplus += float64(x[j])
			x[j] = 1
		} else {
			x[j] = e / (1 + e)
			product[j%4] *= 1 + float64(e)
		}
		if j%16 == 15 && max(product[0], product[1], product[2], product[3]) > high {
			softplus += logarithms(&product)
		}
	}
	return softplus + logarithms(&product)
}

// logarithms is the logarithm of all products, which start again at 1.
func logarithms(product *[4]float64) (sum float64) {
	for k, p := range product {
		sum += math.Log(p)
		product[k] = 1
	}
	return sum
}

// GaussianKL is the m×1 matrix of the divergences between pairs of normal distributions with
// diagonal covariances, N_i with the mean μ_i and the variances σ_i, which are positive: rows of the
// n×d matrices mean and variance. With i = is[k] and j = js[k],
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
func (t *Tape[T]) GaussianKL(mean, variance *Value[T], is, js []int) *Value[T] {
	fit(sameSize(mean, variance), "GaussianKL", mean, variance)
	if len(is) != len(js) {
		panic(fmt.Sprintf("autodiff: GaussianKL of %d and %d rows", len(is), len(js)))
	}
	fitIndices("GaussianKL, is", is, mean.Rows())
	fitIndices("GaussianKL, js", js, mean.Rows())
	m, d := len(is), mean.Cols()
	y := t.newValue(m, 1, mean, variance)
	t.eachRow(m, 8*d, func(k int) {
		y.data.Row(k)[0] = T(divergence(mean.data.Row(is[k]), variance.data.Row(is[k]), mean.data.Row(js[k]), variance.data.Row(js[k])))
	})
	y.back = func() {
		gMean, gVariance := t.wanted(mean), t.wanted(variance)
		t.scatter(m, d, func(k, lo, hi int) {
			i, j, g := is[k], js[k], y.grad.Data[k]
			part := func(m Matrix[T], i int) []T { return m.Row(i)[lo:hi] }
			mi, mj, si, sj := part(mean.data, i), part(mean.data, j), part(variance.data, i), part(variance.data, j)
			if mean.needsGrad {
				gi, gj := part(gMean, i), part(gMean, j)
				for l := range gi {
					c := g * (mi[l] - mj[l]) / si[l]
					gi[l] += c
					gj[l] -= c
				}
			}
			if variance.needsGrad {
				gi, gj := part(gVariance, i), part(gVariance, j)
				for l := range gi {
					gap := mi[l] - mj[l]
					gi[l] += g / 2 * (si[l] - sj[l] - gap*gap) / si[l] / si[l]
					gj[l] += g / 2 * (sj[l] - si[l]) / si[l] / sj[l]
				}
			}
		})
	}
	return y
}

// divergence is KL(N_j ‖ N_i).
func divergence[T Float](mi, si, mj, sj []T) float64 {
	total := 0.0
	for l := range mi {
		gap, s := float64(mi[l])-float64(mj[l]), float64(si[l])
		ratio := float64(sj[l]) / s
		total += ratio - 1 - math.Log(ratio) + gap*gap/s
	}
	return total / 2
}
