package autodiff

import (
	"context"
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
			row(y, i)[j] = vals[q]
		}
	}
	all, edges := float64(n*n), sumOver(n, func(i int) float64 { return sumOver(n, func(j int) float64 { return at(y, i, j) }) })-float64(n)
	w, nu := (all-edges)/edges, all/(2*(all-edges))
	gradient = kernel.Dense[float64](n, z.Cols)
	for i := range n {
		for j := range n {
			s := dotByHand(row(z, i), row(z, j))
			loss += nu / all * (w*at(y, i, j)*math.Log1p(math.Exp(-s)) + (1-at(y, i, j))*math.Log1p(math.Exp(s)))
			c := nu / all * (-w*at(y, i, j)/(1+math.Exp(s)) + (1-at(y, i, j))/(1+math.Exp(-s)))
			matrix.AddScaled(row(gradient, i), c, row(z, j))
			matrix.AddScaled(row(gradient, j), c, row(z, i))
		}
	}
	return loss, gradient
}

// Several blocks of rows, the last of them incomplete, against the formula pair by pair.
func TestInnerProductLossOfManyBlocks(t *testing.T) {
	const n, d = 2*pairBlock + 70, 5
	z := inputsOf(operation[float64]{sizes: one}, n, d, testkit.Random(61))[0]
	target := ringTarget[float64](n, 3)
	loss, want := innerProductByHand(target, z)
	grad := kernel.Dense[float64](n, d)
	tape := New[float64](context.Background())
	y := tape.InnerProductLoss(NewSparse(target, true), tape.Variable(z, grad))
	if err := tape.Backward(y); err != nil {
		t.Fatal(err)
	}
	// 582² terms in another order.
	checkNear(t, "loss", []float64{y.Scalar()}, []float64{loss}, 1e-13)
	checkNear(t, "gradient", grad.Data, want.Data, 1e-12)
}

// Products far from zero: two nodes and one edge between them, with both products s_12 = −s_11, the
// target of loops and edge 1: w = (4−2)/2 = 1 and ν = 1, the loss ¼·Σ_ij softplus(−s_ij).
func TestInnerProductsFarFromZero(t *testing.T) {
	target := &CSR[float64]{Rows: 2, Cols: 2, Ptr: []int64{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{1, 1, 1, 1}}
	for _, x := range []float64{0, 1, 9, 17.5, 20, 100} {
		s := x * x
		want := (2*math.Log1p(math.Exp(-s)) + 2*(s+math.Log1p(math.Exp(-s)))) / 4
		grad := kernel.Dense[float64](2, 1)
		tape := New[float64](context.Background())
		y := tape.InnerProductLoss(NewSparse(target, true), tape.Variable(build(2, 1, func(i, _ int) float64 { return x * float64(1-2*i) }), grad))
		if err := tape.Backward(y); err != nil {
			t.Fatal(err)
		}
		// dy/dz_1 = ½·Σ_j −σ(−s_1j)·z_j = ½·(−σ(−s)·x + σ(s)·x).
		slope := x / 2 * math.Tanh(s/2)
		if math.Abs(y.Scalar()-want) > 1e-14*max(1, want) || math.Abs(grad.Data[0]-slope) > 1e-14*max(1, slope) {
			t.Errorf("s = %g: loss %.17g and slope %.17g, want %.17g and %.17g", s, y.Scalar(), grad.Data[0], want, slope)
		}
	}
}

// pairRuns are the operations of n×d inputs, with their gradients: each returns all numbers and the
// memory of the tape.
func pairRuns[T Float](n, d int) map[string]func(ctx context.Context) ([]T, int, error) {
	runs := map[string]func(ctx context.Context) ([]T, int, error){}
	for _, op := range pairOperations[T]() {
		var in, grads []Matrix[T]
		for _, m := range inputsOf(op, n, d, testkit.Random(56)) {
			in, grads = append(in, rounded[T](m)), append(grads, kernel.Dense[T](m.Rows, m.Cols))
		}
		runs[op.name] = func(ctx context.Context) ([]T, int, error) {
			tape := New[T](ctx)
			var values []*Value[T]
			for k, m := range in {
				clear(grads[k].Data)
				values = append(values, tape.Variable(m, grads[k]))
			}
			y := op.apply(tape, values)
			if err := tape.Backward(tape.Sum(y)); err != nil {
				return nil, 0, err
			}
			all := slices.Clone(y.Data().Data)
			for _, g := range grads {
				all = append(all, g.Data...)
			}
			return all, tape.Bytes(), nil
		}
	}
	return runs
}

func TestPairsDoNotDependOnTheProcessors(t *testing.T) {
	for name, run := range pairRuns[float32](3*pairBlock+11, 7) {
		var first []float32
		testkit.ForProcessors(t, func(procs int) {
			got, _, err := run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%s: other bytes with %d processors", name, procs)
			}
		})
	}
}

// The memory grows with the rows, not with their square.
func checkMemory(t *testing.T, n, d int, names ...string) {
	few, many := pairRuns[float32](n, d), pairRuns[float32](2*n, d)
	for _, name := range names {
		_, before, err := few[name](context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_, bytes, err := many[name](context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d rows %.1f MiB, %d rows %.1f MiB", name, n, float64(before)/(1<<20), 2*n, float64(bytes)/(1<<20))
		// Pieces of memory are rounded up by at most a quarter.
		if float64(bytes) > 2.5*float64(before) {
			t.Errorf("%s: %d bytes for %d rows, %d for twice as many", name, before, n, bytes)
		}
	}
}

func TestMemoryOfPairs(t *testing.T) {
	// So many rows that no tiles are kept.
	checkMemory(t, 3000, 4, "SoftmaxContrast", "SoftmaxContrast of anchors", "InnerProductLoss", "GaussianKL")
}

func TestMemoryOfManyPairs(t *testing.T) {
	testkit.Long(t)
	checkMemory(t, 20_000, 16, "SoftmaxContrast", "InnerProductLoss")
}

func TestPairsStop(t *testing.T) {
	for name, n := range map[string]int{"SoftmaxContrast": 6000, "SoftmaxContrast of anchors": 6000, "InnerProductLoss": 16_000, "GaussianKL": 40_000} {
		t.Run(name, func(t *testing.T) {
			run := pairRuns[float32](n, 40)[name]
			testkit.Stops(t, func(ctx context.Context) error {
				_, _, err := run(ctx)
				return err
			})
		})
	}
}
