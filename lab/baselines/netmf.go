package baselines

import (
	"context"
	"math"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// netmfPairs are the eigenpairs of NetMF with a window.
const netmfPairs = 256

// NetMF is the embedding of Qiu et al. (2018), n × k: U√Σ of log max(1, M) ≈ UΣVᵀ, what DeepWalk with one negative
// factorises without being told, with
//
//	M = vol/T·(Σ_{r ≤ T} p^r)·D⁻¹,  p = D⁻¹A,  vol = Σ degrees.
//
// For the window T = 1 only edges count. For others Σ p^r is of the 256 largest eigenvalues of D^-½AD^-½, beside the
// ones of its components. The n × n entries are made again for each of six products, in O(256·n²) operations and
// O(256·n) memory.
func NetMF(ctx context.Context, g *coles.Graph, window, k int, seed uint64) (*mat.Dense, error) {
	volume, inverse := 0.0, g.Degrees()
	for i, degree := range inverse {
		if volume += degree; degree > 0 {
			inverse[i] = 1 / degree
		}
	}
	if window == 1 {
		m, err := matrix.ScaledCSR(ctx, inside.Adjacency(g), inverse, inverse)
		if err != nil {
			return nil, err
		}
		l := kernel.ConvertCSR[float32](m)
		for at, v := range m.Val {
			l.Val[at] = logOver1(float32(volume * v))
		}
		y, err := truncated(ctx, l.Rows, k, 20, 2, seed, sparse(l), sparse(l))
		return dense(ctx, y, err)
	}
	dw, err := coles.Contrast(ctx, g, coles.NegativeSampler{}, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	_, components := g.Components()
	u, lambda, err := coles.Eigenmaps(ctx, dw, min(netmfPairs+components, g.Nodes()))
	if err != nil {
		return nil, err
	}
	left, right := kernel.Unset[float32](g.Nodes(), len(lambda)), kernel.Unset[float32](g.Nodes(), len(lambda))
	for c, v := range lambda {
		sum := 0.0
		for r := range window {
			sum += math.Pow(v, float64(r+1)) * volume / float64(window)
		}
		for i := range left.Rows {
			x := u.At(i, c) * math.Sqrt(inverse[i])
			left.Row(i)[c], right.Row(i)[c] = float32(sum*x), float32(x)
		}
	}
	times := blockwise(left, right)
	y, err := truncated(ctx, g.Nodes(), k, 20, 2, seed, times, times)
	return dense(ctx, y, err)
}

// blockwise multiplies by log max(1, left·rightᵀ), some rows at a time.
func blockwise(left, right numbers) operator {
	const rows = 512
	entries := kernel.Unset[float32](rows, left.Rows)
	return func(ctx context.Context, dst, x numbers) error {
		for lo := 0; lo < left.Rows; lo += rows {
			hi := min(lo+rows, left.Rows)
			part := kernel.Rows(entries, 0, hi-lo)
			if err := kernel.Gemm(ctx, false, true, 1, kernel.Rows(left, lo, hi), right, 0, part); err != nil {
				return err
			}
			err := parallel.For(ctx, part.Rows, func(i int) {
				for j, v := range part.Row(i) {
					part.Row(i)[j] = logOver1(v)
				}
			})
			if err != nil {
				return err
			}
			if err := kernel.Gemm(ctx, false, false, 1, part, x, 0, kernel.Rows(dst, lo, hi)); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
}

// logOver1 is log max(1, v).
func logOver1(v float32) float32 {
	if v <= 1 {
		return 0
	}
	return float32(math.Log(float64(v)))
}
