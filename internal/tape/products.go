package tape

import (
	"context"
	"fmt"

	"coles/internal/kernel"
)

// MatMul is y = a·b, of an n×k and a k×m matrix.
//
// g_a = g·bᵀ, g_b = aᵀ·g.
func (t *Tape[T]) MatMul(a, b *Value[T]) *Value[T] {
	fit(a.Cols() == b.Rows(), "MatMul", a, b)
	y := t.newValue(a.Rows(), b.Cols(), a, b)
	t.gemm(false, false, 1, a.data, b.data, 0, y.data)
	y.back = func() {
		t.addProduct(a, false, true, 1, y.grad, b.data)
		t.addProduct(b, true, false, 1, a.data, y.grad)
	}
	return y
}

func (t *Tape[T]) gemm(transA, transB bool, alpha T, a, b matrix[T], beta T, c matrix[T]) {
	t.check(kernel.Gemm(t.ctx, transA, transB, alpha, a, b, beta, c))
}

// addProduct adds alpha·op(a)·op(b) to the gradient of x, if it needs one.
func (t *Tape[T]) addProduct(x *Value[T], transA, transB bool, alpha T, a, b matrix[T]) {
	if x.needsGrad {
		dst, beta := t.destination(x)
		t.gemm(transA, transB, alpha, a, b, beta, dst)
	}
}

// MatMulTrans is y = a·bᵀ, of an n×k and an m×k matrix.
//
// g_a = g·b, g_b = gᵀ·a.
func (t *Tape[T]) MatMulTrans(a, b *Value[T]) *Value[T] {
	fit(a.Cols() == b.Cols(), "MatMulTrans", a, b)
	y := t.newValue(a.Rows(), b.Rows(), a, b)
	t.gemm(false, true, 1, a.data, b.data, 0, y.data)
	y.back = func() {
		t.addProduct(a, false, false, 1, y.grad, b.data)
		t.addProduct(b, true, false, 1, y.grad, a.data)
	}
	return y
}

// Gram is the d×d matrix y = aᵀ·a of an n×d matrix, for half the work of the product.
//
// g_a = a·(g + gᵀ).
func (t *Tape[T]) Gram(a *Value[T]) *Value[T] {
	d := a.Cols()
	y := t.newValue(d, d, a)
	t.gram(y.data, 1, a.data)
	y.back = func() {
		t.addProduct(a, false, false, 1, a.data, y.grad)
		t.addProduct(a, false, true, 1, a.data, y.grad)
	}
	return y
}

// gram sets dst to alpha·aᵀ·a.
func (t *Tape[T]) gram(dst matrix[T], alpha T, a matrix[T]) {
	t.fill(dst, 0)
	t.check(kernel.Gram(t.ctx, alpha, a, a, dst))
	kernel.MirrorUpper(dst)
}

// Sparse is a sparse matrix with its transpose, which gradients need.
type Sparse[T kernel.Float] struct {
	matrix     *kernel.CSR[T]
	transposed []slab[T]
}

// NewSparse returns s with its transpose, in O(rows + cols + entries); a matrix known to be
// symmetric serves as its own.
func NewSparse[T kernel.Float](s *kernel.CSR[T], symmetric bool) *Sparse[T] {
	if symmetric {
		return &Sparse[T]{s, []slab[T]{{s, 0}}}
	}
	return &Sparse[T]{s, slabsOf(s)}
}

// SpMM is y = S·x, of a constant sparse n×k and a k×d matrix.
//
// g_x = Sᵀ·g.
func (t *Tape[T]) SpMM(s *Sparse[T], x *Value[T]) *Value[T] {
	if s.matrix.Cols != x.Rows() {
		panic(fmt.Sprintf("tape: SpMM of %d×%d and %d×%d", s.matrix.Rows, s.matrix.Cols, x.Rows(), x.Cols()))
	}
	y := t.newValue(s.matrix.Rows, x.Cols(), x)
	t.check(kernel.SpMM(t.ctx, y.data, s.matrix, x.data))
	y.back = func() {
		dst, beta := t.destination(x)
		for _, part := range s.transposed {
			g := kernel.View(y.grad, part.first, 0, part.matrix.Cols, x.Cols())
			if beta == 0 {
				t.check(kernel.SpMM(t.ctx, dst, part.matrix, g))
			} else {
				t.check(kernel.SpMMAdd(t.ctx, dst, part.matrix, g, 1, dst))
			}
			beta = 1
		}
	}
	return y
}

const (
	// slabRows rows of a factor with some hundred columns stay in the second cache.
	slabRows = 512

	// slabEntries is the least mean number of entries in a row of a slab: each slab reads and
	// writes the result once, which must cost little compared with reading the factor.
	slabEntries = 16
)

// slab is a part of a matrix, its columns from first on.
type slab[T kernel.Float] struct {
	matrix *kernel.CSR[T]
	first  int
}

// slabsOf is the transpose of s. One with many entries in a row, such as that of features, is cut
// into slabs: it uses each row of the other factor often, and those of one slab stay in cache.
func slabsOf[T kernel.Float](s *kernel.CSR[T]) []slab[T] {
	if s.NNZ()*slabRows <= slabEntries*s.Cols*s.Rows {
		return []slab[T]{{s.Transpose(), 0}}
	}
	var slabs []slab[T]
	for first := 0; first < s.Rows; first += slabRows {
		slabs = append(slabs, slab[T]{s.Slice(first, min(s.Rows, first+slabRows)).Transpose(), first})
	}
	return slabs
}

// SymmetricOperator sets dst to S·src for a constant symmetric n×n matrix S known by its products,
// such as ΔW = W⁺ − (η′/κ)·Σ W⁻ₖ with parts of rank one. dst and src are n×d and share no memory.
type SymmetricOperator[T kernel.Float] func(ctx context.Context, dst, src kernel.Matrix[T]) error

// Contrast is y = S·x for a symmetric n×n S and an n×d matrix x.
//
// g_x = S·g.
func (t *Tape[T]) Contrast(s SymmetricOperator[T], x *Value[T]) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.check(s(t.ctx, y.data, x.data))
	y.back = func() {
		product := t.take(x.Rows(), x.Cols())
		t.check(s(t.ctx, product, y.grad))
		t.pass(&product, x)
		t.release(&product)
	}
	return y
}
