package tape

import (
	"context"
	"fmt"

	"coles/internal/kernel"
)

type matrix[T kernel.Float] = kernel.Matrix[T]

// Tape records operations on matrices. It is used by one goroutine at a time.
type Tape[T kernel.Float] struct {
	ctx context.Context
	err error
	memory[T]
	wide  memory[float64] // of sums
	nodes []*Value[T]     // those recorded, and behind them ones to be used again
	used  int
	spent bool // Backward has used the record up
}

// New returns an empty tape, whose operations end early once ctx is done.
func New[T kernel.Float](ctx context.Context) *Tape[T] { return &Tape[T]{ctx: ctx} }

// Reset forgets the record and the error. The memory is kept for the next
// recording: a step of the same shapes as the one before takes none that grows
// with them. All values of the tape become invalid.
func (t *Tape[T]) Reset(ctx context.Context) {
	for _, v := range t.nodes[:t.used] {
		t.release(&v.kept)
		if v.owned {
			t.release(&v.data)
			t.release(&v.grad)
		}
		*v = Value[T]{}
	}
	t.ctx, t.err, t.used, t.spent = ctx, nil, 0, false
}

// Err is the first error since the last Reset: that of the context, or of a
// [SymmetricOperator].
func (t *Tape[T]) Err() error { return t.err }

// Backward adds the derivative of loss, a 1×1 value, with respect to every
// Variable to its gradient. It uses the record up, so there is one call for each
// recording; the data of all values stay until Reset. After an error the
// gradients are unfinished.
func (t *Tape[T]) Backward(loss *Value[T]) error {
	if loss.Rows() != 1 || loss.Cols() != 1 {
		panic(fmt.Sprintf("tape: Backward from a %d×%d value, not 1×1", loss.Rows(), loss.Cols()))
	}
	if loss.wants {
		t.gradient(loss).Data[0]++
	}
	return t.sweep()
}

// sweep hands the gradients that are there on to the variables.
func (t *Tape[T]) sweep() error {
	if t.spent {
		panic("tape: Backward twice for one recording")
	}
	t.spent = true
	for i := t.used - 1; i >= 0 && t.err == nil; i-- {
		v := t.nodes[i]
		if v.back == nil || !v.reached {
			continue
		}
		v.back()
		// What is recorded before does not look at these again.
		t.release(&v.grad)
		t.release(&v.kept)
	}
	t.check(t.ctx.Err())
	return t.err
}

// check keeps the first error.
func (t *Tape[T]) check(err error) {
	if t.err == nil {
		t.err = err
	}
}
