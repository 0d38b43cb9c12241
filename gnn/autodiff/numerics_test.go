package autodiff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
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
		if err := tape.Backward(loss); err != nil {
			t.Fatal(err)
		}
		return grad.Data
	}
	if !sameBits(gradient(false), gradient(true)) {
		t.Error("the gradient depends on what the caller does with the statistics")
	}
}

// The extremes of many pieces are found wherever they are.
func TestExtremesOfManyPieces(t *testing.T) {
	const n = 3*piece + 7
	for _, place := range []int{0, piece, 2*piece + 5, n - 1} {
		x := kernel.Dense[float64](n, 1)
		tape := New[float64](context.Background())
		for _, v := range []float64{3, -3} {
			if x.Data[place] = v; tape.largest(x, v) != 9 || tape.largest(x, -v) != 0 {
				t.Errorf("with %g at %d among zeros from %g to %g times that", v, place, -tape.largest(x, -v), tape.largest(x, v))
			}
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

func TestKinks(t *testing.T) {
	for _, c := range []struct {
		name              string
		apply             func(t *Tape[float64], x *Value[float64]) *Value[float64]
		x, want, gradient []float64
	}{
		{"Pow", func(t *Tape[float64], x *Value[float64]) *Value[float64] { return t.Pow(x, 2) },
			[]float64{0, 3}, []float64{0, 9}, []float64{0, 6}},
		{"Exp", (*Tape[float64]).Exp, []float64{-1e4, 0}, []float64{0, 1}, []float64{0, 1}},
		{"Reciprocal", (*Tape[float64]).Reciprocal, []float64{math.Inf(1), -2}, []float64{0, -0.5}, []float64{0, -0.25}},
	} {
		y, grads := gradientOf(t, func(t *Tape[float64], in []*Value[float64]) *Value[float64] { return c.apply(t, in[0]) }, rowOf(c.x...))
		checkClose(t, c.name, y.Data, c.want)
		checkClose(t, "gradient of "+c.name, grads[0].Data, c.gradient)
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

// The product of a SparseConstant with an input is taken once for a recording, and anew in the next.
func TestSparseProductsAreShared(t *testing.T) {
	s := pattern[float64](6, 4)
	x, y := build(4, 3, func(i, j int) float64 { return float64(i + j) }), build(4, 3, func(i, j int) float64 { return float64(i - j) })
	tape := New[float64](context.Background())
	product := func(m matrix64) *Value[float64] { return tape.MatMul(tape.SparseConstant(s), tape.Constant(m)) }
	first := product(x)
	if product(x) != first || product(y) == first {
		t.Error("another product, or that of another matrix")
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

// The draws of a row are for the entries that it stores: those of a dense matrix of as many columns.
func TestDropoutOfASparseConstant(t *testing.T) {
	const n, d, apart, rate = 70, 31, 3, 0.3
	s := &CSR[float64]{Rows: n, Cols: apart * d, Ptr: make([]int64, 1, n+1)}
	x := build(n, d, func(i, j int) float64 { return float64(1 + i + j) })
	for i := range n {
		for j, v := range row(x, i) {
			s.Col, s.Val = append(s.Col, int32(apart*j)), append(s.Val, v)
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	tape := New[float64](context.Background())
	generator := func() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }
	sparse := tape.SparseConstant(NewSparse(s, false))
	pick := tape.Constant(build(apart*d, d, func(i, j int) float64 {
		if i == apart*j {
			return 1
		}
		return 0
	}))
	want := tape.Dropout(tape.Constant(x), rate, generator()).Data()
	if got := tape.MatMul(tape.Dropout(sparse, rate, generator()), pick).Data(); !sameBits(got.Data, want.Data) {
		t.Error("other entries are dropped than those of a dense matrix")
	}
	if !sameBits(s.Val, x.Data) {
		t.Error("the matrix itself has changed")
	}
	if tape.Dropout(sparse, rate, nil) != sparse {
		t.Error("something is dropped in evaluation")
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
