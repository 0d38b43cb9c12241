package tape

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/kernel"
)

// A result in float32 and its gradients are those of the same numbers in
// float64 but for rounding errors of 6e-8 each. Those of sums of up to 300 terms
// of both signs and of a few operations after each other stay below 1e-5 of the
// largest entry.
func TestFloat32EqualsFloat64(t *testing.T) {
	single, double := operations[float32](), operations[float64]()
	for k, op := range double {
		t.Run(op.name, func(t *testing.T) {
			for _, size := range [][2]int{{5, 3}, {4, 4}, {1, 2}, {300, 60}} {
				in := inputsOf(op, size[0], size[1], rand.New(rand.NewPCG(16, uint64(size[0]))))
				for _, m := range in {
					for i, v := range m.Data {
						m.Data[i] = float64(float32(v))
					}
				}
				got, want := outcome(single[k], in), outcome(op, in)
				for j, w := range want {
					largest, worst, g := 0.0, 0.0, entries(got[j])
					for i, v := range entries(w) {
						largest = max(largest, math.Abs(v))
						worst = max(worst, math.Abs(g[i]-v))
					}
					if !(worst <= 1e-5*largest) {
						t.Errorf("%v: matrix %d is off by %.2g, the largest entry is %.2g", size, j, worst, largest)
					}
				}
			}
		})
	}
}

// outcome is the result of an operation, and the gradients of its inputs.
func outcome[T kernel.Float](op operation[T], in []matrix64) []matrix64 {
	t := New[T](context.Background())
	var values []*Value[T]
	for _, m := range in {
		values = append(values, t.Variable(rounded[T](m), kernel.Dense[T](m.Rows, m.Cols)))
	}
	y := op.apply(t, values)
	seed(t, y, normals(rand.New(rand.NewPCG(17, 0)), 997))
	if err := t.sweep(); err != nil {
		panic(err)
	}
	all := []matrix64{rounded[float64](y.Data())}
	for _, v := range values {
		all = append(all, rounded[float64](v.Grad()))
	}
	return all
}

// rounded is a copy of m in another precision.
func rounded[D, S kernel.Float](m matrix[S]) matrix[D] {
	r := matrix[D]{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: make([]D, len(m.Data))}
	for i, v := range m.Data {
		r.Data[i] = D(v)
	}
	return r
}
