package autodiff

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"
)

// use is a way in which an operation meets its inputs. The loss is ⟨w, y⟩, and where an input is
// used for something else besides, ⟨v, input⟩ is added for each input.
type use struct {
	name     string
	between  bool // the inputs are results, 1.5·variable, not variables
	also     int  // −1: the inputs are used before the operation, 1: after it, 0: not
	same     bool // one variable serves as every input
	constant int  // this input is a constant; −1: none
}

// loss is the value of the loss on a fresh tape. With grads the derivatives are added to these.
func (u use) loss(op operation[float64], in, grads []matrix64, w, v []float64) float64 {
	t := New[float64](context.Background())
	sum := u.record(t, op, in, grads, w, v)
	if err := t.sweep(); err != nil {
		panic(err)
	}
	return sum
}

// record records an operation with its inputs, and the gradients that the loss has with respect to
// what the operations return; it returns the loss.
func (u use) record(t *Tape[float64], op operation[float64], in, grads []matrix64, w, v []float64) float64 {
	values := make([]*Value[float64], len(in))
	var others []*Value[float64]
	for k, m := range in {
		switch {
		case k > 0 && u.same:
			values[k] = values[0]
			continue
		case k == u.constant:
			values[k] = t.Constant(m)
		case grads != nil:
			values[k] = t.Variable(m, grads[k])
		default:
			values[k] = t.Constant(m)
		}
		if u.between {
			values[k] = t.Scale(values[k], 1.5)
		}
	}
	alsoUsed := func() {
		for _, x := range values {
			others = append(others, t.Scale(x, 1))
		}
	}
	if u.also < 0 {
		alsoUsed()
	}
	y := op.apply(t, values)
	if u.also > 0 {
		alsoUsed()
	}
	sum := seed(t, y, w)
	for _, o := range others {
		sum += seed(t, o, v)
	}
	return sum
}

// seed adds ⟨c, y⟩ to the loss, and returns it: the numbers c, in turn, are the gradient of y.
func seed[T Float](t *Tape[T], y *Value[T], c []float64) float64 {
	sum, k := 0.0, 0
	if y.needsGrad {
		t.gradient(y)
	}
	for i := range y.Rows() {
		for j := range y.Cols() {
			sum += c[k%len(c)] * at(y.data, i, j)
			if y.needsGrad {
				y.grad.Data[i*y.grad.Stride+j] += T(c[k%len(c)])
			}
			k++
		}
	}
	return sum
}

func usesOf(op operation[float64]) []use {
	uses := []use{
		{name: "variables", constant: -1},
		{name: "results", between: true, constant: -1},
		{name: "results used before", between: true, also: -1, constant: -1},
		{name: "results used after", between: true, also: 1, constant: -1},
	}
	sizes := op.sizes(5, 3)
	if len(sizes) > 1 {
		for k := range sizes {
			uses = append(uses, use{name: "one constant", constant: k}, use{name: "one constant, results", between: true, constant: k})
		}
	}
	if len(sizes) == 2 && sizes[0] == sizes[1] {
		uses = append(uses,
			use{name: "the same variable", same: true, constant: -1},
			use{name: "the same result", same: true, between: true, constant: -1},
			use{name: "the same result used after", same: true, between: true, also: 1, constant: -1})
	}
	return uses
}

func TestGradientsEqualCentralDifferences(t *testing.T) {
	for _, op := range operations[float64]() {
		t.Run(op.name, func(t *testing.T) {
			for _, size := range [][2]int{{5, 3}, {4, 4}, {1, 2}} {
				for _, u := range usesOf(op) {
					checkGradient(t, op, u, size[0], size[1])
				}
			}
		})
	}
}

func checkGradient(t *testing.T, op operation[float64], u use, n, d int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(11, uint64(n)))
	in := inputsOf(op, n, d, rnd)
	w, v := normals(rnd, 64), normals(rnd, 37)
	before, start := clones(in), gradients(in, rnd)
	grads := clones(start)
	u.loss(op, in, grads, w, v)
	for k, m := range in {
		if !sameBits(m.Data, before[k].Data) {
			t.Fatalf("%s, %d×%d: input %d was written to", u.name, n, d, k)
		}
		if k == u.constant || k > 0 && u.same {
			if !sameBits(grads[k].Data, start[k].Data) {
				t.Fatalf("%s: there is a gradient of constant %d", u.name, k)
			}
			continue
		}
		// The error of a central difference is about h²·f‴/6 + ε·|f|/h: for numbers of order one
		// and h = 1e-5 some 1e-10.
		const h, tolerance = 1e-5, 1e-6
		worst, largest := 0.0, 0.0
		for i := range m.Rows {
			for j := range m.Cols {
				x := &m.Data[i*m.Stride+j]
				old := *x
				*x = old + h
				up := u.loss(op, in, nil, w, v)
				*x = old - h
				down := u.loss(op, in, nil, w, v)
				*x = old
				want := (up - down) / (2 * h)
				got := at(grads[k], i, j) - at(start[k], i, j)
				largest = max(largest, math.Abs(want))
				worst = max(worst, math.Abs(got-want))
				if math.IsNaN(got) {
					worst = math.Inf(1)
				}
			}
		}
		if !(worst <= tolerance*max(largest, 1e-3)) {
			t.Errorf("%s, %d×%d: gradient of input %d is off by %.2g, its largest entry is %.2g", u.name, n, d, k, worst, largest)
		}
	}
}

// Large inputs are shared out between tasks. The derivative in one direction covers all of them.
func TestGradientsOfLargeInputsEqualDirectionalDifferences(t *testing.T) {
	for _, op := range operations[float64]() {
		t.Run(op.name, func(t *testing.T) {
			const n, d = 300, 60 // 18,000 entries: two pieces, two blocks of summed rows
			rnd := testkit.Random(12)
			in := inputsOf(op, n, d, rnd)
			w, v := normals(rnd, 997), normals(rnd, 37)
			u := use{between: true, also: 1, constant: -1}
			var grads []matrix64
			for _, m := range in {
				grads = append(grads, kernel.Dense[float64](m.Rows, m.Cols))
			}
			u.loss(op, in, grads, w, v)
			for k := range in {
				// With entries of order one the step is short enough not to cross a kink: they are
				// 0.1 away from it.
				direction := padded(in[k].Rows, in[k].Cols, 0, func() float64 { return rnd.Float64() - 0.5 })
				want := 0.0
				for _, h := range []float64{1e-5, -1e-5} {
					moved := clones(in)
					for i := range direction.Rows {
						matrix.AddScaled(moved[k].Row(i), h, direction.Row(i))
					}
					want += u.loss(op, moved, nil, w, v) / (2 * h)
				}
				along, slopes := entries(direction), entries(grads[k])
				got := dotByHand(along, slopes)
				size := sumOver(len(along), func(q int) float64 { return math.Pow(along[q]*slopes[q], 2) })
				// The loss has many more terms than in the test of small inputs, and so cancels
				// more; size is the derivative without that.
				if diff := math.Abs(got - want); !(diff <= 1e-6*max(math.Abs(want), math.Sqrt(size))) {
					t.Errorf("input %d: derivative %.10g, by differences %.10g", k, got, want)
				}
			}
		})
	}
}

func TestResultsEqualTheFormula(t *testing.T) {
	for _, op := range operations[float64]() {
		if op.want == nil {
			continue
		}
		for _, c := range [][2]int{{5, 3}, {1, 2}, {130, 130}} { // the last is two pieces, and two blocks of summed rows
			in := inputsOf(op, c[0], c[1], testkit.Random(13))
			tp := New[float64](context.Background())
			values := make([]*Value[float64], len(in))
			for k, m := range in {
				values[k] = tp.Constant(m)
			}
			want := op.want(in) // sums of up to 17,000 terms in another order
			testkit.WantClose(t, fmt.Sprint(op.name, ", ", c), dense(op.apply(tp, values).Data()), dense(want), 1e-12*max(1, size(want)))
		}
	}
}

// A result in float32 and its gradients equal the results in float64 but for rounding
// errors of 6e-8 each. The errors of sums of up to 300 terms of both signs and of a few operations after
// each other stay below 1e-5 of the largest entry.
func TestFloat32EqualsFloat64(t *testing.T) {
	single, double := operations[float32](), operations[float64]()
	for k, op := range double {
		t.Run(op.name, func(t *testing.T) {
			for _, c := range [][2]int{{5, 3}, {4, 4}, {1, 2}, {300, 60}} {
				in := inputsOf(op, c[0], c[1], rand.New(rand.NewPCG(16, uint64(c[0]))))
				for _, m := range in {
					for i, v := range m.Data {
						m.Data[i] = float64(float32(v))
					}
				}
				got, want := outcome(single[k], in), outcome(op, in)
				for j, w := range want {
					testkit.WantClose(t, fmt.Sprint(c, ", matrix ", j), dense(got[j]), dense(w), 1e-5*size(w))
				}
			}
		})
	}
}

// outcome is the result of an operation, and the gradients of its inputs.
func outcome[T Float](op operation[T], in []matrix64) []matrix64 {
	t := New[T](context.Background())
	var values []*Value[T]
	for _, m := range in {
		values = append(values, t.Variable(rounded[T](m), kernel.Dense[T](m.Rows, m.Cols)))
	}
	y := op.apply(t, values)
	seed(t, y, normals(testkit.Random(17), 997))
	if err := t.sweep(); err != nil {
		panic(err)
	}
	all := []matrix64{rounded[float64](y.Data())}
	for _, v := range values {
		all = append(all, rounded[float64](v.grad))
	}
	return all
}
