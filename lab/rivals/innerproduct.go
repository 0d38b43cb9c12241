package rivals

import (
	"context"
	"math"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
)

// innerProductLoss is the 1×1 loss of [GAE] of an n×d matrix z,
//
//	y = (ν/n²)·Σ_ij [w·Y_ij·softplus(−s_ij) + (1−Y_ij)·softplus(s_ij)],  s_ij = z_i·z_j,
//	S = Σ_ij Y_ij − n,  w = (n²−S)/S,  ν = n²/(2(n²−S)),
//
// where the target Y is a symmetric n×n matrix, the adjacency matrix plus the identity, and 0 < S < n².
// g_z of row i = (2gν/n²)·(Σ_j σ(s_ij)·z_j + Σ_j Y_ij·((w−1)·σ(s_ij) − w)·z_j).
//
// It costs 3n²d/2 multiplications, n²d of them for the gradient, and n²/2 exponentials and one for
// each entry of Y. Memory for n·d numbers is kept.
func innerProductLoss[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], target *autodiff.CSR[T], z *autodiff.Value[T]) *autodiff.Value[T] {
	n := z.Rows()
	pairs := float64(n) * float64(n)
	edges := matrix.Sum(target.Val) - float64(n)
	weight, share := (pairs-edges)/edges, 0.5/(pairs-edges) // w and ν/n²
	gradient := autodiff.NewMatrix[T](n, z.Cols())
	return t.Operation(1, 1, func(y autodiff.Matrix[T]) {
		losses := make([]float64, n)
		allPairs(ctx, t, z.Data(), losses, gradient, share)
		eachRow(ctx, t, n, func(i int) {
			cols, vals := target.Row(i)
			from := z.Data().Row(i)
			for q, j := range cols {
				other := z.Data().Row(int(j))
				s := matrix.Dot(from, other)
				losses[i] += float64(vals[q]) * ((weight-1)*softplus(s) - weight*s)
				matrix.AddScaled(gradient.Row(i), T(2*share*float64(vals[q])*((weight-1)*sigmoid(s)-weight)), other)
			}
		})
		y.Data[0] = T(share * matrix.Sum(losses))
	}, func(_, g autodiff.Matrix[T], gradients []autodiff.Matrix[T]) {
		eachRow(ctx, t, n, func(i int) {
			matrix.Scale(gradient.Row(i), g.Data[0])
			matrix.AddScaled(gradients[0].Row(i), 1, gradient.Row(i))
		})
	}, z)
}

// allPairs adds Σ_j softplus(s_ij) to losses, in parts to either row of a pair, and
// 2·share·Σ_j σ(s_ij)·z_j to the rows of gradient.
func allPairs[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], z autodiff.Matrix[T], losses []float64, gradient autodiff.Matrix[T], share float64) {
	rounds(ctx, t, z.Rows, z.Rows, true, func(i, j span) {
		s, release := kernel.Scratch[T](i.hi-i.lo, j.hi-j.lo)
		defer release()
		_ = kernel.Gemm(ctx, false, true, 1, rowsIn(z, i), rowsIn(z, j), 0, s) // rounds reports the end of ctx
		times := 2.0
		if i == j {
			times = 1
		}
		for r := range s.Rows {
			losses[i.lo+r] += times * logistics(s.Row(r))
		}
		addTile(gradient, i, T(2*share), false, s, rowsIn(z, j))
		if i != j {
			addTile(gradient, j, T(2*share), true, s, rowsIn(z, i))
		}
	})
}

// logistics sets x_j to σ(x_j), for no more than pairBlock numbers, and returns Σ_j softplus(x_j). That is the
// logarithm of the product of 1 + e^x_j: one logarithm for many factors, in four products that do not wait for each
// other.
func logistics[T autodiff.Float](x []T) (softplus float64) {
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

// sigmoid takes the exponential of negative numbers only, which cannot overflow.
func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// softplus is log(1 + eˣ).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
