// Package autodiff is reverse-mode differentiation over dense and sparse matrices, written by hand:
// the operations of the layers and losses of package gnn, and of programs.
//
//	t := autodiff.New[float32](ctx)
//	w := t.Variable(weights, gradient)
//	loss := t.Mean(t.Sigmoid(t.MatMul(t.Constant(x), w)))
//	err := t.Backward(loss) // adds ∂loss/∂weights to gradient
//
// An operation, a method of [Tape], computes its result at once and records how the gradient of the result becomes
// the gradients of its inputs; Backward goes through the record from its end. In the doc comments y is the result,
// and g = ∂L/∂y the gradient of the loss L with respect to y, of the same shape. g_x is what the operation adds to
// the gradient of its input x. Operations do not change their inputs, and any of these may be the same value. Slices
// of rows that they are given must not change before the next Reset.
//
// The operations are, by kind,
//
//   - inputs: Constant, SparseConstant, Variable
//   - arithmetic: Add, Scale, Bias, Mul, Reciprocal, Pow, Exp
//   - products of matrices: MatMul, MatMulTrans, Gram, SpMM, Convolve
//   - rows and columns: Gather, RowDots, GatherDots, Reshape, Concat, Columns
//   - activations: ReLU, PReLU, ELU, Sigmoid, LogSigmoid, Softplus, Dropout
//   - lengths and deviations: RowNormalize, ColumnNormalize, BatchNorm, BatchNormFixed, LayerNorm
//   - neighbours: HeadDots, Attention, and in an order LSTM
//   - sums and means: Sum, Mean, LogPowerMeanRows
//   - losses: SoftmaxCrossEntropy, TraceQuadratic, SoftOrthogonality
//   - one of the caller's: [Tape.Operation]
//   - to save memory: [Tape.Recomputed] and, where no gradient is wanted, [Tape.Forget]
//
// Matrices are of float32 or float64. Single numbers, such as a loss or the sum of a column, are
// summed in float64 in either precision. Every sum is taken in an order that the sizes and the
// padding alone decide, so the bytes are the same for every GOMAXPROCS.
//
// Shapes and indices that do not fit are mistakes of the caller and panic. The only errors come from
// the context, a [SymmetricOperator], [Tape.Fail], and COLES_KERNEL with a name of missing
// instructions. The first is kept until the next Reset (see [Tape.Err]); later results are invalid.
package autodiff

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"coles/internal/kernel"
)

// Float is the type of the numbers of a matrix: float32 or float64.
type Float = kernel.Float

// Matrix is a dense matrix: a struct of Rows, Cols, Stride and Data []T, with entry (i, j) at
// Data[i*Stride+j], Stride ≥ Cols. Its rows from lo on are the matrix of Rows − lo rows whose Data
// begins at lo*Stride. It converts to and from gonum's blas64.General or blas32.General.
type Matrix[T Float] = kernel.Matrix[T]

// CSR is a sparse matrix: a struct of Rows, Cols, Ptr []int64, Col []int32 and Val []T. The entries
// of row i are those from Ptr[i] to Ptr[i+1] − 1, each in its column Col with its value Val, columns
// ascending and none twice; Ptr has Rows + 1 numbers. The method Row(i) returns the columns and the
// values of row i, NNZ() the number of entries and Transpose() a new matrix.
type CSR[T Float] = kernel.CSR[T]

// NewMatrix is a matrix of zeros.
func NewMatrix[T Float](rows, cols int) Matrix[T] { return kernel.Dense[T](rows, cols) }

// Tape records operations on matrices. It is used by one goroutine at a time.
type Tape[T Float] struct {
	ctx context.Context
	err error
	memory[T]
	wide  memory[float64] // for sums
	nodes []*Value[T]     // the record, nodes[:used], then nodes to use again
	used  int
	spent bool // Backward has run

	shared []sparseProduct[T] // of SparseConstants with inputs
	inner  *Tape[T]           // of what is Recomputed
}

// New returns an empty tape, whose operations end early once ctx is done.
func New[T Float](ctx context.Context) *Tape[T] { return &Tape[T]{ctx: ctx, err: kernel.Check()} }

// Reset forgets the record and the error. The memory is kept for the next recording: a step of the
// same shapes as the one before allocates nothing that grows with them. All values of the tape
// become invalid.
func (t *Tape[T]) Reset(ctx context.Context) {
	for _, v := range t.nodes[:t.used] {
		t.release(&v.kept)
		if v.owned {
			t.release(&v.data)
			t.release(&v.grad)
		}
		*v = Value[T]{}
	}
	clear(t.shared)
	t.ctx, t.err, t.used, t.spent, t.shared = ctx, kernel.Check(), 0, false, t.shared[:0]
}

// Err is the first error since the last Reset: of the context, of a [SymmetricOperator], of Fail or of
// COLES_KERNEL.
func (t *Tape[T]) Err() error { return t.err }

// Backward adds the derivative of loss, a 1×1 value, with respect to every Variable to its
// gradient. There is one call for each recording; the data of all values stay until Reset. After an
// error the gradients are unfinished.
func (t *Tape[T]) Backward(loss *Value[T]) error {
	if loss.Rows() != 1 || loss.Cols() != 1 {
		panic(fmt.Sprintf("autodiff: Backward from a %d×%d value, not 1×1", loss.Rows(), loss.Cols()))
	}
	if loss.needsGrad {
		t.gradient(loss).Data[0]++
	}
	return t.sweep()
}

// sweep runs the record backwards, from the gradients that are set.
func (t *Tape[T]) sweep() error {
	if t.spent {
		panic("autodiff: Backward twice for one recording")
	}
	t.spent = true
	for i := t.used - 1; i >= 0 && t.err == nil; i-- {
		v := t.nodes[i]
		// No earlier operation reads what is released.
		if v.back != nil && v.reached {
			if v.factor != 0 {
				t.scale(v.grad, v.factor)
			}
			v.back()
			t.release(&v.grad)
		}
		t.release(&v.kept)
	}
	t.Fail(t.ctx.Err())
	return t.err
}

// Fail keeps err, if it is the first, as the error of the recording.
func (t *Tape[T]) Fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// Value is a matrix on a tape, valid until the tape is Reset.
type Value[T Float] struct {
	data      Matrix[T]
	grad      Matrix[T]  // memory of the tape; for a Variable, of the caller
	factor    T          // if not 0, what grad is still to be multiplied by
	sparse    *Sparse[T] // of a SparseConstant, which has no data
	rows      []int      // of sparse, in this order; nil for all of them
	gram      *Value[T]  // what Gram has made of it
	kept      Matrix[T]  // what else back needs
	needsGrad bool       // depends on a Variable
	reached   bool       // grad holds a part of the gradient
	owned     bool       // data and grad are memory of the tape
	brief     bool       // nobody needs data once the gradient begins, which takes its memory
	back      func()     // adds to the gradients of the inputs; may overwrite grad and kept
}

// Data is the matrix, not to be written to.
func (v *Value[T]) Data() Matrix[T] { return v.data }

// Rows is the number of rows.
func (v *Value[T]) Rows() int { return v.data.Rows }

// Cols is the number of columns.
func (v *Value[T]) Cols() int { return v.data.Cols }

// Scalar is the one entry of a 1×1 value.
func (v *Value[T]) Scalar() float64 {
	fitDense(v)
	fit(v.Rows() == 1 && v.Cols() == 1, "Scalar", v)
	return float64(v.data.Data[0])
}

// Constant is m as an input without a gradient. It is not copied and must not change before the
// next Reset.
func (t *Tape[T]) Constant(m Matrix[T]) *Value[T] {
	fitData("Constant", m)
	v := t.node()
	v.data = m
	return v
}

// SparseConstant is s as an input without a gradient, such as the words of texts. It takes part in
// [Tape.MatMul], from the left, in [Tape.Dropout] and in [Tape.Gather]; its Data is empty.
func (t *Tape[T]) SparseConstant(s *Sparse[T]) *Value[T] {
	v := t.node()
	v.data, v.sparse = Matrix[T]{Rows: s.matrix.Rows, Cols: s.matrix.Cols}, s
	return v
}

// Variable is m as an input with a gradient, which Backward adds to grad, of the same size. Neither
// is copied; m must not change before the next Reset.
func (t *Tape[T]) Variable(m, grad Matrix[T]) *Value[T] {
	fitData("Variable", m)
	fitData("Variable", grad)
	v := t.node()
	v.data, v.grad = m, grad
	fit(m.Rows == grad.Rows && m.Cols == grad.Cols, "Variable", v, &Value[T]{data: grad})
	v.needsGrad, v.reached = true, true
	return v
}

// node is the next node of the record, empty.
func (t *Tape[T]) node() *Value[T] {
	if t.used == len(t.nodes) {
		t.nodes = append(t.nodes, new(Value[T]))
	}
	t.used++
	return t.nodes[t.used-1]
}

// newValue is the result of an operation, its entries not yet set.
func (t *Tape[T]) newValue(rows, cols int, inputs ...*Value[T]) *Value[T] {
	fitDense(inputs...)
	v := t.node()
	v.data, v.owned = t.take(rows, cols), true
	for _, x := range inputs {
		v.needsGrad = v.needsGrad || x.needsGrad
	}
	return v
}

// Operation records an operation of the caller's, from inputs to a rows×cols matrix. The function value sets y, of
// any values so far. The function back is given y, g = ∂L/∂y and the gradient of each input so far, to which it adds
// g_x. The gradient of an input that has none is without Data. back may overwrite g. It is called if the loss depends
// on y and y on a Variable.
func (t *Tape[T]) Operation(
	rows, cols int, value func(y Matrix[T]), back func(y, g Matrix[T], gradients []Matrix[T]), inputs ...*Value[T],
) *Value[T] {
	y := t.newValue(rows, cols, inputs...)
	value(y.data)
	y.back = func() {
		gradients := make([]Matrix[T], len(inputs))
		for k, x := range inputs {
			gradients[k] = t.wanted(x)
		}
		back(y.data, y.grad, gradients)
	}
	return y
}

// destination returns where to write a part of the gradient of x, which needs one, and beta, by which
// to multiply what is there: 0 to overwrite it.
func (t *Tape[T]) destination(x *Value[T]) (dst Matrix[T], beta T) {
	if x.factor != 0 {
		beta, x.factor = x.factor, 0
		return x.grad, beta
	}
	if x.reached {
		return x.grad, 1
	}
	x.reached = true
	if x.brief {
		x.grad, x.data.Data = x.data, nil
	} else {
		x.grad = t.take(x.Rows(), x.Cols())
	}
	return x.grad, 0
}

// gradient returns the gradient of x so far, at first zero, to be added to; x needs one.
func (t *Tape[T]) gradient(x *Value[T]) Matrix[T] {
	dst, beta := t.destination(x)
	switch beta {
	case 0:
		t.zero(dst)
	case 1:
	default:
		t.scale(dst, beta)
	}
	return dst
}

// wanted is the gradient of x so far, empty if x needs none.
func (t *Tape[T]) wanted(x *Value[T]) (dst Matrix[T]) {
	if x.needsGrad {
		dst = t.gradient(x)
	}
	return dst
}

// addGradient adds c·g to the gradient of x, if x needs one.
func (t *Tape[T]) addGradient(x *Value[T], c T, g Matrix[T]) {
	if x.needsGrad {
		t.addScaled(t.gradient(x), c, g)
	}
}

// pass adds g to the gradient of x, if x needs one. It may take over the memory of g, which is then
// empty.
func (t *Tape[T]) pass(g *Matrix[T], x *Value[T]) {
	if x.needsGrad && !x.reached {
		x.grad, x.reached, *g = *g, true, Matrix[T]{}
		return
	}
	t.addGradient(x, 1, *g)
}

// memory is a tape's memory in one precision: the pieces not in use, by size, and the count of all
// numbers.
type memory[T Float] struct {
	free  map[int][][]T
	count int
}

// Bytes is the size of the memory that the tape has allocated for results, gradients and partial
// sums, in use or not.
func (t *Tape[T]) Bytes() int {
	bytes := t.memory.bytes() + t.wide.bytes()
	if t.inner != nil {
		bytes += t.inner.Bytes()
	}
	return bytes
}

func (m *memory[T]) bytes() int { return m.count * int(unsafe.Sizeof(T(0))) }

// take returns a rows × cols matrix of any values, to be given back by release.
func (m *memory[T]) take(rows, cols int) Matrix[T] {
	lent := Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols)}
	_, size := kernel.SizeClass(rows * cols) // which batches of slightly different sizes share
	if free := m.free[size]; len(free) > 0 {
		lent.Data = free[len(free)-1][:rows*cols]
		m.free[size] = free[:len(free)-1]
		return lent
	}
	m.count += size
	lent.Data = kernel.Unset[T](1, size).Data[:rows*cols]
	return lent
}

// release gives the memory of a matrix back, which becomes empty.
func (m *memory[T]) release(lent *Matrix[T]) {
	if lent.Data == nil {
		return
	}
	if m.free == nil {
		m.free = map[int][][]T{}
	}
	size := cap(lent.Data)
	m.free[size] = append(m.free[size], lent.Data)
	*lent = Matrix[T]{}
}

// fit panics unless the sizes of an operation's arguments fit together.
func fit[T Float](ok bool, operation string, arguments ...*Value[T]) {
	if ok {
		return
	}
	var sizes []string
	for _, v := range arguments {
		sizes = append(sizes, fmt.Sprintf("%d×%d", v.Rows(), v.Cols()))
	}
	panic(fmt.Sprintf("autodiff: %s of %s", operation, strings.Join(sizes, " and ")))
}

// fitData panics unless there is a number for every entry of m: kernels trust this.
func fitData[T Float](operation string, m Matrix[T]) {
	empty := m.Rows == 0 || m.Cols == 0
	if m.Rows < 0 || m.Cols < 0 || !empty && (m.Rows > 1 && m.Stride < m.Cols || len(m.Data) < (m.Rows-1)*m.Stride+m.Cols) {
		panic(fmt.Sprintf("autodiff: %s of %d×%d with a stride of %d and %d numbers", operation, m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}

// fitDense panics unless all inputs are dense.
func fitDense[T Float](inputs ...*Value[T]) {
	for _, x := range inputs {
		if x.sparse != nil {
			panic(fmt.Sprintf("autodiff: a %d×%d SparseConstant where a dense matrix is needed", x.Rows(), x.Cols()))
		}
	}
}

// fitIndices panics unless all indices are in [0, n).
func fitIndices(operation string, indices []int, n int) {
	for k, i := range indices {
		if i < 0 || i >= n {
			panic(fmt.Sprintf("autodiff: %s: index %d at place %d, outside of [0, %d)", operation, i, k, n))
		}
	}
}

func sameSize[T Float](a, b *Value[T]) bool {
	return a.Rows() == b.Rows() && a.Cols() == b.Cols()
}
