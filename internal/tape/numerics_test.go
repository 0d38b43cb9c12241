package tape

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"coles/internal/kernel"
	"coles/internal/testkit"
)

// Neither results nor gradients overflow where their limits are finite.
func TestNumbersFarFromZero(t *testing.T) {
	const far = 1e4
	inf := math.Inf(1)
	for _, c := range []struct {
		name     string
		x        matrix64
		apply    func(t *Tape[float64], x *Value[float64]) *Value[float64]
		want     []float64
		gradient []float64 // of the sum of the result
	}{
		{"sigmoid", rowOf(-far, 0, far), (*Tape[float64]).Sigmoid, []float64{0, 0.5, 1}, []float64{0, 0.25, 0}},
		{"log-sigmoid", rowOf(-far, 0, far), (*Tape[float64]).LogSigmoid, []float64{-far, -math.Ln2, 0}, []float64{1, 0.5, 0}},
		{"softplus", rowOf(-far, 0, far), (*Tape[float64]).Softplus, []float64{0, math.Ln2, far}, []float64{0, 0.5, 1}},
		// log(1 + e⁻⁴⁰) = e⁻⁴⁰ − e⁻⁸⁰/2 …, lost where the sum is taken first.
		{"softplus of small", rowOf(-40), (*Tape[float64]).Softplus, []float64{math.Exp(-40)}, []float64{math.Exp(-40)}},
		{"ELU", rowOf(-far, far), (*Tape[float64]).ELU, []float64{-1, far}, []float64{0, 1}},
		{"ELU of small", rowOf(-1e-12), (*Tape[float64]).ELU, []float64{-1e-12 + 0.5e-24}, []float64{1 - 1e-12}},
		{"log-sum-exp above", rowOf(far, far), (*Tape[float64]).LogSumExp, []float64{far + math.Ln2}, []float64{0.5, 0.5}},
		{"log-sum-exp below", rowOf(-far, -far, -2*far), (*Tape[float64]).LogSumExp, []float64{-far + math.Ln2}, []float64{0.5, 0.5, 0}},
		{"cross-entropy, right", rowOf(far, -far), crossEntropyOfFirst, []float64{0}, []float64{0, 0}},
		{"cross-entropy, wrong", rowOf(-far, far), crossEntropyOfFirst, []float64{2 * far}, []float64{-1, 1}},
		// log M_p = z̄ + p·var(z)/2 + …, of which hardly more than z̄ is left.
		{"log power mean near the geometric", rowOf(1, 2, 6), logMean(1e-17), []float64{3}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"log power mean nearest to it", rowOf(1, 2, 6), logMean(5e-324), []float64{3}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"log power mean", rowOf(far, -far), logMean(1), []float64{far - math.Ln2}, []float64{1, 0}},
		{"log power mean, −1", rowOf(far, -far), logMean(-1), []float64{-far + math.Ln2}, []float64{0, 1}},
		{"power mean of large", rowOf(1e300, 1e300), powerMean(2), []float64{1e300}, []float64{0.5, 0.5}},
		{"power mean of small", rowOf(1e-300, 1e-300), powerMean(-2), []float64{1e-300}, []float64{0.5, 0.5}},
		{"rows of zeros", rowOf(0, 0), (*Tape[float64]).RowNormalize, []float64{0, 0}, []float64{0, 0}},
		{"columns of zeros", rowOf(0, -3), (*Tape[float64]).ColumnNormalize, []float64{0, -1}, []float64{0, 0}},
		{"rectified infinity", rowOf(-inf, inf), (*Tape[float64]).ReLU, []float64{0, inf}, []float64{0, 1}},
		{"at the kink", rowOf(0, math.Copysign(0, -1)), (*Tape[float64]).ReLU, []float64{0, 0}, []float64{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tape := New[float64](context.Background())
			grad := kernel.Dense[float64](c.x.Rows, c.x.Cols)
			y := c.apply(tape, tape.Variable(c.x, grad))
			if err := tape.Backward(tape.Sum(y)); err != nil {
				t.Fatal(err)
			}
			checkClose(t, "result", y.Data().Data, c.want)
			checkClose(t, "gradient", grad.Data, c.gradient)
		})
	}
}

func crossEntropyOfFirst(t *Tape[float64], x *Value[float64]) *Value[float64] {
	return t.SoftmaxCrossEntropy(x, []int{0}, []int{0})
}

func logMean(p float64) func(*Tape[float64], *Value[float64]) *Value[float64] {
	return func(t *Tape[float64], x *Value[float64]) *Value[float64] { return t.LogPowerMeanRows(x, p) }
}

func powerMean(p float64) func(*Tape[float64], *Value[float64]) *Value[float64] {
	return func(t *Tape[float64], x *Value[float64]) *Value[float64] { return t.PowerMean(x, p) }
}

func checkClose(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for k, w := range want {
		if !(got[k] == w || math.Abs(got[k]-w) <= 1e-15*max(1e-15, math.Abs(w))) {
			t.Errorf("%s %d is %.17g, want %.17g", name, k, got[k], w)
		}
	}
}

func TestWhatIsNotANumberStays(t *testing.T) {
	nan := math.NaN()
	// The processor's own has the sign bit set.
	own := math.Inf(1) - math.Inf(1)
	for name, apply := range map[string]func(*Tape[float64], *Value[float64]) *Value[float64]{
		"ReLU": (*Tape[float64]).ReLU, "ELU": (*Tape[float64]).ELU, "Sigmoid": (*Tape[float64]).Sigmoid, "LogSigmoid": (*Tape[float64]).LogSigmoid,
		"Softplus": (*Tape[float64]).Softplus, "RowNormalize": (*Tape[float64]).RowNormalize, "LogSumExp": (*Tape[float64]).LogSumExp,
		"PowerMean": powerMean(1), "LogPowerMeanRows": logMean(1), "cross-entropy": crossEntropyOfFirst,
	} {
		for _, x := range []matrix64{rowOf(nan), rowOf(own)} {
			tape := New[float64](context.Background())
			if y := apply(tape, tape.Constant(x)).Scalar(); !math.IsNaN(y) {
				t.Errorf("%s of NaN is %g", name, y)
			}
		}
	}
	tape := New[float64](context.Background())
	if y := tape.PowerMean(tape.Constant(rowOf(1, -1)), 2).Scalar(); !math.IsNaN(y) {
		t.Errorf("power mean of a negative number is %g", y)
	}
}

func TestBatchNormReportsTheStatisticsOfTheBatch(t *testing.T) {
	tape := New[float64](context.Background())
	x := tape.Constant(build(4, 1, func(i, _ int) float64 { return float64(i * i) })) // 0, 1, 4, 9
	mean, variance := []float64{math.NaN()}, []float64{math.NaN()}
	one := tape.Constant(rowOf(1))
	tape.BatchNorm(x, one, one, 1e-5, mean, variance)
	if mean[0] != 3.5 || variance[0] != 12.25 { // (3.5² + 2.5² + 0.5² + 5.5²)/4
		t.Errorf("mean %g and variance %g, want 3.5 and 12.25", mean[0], variance[0])
	}
}

func TestBatchNormKeepsTheStatisticsThatItUsed(t *testing.T) {
	in := inputsOf(operation[float64]{sizes: one}, 6, 2, testkit.Random(15))
	gradient := func(change bool) []float64 {
		mean, variance := make([]float64, 2), make([]float64, 2)
		tape, grad := New[float64](context.Background()), kernel.Dense[float64](6, 2)
		ones := tape.Constant(rowOf(1, 1))
		y := tape.BatchNorm(tape.Variable(in[0], grad), ones, ones, 1e-5, mean, variance)
		loss := tape.Sum(tape.Sigmoid(y))
		if change {
			mean[0], variance[1] = 7, 8
		}
		if err := tape.Backward(loss); err != nil {
			t.Fatal(err)
		}
		return grad.Data
	}
	if !sameBits(gradient(false), gradient(true)) {
		t.Error("the gradient depends on what the caller does with the statistics")
	}
}

// The largest entry decides about the exponents, wherever it is.
func TestExtremesOfManyPieces(t *testing.T) {
	const n = 3*piece + 7
	for _, place := range []int{0, piece, 2*piece + 5, n - 1} {
		tape := New[float64](context.Background())
		x := tape.Constant(build(n, 1, func(i, _ int) float64 {
			if i == place {
				return 1e4
			}
			return -1e4
		}))
		if y := tape.LogSumExp(x).Scalar(); y != 1e4 {
			t.Errorf("log-sum-exp with the peak at %d is %g, want 1e4", place, y)
		}
		z := tape.Constant(build(n, 1, func(i, _ int) float64 {
			if i == place {
				return 1e-300
			}
			return 1
		}))
		// The other entries add less than a rounding error to 1e600.
		want := 1e-300 * math.Sqrt(n)
		if y := tape.PowerMean(z, -2).Scalar(); !(math.Abs(y-want) <= 1e-14*want) {
			t.Errorf("power mean with the smallest at %d is %g, want %g", place, y, want)
		}
	}
}

func TestGatherAddsUpMoreRowsThanAreTakenAtOnce(t *testing.T) {
	const n, d, m = 7, 70, 3*scatterRows + 11
	rows := picks(m, n, 2)
	var want [n]float64
	for _, i := range rows {
		want[i]++
	}
	tape, grad := New[float64](context.Background()), kernel.Dense[float64](n, d)
	x := tape.Variable(kernel.Dense[float64](n, d), grad)
	if err := tape.Backward(tape.Sum(tape.Gather(x, rows))); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j, got := range row(grad, i) {
			if got != want[i] {
				t.Fatalf("entry (%d, %d) of the gradient is %g, row %d was taken %g times", i, j, got, i, want[i])
			}
		}
	}
}

func TestErrorsStayUntilReset(t *testing.T) {
	x, grad := rowOf(1, 2), kernel.Dense[float64](1, 2)
	failure := errors.New("no product")
	tape := New[float64](context.Background())
	h := tape.Contrast(func(context.Context, matrix64, matrix64) error { return failure }, tape.Variable(x, grad))
	loss := tape.Sum(tape.ReLU(h))
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
}

func TestSizesThatDoNotFitPanic(t *testing.T) {
	tape := New[float64](context.Background())
	a, b := tape.Constant(kernel.Dense[float64](3, 4)), tape.Constant(kernel.Dense[float64](5, 6))
	empty := tape.Constant(kernel.Dense[float64](0, 4))
	for name, call := range map[string]func(){
		"MatMul of 3×4 and 5×6":                               func() { tape.MatMul(a, b) },
		"MatMulTrans of 3×4 and 5×6":                          func() { tape.MatMulTrans(a, b) },
		"SpMM of 2×2 and 3×4":                                 func() { tape.SpMM(NewSparse(sparseOf(2, 2), false), a) },
		"Bias of 3×4 and 5×6":                                 func() { tape.Bias(a, b) },
		"PReLU of 3×4 and 5×6":                                func() { tape.PReLU(a, b) },
		"Add of 3×4 and 5×6":                                  func() { tape.Add(a, b) },
		"RowDots of 3×4 and 5×6":                              func() { tape.RowDots(a, b) },
		"GatherDots of 3×4 and 5×6":                           func() { tape.GatherDots(a, nil, b, nil) },
		"Variable of 3×4 and 5×6":                             func() { tape.Variable(a.Data(), b.Data()) },
		"BatchNorm of 3×4 and 5×6":                            func() { tape.BatchNorm(a, b, b, 0, make([]float64, 4), make([]float64, 4)) },
		"BatchNorm of 4 columns with 1 means and 0 variances": func() { tape.BatchNorm(a, a, a, 0, make([]float64, 1), nil) },
		"Mean of 0×4":                                         func() { tape.Mean(empty) },
		"LogSumExp of 0×4":                                    func() { tape.LogSumExp(empty) },
		"PowerMean of 0×4":                                    func() { tape.PowerMean(empty, 1) },
		"SoftOrthogonality of 0×4":                            func() { tape.SoftOrthogonality(empty) },
		"Reshape of 3×4 to 5×2":                               func() { tape.Reshape(a, 5, 2) },
		"Scalar of 3×4":                                       func() { a.Scalar() },
		"Gather: index 3 at place 1, outside of [0, 3)":       func() { tape.Gather(a, []int{0, 3}) },
		"rows: index -1 at place 0":                           func() { tape.SoftmaxCrossEntropy(a, []int{-1}, []int{0}) },
		"classes: index 4 at place 0":                         func() { tape.SoftmaxCrossEntropy(a, []int{0}, []int{4}) },
		"0 rows and 0 classes":                                func() { tape.SoftmaxCrossEntropy(a, nil, nil) },
		"Dropout at a rate of 1":                              func() { tape.Dropout(a, 1, nil) },
		"Backward from a 3×4 value":                           func() { _ = tape.Backward(a) },
	} {
		func() {
			defer func() {
				if message, _ := recover().(string); !strings.Contains(message, name) || !strings.HasPrefix(message, "tape: ") {
					t.Errorf("%q, want a panic with %q", message, name)
				}
			}()
			call()
		}()
	}
}

func TestEmptyMatrices(t *testing.T) {
	for _, size := range [][2]int{{0, 4}, {4, 0}, {0, 0}} {
		tape := New[float64](context.Background())
		x, grad := kernel.Dense[float64](size[0], size[1]), kernel.Dense[float64](size[0], size[1])
		v := tape.Variable(x, grad)
		y := tape.MatMulTrans(tape.ReLU(tape.RowNormalize(v)), tape.ColumnNormalize(v))
		tape.Reshape(v, 0, 3)
		loss := tape.Add(tape.Sum(y), tape.Sum(tape.RowDots(tape.Gather(v, nil), tape.Gather(v, nil))))
		if err := tape.Backward(loss); err != nil || loss.Scalar() != 0 {
			t.Errorf("%v: loss %g, error %v", size, loss.Scalar(), err)
		}
	}
}

func TestDropoutKeepsTheMean(t *testing.T) {
	const n, d, rate = 300, 101, 0.3
	tape := New[float64](context.Background())
	x := tape.Constant(build(n, d, func(i, j int) float64 { return float64(1 + i + j) }))
	y := tape.Dropout(x, rate, rand.New(rand.NewPCG(3, 4)))
	dropped, neighbours := 0, 0
	for i := range n {
		for j := range d {
			switch v := at(y.data, i, j); {
			case v == 0:
				dropped++
				if j > 0 && at(y.data, i, j-1) == 0 {
					neighbours++
				}
			case v != at(x.data, i, j)*(1/(1-rate)):
				t.Fatalf("entry (%d, %d) is %g", i, j, v)
			}
		}
	}
	// Within five standard deviations of a binomial number.
	for _, c := range []struct {
		name     string
		got, all int
		p        float64
	}{{"entries", dropped, n * d, rate}, {"pairs of neighbours", neighbours, n * (d - 1), rate * rate}} {
		mean, deviation := float64(c.all)*c.p, math.Sqrt(float64(c.all)*c.p)
		if math.Abs(float64(c.got)-mean) > 5*deviation {
			t.Errorf("%d of %d %s dropped, expected are %.0f", c.got, c.all, c.name, mean)
		}
	}
	again := tape.Dropout(x, rate, rand.New(rand.NewPCG(3, 4)))
	other := tape.Dropout(x, rate, rand.New(rand.NewPCG(3, 5)))
	if !sameBits(y.data.Data, again.data.Data) || slices.Equal(y.data.Data, other.data.Data) {
		t.Error("the mask does not follow from the generator")
	}
	if tape.Dropout(x, 0, nil) != x {
		t.Error("a rate of zero changes something")
	}
}

func TestSlabsAreOfMatricesWithManyEntriesInAColumn(t *testing.T) {
	for _, c := range []struct{ rows, cols, want int }{
		{slabRows, 3, 1},
		{slabRows + 1, 3, 2},
		{5 * slabRows, 3, 5},
		{5 * slabRows, 3000, 1}, // one entry in 153: 3 in each row of a slab
		{0, 3, 1},
		{3, 0, 1},
	} {
		slabs := slabsOf(sparseOf(c.rows, c.cols))
		rows := 0
		for _, s := range slabs {
			if s.first != rows {
				t.Errorf("%d×%d: a slab begins at %d, the one before ends at %d", c.rows, c.cols, s.first, rows)
			}
			rows += s.matrix.Cols
		}
		if len(slabs) != c.want || rows != c.rows {
			t.Errorf("%d×%d: %d slabs of together %d columns, want %d", c.rows, c.cols, len(slabs), rows, c.want)
		}
	}
}
