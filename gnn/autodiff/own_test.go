package autodiff

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/kernel"
)

// ownProduct is y = sin(a)∘b, of two matrices of one size.
func ownProduct[T Float](t *Tape[T], a, b *Value[T]) *Value[T] {
	return t.Operation(a.Rows(), a.Cols(), func(y Matrix[T]) {
		for i := range y.Rows {
			for j, v := range a.data.Row(i) {
				y.Row(i)[j] = T(math.Sin(float64(v))) * b.data.Row(i)[j]
			}
		}
	}, func(y, g Matrix[T], gradients []Matrix[T]) {
		for i := range y.Rows {
			for j, v := range a.data.Row(i) {
				if gradients[0].Data != nil {
					gradients[0].Row(i)[j] += g.Row(i)[j] * T(math.Cos(float64(v))) * b.data.Row(i)[j]
				}
				if gradients[1].Data != nil {
					gradients[1].Row(i)[j] += g.Row(i)[j] * T(math.Sin(float64(v)))
				}
				g.Row(i)[j] = T(math.NaN()) // which nothing reads
			}
		}
	}, a, b)
}

// recomputed is sin(ab)∘ab + ab, with a product that is computed again, and within another one.
func recomputed[T Float](t *Tape[T], a, b *Value[T]) *Value[T] {
	product := func(t *Tape[T], in []*Value[T]) *Value[T] { return t.MatMul(in[0], in[1]) }
	return t.Recomputed(func(t *Tape[T], in []*Value[T]) *Value[T] {
		y := t.Recomputed(product, in...)
		return t.Add(ownProduct(t, y, y), t.Recomputed(product, in...))
	}, a, b)
}

func ownOperations[T Float]() []operation[T] {
	return []operation[T]{
		binary("Recomputed", factors, recomputed[T], func(a, b matrix64) matrix64 {
			ab := productByHand(dense(a), dense(b))
			return build(ab.Rows, ab.Cols, func(i, j int) float64 { return (math.Sin(at(ab, i, j)) + 1) * at(ab, i, j) })
		}),
		binary("Operation, twice", equal, func(t *Tape[T], a, b *Value[T]) *Value[T] { return ownProduct(t, ownProduct(t, a, b), b) },
			func(a, b matrix64) matrix64 {
				return build(a.Rows, a.Cols, func(i, j int) float64 {
					return math.Sin(math.Sin(at(a, i, j))*at(b, i, j)) * at(b, i, j)
				})
			}),
	}
}

// back is called once, with a gradient for every input that needs one, and only if the loss depends
// on the operation and it on a variable.
func TestOperationGoesBackWhereItHasTo(t *testing.T) {
	for name, c := range map[string]struct {
		variables [2]bool
		used      bool
		want      int // calls of back
	}{
		"two variables": {[2]bool{true, true}, true, 1}, "the first": {[2]bool{true, false}, true, 1}, "the second": {[2]bool{false, true}, true, 1},
		"constants": {[2]bool{}, true, 0}, "not in the loss": {[2]bool{true, true}, false, 0},
	} {
		tape, grad := New[float64](context.Background()), kernel.Dense[float64](2, 3)
		var in [2]*Value[float64]
		for k, variable := range c.variables {
			if in[k] = tape.Constant(kernel.Dense[float64](2, 3)); variable {
				in[k] = tape.Variable(kernel.Dense[float64](2, 3), grad)
			}
		}
		there, back := 0, 0
		y := tape.Operation(1, 1, func(y matrix64) { there, y.Data[0] = there+1, 5 }, func(y, g matrix64, gradients []matrix64) {
			back++
			if at(y, 0, 0) != 5 || at(g, 0, 0) != 2 || len(gradients) != 2 {
				t.Errorf("%s: the result %g, its gradient %g, gradients of %d inputs; want 5, 2 and 2", name, y.Data, g.Data, len(gradients))
			}
			for k, m := range gradients {
				if c.variables[k] != (m.Data != nil) || m.Data != nil && (m.Rows != 2 || m.Cols != 3) {
					t.Errorf("%s: the gradient of input %d is %d×%d of %d numbers", name, k, m.Rows, m.Cols, len(m.Data))
				}
			}
		}, in[0], in[1])
		loss := tape.Scale(y, 2)
		if !c.used {
			loss = tape.Sum(tape.Add(in[0], in[1]))
		}
		if err := tape.Backward(loss); err != nil || there != 1 || back != c.want {
			t.Errorf("%s: error %v, %d calls forward and %d back, want 1 and %d", name, err, there, back, c.want)
		}
	}
}

func TestErrorsStayUntilReset(t *testing.T) {
	x, grad := rowOf(1, 2), kernel.Dense[float64](1, 2)
	failure := errors.New("no product")
	tape := New[float64](context.Background())
	loss := tape.TraceQuadratic(func(context.Context, matrix64, matrix64) error { return failure }, tape.Variable(x, grad))
	if err := tape.Backward(loss); !errors.Is(err, failure) || !errors.Is(tape.Err(), failure) {
		t.Errorf("Backward: %v, Err: %v, want the operator's error", err, tape.Err())
	}

	ctx, cancel := context.WithCancel(context.Background())
	tape.Reset(ctx)
	if err := tape.Err(); err != nil {
		t.Errorf("after Reset: %v", err)
	}
	loss = tape.Sum(tape.Variable(x, grad))
	cancel()
	if err := tape.Backward(loss); !errors.Is(err, context.Canceled) {
		t.Errorf("Backward after the end of the context: %v", err)
	}
	tape.Sum(tape.Constant(x))
	if err := tape.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("an operation after the end of the context: %v", err)
	}

	tape.Reset(context.Background())
	tape.Fail(nil)
	loss = tape.Sum(tape.Variable(x, grad))
	tape.Fail(failure)
	tape.Fail(errors.New("a later one"))
	if err := tape.Backward(loss); !errors.Is(err, failure) || !errors.Is(tape.Err(), failure) {
		t.Errorf("Backward after Fail: %v, Err: %v, want the first error", err, tape.Err())
	}
}

// A chain of parts that are recomputed takes the memory of their results and of one part, and has
// the gradients of the same chain recorded whole, to the byte.
func TestRecomputedTakesLessMemory(t *testing.T) {
	const parts, n, d = 10, 400, 20
	part := func(seed uint64) func(t *Tape[float64], in []*Value[float64]) *Value[float64] {
		return func(t *Tape[float64], in []*Value[float64]) *Value[float64] {
			y := in[0]
			for range 8 {
				y = t.Sigmoid(y)
			}
			return t.Add(t.Dropout(y, 0.5, rand.New(rand.NewPCG(seed, 0))), in[0])
		}
	}
	train := func(chain func(t *Tape[float64], seed uint64, y *Value[float64]) *Value[float64]) (gradient []float64, bytes int) {
		tape := New[float64](context.Background())
		x, grad := build(n, d, func(i, j int) float64 { return math.Sin(float64(i*d + j)) }), kernel.Dense[float64](n, d)
		for range 3 { // and no more memory the second time
			tape.Reset(context.Background())
			y := tape.Variable(x, grad)
			for k := range uint64(parts) {
				y = chain(tape, k, y)
			}
			if err := tape.Backward(tape.Mean(y)); err != nil {
				t.Fatal(err)
			}
			if bytes == 0 {
				bytes = tape.Bytes()
			}
		}
		if tape.Bytes() != bytes {
			t.Errorf("%d bytes after the first time, %d after the third", bytes, tape.Bytes())
		}
		return grad.Data, bytes
	}
	whole, wholeBytes := train(func(t *Tape[float64], seed uint64, y *Value[float64]) *Value[float64] {
		return part(seed)(t, []*Value[float64]{y})
	})
	again, bytes := train(func(t *Tape[float64], seed uint64, y *Value[float64]) *Value[float64] {
		return t.Recomputed(part(seed), y)
	})
	if !sameBits(whole, again) {
		t.Error("the gradients differ")
	}
	// Ten results for each part against one; what is alike are a part and the gradients.
	if bytes > wholeBytes/2 {
		t.Errorf("%d bytes, %d where nothing is recomputed", bytes, wholeBytes)
	}
}

// What is forgotten makes room: a chain of many operations takes the memory of two, and has the same
// result; an error stays.
func TestForgetTakesLessMemory(t *testing.T) {
	const n, d = 300, 20
	x := build(n, d, func(i, j int) float64 { return math.Sin(float64(i*d + j)) })
	tape := New[float64](context.Background())
	var results [][]float64
	var bytes []int
	for _, forget := range []bool{true, false} {
		tape.Reset(context.Background())
		y := tape.Constant(x)
		for range 10 {
			y = tape.Sigmoid(y)
			if forget {
				y = tape.Forget(y)
			}
		}
		results, bytes = append(results, slices.Clone(y.Data().Data)), append(bytes, tape.Bytes())
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("the result is another")
	}
	_, room := kernel.SizeClass(n * d)
	if room *= 8; bytes[0] != 2*room || bytes[1] != 10*room {
		t.Errorf("%d and %d bytes, want 2 and 10 times %d", bytes[0], bytes[1], room)
	}
	failed := errors.New("no luck")
	tape.Fail(failed)
	y := tape.Forget(tape.Constant(x))
	if tape.Err() != failed || &y.Data().Data[0] != &x.Data[0] {
		t.Error("the error or the constant is lost")
	}
}
