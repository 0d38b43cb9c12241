package eigen

import (
	"context"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

// SingleTolerance bounds ‖A·V − V·Λ‖, of all pairs together and relative to ‖A‖, where
// [DirectSingle] stays in float32.
const SingleTolerance = 1e-5

// DirectSingle is [Direct] to the accuracy of float32. It reduces the matrix and transforms eigenvectors back in float32, with
// half the memory traffic, and finds the eigenpairs of the tridiagonal matrix in float64. |vᵢ·vⱼ − δᵢⱼ| < 1e-11. The residual
// is measured against a itself, some 1e-6 of ‖A‖ for all pairs together; where the estimate is above SingleTolerance,
// everything is done over by Direct. It takes n² + nk + 2k² numbers of float32 of memory more than that, and overwrites a in
// that case only.
func DirectSingle(ctx context.Context, a panel, k int) (*Result, error) {
	return found(ctx, a, k, func(ctx context.Context, a panel, k int) (spectrum, error) {
		return decomposeSingle(ctx, a, k, SingleTolerance)
	})
}

// decomposeSingle is DirectSingle on checked sizes, with the vectors as columns.
func decomposeSingle(ctx context.Context, a panel, k int, tolerance float64) (spectrum, error) {
	exponent, err := exponentOf(ctx, a)
	if err != nil {
		return spectrum{}, err
	}
	if exponent == zeroMatrix {
		return decompose(ctx, a, k)
	}
	s, err := inSingle(ctx, a, k, exponent)
	if err != nil {
		return s, err
	}
	if s.residual, err = s.estimateResidual(ctx, a); err != nil || s.residual <= tolerance {
		return s, err
	}
	return decompose(ctx, a, k)
}

// inSingle decomposes by way of float32.
func inSingle(ctx context.Context, a panel, k, exponent int) (spectrum, error) {
	b, release := kernel.Scratch[float32](a.Rows, a.Rows)
	defer release()
	s, tau, err := reduced(ctx, b, a, k, exponent)
	if err != nil {
		return s, err
	}
	z, release := kernel.Scratch[float32](a.Rows, k)
	defer release()
	if err := kernel.Convert(ctx, z, s.vectors); err != nil {
		return s, err
	}
	if err := backTransform(ctx, b, tau, z); err != nil {
		return s, err
	}
	return s, polishSingle(ctx, s.vectors, z)
}

// polishSingle sets q to what polish makes of z: z·(I − E/2 + 3E²/8), where E = zᵀz − I, is
// orthonormal up to E³. E is found in float64, and the little that it changes in float32.
func polishSingle(ctx context.Context, q panel, z kernel.Matrix[float32]) error {
	if err := kernel.Convert(ctx, q, z); err != nil {
		return err
	}
	k := q.Cols
	e, release := kernel.Scratch[float64](k, k)
	defer release()
	clear(e.Data)
	if err := kernel.Gram(ctx, 1, q, q, e); err != nil {
		return err
	}
	kernel.MirrorUpper(e)
	longest, all := 0.0, 0.0
	for i := range k {
		e.Data[i*e.Stride+i]--
		length := blas64.Nrm2(vector(e.Row(i)))
		longest, all = max(longest, length), math.Hypot(all, length)
	}
	const enough = 1e-14
	if !(longest*longest*all <= enough) { // no entry of E³ is larger
		return polish(ctx, q)
	}
	small, release := kernel.Scratch[float32](k, k)
	defer release()
	change, release := kernel.Scratch[float32](k, k)
	defer release()
	if err := kernel.Convert(ctx, small, e); err != nil {
		return err
	}
	if err := kernel.Gemm(ctx, false, false, 1, small, small, 0, change); err != nil {
		return err
	}
	for i, v := range small.Data {
		change.Data[i] = v/2 - 3*change.Data[i]/8
	}
	return kernel.Gemm(ctx, false, false, -1, z, change, 1, q)
}

const (
	// residualProbes random combinations of the eigenvectors are multiplied by the matrix,
	residualProbes = 8
	// so many of its rows between two looks at the context: a millisecond of 10,000 columns. A multiple
	// of four.
	probedRows = 256
)

// estimateResidual estimates ‖A·V − V·Λ‖_F over the norm from products with random combinations of
// all vectors: see sampledResidual. Only the upper triangle of a is read.
func (s spectrum) estimateResidual(ctx context.Context, a panel) (float64, error) {
	n, k := s.vectors.Rows, s.vectors.Cols
	if k == 0 {
		return 0, ctx.Err()
	}
	rnd := rand.New(rand.NewPCG(uint64(n), 0x70726f6265))
	length := 1 / math.Sqrt(float64(k))
	signs := kernel.Dense[float64](2*residualProbes, k) // and below them the same times the eigenvalues
	for p := range residualProbes {
		own, weighted := signs.Row(p), signs.Row(residualProbes+p)
		for i, v := range s.values {
			own[i] = math.Copysign(length, float64(rnd.IntN(2))-0.5)
			weighted[i] = v * own[i]
		}
	}
	u := kernel.Dense[float64](2*residualProbes, n)
	if err := kernel.Gemm(ctx, false, true, 1, signs, s.vectors, 0, u); err != nil {
		return 0, err
	}
	lengths := make([]float64, residualProbes)
	if err := parallel.For(ctx, residualProbes, func(p int) {
		product := make([]float64, n)
		for lo := 0; lo < n && ctx.Err() == nil; lo += probedRows {
			symvRows(a, lo, min(lo+probedRows, n), u.Row(p), product)
		}
		blas64.Axpy(-1, vector(u.Row(residualProbes+p)), vector(product))
		lengths[p] = blas64.Nrm2(vector(product))
	}); err != nil {
		return 0, err
	}
	return relative(blas64.Nrm2(vector(lengths)), s.norm) / length / math.Sqrt(residualProbes), nil
}
