package autodiff

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"
)

// innerProductByHand is the loss and its gradient, pair by pair as the formula has it.
func innerProductByHand(target *CSR[float64], z matrix64) (loss float64, gradient matrix64) {
	n := z.Rows
	y := build(n, n, func(int, int) float64 { return 0 })
	for i := range n {
		cols, vals := target.Row(i)
		for q, j := range cols {
			y.Row(i)[j] = vals[q]
		}
	}
	all, edges := float64(n*n), sumOver(n, func(i int) float64 { return sumOver(n, func(j int) float64 { return at(y, i, j) }) })-float64(n)
	w, nu := (all-edges)/edges, all/(2*(all-edges))
	gradient = kernel.Dense[float64](n, z.Cols)
	for i := range n {
		for j := range n {
			s := dotByHand(z.Row(i), z.Row(j))
			loss += nu / all * (w*at(y, i, j)*math.Log1p(math.Exp(-s)) + (1-at(y, i, j))*math.Log1p(math.Exp(s)))
			c := nu / all * (-w*at(y, i, j)/(1+math.Exp(s)) + (1-at(y, i, j))/(1+math.Exp(-s)))
			matrix.AddScaled(gradient.Row(i), c, z.Row(j))
			matrix.AddScaled(gradient.Row(j), c, z.Row(i))
		}
	}
	return loss, gradient
}

// Products far from zero: two nodes and one edge between them, with both products s_12 = −s_11, the
// target of loops and edge 1: w = (4−2)/2 = 1 and ν = 1, the loss ¼·Σ_ij softplus(−s_ij).
func TestInnerProductsFarFromZero(t *testing.T) {
	target := &CSR[float64]{Rows: 2, Cols: 2, Ptr: []int64{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{1, 1, 1, 1}}
	for _, x := range []float64{0, 1, 9, 17.5, 20, 100} {
		s := x * x
		want := (2*math.Log1p(math.Exp(-s)) + 2*(s+math.Log1p(math.Exp(-s)))) / 4
		y, grads := gradientOf(t, func(t *Tape[float64], in []*Value[float64]) *Value[float64] {
			return t.InnerProductLoss(NewSparse(target, true), in[0])
		}, columnOf(x, -x))
		// dy/dz_1 = ½·Σ_j −σ(−s_1j)·z_j = ½·(−σ(−s)·x + σ(s)·x).
		slope := x / 2 * math.Tanh(s/2)
		if math.Abs(y.Data[0]-want) > 1e-14*max(1, want) || math.Abs(grads[0].Data[0]-slope) > 1e-14*max(1, slope) {
			t.Errorf("s = %g: loss %.17g and slope %.17g, want %.17g and %.17g", s, y.Data[0], grads[0].Data[0], want, slope)
		}
	}
}

// pairRun is an operation of n×d inputs, with their gradients: it returns all numbers and the memory of
// the tape.
func pairRun(name string, n, d int) func(ctx context.Context) ([]float64, int, error) {
	all := pairOperations[float32]()
	op := all[slices.IndexFunc(all, func(op operation[float32]) bool { return op.name == name })]
	var in, grads []Matrix[float32]
	for _, m := range inputsOf(op, n, d, testkit.Random(56)) {
		in, grads = append(in, rounded[float32](m)), append(grads, kernel.Dense[float32](m.Rows, m.Cols))
	}
	return func(ctx context.Context) ([]float64, int, error) {
		tape := New[float32](ctx)
		var values []*Value[float32]
		for k, m := range in {
			clear(grads[k].Data)
			values = append(values, tape.Variable(m, grads[k]))
		}
		y := op.apply(tape, values)
		if err := tape.Backward(tape.Sum(y)); err != nil {
			return nil, 0, err
		}
		numbers := entries(rounded[float64](y.Data()))
		for _, g := range grads {
			numbers = append(numbers, entries(rounded[float64](g))...)
		}
		return numbers, tape.Bytes(), nil
	}
}

// The memory grows with the rows, not with their square: no tiles are kept.
func TestMemoryOfPairs(t *testing.T) {
	for _, c := range []struct {
		name string
		n, d int
		long bool
	}{
		{"SoftmaxContrast", 2850, 4, false}, {"SoftmaxContrast of anchors", 2850, 4, false},
		{"InnerProductLoss", 1000, 4, false}, {"GaussianKL", 1000, 4, false},
		{"SoftmaxContrast", 10_000, 16, true}, {"InnerProductLoss", 10_000, 16, true},
	} {
		t.Run(fmt.Sprint(c.name, ", ", c.n, " rows"), func(t *testing.T) {
			if c.long {
				testkit.Long(t)
			}
			var bytes [2]float64
			for k, n := range []int{c.n, 3 * c.n / 2} {
				_, taken, err := pairRun(c.name, n, c.d)(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				bytes[k] = float64(taken)
			}
			t.Logf("%.1f MiB, of half as many rows more %.1f MiB", bytes[0]/(1<<20), bytes[1]/(1<<20))
			// Pieces of memory are rounded up by at most a quarter.
			if bytes[1] > 1.5*1.25*bytes[0] {
				t.Errorf("%.0f bytes, of half as many rows more %.0f", bytes[0], bytes[1])
			}
		})
	}
}

func TestPairsStop(t *testing.T) {
	for name, n := range map[string]int{"SoftmaxContrast": 5000, "SoftmaxContrast of anchors": 5000, "InnerProductLoss": 10_000, "GaussianKL": 20_000} {
		t.Run(name, func(t *testing.T) {
			run := pairRun(name, n, 40)
			testkit.Stops(t, func(ctx context.Context) error {
				_, _, err := run(ctx)
				return err
			})
		})
	}
}
