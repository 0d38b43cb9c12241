package baselines

import (
	"context"
	"math"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// ProNE is the embedding of Zhang et al. (2019), n × k: R = U√Σ of L ≈ UΣVᵀ, which has on the edges
//
//	L_ij = log p_ij − log q_j,  p = D⁻¹A,  q_j ∝ (Σᵢ p_ij)^0.75,  Σq = 1,
//
// goes through a filter of the random walk's Laplacian Δ = I − p, of ten Chebyshev polynomials,
//
//	R ← p·(I − g(Δ))·R,  g(λ) = exp(−½[(λ − μ)² − 1]·θ),  μ = 0.2,  θ = 0.5,
//
// and comes out as its own U√Σ. Rows have length 1 before and after, as in its authors' program.
func ProNE(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
	p, err := matrix.RowMeans[float32](ctx, inside.Adjacency(g))
	if err != nil {
		return nil, err
	}
	l := surprise(p)
	r, err := truncated(ctx, p.Rows, k, 20, 3, seed, sparse(l), sparse(l.Transpose()))
	if err == nil {
		err = toUnit(ctx, r)
	}
	if err == nil {
		r, err = modulated(ctx, p, r, 0.2, 0.5)
	}
	if err == nil {
		r, err = turned(ctx, r, r, -0.25)
	}
	if err == nil {
		err = toUnit(ctx, r)
	}
	return dense(ctx, r, err)
}

// surprise is log p_ij − log q_j on the entries of p.
func surprise(p *kernel.CSR[float32]) *kernel.CSR[float32] {
	q := make([]float64, p.Cols)
	for at, j := range p.Col {
		q[j] += float64(p.Val[at])
	}
	all := 0.0
	for j := range q {
		q[j] = math.Pow(q[j], 0.75)
		all += q[j]
	}
	l := *p
	l.Val = make([]float32, len(p.Val))
	for at, j := range p.Col {
		l.Val[at] = float32(math.Log(float64(p.Val[at]) / (q[j] / all)))
	}
	return &l
}

// modulated is p·(I − g(Δ))·r. With y = ½[(Δ − μ)² − 1] and B_i the modified Bessel function, g is
//
//	B₀(θ)·T₀(y) + 2·Σ_i (−1)^i·B_i(θ)·T_i(y).
func modulated(ctx context.Context, p *kernel.CSR[float32], r numbers, mu, theta float64) (numbers, error) {
	const terms = 10
	n, k := r.Rows, r.Cols
	half, next, before, sum := kernel.Unset[float32](n, k), kernel.Unset[float32](n, k), kernel.Dense[float32](n, k), kernel.Unset[float32](n, k)
	now := r
	for i := range n {
		for j, v := range r.Row(i) {
			sum.Row(i)[j] = v * float32(1-bessel(0, theta))
		}
	}
	for term := 1; term < terms; term++ {
		// next = (Δ − μ)²·now
		if err := kernel.SpMMAdd(ctx, half, p, now, float32(mu-1), now); err != nil {
			return sum, err
		}
		if err := kernel.SpMMAdd(ctx, next, p, half, float32(mu-1), half); err != nil {
			return sum, err
		}
		scale, weight := float32(1), float32(2*bessel(term, theta))
		if term == 1 {
			scale = 0.5 // T₁ = y, and afterwards T = 2y·T − T
		}
		if term%2 == 0 {
			weight = -weight
		}
		for i := range n {
			x, y, z, to := next.Row(i), now.Row(i), before.Row(i), sum.Row(i)
			for j := range x {
				x[j] = scale * (x[j] - y[j] - z[j])
				to[j] += weight * x[j]
			}
		}
		next, before, now = before, now, next
	}
	return next, kernel.SpMM(ctx, next, p, sum)
}

// bessel is the modified Bessel function of the first kind, Σ_m (x/2)^(2m+order)/(m!·(m+order)!).
func bessel(order int, x float64) (sum float64) {
	for m := range 20 {
		sum += math.Pow(x/2, float64(2*m+order)) / (math.Gamma(float64(m+1)) * math.Gamma(float64(m+order+1)))
	}
	return sum
}
