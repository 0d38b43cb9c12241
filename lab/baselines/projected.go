package baselines

import (
	"context"
	"math"
	"math/rand/v2"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// FastRP is the embedding of Chen et al. (2019), n × k, with p = D⁻¹A and m edges:
//
//	Y = Σ_q α_q·Y_q,  Y_q = p·Y_{q−1},  Y₀ = (D/2m)^β·R,
//
// where R has entries ±√3 with a chance of 1/6 each, else 0, and the rows of each Y_q have length 1 in the sum, as in its
// authors' program. Weights are α from q = 1 on.
func FastRP(ctx context.Context, g *coles.Graph, weights []float64, beta float64, k int, seed uint64) (*mat.Dense, error) {
	degrees, volume := g.Degrees(), 0.0
	for _, d := range degrees {
		volume += d
	}
	x, err := drawn(ctx, g.Nodes(), k, seed, func(rng *rand.Rand) float64 {
		return [...]float64{-math.Sqrt(3), math.Sqrt(3), 0, 0, 0, 0}[rng.IntN(6)]
	})
	if err != nil {
		return nil, err
	}
	for i, d := range degrees {
		if d > 0 {
			matrix.Scale(x.Row(i), float32(math.Pow(d/volume, beta)))
		}
	}
	return summed(ctx, g, x, append([]float64{0}, weights...), true)
}

// RandNE is the embedding of Zhang et al. (2018), n × k, with p = D⁻¹A: Y = Σ_q α_q·p^q·U of an orthonormal basis U of Gaussian
// numbers. Weights are α from q = 0 on.
func RandNE(ctx context.Context, g *coles.Graph, weights []float64, k int, seed uint64) (*mat.Dense, error) {
	u, err := gaussian(ctx, g.Nodes(), k, seed)
	if err == nil {
		u, err = orthonormal(ctx, u)
	}
	if err != nil {
		return nil, err
	}
	return summed(ctx, g, u, weights, false)
}

// summed is Σ_q weights[q]·p^q·x, of rows of length 1 if they are to be.
func summed(ctx context.Context, g *coles.Graph, x numbers, weights []float64, unit bool) (*mat.Dense, error) {
	p, err := matrix.RowMeans[float32](ctx, inside.Adjacency(g))
	if err != nil {
		return nil, err
	}
	sum, next := kernel.Dense[float32](x.Rows, x.Cols), kernel.Unset[float32](x.Rows, x.Cols)
	for q, weight := range weights {
		if q > 0 {
			if err := kernel.SpMM(ctx, next, p, x); err != nil {
				return nil, err
			}
			x, next = next, x
		}
		err := parallel.EachRow(ctx, x.Rows, func(i int) {
			scale := weight
			if length := norm(x.Row(i)); unit && length > 0 {
				scale /= length
			}
			matrix.AddScaled(sum.Row(i), float32(scale), x.Row(i))
		})
		if err != nil {
			return nil, err
		}
	}
	return dense(ctx, sum, nil)
}

// Cleora is the embedding of Rychalska et al. (2021), n × k. Numbers drawn from −1 to 1 are multiplied by p = D⁻¹A
// for some rounds, with rows scaled to length 1 after each. If asked for, they are whitened before the last scaling.
func Cleora(ctx context.Context, g *coles.Graph, rounds int, whiten bool, k int, seed uint64) (*mat.Dense, error) {
	p, err := matrix.RowMeans[float32](ctx, inside.Adjacency(g))
	if err != nil {
		return nil, err
	}
	x, err := drawn(ctx, p.Rows, k, seed, func(rng *rand.Rand) float64 { return 2*rng.Float64() - 1 })
	if err != nil {
		return nil, err
	}
	next := kernel.Unset[float32](x.Rows, x.Cols)
	for round := range rounds {
		if err := kernel.SpMM(ctx, next, p, x); err != nil {
			return nil, err
		}
		x, next = next, x
		if whiten && round == rounds-1 {
			centre(x)
			if x, err = turned(ctx, x, x, -0.5); err != nil {
				return nil, err
			}
		}
		if err := toUnit(ctx, x); err != nil {
			return nil, err
		}
	}
	return dense(ctx, x, nil)
}

// centre takes the mean from every column.
func centre(x numbers) {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		for j := range x.Row(i) {
			x.Row(i)[j] -= float32(mean[j])
		}
	}
}
