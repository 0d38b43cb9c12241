package eigen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/kernel"
)

// departure is the largest |QᵀQ − I| over the columns of q.
func departure(t *testing.T, q panel) float64 {
	t.Helper()
	g := kernel.Dense[float64](q.Cols, q.Cols)
	check(t, kernel.Gemm(background, true, false, 1, q, q, 0, g))
	most := 0.0
	for i := range g.Rows {
		g.Data[i*g.Stride+i]--
		for _, v := range g.Row(i) {
			most = max(most, math.Abs(v))
			if math.IsNaN(v) {
				return v
			}
		}
	}
	return most
}

// TestExtendGivesAnOrthonormalBlockWhateverItIsGiven appends a block of eight columns to a basis of
// twelve. To one in float32 it is orthogonal up to some roundings of coefficients by 2⁻²⁴.
func TestExtendGivesAnOrthonormalBlockWhateverItIsGiven(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testExtend[float64](t, 1e-14) })
	t.Run("float32", func(t *testing.T) { testExtend[float32](t, 8*0x1p-24) })
}

func testExtend[T kernel.Float](t *testing.T, allowed float64) {
	const n, m, b = 50, 12, 8
	noise := func(rnd *rand.Rand) float64 { return rnd.NormFloat64() }
	for name, at := range map[string]func(rnd *rand.Rand, q panel, i, j int) float64{
		"random": func(rnd *rand.Rand, _ panel, i, j int) float64 { return noise(rnd) },
		"zero":   func(*rand.Rand, panel, int, int) float64 { return 0 },
		"equal columns": func(_ *rand.Rand, _ panel, i, _ int) float64 {
			return math.Sin(float64(i))
		},
		"equal up to 1e-9": func(rnd *rand.Rand, _ panel, i, _ int) float64 {
			return math.Sin(float64(i)) + 1e-9*noise(rnd)
		},
		"half zero": func(rnd *rand.Rand, _ panel, _, j int) float64 {
			return noise(rnd) * float64(j%2)
		},
		"in the span of the basis": func(_ *rand.Rand, q panel, i, j int) float64 {
			return q.Data[i*q.Stride+j]
		},
		"nearly in the span of the basis": func(rnd *rand.Rand, q panel, i, j int) float64 {
			return q.Data[i*q.Stride+j] + 1e-12*noise(rnd)
		},
		"columns of very different lengths": func(rnd *rand.Rand, _ panel, _, j int) float64 {
			return noise(rnd) * math.Pow(10, float64(20*j))
		},
		"squares that underflow": func(rnd *rand.Rand, _ panel, _, _ int) float64 {
			return noise(rnd) * 1e-200
		},
		"squares that overflow": func(rnd *rand.Rand, _ panel, _, _ int) float64 {
			return noise(rnd) * 1e200
		},
	} {
		rnd := rand.New(rand.NewPCG(1, 7))
		q := kernel.Dense[float64](n, m+b)
		for i := range q.Data {
			q.Data[i] = rnd.NormFloat64()
		}
		basis, w := kernel.Columns(q, 0, m), kernel.Columns(q, m, m+b)
		must(orthonormalise(background, basis))
		for i := range n {
			for j := range b {
				w.Row(i)[j] = at(rnd, basis, i, j)
			}
		}
		narrow := kernel.Dense[T](n, m)
		check(t, kernel.Convert(background, narrow, basis))
		before := append([]T(nil), narrow.Data...)
		must(extend(background, narrow, w, rnd))
		if d := departure(t, w); !(d < 1e-14) {
			t.Errorf("%s: the block departs from orthonormal by %.2g", name, d)
		}
		if !slices.Equal(before, narrow.Data) {
			t.Fatalf("%s: the basis was changed", name)
		}
		check(t, kernel.Convert(background, basis, narrow))
		if d := departure(t, q); !(d < allowed) {
			t.Errorf("%s: departs from orthonormal by %.2g", name, d)
		}
	}
}

func TestPolishPartsVectorsThatLean(t *testing.T) {
	const n, k = 80, 20
	for _, lean := range []float64{0, 1e-12, 1e-8, 1e-4, 0.5} {
		rnd := rand.New(rand.NewPCG(2, 7))
		q := kernel.Dense[float64](n, k)
		for i := range n {
			for j := range k {
				q.Data[i*k+j] = lean / math.Sqrt(n) * rnd.NormFloat64()
			}
			if i < k {
				q.Data[i*k+i]++
			}
		}
		before := kernel.Dense[float64](n, k)
		kernel.Copy(before, q)
		check(t, polish(background, q))
		if d := departure(t, q); !(d < 2e-14) {
			t.Errorf("leaning by %g: departs from orthonormal by %.2g", lean, d)
		}
		// No entry moves by more than the columns leaned, a few times over.
		for i, v := range q.Data {
			if lean < 0.1 && math.Abs(v-before.Data[i]) > 5*lean+1e-15 {
				t.Errorf("leaning by %g: an entry moved by %.2g", lean, v-before.Data[i])
				break
			}
		}
	}
}
