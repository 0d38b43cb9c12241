package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// at is entry (i, j) of op(a).
func at[T Float](trans bool, a Matrix[T], i, j int) float64 {
	if trans {
		i, j = j, i
	}
	return float64(a.Data[i*a.Stride+j])
}

// byHand is entry (i, j) of alpha·op(a)·op(b) and a bound of the error of a sum
// in the precision of S and in any order.
func byHand[S, T Float](transA, transB bool, alpha T, a, b Matrix[S], i, j, k int) (sum, tol float64) {
	for l := range k {
		term := float64(alpha) * at(transA, a, i, l) * at(transB, b, l, j)
		sum += term
		tol += math.Abs(term)
	}
	if isDouble[T]() && !isDouble[S]() {
		// Only blocks are summed in float32.
		return sum, float64(min(k, innerBlock)+3)*epsilon[S]()*tol + float64(k)*epsilon[T]()*tol
	}
	return sum, float64(k+3) * epsilon[S]() * tol
}

// problem is a product with random factors, of which at least one entry of each
// row is padding, and what it gives, computed by hand.
type problem[S, T Float] struct {
	name           string
	m, n, k        int
	transA, transB bool
	alpha, beta    T
	a, b           Matrix[S]
	c              Matrix[T]
}

func newProblem[S, T Float](rnd *rand.Rand, m, n, k int, transA, transB bool, alpha, beta T) problem[S, T] {
	p := problem[S, T]{
		fmt.Sprintf("m=%d n=%d k=%d transA=%v transB=%v alpha=%g beta=%g", m, n, k, transA, transB, alpha, beta),
		m, n, k, transA, transB, alpha, beta,
		poisoned[S](rnd, m, k, 2), poisoned[S](rnd, k, n, 3), poisoned[T](rnd, m, n, 1),
	}
	if transA {
		p.a = poisoned[S](rnd, k, m, 2)
	}
	if transB {
		p.b = poisoned[S](rnd, n, k, 3)
	}
	if beta == 0 {
		fill(p.c, T(math.NaN())) // is not to be read
	}
	return p
}

// check computes the product into a copy of c and compares it.
func (p problem[S, T]) check(t *testing.T, compute func(c Matrix[T])) {
	t.Helper()
	c := clone(p.c)
	compute(c)
	for i := range p.m {
		for j := range p.n {
			want, tol := byHand(p.transA, p.transB, p.alpha, p.a, p.b, i, j, p.k)
			if p.beta != 0 {
				old := float64(p.beta) * float64(p.c.Data[i*c.Stride+j])
				want += old
				tol += 4 * epsilon[T]() * math.Abs(old)
			}
			if got := float64(c.Data[i*c.Stride+j]); !(math.Abs(got-want) <= tol) {
				t.Fatalf("%s: entry (%d, %d) is %g, want %g", p.name, i, j, got, want)
			}
		}
	}
	checkPadding(t, p.name, c)
}

// gemm is what Gemm and GemmWide do.
func (p problem[S, T]) gemm(c Matrix[T]) {
	if err := gemm(context.Background(), p.transA, p.transB, p.alpha, p.a, p.b, p.beta, c); err != nil {
		panic(err)
	}
}

// product is the same below the door, for the ways that only some sizes take.
func (p problem[S, T]) product(c Matrix[T]) *product[S, T] {
	return &product[S, T]{
		path: active, shape: shapeOf[S](active), m: p.m, n: p.n, k: p.k, alpha: p.alpha, beta: p.beta,
		a: operandOf(p.transA, p.a), b: operandOf(p.transB, p.b), c: c,
	}
}

var flags = []bool{false, true}

func TestGemmEqualsTheTripleLoop(t *testing.T) {
	onEveryPath(t, testGemm[float64, float64], testGemm[float32, float32])
}

func TestGemmWideEqualsTheTripleLoop(t *testing.T) {
	onEveryPath(t, func(t *testing.T) { t.Skip("is Gemm") }, testGemm[float32, float64])
}

func testGemm[S, T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 0))
	for _, transA := range flags {
		for _, transB := range flags {
			// Around the edges of the tiles: 4 × 2, 4 × 12, 4 × 24, 8 × 24 and 8 × 48.
			rows := []int{0, 1, 2, 3, 4, 7, 8, 9, 16, 23}
			if testing.Short() {
				rows = []int{0, 15} // one strip of each height
			}
			for _, m := range rows {
				for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 9, 11, 12, 13, 16, 23, 24, 25, 32, 33, 47, 48, 49, 71} {
					for _, k := range []int{0, 1, 2, 9} {
						p := newProblem[S, T](rnd, m, n, k, transA, transB, -0.7, 0)
						p.check(t, p.gemm)
						p = newProblem[S, T](rnd, m, n, k, transA, transB, 1, -1.5)
						p.check(t, p.gemm)
						if m*n*k > 0 {
							p.check(t, func(c Matrix[T]) { _ = p.product(c).inChunks(context.Background(), inOrder) })
						}
					}
				}
			}
			if testing.Short() && !(transA && !transB) {
				continue
			}
			// Around the edges of the tasks and of the cut sums.
			for _, s := range []struct{ m, n, k int }{
				{193, 200, 300}, {3, 385, 513}, {129, 5, 257}, {8, 24, 1030}, {1, 1, 5000}, {400, 75, 256}, {30, 600, 31},
			} {
				p := newProblem[S, T](rnd, s.m, s.n, s.k, transA, transB, 2, 0.5)
				p.check(t, p.gemm)
				p = newProblem[S, T](rnd, s.m, s.n, s.k, transA, transB, 1, 0)
				p.check(t, p.gemm)
			}
			p := newProblem[S, T](rnd, 9, 26, 700, transA, transB, 3, 2)
			p.check(t, func(c Matrix[T]) { _ = p.product(c).sumSlabs(context.Background(), 3) })
			p = newProblem[S, T](rnd, 9, 26, 700, transA, transB, 3, 0)
			p.check(t, func(c Matrix[T]) { _ = p.product(c).sumSlabs(context.Background(), 2) })
		}
	}
	// More columns than are computed at once.
	p := newProblem[S, T](rnd, 3, columnBlock+5, 2, false, false, 1, 0)
	p.check(t, p.gemm)
	if testing.Short() {
		return
	}
	// More terms than are packed at once.
	p = newProblem[S, T](rnd, 300, 2500, 520, false, true, 1, 0)
	p.checkSome(t, rnd)
}

// checkSome compares a hundred entries of a product too large to compare all.
func (p problem[S, T]) checkSome(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	c := clone(p.c)
	p.gemm(c)
	for range 100 {
		i, j := rnd.IntN(p.m), rnd.IntN(p.n)
		want, tol := byHand(p.transA, p.transB, p.alpha, p.a, p.b, i, j, p.k)
		if got := float64(c.Data[i*c.Stride+j]); !(math.Abs(got-want) <= tol) {
			t.Fatalf("%s: entry (%d, %d) is %g, want %g", p.name, i, j, got, want)
		}
	}
	checkPadding(t, p.name, c)
}

func TestGemmReadsNoFactorThatCountsNothing(t *testing.T) {
	onEveryPath(t, testNothing[float64], testNothing[float32])
}

func testNothing[T Float](t *testing.T) {
	a, c := Dense[T](9, 9), Dense[T](9, 9)
	fill(a, T(math.NaN()))
	fill(c, 3)
	if err := Gemm(context.Background(), false, false, 0, a, a, 2, c); err != nil {
		t.Fatal(err)
	}
	for i, v := range c.Data {
		if v != 6 {
			t.Fatalf("number %d of 2·c is %g, want 6", i, v)
		}
	}
}

func TestPanelsCoverTheColumnsInTilesThatThereAre(t *testing.T) {
	for _, p := range available() {
		for _, tile := range []shape{p.double, p.single} {
			for n := 1; n < 300; n++ {
				checkPanels(t, p.name, tile, n)
			}
		}
	}
}

func checkPanels(t *testing.T, name string, tile shape, n int) {
	t.Helper()
	s := panelsOf(tile, n)
	next := 0
	for q := range s.count {
		lo, hi := s.bounds(q)
		most := tile.vecs
		if (hi-lo)%tile.lanes != 0 {
			most = tile.maskedVecs
		}
		if lo != next || hi <= lo || ceilDiv(hi-lo, tile.lanes) > most {
			t.Fatalf("%s: panel %d of %d columns is [%d, %d), after %d", name, q, n, lo, hi, next)
		}
		next = hi
	}
	if next != n || s.padded() < n || s.padded() >= n+tile.lanes {
		t.Fatalf("%s: panels of %d columns cover %d and take %d", name, n, next, s.padded())
	}
}

func TestSmallProductsTakeNoMemory(t *testing.T) {
	if active.double.packs {
		t.Skip("the portable path packs")
	}
	p := newProblem[float64, float64](rand.New(rand.NewPCG(16, 0)), 9, 9, 9, true, false, 1, 0)
	if n := testing.AllocsPerRun(100, func() { p.gemm(p.c) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
	q := newProblem[float32, float32](rand.New(rand.NewPCG(16, 1)), 9, 9, 9, true, false, 1, 0)
	if n := testing.AllocsPerRun(100, func() { q.gemm(q.c) }); n != 0 {
		t.Errorf("%g allocations in float32", n)
	}
}

// A product has thousands of tiles and tens of tasks: nothing is allocated for
// the former.
func TestProductsTakeMemoryOncePerCall(t *testing.T) {
	t.Run("float64", testMemory[float64])
	t.Run("float32", testMemory[float32])
}

func testMemory[T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 0))
	p := newProblem[T, T](rnd, 300, 300, 300, false, false, 1, 0)
	if n := testing.AllocsPerRun(20, func() { p.gemm(p.c) }); n > 100 {
		t.Errorf("%g allocations for a product", n)
	}
	a, x, c := randomCSR[T](rnd, 2000, 2000, 10), poisoned[T](rnd, 2000, 70, 0), Dense[T](2000, 70)
	if n := testing.AllocsPerRun(20, func() {
		if err := SpMM(context.Background(), c, a, x); err != nil {
			t.Fatal(err)
		}
	}); n > 100 {
		t.Errorf("%g allocations for a sparse product", n)
	}
	r, y := poisoned[float64](rnd, 4, 100, 0), Dense[float64](2, 100)
	if n := testing.AllocsPerRun(20, func() { Symv4(r.Data, 100, [4]float64{}, row(y, 0), row(y, 1)) }); n != 0 {
		t.Errorf("%g allocations for four rows", n)
	}
}
