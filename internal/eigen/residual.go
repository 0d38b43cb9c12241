package eigen

import (
	"context"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// measured makes a Result of values and vectors, in columns, after measuring their residuals: all
// at once by products with a few random combinations of the vectors or, should that not settle it,
// by a product with each.
func measured[T kernel.Float](ctx context.Context, values []float64, v panel, norm float64, apply Operator[T], o KrylovOptions) (*Result, error) {
	result := &Result{Values: values, Applied: o.Block}
	var err error
	if result.Residual, err = sampledResidual(ctx, values, v, norm, apply, o); err != nil {
		return nil, err
	}
	good := len(values)
	// No pair has more than all have together, and half of the bound leaves room for an estimate
	// that is too low.
	if !(result.Residual <= 5*o.Tol) {
		if good, result.Residual, err = measureEach(ctx, values, v, norm, apply, o); err != nil {
			return nil, err
		}
		result.Applied += v.Cols
	}
	if result.Vectors, err = kernel.Transposed(ctx, v); err != nil {
		return nil, err
	}
	FixSigns(result.Vectors)
	if good < len(values) {
		e := &ConvergenceError{Converged: good, Wanted: len(values), Residual: result.Residual, Result: result}
		result.Values = values[:good]
		result.Vectors = kernel.View(result.Vectors, 0, 0, good, v.Rows)
		return nil, e
	}
	return result, nil
}

// sampledResidual estimates ‖A·V − V·Λ‖_F/norm, the root of the sum of the squares of all
// residuals, by Hutchinson's estimator: for a vector s of random signs, ‖(A·V − V·Λ)·s‖² has that
// sum for its expectation, and a single residual far above the others is seen by every s.
func sampledResidual[T kernel.Float](ctx context.Context, values []float64, v panel, norm float64, apply Operator[T], o KrylovOptions) (float64, error) {
	k := v.Cols
	rnd := rand.New(rand.NewPCG(o.Seed, 0x7369676e73))
	// The signs are divided by √k, so that the combinations are as long as the vectors, whose
	// products are known to be finite.
	length := 1 / math.Sqrt(float64(k))
	signs, weighted := kernel.Dense[float64](k, o.Block), kernel.Dense[float64](k, o.Block)
	for i := range k {
		for j := range o.Block {
			s := math.Copysign(length, float64(rnd.IntN(2))-0.5)
			signs.Data[i*signs.Stride+j], weighted.Data[i*weighted.Stride+j] = s, values[i]*s
		}
	}
	u, w := kernel.Unset[float64](v.Rows, o.Block), kernel.Unset[float64](v.Rows, o.Block)
	if err := kernel.Gemm(ctx, false, false, 1, v, signs, 0, u); err != nil {
		return 0, err
	}
	in, release, err := narrow[T](ctx, u)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := apply.times(ctx, w, in); err != nil {
		return 0, err
	}
	if err := kernel.Gemm(ctx, false, false, -1, v, weighted, 1, w); err != nil {
		return 0, err
	}
	all := 0.0
	for j := range o.Block {
		all = math.Hypot(all, relative(blas64.Nrm2(column(w, j)), norm))
	}
	return all / length / math.Sqrt(float64(o.Block)), nil
}

// measureEach measures the residual of every pair. It returns the largest and how many pairs from
// the first on are within 10·Tol: an honest operator stays within a few times Tol.
func measureEach[T kernel.Float](ctx context.Context, values []float64, v panel, norm float64, apply Operator[T], o KrylovOptions) (good int, largest float64, err error) {
	space := kernel.Unset[float64](v.Rows, o.Block)
	for lo := 0; lo < v.Cols; lo += o.Block {
		hi := min(v.Cols, lo+o.Block)
		w := kernel.Columns(space, 0, hi-lo)
		in, release, err := narrow[T](ctx, kernel.Columns(v, lo, hi))
		if err != nil {
			return 0, 0, err
		}
		err = apply.times(ctx, w, in)
		release()
		if err != nil {
			return 0, 0, err
		}
		for c := lo; c < hi; c++ {
			blas64.Axpy(-values[c], column(v, c), column(w, c-lo))
			residual := relative(blas64.Nrm2(column(w, c-lo)), norm)
			largest = max(largest, residual)
			if residual <= 10*o.Tol && good == c {
				good++
			}
		}
	}
	return good, largest, nil
}

// relative is residual/norm, where nothing of nothing is nothing.
func relative(residual, norm float64) float64 {
	if residual == 0 {
		return 0
	}
	return residual / norm
}
