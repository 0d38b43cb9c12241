package baselines

import (
	"context"
	"math"
	"math/rand/v2"

	"coles"
	"coles/internal/eigen"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

type numbers = kernel.Matrix[float32]

// An operator is a square matrix that is only multiplied by: it sets dst to the product with x.
type operator func(ctx context.Context, dst, x numbers) error

// sparse is the operator of a sparse matrix.
func sparse(a *kernel.CSR[float32]) operator {
	return func(ctx context.Context, dst, x numbers) error { return kernel.SpMM(ctx, dst, a, x) }
}

// SVD returns U√Σ of W = D^-½AD^-½ ≈ UΣVᵀ, n × k, with five power steps and ten more columns on the way, as
// scikit-learn's TruncatedSVD has them. Errors, as of all embeddings here that see a graph alone:
// [coles.ErrSetting] for k outside 1 … n, and ctx's. They compute in float32, and node i draws from the stream (seed, i).
func SVD(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
	w, err := matrix.Normalized(ctx, inside.Adjacency(g), false)
	if err != nil {
		return nil, err
	}
	times := sparse(kernel.ConvertCSR[float32](w))
	y, err := truncated(ctx, g.Nodes(), k, 10, 5, seed, times, times)
	return dense(ctx, y, err)
}

// truncated is U√Σ of an operator of order n with a transpose, M ≈ UΣVᵀ of rank k. The method is the randomised one
// of Halko, Martinsson and Tropp (2011), with so many columns more and so many power steps.
func truncated(ctx context.Context, n, k, more, steps int, seed uint64, times, transpose operator) (y numbers, err error) {
	if k < 1 || k > n {
		return y, setting.Bad("k", k, "1 to %d, the number of nodes", n)
	}
	q, err := gaussian(ctx, n, min(n, k+more), seed)
	if err != nil {
		return y, err
	}
	z := kernel.Unset[float32](n, q.Cols)
	for step := range steps + 1 {
		if step > 0 {
			if err := transpose(ctx, z, q); err != nil {
				return y, err
			}
			if z, err = orthonormal(ctx, z); err != nil {
				return y, err
			}
			q, z = z, q
		}
		if err := times(ctx, z, q); err != nil {
			return y, err
		}
		if q, err = orthonormal(ctx, z); err != nil {
			return y, err
		}
	}
	if err := transpose(ctx, z, q); err != nil {
		return y, err
	}
	all, err := turned(ctx, q, z, 0.25)
	return kernel.Columns(all, 0, k), err
}

// turned is x·Z·diag(λ^power) with BᵀB = ZΛZᵀ, λ descending. A column whose λ is rounding is 0.
func turned(ctx context.Context, x, b numbers, power float64) (numbers, error) {
	const rounding = 1e-12 // of λ₁, a square
	gram, out := kernel.Dense[float64](b.Cols, b.Cols), kernel.Unset[float32](x.Rows, b.Cols)
	if err := kernel.Gram(ctx, 1, b, b, gram); err != nil {
		return out, err
	}
	r, err := eigen.Direct(ctx, gram, b.Cols)
	if err != nil {
		return out, err
	}
	turn := kernel.Dense[float32](b.Cols, b.Cols)
	for k, value := range r.Values {
		if value > rounding*r.Values[0] {
			for j, z := range r.Vectors.Row(k) {
				turn.Data[j*turn.Stride+k] = float32(math.Pow(value, power) * z)
			}
		}
	}
	return out, kernel.Gemm(ctx, false, false, 1, x, turn, 0, out)
}

// orthonormal is a basis of the columns of x. The second turn mends what squares lost in the first.
func orthonormal(ctx context.Context, x numbers) (numbers, error) {
	once, err := turned(ctx, x, x, -0.5)
	if err != nil {
		return once, err
	}
	return turned(ctx, once, once, -0.5)
}

// drawn fills n × k numbers; row i comes from the stream (seed, i).
func drawn(ctx context.Context, n, k int, seed uint64, draw func(rng *rand.Rand) float64) (numbers, error) {
	x := kernel.Unset[float32](n, k)
	return x, parallel.For(ctx, n, func(i int) {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		for j := range x.Row(i) {
			x.Row(i)[j] = float32(draw(rng))
		}
	})
}

func gaussian(ctx context.Context, n, k int, seed uint64) (numbers, error) {
	return drawn(ctx, n, k, seed, (*rand.Rand).NormFloat64)
}

// toUnit gives every row but zero rows the length 1.
func toUnit(ctx context.Context, x numbers) error {
	return parallel.EachRow(ctx, x.Rows, func(i int) {
		if length := norm(x.Row(i)); length > 0 {
			matrix.Scale(x.Row(i), float32(1/length))
		}
	})
}

func norm(row []float32) float64 {
	squares := 0.0
	for _, v := range row {
		squares += float64(v) * float64(v)
	}
	return math.Sqrt(squares)
}

// dense is the embedding as it goes out.
func dense(ctx context.Context, y numbers, err error) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	wide, err := matrix.ToFloat64(ctx, y)
	if err != nil {
		return nil, err
	}
	return matrix.ToFiniteDense(ctx, "the embedding", wide)
}
