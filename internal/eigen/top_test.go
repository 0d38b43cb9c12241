package eigen

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// The adjacency matrix of a ring over 2 has the eigenvalues cos(2πj/n), the largest of them 10⁻⁴
// apart and all but two double; rotated, one of the other spectrum has neighbours too near for its
// power.
func TestTopFindsTheTopOfCloseSpectra(t *testing.T) {
	const n = 600
	ring := make([]float64, n)
	for j := range ring {
		ring[j] = math.Cos(2 * math.Pi * float64(j) / n)
	}
	// 0.1¹⁶ is lost beside 1¹⁶: eigenvectors of values near 0.1 have to be found again.
	deep := make([]float64, n)
	for j := range deep {
		deep[j] = 0.1 * float64(n-j) / n
		if j < 5 {
			deep[j] = 1 - 0.01*float64(j)
		}
	}
	// What rounding leaves above 0 is no part of a spectrum: a filter for it has no end.
	below := slices.Repeat([]float64{1e-18}, n)
	copy(below, []float64{-1, -0.9, -0.5})
	for _, c := range []struct {
		name   string
		values []float64
		lo     float64
		k      int
		plain  bool // a filter is of no use
	}{
		{"ring", ring, -1, 12, false},
		{"ring, a large part", ring, -1, 40, false},
		{"ring, without a cut through a pair", ring, -1, 11, false},
		{"deep", deep, 0, 20, true},
		{"nothing above 0", below, -1, 3, true},
	} {
		a := withSpectrum(c.values, 5)
		for _, coarse := range []bool{false, true} {
			counted := 0
			space := Subspace{Apply: counting(&counted, operator(a))}
			if coarse {
				space.Single = counting(&counted, single(a))
			}
			r, err := Top(background, n, c.k, space, c.lo, KrylovOptions{})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			checkPairs(t, c.name, a, r, 1e-6*math.Sqrt(float64(c.k)), 1e-13)
			want := descending(c.values, c.k)
			if next := descending(c.values, c.k+1)[c.k]; (want[c.k-1]-next < 1e-8) != (r.Values[c.k-1]-r.Next < 1e-6) {
				t.Errorf("%s: %v comes after %v, by the search %v", c.name, next, want[c.k-1], r.Next)
			}
			for i, v := range r.Values {
				if math.Abs(v-want[i]) > 1e-9 { // the square of a residual of 5·10⁻⁷, over gaps of 10⁻⁴
					t.Errorf("%s: value %d is %v, want %v", c.name, i, v, want[i])
				}
			}
			// What a search without a filter multiplied by is counted on top of what it found that by.
			if plain := counted > r.Applied; plain != c.plain || counted < r.Applied {
				t.Errorf("%s: %d products with A, %d stated", c.name, counted, r.Applied)
			}
		}
	}
}

// counting counts the vectors that an operator multiplies.
func counting[T kernel.Float](count *int, a Operator[T]) Operator[T] {
	return func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		*count += src.Cols
		return a(ctx, dst, src)
	}
}

// dense is a matrix for gonum, which shares the numbers.
func dense(a panel) *mat.Dense { return mat.NewDense(a.Rows, a.Cols, a.Data) }

// Split is the formula of its comment, written out with an m and an exact M that have nothing in
// common: with u of length 1, x₀ = x − u·s, it is (I − u·uᵀ)·m·x₀ + u·(M·u)ᵀ·x₀ + (M·u)·s.
func TestSplitTakesOneDirectionFromTheExactOperator(t *testing.T) {
	const n, b = 60, 7
	m, exact := randomSymmetric(n, 1), randomSymmetric(n, 2)
	x := kernel.Dense[float64](n, b)
	c := make([]float64, n)
	for i := range c {
		c[i] = math.Sin(float64(i)) + 3
	}
	copy(x.Data, randomSymmetric(n, 3).Data)
	u := mat.NewVecDense(n, slices.Clone(c))
	u.ScaleVec(1/mat.Norm(u, 2), u)
	var image, s, rest, first, along, shares, want mat.Dense
	image.Mul(dense(exact), u)
	split := Split(operator(m), u.RawVector().Data, mat.Col(nil, 0, &image))
	s.Mul(u.T(), dense(x))
	rest.Mul(u, &s)
	rest.Sub(dense(x), &rest)
	first.Mul(dense(m), &rest)
	along.Mul(u.T(), &first)
	shares.Mul(image.T(), &rest)
	shares.Sub(&shares, &along)
	want.Mul(u, &shares)
	want.Add(&want, &first)
	along.Reset()
	along.Mul(&image, &s)
	want.Add(&want, &along)
	for range 2 { // its buffers are used again
		wide := kernel.Dense[float64](n, b+2) // an operator may be given padding
		check(t, split(background, kernel.Columns(wide, 1, b+1), x))
		var off mat.Dense
		off.Sub(&want, dense(wide).Slice(0, n, 1, b+1))
		if d := mat.Norm(&off, 2); !(d < 1e-12*mat.Norm(&want, 2)) {
			t.Errorf("off by %.2g of %.2g", d, mat.Norm(&want, 2))
		}
	}
}
