package eval

import (
	"context"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// design is the matrix Z of one training set, a row a sample and the last
// column of ones for the intercept, in the form in which its products are
// cheapest. All forms give the same optimisation problem.
type design interface {
	// size returns the number of rows and of columns.
	size() (rows, cols int)
	// mul sets dst = Z v.
	mul(dst, v []float64)
	// mulTrans sets dst = Zᵀ s.
	mulTrans(dst, s []float64)
	// weights returns the coefficients of the features and of the column of
	// ones for the coordinates u. It may share memory with u. Unlike the
	// products it is not for concurrent use.
	weights(u []float64) []float64
}

// denseDesign is a training set with at least as many rows as columns.
type denseDesign struct{ z kernel.Matrix[float64] }

func (z denseDesign) size() (int, int) { return z.z.Rows, z.z.Cols }

func (z denseDesign) mul(dst, v []float64) {
	blas64.Gemv(blas.NoTrans, 1, blas64.General(z.z), vector(v), 0, vector(dst))
}

func (z denseDesign) mulTrans(dst, s []float64) {
	blas64.Gemv(blas.Trans, 1, blas64.General(z.z), vector(s), 0, vector(dst))
}

func (z denseDesign) weights(u []float64) []float64 { return u }

// spanDesign is a training set with fewer rows than columns, in an orthonormal
// basis of the span of its rows, where the optimum lies: X̃ = L·Q with QQᵀ = I
// turns ½‖w‖² + f(X̃w) into ½‖u‖² + f(Lu), w = Qᵀu. Going by L and not by the
// Gram matrix X̃X̃ᵀ = LLᵀ keeps all digits, and asks nothing of the rank.
type spanDesign struct {
	l   blas64.Triangular
	q   kernel.Matrix[float64] // reflectors whose product is Q, right of the diagonal
	tau []float64
}

// newSpanDesign overwrites x, t × d with t ≤ d, in O(t²d).
func newSpanDesign(ctx context.Context, x kernel.Matrix[float64]) (spanDesign, error) {
	tau := make([]float64, x.Rows)
	if err := factorLQ(ctx, x, tau); err != nil {
		return spanDesign{}, err
	}
	// Copied, so that t × t numbers stay in the cache and not t × d.
	l := blas64.Triangular{N: x.Rows, Stride: x.Rows, Uplo: blas.Lower, Diag: blas.NonUnit,
		Data: make([]float64, x.Rows*x.Rows)}
	for i := range x.Rows {
		copy(l.Data[i*l.Stride:i*l.Stride+i+1], x.Data[i*x.Stride:])
	}
	return spanDesign{l: l, q: x, tau: tau}, nil
}

func (z spanDesign) size() (int, int) { return z.l.N, z.l.N }

func (z spanDesign) mul(dst, v []float64) {
	copy(dst, v)
	blas64.Trmv(blas.NoTrans, z.l, vector(dst))
}

func (z spanDesign) mulTrans(dst, s []float64) {
	copy(dst, s)
	blas64.Trmv(blas.Trans, z.l, vector(dst))
}

// weights is Qᵀu, in O(td). It writes to the reflectors and restores them, hence not
// concurrently.
func (z spanDesign) weights(u []float64) []float64 {
	w := make([]float64, z.q.Cols)
	copy(w, u)
	applyQ(z.q, z.tau, w)
	return w
}

// sparseDesign is a training set of sparse rows, kept sparse.
type sparseDesign struct{ z *kernel.CSR[float64] }

func (z sparseDesign) size() (int, int) { return z.z.Rows, z.z.Cols }

func (z sparseDesign) mul(dst, v []float64) {
	for i := range z.z.Rows {
		cols, values := z.z.Row(i)
		var sum float64
		for q, j := range cols {
			sum += values[q] * v[j]
		}
		dst[i] = sum
	}
}

func (z sparseDesign) mulTrans(dst, s []float64) {
	clear(dst)
	for i := range z.z.Rows {
		cols, values := z.z.Row(i)
		for q, j := range cols {
			dst[j] += values[q] * s[i]
		}
	}
}

func (z sparseDesign) weights(u []float64) []float64 { return u }

func vector(x []float64) blas64.Vector {
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}

// trainingSet returns X̃, the given rows of f with a column of ones appended,
// dense or sparse as f is.
func (f *features) trainingSet(rows []int) *features {
	x := &features{rows: len(rows), cols: f.cols + 1}
	if f.sparse == nil {
		x.dense = kernel.Dense[float64](x.rows, x.cols)
		for q, i := range rows {
			_, values := f.row(i)
			copy(x.dense.Data[q*x.cols:], values)
			x.dense.Data[q*x.cols+f.cols] = 1
		}
		return x
	}
	z := &kernel.CSR[float64]{Rows: x.rows, Cols: x.cols, Ptr: make([]int64, x.rows+1)}
	for q, i := range rows {
		cols, values := f.row(i)
		z.Col = append(append(z.Col, cols...), int32(f.cols))
		z.Val = append(append(z.Val, values...), 1)
		z.Ptr[q+1] = int64(len(z.Col))
	}
	x.sparse = z
	return x
}

// newDesign chooses the form of a training set with the cheaper products. It
// may overwrite x.
func newDesign(ctx context.Context, x *features) (design, error) {
	switch {
	case x.sparse != nil:
		return sparseDesign{x.sparse}, nil
	case x.rows < x.cols:
		return newSpanDesign(ctx, x.dense)
	}
	return denseDesign{x.dense}, nil
}
