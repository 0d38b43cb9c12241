package eval

import (
	"context"

	"coles/internal/kernel"
)

// jointDesign is the matrix Z of a training set for problems of all classes at
// once, whose products take a column a class. Unlike in a [design] the last of
// its k columns is of ones in every form, so that its coefficients, the
// intercepts, can be left without penalty.
type jointDesign struct {
	dense      kernel.Matrix[float64]
	sparse     *kernel.CSR[float64] // nil when dense
	transposed *kernel.CSR[float64]
	span       *spanDesign // of the features alone; nil if dense or sparse hold them as they are
}

func newJointDesign(ctx context.Context, f *features, rows []int) (*jointDesign, error) {
	if f.sparse != nil {
		z := f.trainingSet(rows).sparse
		return &jointDesign{sparse: z, transposed: z.Transpose()}, nil
	}
	t := len(rows)
	if t >= f.cols {
		return &jointDesign{dense: f.trainingSet(rows).dense}, nil
	}
	span, err := newSpanDesign(ctx, f.gather(rows).dense)
	if err != nil {
		return nil, err
	}
	z := kernel.Dense[float64](t, t+1)
	for i := range t {
		copy(z.Data[i*z.Stride:], span.l.Data[i*span.l.Stride:i*span.l.Stride+i+1])
		z.Data[i*z.Stride+t] = 1
	}
	return &jointDesign{dense: z, span: &span}, nil
}

// size returns the number of rows and of columns.
func (z *jointDesign) size() (t, k int) {
	if z.sparse != nil {
		return z.sparse.Rows, z.sparse.Cols
	}
	return z.dense.Rows, z.dense.Cols
}

// mul sets dst = Z·v, for v of k × classes.
func (z *jointDesign) mul(ctx context.Context, dst, v kernel.Matrix[float64]) error {
	if z.sparse != nil {
		return kernel.SpMM(ctx, dst, z.sparse, v)
	}
	return kernel.Gemm(ctx, false, false, 1, z.dense, v, 0, dst)
}

// mulTrans sets dst = Zᵀ·s, for s of t × classes.
func (z *jointDesign) mulTrans(ctx context.Context, dst, s kernel.Matrix[float64]) error {
	if z.sparse != nil {
		return kernel.SpMM(ctx, dst, z.transposed, s)
	}
	return kernel.Gemm(ctx, true, false, 1, z.dense, s, 0, dst)
}

// weights returns the coefficients of the features and then the intercept of
// class c for the coordinates u, of k × classes.
func (z *jointDesign) weights(u kernel.Matrix[float64], c int) []float64 {
	w := make([]float64, u.Rows)
	for j := range w {
		w[j] = u.Data[j*u.Stride+c]
	}
	if z.span == nil {
		return w
	}
	last := len(w) - 1
	return append(z.span.weights(w[:last]), w[last])
}
