package matrix

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
)

// An Operator is the symmetric matrix S + coef·v·vᵀ, S sparse, without anything of it written out.
type Operator[T kernel.Float] struct {
	Sparse *kernel.CSR[T] // nil for the identity
	Coef   float64        // of the part of rank one
	V      []float64      // nil for none
}

// ConvertOperator is an operator in numbers of another type.
func ConvertOperator[T, S kernel.Float](o Operator[S]) Operator[T] {
	if o.Sparse == nil {
		return Operator[T]{}
	}
	return Operator[T]{ConvertCSR[T](o.Sparse), o.Coef, o.V}
}

// Apply sets dst = O·src.
func (o Operator[T]) Apply(ctx context.Context, dst, src kernel.Matrix[T]) error {
	if o.Sparse == nil {
		return kernel.Convert(ctx, dst, src)
	}
	if err := kernel.SpMM(ctx, dst, o.Sparse, src); err != nil || o.V == nil {
		return err
	}
	t, err := TransposeTimes(ctx, Of(src), o.V)
	if err != nil {
		return err
	}
	narrow := make([]T, len(t))
	for j, v := range t {
		narrow[j] = T(v)
	}
	return parallel.EachRow(ctx, dst.Rows, func(i int) {
		AddScaled(dst.Row(i), T(o.Coef*o.V[i]), narrow)
	})
}

// GramNumbers numbers of O·F are made at a time: enough for the products to be efficient, few
// enough to stay in cache until they are used.
const GramNumbers = 1 << 20

// Gram returns the upper triangle of FᵀOF, summed in float64. O·F is made for a block of rows at a
// time and never held as a whole.
func (o Operator[T]) Gram(ctx context.Context, f kernel.Matrix[T]) (kernel.Matrix[float64], error) {
	m, _, err := o.GramOf(ctx, Filtered[T]{Parts: []kernel.Matrix[T]{f}})
	return m, err
}

// GramOf is [Operator.Gram] for a filtered F. If F comes from a pattern, W⁺ of the pattern replaces Sparse as the sparse part
// of O. It also returns the norm of the part of rank one. Several parts take one panel of memory in turn.
func (o Operator[T]) GramOf(ctx context.Context, f Filtered[T]) (m kernel.Matrix[float64], one float64, err error) {
	_, d := f.Dims()
	// Written before it is read: a page of fresh memory that is read first costs several times as
	// much, as the system then has to replace it on every processor.
	m = kernel.Unset[float64](d, d)
	if err := Clear(ctx, m); err != nil {
		return m, 0, err
	}
	at := 0
	for k, part := range f.Parts {
		if err := o.gramOf(ctx, f, k, at, m); err != nil {
			return m, 0, err
		}
		at += part.Cols
	}
	// A part of rank one stays one: coef·(Fᵀv)(Fᵀv)ᵀ.
	if o.V != nil {
		t, err := f.TransposeTimes(ctx, o.V)
		if err != nil {
			return m, 0, err
		}
		one = math.Abs(o.Coef) * floats.Dot(t, t)
		for i := range t {
			AddScaled(m.Data[i*m.Stride+i:], o.Coef*t[i], t[i:])
		}
	}
	return m, one, ctx.Err()
}

// gramOf adds to m the products of the k-th part, which begins at column at, with itself and the parts before, at their
// columns. The part of rank one is left out.
func (o Operator[T]) gramOf(ctx context.Context, f Filtered[T], k, at int, m kernel.Matrix[float64]) error {
	pattern, part := f.Degrees, f.Parts[k]
	n, d := part.Rows, part.Cols
	if o.Sparse == nil && pattern == nil {
		return f.gramRows(ctx, k, at, 0, n, part, m)
	}
	from := part
	if len(f.Parts) > 1 { // rows are read in the order of columns, which a space is not for
		from.Data = f.panel[:n*d]
		if err := kernel.Convert(ctx, from, part); err != nil {
			return err
		}
	}
	height := min(n, max(256, GramNumbers/d))
	z, release := kernel.Scratch[T](height, d)
	defer release()
	for lo := 0; lo < n; lo += height {
		hi := min(lo+height, n)
		dst := kernel.Rows(z, 0, hi-lo)
		var err error
		if pattern != nil {
			err = kernel.PatternSum(ctx, dst, pattern, lo, hi, from)
		} else {
			err = kernel.SpMM(ctx, dst, o.Sparse.Slice(lo, hi), from)
		}
		if err == nil {
			err = f.gramRows(ctx, k, at, lo, hi, dst, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gramRows adds the products of rows lo to hi of the parts up to the k-th, which begins at column at, with rows of O times the
// k-th part.
func (f Filtered[T]) gramRows(ctx context.Context, k, at, lo, hi int, image kernel.Matrix[T], m kernel.Matrix[float64]) error {
	row := 0
	for _, before := range f.Parts[:k] {
		to := kernel.View(m, row, at, before.Cols, image.Cols)
		if err := kernel.Gemm(ctx, true, false, 1, kernel.Rows(before, lo, hi), image, 1, to); err != nil {
			return err
		}
		row += before.Cols
	}
	return kernel.Gram(ctx, 1, kernel.Rows(f.Parts[k], lo, hi), image, kernel.View(m, at, at, image.Cols, image.Cols))
}
