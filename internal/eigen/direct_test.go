package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// spectra are eigenvalues that have broken eigensolvers.
func spectra(n int) map[string][]float64 {
	rnd := rand.New(rand.NewPCG(uint64(n), 3))
	s := map[string][]float64{}
	add := func(name string, at func(i int) float64) {
		v := make([]float64, n)
		for i := range v {
			v[i] = at(i)
		}
		s[name] = v
	}
	add("zero", func(int) float64 { return 0 })
	add("one", func(int) float64 { return 1 })
	add("two thirds equal", func(i int) float64 { return float64(max(0, i-2*n/3)) })
	add("rank one", func(i int) float64 { return float64(1 / (i + 1)) })
	add("rank half", func(i int) float64 { return float64(max(0, n/2-i)) })
	add("geometric", func(i int) float64 { return math.Pow(10, -16*float64(i)/float64(n)) })
	add("cluster at the rounding error", func(i int) float64 { return 1 + float64(i)*0x1p-52 })
	add("chain of gaps 1e-7", func(i int) float64 { return 1 + 1e-7*float64(i) })
	add("chain of gaps 1e-5", func(i int) float64 { return 1 + 1e-5*float64(i) })
	add("pairs 1e-12 apart", func(i int) float64 { return float64(i/2) + 1e-12*float64(i%2) })
	add("groups of seven 1e-9 apart", func(i int) float64 { return float64(i/7) + 1e-9*float64(i%7) })
	add("plus and minus", func(i int) float64 { return float64(i%2*2 - 1) })
	add("negative", func(i int) float64 { return -1 - float64(i) })
	add("one large", func(i int) float64 { return 1e10 * float64(1/(i+1)) })
	add("random", func(int) float64 { return rnd.NormFloat64() })
	return s
}

// ranks are numbers of eigenpairs to ask for; of the largest matrices the middle one alone.
func ranks(n int, all ...int) []int {
	if n > 200 {
		return all[len(all)-2:][:1]
	}
	return all
}

// eachSpectrum calls do for matrices of every spectrum, in several sizes and scales, with numbers of
// eigenpairs to ask for.
func eachSpectrum(do func(name string, a panel, k int)) {
	for _, n := range []int{1, 2, 3, 5, 33, 64, 65, 150, 300} {
		for name, values := range spectra(n) {
			a := withSpectrum(values, uint64(n))
			for _, k := range ranks(n, 0, 1, n/2, n) {
				do(fmt.Sprintf("%s, n=%d k=%d", name, n, k), a, k)
			}
			for _, scale := range []float64{1e-200, 1e200} {
				if n <= 65 {
					b := clone(a)
					blas64.Scal(scale, vector(b.Data))
					do(fmt.Sprintf("%s, n=%d scale %g", name, n, scale), b, n/2)
				}
			}
		}
	}
}

func TestDirectKeepsItsPromisesOnAnySpectrum(t *testing.T) {
	eachSpectrum(func(name string, a panel, k int) {
		r, err := Direct(background, clone(a), k)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		checkPairs(t, name, a, r, 1e-13, 1e-13)
	})
}

// matrices are given by their order and entries, most with a tridiagonal form that falls apart or has
// eigenvalues equal in all digits.
var matrices = map[string]func(n, i, j int) float64{
	"identity":          func(_, i, j int) float64 { return float64(b2i(i == j)) },
	"ones":              func(_, _, _ int) float64 { return 1 },
	"diagonal":          func(_, i, j int) float64 { return float64(b2i(i == j) * (i % 5)) },
	"second difference": func(_, i, j int) float64 { return float64(2*b2i(i == j) - b2i(j == i+1)) },
	"Wilkinson": func(n, i, j int) float64 {
		if i == j {
			return math.Abs(float64(n-1)/2 - float64(i))
		}
		return float64(b2i(j == i+1))
	},
	"Wilkinson glued by 1e-9": func(_, i, j int) float64 {
		switch {
		case i == j:
			return math.Abs(10 - float64(i%21))
		case j == i+1 && j%21 == 0:
			return 1e-9
		}
		return float64(b2i(j == i+1))
	},
	"equal blocks": func(_, i, j int) float64 { return float64(b2i(i/4 == j/4) * (1 + i%4 + j%4)) },
	"graded":       func(_, i, j int) float64 { return math.Pow(10, -float64(i+j)/4) },
	"tiny beside large": func(_, i, j int) float64 {
		if i == j && i%3 == 0 {
			return 1
		}
		return 1e-160 * float64(1+i*j%7)
	},
	"Hilbert": func(_, i, j int) float64 { return 1 / float64(i+j+1) },
	"random":  func(_, i, j int) float64 { return rand.New(rand.NewPCG(uint64(i), uint64(j))).NormFloat64() },
}

// special is a matrix of order n.
func special(n int, at func(n, i, j int) float64) panel {
	return symmetric(n, func(i, j int) float64 { return at(n, i, j) })
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestDirectKeepsItsPromisesOnSpecialMatrices(t *testing.T) {
	for name, at := range matrices {
		for _, n := range []int{1, 2, 3, 4, 21, 64, 189, 300} {
			a := special(n, at)
			values, _ := oracle(t, a)
			for _, k := range ranks(n, 1, n/3, n) {
				r, err := Direct(background, clone(a), k)
				name := fmt.Sprintf("%s, n=%d k=%d", name, n, k)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				checkPairs(t, name, a, r, 1e-13, 1e-13)
				norm := max(math.Abs(values[0]), math.Abs(values[n-1]))
				for i, v := range r.Values {
					// Both solvers err by a small multiple of ε·n·‖A‖ at most.
					if !(math.Abs(v-values[i]) <= 1e-15*float64(n+10)*norm) {
						t.Errorf("%s: value %d is %.17g, the oracle's %.17g", name, i, v, values[i])
					}
				}
			}
		}
	}
}

// sine of the largest principal angle between the spans of orthonormal rows: the norm of what the
// projection to p leaves of q.
func sine(p, q mat.Matrix) float64 {
	var c, rest mat.Dense
	c.Mul(q, p.T())
	rest.Mul(&c, p)
	rest.Sub(q, &rest)
	var svd mat.SVD
	svd.Factorize(&rest, mat.SVDNone)
	return svd.Values(nil)[0]
}

func TestDirectSpansTheOraclesSubspace(t *testing.T) {
	for _, n := range []int{20, 100, 300} {
		a := randomSymmetric(n, 17)
		values, vectors := oracle(t, a)
		norm := max(math.Abs(values[0]), math.Abs(values[n-1]))
		for _, k := range []int{1, n / 5, n / 2} {
			if (values[k-1]-values[k])/norm < 1e-6 {
				t.Fatalf("n=%d k=%d: no gap, choose another seed", n, k)
			}
			r := must(Direct(background, clone(a), k))
			ours := mat.NewDense(k, n, r.Vectors.Data)
			if s := sine(vectors.Slice(0, k, 0, n), ours); !(s <= 1e-8) {
				t.Errorf("n=%d k=%d: sine of the largest angle %.2g, promised 1e-8", n, k, s)
			}
		}
	}
}

// Eigenvalues are those of the construction, the largest of them many times.
func TestDirectFindsTheSpectrumOfLargeMatrices(t *testing.T) {
	for _, c := range []struct {
		name                  string
		find                  func(context.Context, panel, int) (*Result, error)
		n, copies             int
		tolerance, orthogonal float64
	}{
		{"Direct", Direct, 1500, 61, 1e-13, 1e-13},
		{"DirectSingle", DirectSingle, 700, 41, SingleTolerance, 1e-11},
	} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = 1 / float64(1+max(0, i-c.copies+1))
		}
		a := withSpectrum(values, 5)
		r := must(c.find(background, clone(a), 150))
		checkPairs(t, c.name, a, r, c.tolerance, c.orthogonal)
		for i, v := range r.Values {
			if math.Abs(v-values[i]) > c.tolerance {
				t.Errorf("%s: value %d is %.17g, constructed as %.17g", c.name, i, v, values[i])
			}
		}
	}
}

func TestDirectReadsTheUpperTriangleOnly(t *testing.T) {
	const n = 70
	a := randomSymmetric(n, 4)
	for name, find := range map[string]func(context.Context, panel, int) (*Result, error){"Direct": Direct, "DirectSingle": DirectSingle} {
		padded := panel{Rows: n, Cols: n, Stride: n + 3, Data: slices.Repeat([]float64{math.NaN()}, n*(n+3))}
		for i := range n {
			copy(padded.Row(i)[i:], a.Row(i)[i:])
		}
		if want, got := must(find(background, clone(a), n)), must(find(background, padded, n)); !sameBytes(want, got) {
			t.Errorf("%s: NaN below the diagonal and beside it changed the result", name)
		}
		for i := range n {
			for j := range padded.Stride {
				if (j < i || j >= n) && !math.IsNaN(padded.Data[i*padded.Stride+j]) {
					t.Fatalf("%s: (%d, %d) was overwritten", name, i, j)
				}
			}
		}
	}
}

func TestDirectRefusesBadInput(t *testing.T) {
	ctx := background
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := randomSymmetric(5, 1)
		a.Data[1*5+3] = bad
		if _, err := Direct(ctx, a, 2); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%g: error %v, want ErrNotFinite", bad, err)
		}
	}
	for _, k := range []int{-1, 6} {
		if _, err := Direct(ctx, randomSymmetric(5, 1), k); !errors.Is(err, ErrShape) {
			t.Errorf("k=%d: error %v, want ErrShape", k, err)
		}
	}
	if _, err := Direct(ctx, kernel.Dense[float64](3, 4), 1); !errors.Is(err, ErrShape) {
		t.Errorf("3×4: error %v, want ErrShape", err)
	}
	if r, err := Direct(ctx, panel{}, 0); err != nil || len(r.Values) != 0 {
		t.Errorf("empty matrix: %v, %v", r, err)
	}
}

func TestFixSignsMakesTheLargestEntryPositive(t *testing.T) {
	// The last row is a tie but for rounding.
	v := panel{Rows: 5, Cols: 3, Stride: 4, Data: []float64{
		1, -2, 0, -9,
		-3, 3, 1, -9,
		0, 0, 0, -9,
		2, -2, -1, -9,
		-2 + 1e-12, 2, 1, -9,
	}}
	want := []float64{
		-1, 2, 0, -9,
		3, -3, -1, -9,
		0, 0, 0, -9,
		2, -2, -1, -9,
		2 - 1e-12, -2, -1, -9,
	}
	FixSigns(v)
	for i := range want {
		if v.Data[i] != want[i] {
			t.Fatalf("entry %d is %g, want %g", i, v.Data[i], want[i])
		}
	}
}

func BenchmarkDirect(b *testing.B) {
	for _, size := range []struct{ n, k int }{{500, 500}, {1433, 128}, {1433, 512}} {
		b.Run(fmt.Sprintf("n=%d,k=%d", size.n, size.k), func(b *testing.B) {
			a := randomSymmetric(size.n, 1)
			for b.Loop() {
				if _, err := Direct(background, clone(a), size.k); err != nil {
					b.Fatal(err)
				}
			}
			n, k := float64(size.n), float64(size.k)
			flops := 4*n*n*n/3 + 2*n*n*k + n*k*k
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
