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
		{"cross-entropy, right", rowOf(far, -far), crossEntropyOfFirst, []float64{0}, []float64{0, 0}},
		{"cross-entropy, wrong", rowOf(-far, far), crossEntropyOfFirst, []float64{2 * far}, []float64{-1, 1}},
		// log M_p = z̄ + p·var(z)/2 + …, of which hardly more than z̄ is left.
		{"log power mean near the geometric", rowOf(1, 2, 6), logMean(1e-17), []float64{3}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"log power mean nearest to it", rowOf(1, 2, 6), logMean(5e-324), []float64{3}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"log power mean", rowOf(far, -far), logMean(1), []float64{far - math.Ln2}, []float64{1, 0}},
		{"log power mean, −1", rowOf(far, -far), logMean(-1), []float64{-far + math.Ln2}, []float64{0, 1}},
		{"rows of zeros", rowOf(0, 0), (*Tape[float64]).RowNormalize, []float64{0, 0}, []float64{0, 0}},
		{"columns of zeros", rowOf(0, -3), (*Tape[float64]).ColumnNormalize, []float64{0, -1}, []float64{0, 0}},
		{"rectified infinity", rowOf(-inf, inf), (*Tape[float64]).ReLU, []float64{0, inf}, []float64{0, 1}},
		{"square at the kink", rowOf(0, 3), square, []float64{0, 9}, []float64{0, 6}},
		{"exponential", rowOf(-far, 0), (*Tape[float64]).Exp, []float64{0, 1}, []float64{0, 1}},
		{"reciprocal", rowOf(inf, -2), (*Tape[float64]).Reciprocal, []float64{0, -0.5}, []float64{0, -0.25}},
		{"at the kink", rowOf(0, math.Copysign(0, -1)), (*Tape[float64]).ReLU, []float64{0, 0}, []float64{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			y, grads := gradientOf(t, func(t *Tape[float64], in []*Value[float64]) *Value[float64] { return c.apply(t, in[0]) }, c.x)
			checkClose(t, "result", y.Data, c.want)
			checkClose(t, "gradient", grads[0].Data, c.gradient)
		})
	}
}

func crossEntropyOfFirst(t *Tape[float64], x *Value[float64]) *Value[float64] {
	return t.SoftmaxCrossEntropy(x, []int{0}, []int{0})
}

func square(t *Tape[float64], x *Value[float64]) *Value[float64] { return t.Pow(x, 2) }

func logMean(p float64) func(*Tape[float64], *Value[float64]) *Value[float64] {
	return func(t *Tape[float64], x *Value[float64]) *Value[float64] { return t.LogPowerMeanRows(x, p) }
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
		"Softplus": (*Tape[float64]).Softplus, "RowNormalize": (*Tape[float64]).RowNormalize,
		"LogPowerMeanRows": logMean(1), "cross-entropy": crossEntropyOfFirst,
	} {
		for _, x := range []matrix64{rowOf(nan), rowOf(own)} {
			tape := New[float64](context.Background())
			if y := apply(tape, tape.Constant(x)).Scalar(); !math.IsNaN(y) {
				t.Errorf("%s of NaN is %g", name, y)
			}
		}
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
		testkit.Check(t, tape.Backward(loss))
		return grad.Data
	}
	if !sameBits(gradient(false), gradient(true)) {
		t.Error("the gradient depends on what the caller does with the statistics")
	}
}

func TestGatherAddsUpMoreRowsThanAreTakenAtOnce(t *testing.T) {
	const n, d, m = 7, 70, 3*scatterRows + 11
	rows := picks(m, n, 2)
	var want [n]float64
	for _, i := range rows {
		want[i]++
	}
	_, grads := gradientOf(t, func(t *Tape[float64], in []*Value[float64]) *Value[float64] { return t.Gather(in[0], rows) }, kernel.Dense[float64](n, d))
	taken := build(n, d, func(i, _ int) float64 { return want[i] })
	testkit.WantSame(t, "how often rows were taken", grads[0], taken)
}

func TestEmptyMatrices(t *testing.T) {
	for _, c := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 3, 0}, {0, 0, 0}} {
		n, p, width := c[0], c[1], c[2]
		s := NewSparse(&CSR[float64]{Rows: n, Cols: p, Ptr: make([]int64, n+1)}, false)
		_, grads := gradientOf(t, func(t *Tape[float64], in []*Value[float64]) *Value[float64] {
			y := t.Attention(s, in[0], in[1], t.HeadDots(in[0], in[2]), 0.2, 0, nil)
			z := t.Concat(t.SpMM(s, in[0]), y)
			t.Reshape(t.Columns(z, 0, 0), 0, 3)
			products := t.MatMulTrans(t.ReLU(t.RowNormalize(y)), t.ColumnNormalize(y))
			dots := t.RowDots(t.Gather(y, nil), t.Gather(y, nil))
			return t.Add(t.Sum(t.Mul(t.Columns(z, 0, width), t.Columns(y, width, 2*width))), t.Add(t.Sum(products), t.Sum(dots)))
		}, kernel.Dense[float64](p, 2*width), kernel.Dense[float64](n, 2), kernel.Dense[float64](2, width))
		for _, g := range grads {
			if matrix.Sum(g.Data) != 0 {
				t.Errorf("%v: a gradient of nothing is %g", c, g.Data)
			}
		}
	}
}

func TestExpOfFloat32(t *testing.T) {
	tape := New[float32](context.Background())
	nan := float32(math.NaN())
	y := tape.Exp(tape.Constant(rounded[float32](rowOf(-1e30, -100, 0, 88, 100, 1e30, math.NaN())))).Data().Data
	for k, want := range []float32{0, float32(math.Exp(-100)), 1, float32(math.Exp(88)), float32(math.Inf(1)), float32(math.Inf(1)), nan} {
		if y[k] != want && !(math.IsNaN(float64(want)) && math.IsNaN(float64(y[k]))) {
			t.Errorf("number %d is %g, want %g", k, y[k], want)
		}
	}
}

// ELU in float32 takes eˣ − 1 from short series, which must not cost a digit.
func TestExponentialLessOne(t *testing.T) {
	for x := -1e-6; x > -120; x *= 1.003 {
		if got, want := lessOne[float32](x), math.Expm1(x); math.Abs(got-want) > 6e-9*-want {
			t.Fatalf("e^%g − 1 is %.17g, want %.17g", x, got, want)
		}
	}
}

// The product of a SparseConstant with an input is taken once for a recording, and anew in the next.
func TestSparseProductsAreShared(t *testing.T) {
	s := pattern[float64](6, 4)
	x, y := build(4, 3, func(i, j int) float64 { return float64(i + j) }), build(4, 3, func(i, j int) float64 { return float64(i - j) })
	tape := New[float64](context.Background())
	product := func(m matrix64) *Value[float64] { return tape.MatMul(tape.SparseConstant(s), tape.Constant(m)) }
	first := product(x)
	if product(x) != first || product(y) == first {
		t.Error("another product, or the product of another matrix")
	}
	computed := tape.Scale(tape.Constant(x), 2)
	if tape.MatMul(tape.SparseConstant(s), computed) == first {
		t.Error("the product of another value")
	}
	before := slices.Clone(first.Data().Data)
	x.Data[0]++
	tape.Reset(context.Background())
	if after := product(x); slices.Equal(before, after.Data().Data) {
		t.Error("the product of the recording before")
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
