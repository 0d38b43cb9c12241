package autodiff

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"coles/internal/kernel"
)

// MatMul is y = a·b, of an n×k and a k×m matrix; a may be a SparseConstant. Its product with one
// Variable or Constant is computed once for a recording, however often rows of it are gathered.
// g_a = g·bᵀ, g_b = aᵀ·g.
func (t *Tape[T]) MatMul(a, b *Value[T]) *Value[T] { return t.product(a, b, false) }

// product is MatMul; with brief the caller keeps the result private and does not need it in
// the backward pass.
func (t *Tape[T]) product(a, b *Value[T], brief bool) *Value[T] {
	fit(a.Cols() == b.Rows(), "MatMul", a, b)
	if a.sparse != nil {
		return t.sparseTimes(a, b, brief)
	}
	y := t.newValue(a.Rows(), b.Cols(), a, b)
	y.brief = brief
	t.gemm(false, false, 1, a.data, b.data, 0, y.data)
	y.back = func() {
		t.addProduct(a, false, true, 1, y.grad, b.data)
		t.addProduct(b, true, false, 1, a.data, y.grad)
	}
	return y
}

// sparseProduct is y = s·b of a recording.
type sparseProduct[T Float] struct {
	s    *Sparse[T]
	b, y *Value[T]
}

// sparseTimes is a·b for a SparseConstant a.
func (t *Tape[T]) sparseTimes(a, b *Value[T], brief bool) (y *Value[T]) {
	at := slices.IndexFunc(t.shared, func(p sparseProduct[T]) bool { return p.s == a.sparse && sameInput(p.b, b) })
	if at >= 0 {
		y = t.shared[at].y
		y.brief = y.brief && brief
	} else {
		if y = t.SpMM(a.sparse, b); !b.owned {
			t.shared = append(t.shared, sparseProduct[T]{a.sparse, b, y})
		}
		y.brief = brief
	}
	if a.rows != nil {
		y = t.Gather(y, a.rows)
		y.brief = brief
	}
	return y
}

// sameInput reports whether two inputs are the same matrix, with the same gradient if any.
func sameInput[T Float](a, b *Value[T]) bool {
	same := func(a, b Matrix[T]) bool {
		return a.Rows == b.Rows && a.Cols == b.Cols && a.Stride == b.Stride && unsafe.SliceData(a.Data) == unsafe.SliceData(b.Data)
	}
	return !a.owned && !b.owned && a.needsGrad == b.needsGrad && same(a.data, b.data) && (!a.needsGrad || same(a.grad, b.grad))
}

func (t *Tape[T]) gemm(transA, transB bool, alpha T, a, b Matrix[T], beta T, c Matrix[T]) {
	t.Fail(kernel.Gemm(t.ctx, transA, transB, alpha, a, b, beta, c))
}

// addProduct adds alpha·op(a)·op(b) to the gradient of x, if it needs one.
func (t *Tape[T]) addProduct(x *Value[T], transA, transB bool, alpha T, a, b Matrix[T]) {
	if x.needsGrad {
		dst, beta := t.destination(x)
		t.gemm(transA, transB, alpha, a, b, beta, dst)
	}
}

// MatMulTrans is y = a·bᵀ, of an n×k and an m×k matrix. g_a = g·b, g_b = gᵀ·a.
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

// Gram is the d×d matrix y = aᵀ·a of an n×d matrix, for half the work of the product. It is
// computed once for a recording. g_a = a·(g + gᵀ).
func (t *Tape[T]) Gram(a *Value[T]) *Value[T] {
	if a.gram != nil {
		return a.gram
	}
	d := a.Cols()
	y := t.newValue(d, d, a)
	a.gram = y
	t.zero(y.data)
	t.Fail(kernel.Gram(t.ctx, 1, a.data, a.data, y.data))
	kernel.MirrorUpper(y.data)
	y.back = func() {
		kernel.Symmetrize(y.grad)
		t.addProduct(a, false, false, 2, a.data, y.grad)
	}
	return y
}

// Sparse is a sparse matrix with its transpose, which gradients need.
type Sparse[T Float] struct {
	matrix     *CSR[T]
	transposed []slab[T]
}

// NewSparse returns s with its transpose, in O(rows + cols + entries); a matrix known to be
// symmetric serves as its own. s is not copied and must not change.
func NewSparse[T Float](s *CSR[T], symmetric bool) *Sparse[T] {
	fitEntries(s)
	if symmetric {
		return &Sparse[T]{s, []slab[T]{{s, 0}}}
	}
	return &Sparse[T]{s, slabsOf(s)}
}

// fitEntries panics unless the entries of s are in its rows and columns, in order: kernels trust
// this.
func fitEntries[T Float](s *CSR[T]) {
	if s.Rows < 0 || s.Cols < 0 || len(s.Ptr) != s.Rows+1 || len(s.Col) != len(s.Val) || s.Ptr[0] < 0 ||
		!slices.IsSorted(s.Ptr) || s.Ptr[s.Rows] > int64(len(s.Col)) {
		panic(fmt.Sprintf("autodiff: NewSparse of %d×%d with %d pointers, %d columns and %d values", s.Rows, s.Cols, len(s.Ptr), len(s.Col), len(s.Val)))
	}
	for i := range s.Rows {
		cols, _ := s.Row(i)
		for q, j := range cols {
			if j < 0 || int(j) >= s.Cols || q > 0 && j <= cols[q-1] {
				panic(fmt.Sprintf("autodiff: NewSparse: column %d at place %d of row %d, of %d columns in ascending order", j, q, i, s.Cols))
			}
		}
	}
}

// Matrix is s itself, not to be written to.
func (s *Sparse[T]) Matrix() *CSR[T] { return s.matrix }

// SpMM is y = S·x, of a constant sparse n×k and a k×d matrix, in O((n + entries)·d). g_x = Sᵀ·g.
func (t *Tape[T]) SpMM(s *Sparse[T], x *Value[T]) *Value[T] {
	fitSparse("SpMM", s, x)
	y := t.newValue(s.matrix.Rows, x.Cols(), x)
	t.Fail(kernel.SpMM(t.ctx, y.data, s.matrix, x.data))
	y.back = func() { t.addTransposed(s, y.grad, x) }
	return y
}

// Convolve is y = S·(x·θ) + 1·b, a layer of a graph convolutional network (Kipf and Welling, 2017). S is constant,
// sparse and m×n, x n×k or a SparseConstant, θ k×d and b 1×d. The result is Bias(SpMM(S, MatMul(x, θ)), b) to the
// byte, without a pass for b. The gradient of x·θ takes the memory of x·θ. g_b = 1ᵀ·g and, with G = Sᵀ·g, g_θ = xᵀ·G,
// g_x = G·θᵀ.
func (t *Tape[T]) Convolve(s *Sparse[T], x, theta, b *Value[T]) *Value[T] {
	z := t.product(x, theta, true)
	fitSparse("Convolve", s, z)
	fit(b.Rows() == 1 && b.Cols() == z.Cols(), "Convolve", x, theta, b)
	y := t.newValue(s.matrix.Rows, z.Cols(), z, b)
	every := b.data // one row, that stands for all
	every.Rows, every.Stride = y.Rows(), 0
	t.Fail(kernel.SpMMAdd(t.ctx, y.data, s.matrix, z.data, 1, every))
	y.back = func() {
		t.addColumnSums(b, y.grad)
		if z.needsGrad {
			t.addTransposed(s, y.grad, z)
		}
	}
	return y
}

// addTransposed adds sᵀ·g to the gradient of x, which needs one.
func (t *Tape[T]) addTransposed(s *Sparse[T], g Matrix[T], x *Value[T]) {
	dst, beta := t.destination(x)
	for _, part := range s.transposed {
		g := kernel.View(g, part.first, 0, part.matrix.Cols, x.Cols())
		if beta == 0 {
			t.Fail(kernel.SpMM(t.ctx, dst, part.matrix, g))
		} else {
			t.Fail(kernel.SpMMAdd(t.ctx, dst, part.matrix, g, beta, dst))
		}
		beta = 1
	}
}

// fitSparse panics unless x is dense and has a row for each column of s.
func fitSparse[T Float](operation string, s *Sparse[T], x *Value[T]) {
	fitDense(x)
	if s.matrix.Cols != x.Rows() {
		panic(fmt.Sprintf("autodiff: %s of %d×%d and %d×%d", operation, s.matrix.Rows, s.matrix.Cols, x.Rows(), x.Cols()))
	}
}

const (
	// slabRows rows of a factor with some hundred columns stay in the second cache.
	slabRows = 512

	// slabEntries is the least mean number of entries in a row of a slab. Each slab reads and writes the result once,
	// which must cost little beside reading the factor.
	slabEntries = 16
)

// slab is a part of a matrix, its columns from first on.
type slab[T Float] struct {
	matrix *CSR[T]
	first  int
}

// slabsOf is the transpose of s. Where its rows have many entries, as those of features do, it is cut into slabs.
// Each row of the other factor is then read often, and the rows for one slab stay in cache.
func slabsOf[T Float](s *CSR[T]) []slab[T] {
	if s.NNZ()*slabRows <= slabEntries*s.Cols*s.Rows {
		return []slab[T]{{s.Transpose(), 0}}
	}
	var slabs []slab[T]
	for first := 0; first < s.Rows; first += slabRows {
		slabs = append(slabs, slab[T]{s.Slice(first, min(s.Rows, first+slabRows)).Transpose(), first})
	}
	return slabs
}

// SymmetricOperator sets dst to S·src for a constant symmetric n×n matrix S that is known by its products, such as
// ΔW. dst and src are n×d and share no memory.
type SymmetricOperator[T Float] func(ctx context.Context, dst, src Matrix[T]) error
