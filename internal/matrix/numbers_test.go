package matrix_test

import (
	"math"
	"testing"

	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestMagnitudeIsTheLargest(t *testing.T) {
	rng := testkit.Random(1)
	for n := range 20 {
		wide, narrow, want := make([]float64, n), make([]float32, n), 0.0
		for j := range n {
			narrow[j] = float32(rng.NormFloat64())
			wide[j] = float64(narrow[j])
			want = max(want, math.Abs(wide[j]))
		}
		if matrix.Magnitude(wide) != want || matrix.Magnitude(narrow) != want {
			t.Errorf("of %d numbers it is %v and %v, want %v", n, matrix.Magnitude(wide), matrix.Magnitude(narrow), want)
		}
		for j := range n { // at every place
			wide[j], narrow[j] = math.Inf(-1), float32(math.Inf(-1))
			if !math.IsInf(matrix.Magnitude(wide), 1) || !math.IsInf(matrix.Magnitude(narrow), 1) {
				t.Errorf("an infinity at %d of %d is missed", j, n)
			}
			wide[(j+1)%n], narrow[(j+1)%n] = math.Copysign(math.NaN(), -1), float32(math.NaN())
			if !math.IsNaN(matrix.Magnitude(wide)) || !math.IsNaN(matrix.Magnitude(narrow)) {
				t.Errorf("a NaN next to %d of %d is missed", j, n)
			}
			wide[(j+1)%n], narrow[(j+1)%n] = 0, 0
		}
	}
}

func TestSumsRoundLittle(t *testing.T) {
	x := make([]float64, 1_000_000)
	for i := range x {
		x[i] = 0.1
	}
	// 20 levels of halves and 128 in a row: far below the 10⁻¹¹ of a plain sum (1.3·10⁻¹¹ here).
	want := floats.SumCompensated(x)
	if got := matrix.Total(x); math.Abs(got-want) > 1e-14*want {
		t.Errorf("sum %v, want %v", got, want)
	}
	if got := matrix.Length([]float64{3e200, 0, 4e200}); math.Abs(got-5e200) > 1e186 {
		t.Errorf("length %v, want 5e200", got)
	}
	testkit.WantSame(t, "nothing", matrix.Total(nil), 0.0)
	for v, want := range map[float64]bool{0: true, math.MaxFloat64: true, math.Inf(1): false, math.Inf(-1): false} {
		testkit.WantSame(t, "finite", matrix.Finite(v), want)
	}
	if matrix.Finite(math.NaN()) {
		t.Error("a NaN is finite")
	}
}

// A tame row has a finite sum and a length that is not zero, and the direction that it had.
func TestTameRowsKeepTheirDirection(t *testing.T) {
	for _, scale := range []float64{1e-310, 0x1p-950, 1, 0x1p950, 1e308} {
		row := []float64{scale, scale / 2, 0, scale}
		matrix.Tame(row)
		if sum := row[0] + row[1] + row[3]; sum == 0 || math.IsInf(sum, 0) || scale == 1 && sum != 2.5 {
			t.Errorf("%v becomes %v", scale, row)
		}
		if math.Abs(row[1]/row[0]-0.5) > 1e-13 || row[2] != 0 || row[3] != row[0] {
			t.Errorf("%v turns to %v", scale, row)
		}
	}
}

func TestScaledWeightsAreSymmetric(t *testing.T) {
	rng := testkit.Random(2)
	draw := func() float64 { return math.Exp2(float64(rng.IntN(1000) - 500)) }
	for range 1000 {
		w, u, v := rng.Float64(), draw(), draw()
		if got := matrix.Scaled(w, u, v); got != matrix.Scaled(w, v, u) || math.Abs(got-w*u*v) > 1e-15*got {
			t.Fatalf("%v·%v·%v is %v", w, u, v, got)
		}
	}
	for range 1000 { // the product of the scales overflows
		w, u, v := 0x1p-1000*rng.Float64(), 0x1p520*(1+rng.Float64()), 0x1p560*(1+rng.Float64())
		if got := matrix.Scaled(w, u, v); got != matrix.Scaled(w, v, u) || math.Abs(got/(w*v*u)-1) > 1e-15 {
			t.Fatalf("%v·%v·%v is %v", w, u, v, got)
		}
	}
	// The only edge of two nodes, of the smallest weight there is: w/√(w·w) = 1.
	w := 5e-324
	scale := 1 / math.Sqrt(w)
	if got := matrix.Scaled(w, scale, scale); math.Abs(got-1) > 1e-15 {
		t.Errorf("the smallest weight becomes %v, want 1", got)
	}
}

func TestMomentsOfColumns(t *testing.T) {
	const n = 1500 // two parts of a fold
	rng := testkit.Random(3)
	x := testkit.RandomDense(rng, n, 8)
	for i := range n {
		x.Set(i, 0, 1e15/3)                         // constant
		x.Set(i, 1, 1e9+x.At(i, 1))                 // a mean that the one-pass formula drowns in
		x.Set(i, 2, x.At(i, 2)*0x1p-1000)           // squares vanish
		x.Set(i, 3, x.At(i, 3)*0x1p1000)            // and overflow
		x.Set(i, 4, float64(max(0, rng.IntN(5)-3))) // mostly zeros
		x.Set(i, 5, 0)
		x.Set(i, 6, 0.1) // constant but for the rounding of its mean
	}
	for name, form := range map[string]mat.Matrix{"dense": x, "sparse": testkit.SparseOf(x), "float32": nil} {
		want := x
		if name == "float32" {
			want = mat.DenseCopyOf(x.Slice(0, n, 4, 8))
			form = testkit.SingleOf(want)
			want = testkit.DenseOf(form)
		}
		sums, inverse, err := matrix.Moments(ctx, testkit.Must(matrix.Read(ctx, form)))
		testkit.Check(t, err)
		_, d := want.Dims()
		for j := range d {
			column := mat.Col(nil, j, want)
			_, exponent := math.Frexp(floats.Norm(column, math.Inf(1)))
			scale := math.Ldexp(1, -exponent) // exact, and brings the oracle into range
			floats.Scale(scale, column)
			m, deviation := stat.PopMeanStdDev(column, nil)
			if math.Abs(sums.Mean[j]*scale-m) > n*0x1p-53 { // what n additions of numbers up to 1 round by
				t.Errorf("%s: the mean of column %d is %v, want %v", name, j, sums.Mean[j], m/scale)
			}
			if deviation <= 1e-12*math.Abs(m) { // constant, to rounding
				testkit.WantSame(t, name+": 1/deviation of a constant", inverse[j], 0.0)
				continue
			}
			// A mean of 10⁹ has its last bit at 10⁻⁷, which squared is within 10⁻¹³ of the
			// variance.
			if got := inverse[j] / scale * deviation; math.Abs(got-1) > 1e-10 {
				t.Errorf("%s: 1/deviation of column %d is %v, times the deviation %v", name, j, inverse[j], got)
			}
		}
	}
}

func TestColumnsAreCounted(t *testing.T) {
	x := eighths(4, 2000, 9)
	want, squares, nonzero := make([]matrix.RootSums, 9), make([]float64, 9), 0
	for i := range 2000 {
		for j := range 9 {
			v := x.At(i, j)
			if v != 0 {
				want[j].Count++
				nonzero++
			}
			want[j].Size += math.Abs(v) / 2000
			if v < 0 {
				want[j].Root -= math.Sqrt(-v) / 2000
			} else {
				want[j].Root += math.Sqrt(v) / 2000
			}
			squares[j] += v * v
		}
	}
	words, _ := testkit.RandomWords(testkit.Random(5), 50, 6)
	for name, form := range forms(x) {
		s := testkit.Must(matrix.Read(ctx, form))
		got := testkit.Must(matrix.SumRoots(ctx, s))
		counted, _, err := matrix.Moments(ctx, s)
		testkit.Check(t, err)
		for j, c := range got {
			w := want[j]
			// Sizes and roots: additions of numbers up to 3, over 2000.
			if c.Count != w.Count || counted.Count[j] != w.Count || math.Abs(c.Size-w.Size) > 3*2000*0x1p-53 || math.Abs(c.Root-w.Root) > 3*2000*0x1p-53 {
				t.Errorf("%s: column %d has %v and %v entries, want %v", name, j, c, counted.Count[j], w)
			}
		}
		// Squares of eighths are 64ths, whose sums are exact.
		testkit.WantSame(t, name+", squares", testkit.Must(matrix.ColumnSquares(ctx, testkit.Must(matrix.As[float64](ctx, s)))), squares)
		testkit.WantSame(t, name, *testkit.Must(matrix.TallyOf(ctx, s)), matrix.Tally{NonZero: nonzero, Negative: true, Fraction: true})
	}
	for v, want := range map[float64]matrix.Tally{1: {}, 0.5: {Fraction: true}, -3: {Negative: true}, -0.5: {Negative: true, Fraction: true}} {
		one := mat.DenseCopyOf(words)
		one.Set(49, 5, v)
		want.NonZero = testkit.SparseOf(one).NNZ()
		testkit.WantSame(t, "words and one number", *testkit.Must(matrix.TallyOf(ctx, testkit.Must(matrix.Read(ctx, one)))), want)
	}
	if _, _, v, err := matrix.FirstNegative(ctx, testkit.Must(matrix.Read(ctx, words))); v != 0 || err != nil {
		t.Errorf("words have %v (%v)", v, err)
	}
}
