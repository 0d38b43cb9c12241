package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// at is entry (i, j) of op(a).
func at[T Float](trans bool, a Matrix[T], i, j int) float64 {
	if trans {
		i, j = j, i
	}
	return float64(a.Data[i*a.Stride+j])
}

// byHand is entry (i, j) of alpha·op(a)·op(b) and a bound of the error of a sum in the precision of
// S and in any order.
func byHand[S, T Float](transA, transB bool, alpha T, a, b Matrix[S], i, j, k int) (sum, tol float64) {
	for l := range k {
		term := float64(alpha) * at(transA, a, i, l) * at(transB, b, l, j)
		sum += term
		tol += math.Abs(term)
	}
	return sum, tol * rounding[S, T](k)
}

// rounding is the largest error of a sum of k terms, in units of the sum of their magnitudes.
func rounding[S, T Float](k int) float64 {
	if isDouble[T]() && !isDouble[S]() {
		// Only blocks are summed in float32.
		return float64(min(k, innerBlock)+3)*epsilon[S]() + float64(k)*epsilon[T]()
	}
	return float64(k+3) * epsilon[S]()
}

// byGonum is op(a), and the magnitudes of its entries.
func byGonum[T Float](trans bool, a Matrix[T], rows, cols int) (m, sizes *mat.Dense) {
	m, sizes = mat.NewDense(rows, cols, nil), new(mat.Dense)
	m.Apply(func(i, j int, _ float64) float64 { return at(trans, a, i, j) }, m)
	sizes.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return m, sizes
}

// problem is a product with random factors, of which at least one entry of each row is padding, and
// what it gives.
type problem[S, T Float] struct {
	name           string
	m, n, k        int
	transA, transB bool
	alpha, beta    T
	a, b           Matrix[S]
	c              Matrix[T]
	want           []expected
}

func newProblem[S, T Float](rnd *rand.Rand, m, n, k int, transA, transB bool, alpha, beta T) *problem[S, T] {
	p := &problem[S, T]{
		name: fmt.Sprintf("m=%d n=%d k=%d transA=%v transB=%v alpha=%g beta=%g", m, n, k, transA, transB, alpha, beta),
		m:    m, n: n, k: k, transA: transA, transB: transB, alpha: alpha, beta: beta,
		a: poisoned[S](rnd, m, k, 2), b: poisoned[S](rnd, k, n, 3), c: poisoned[T](rnd, m, n, 1),
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

// check computes the product into a copy of c and compares it. What it is compared with is computed
// the first time.
func (p *problem[S, T]) check(t *testing.T, compute func(c Matrix[T])) {
	t.Helper()
	if p.want == nil {
		p.want = p.expectAll()
	}
	c := clone(p.c)
	compute(c)
	for q, want := range p.want {
		p.compare(t, c, q/p.n, q%p.n, want)
	}
	checkPadding(t, p.name, c)
}

// expected is an entry of a product, and by how much it may be off.
type expected struct{ value, tolerance float64 }

// expectAll is what the product gives, by gonum's products.
func (p *problem[S, T]) expectAll() []expected {
	var sum, size mat.Dense
	if p.m*p.n*p.k > 0 {
		a, sizesOfA := byGonum(p.transA, p.a, p.m, p.k)
		b, sizesOfB := byGonum(p.transB, p.b, p.k, p.n)
		sum.Mul(a, b)
		size.Mul(sizesOfA, sizesOfB)
	}
	all := make([]expected, p.m*p.n)
	for q := range all {
		i, j, alpha := q/p.n, q%p.n, float64(p.alpha)
		if p.k == 0 {
			all[q] = p.added(i, j, 0, 0)
			continue
		}
		all[q] = p.added(i, j, alpha*sum.At(i, j), math.Abs(alpha)*size.At(i, j)*rounding[S, T](p.k))
	}
	return all
}

func (p *problem[S, T]) expect(i, j int) expected {
	want, tol := byHand(p.transA, p.transB, p.alpha, p.a, p.b, i, j, p.k)
	return p.added(i, j, want, tol)
}

// added is what the product gives for an entry of alpha·op(a)·op(b).
func (p *problem[S, T]) added(i, j int, want, tol float64) expected {
	if p.beta != 0 {
		old := float64(p.beta) * float64(p.c.Data[i*p.c.Stride+j])
		want += old
		tol += 4 * epsilon[T]() * math.Abs(old)
	}
	return expected{want, tol}
}

func (p *problem[S, T]) compare(t *testing.T, c Matrix[T], i, j int, want expected) {
	if got := float64(c.Data[i*c.Stride+j]); !(math.Abs(got-want.value) <= want.tolerance) {
		t.Fatalf("%s: entry (%d, %d) is %g, want %g", p.name, i, j, got, want.value)
	}
}

// gemm computes the product.
func (p *problem[S, T]) gemm(c Matrix[T]) {
	if err := Gemm(context.Background(), p.transA, p.transB, p.alpha, p.a, p.b, p.beta, c); err != nil {
		panic(err)
	}
}

// product is the same as a product, to test ways that only some sizes take.
func (p *problem[S, T]) product(c Matrix[T]) *product[S, T] {
	q := newProduct(p.m, p.n, p.k, p.alpha, operandOf(p.transA, p.a), operandOf(p.transB, p.b), p.beta, c)
	return &q
}

var flags = []bool{false, true}

func TestGemmEqualsTheTripleLoop(t *testing.T) {
	onEveryPath(t, testGemm[float64, float64](), testGemm[float32, float32](), testGemm[float32, float64]())
}

// testGemm makes the problems, with what they give, once for all paths.
func testGemm[S, T Float]() func(t *testing.T) {
	type size struct{ m, n, k int }
	// Around the edges of the tiles, 4 × 2, 4 × 12, 4 × 24, 8 × 24 and 8 × 48, and of few terms.
	sizes := []size{{9, 25, 0}, {9, 25, 1}, {8, 48, 2}, {7, 23, 4}}
	rows := []int{0, 1, 3, 4, 7, 8, 9, 23}
	if testing.Short() {
		rows = []int{0, 15} // one strip of each height
	}
	for _, m := range rows {
		for _, n := range []int{0, 1, 2, 3, 5, 8, 11, 12, 13, 23, 24, 25, 47, 48, 49, 71} {
			sizes = append(sizes, size{m, n, 9})
		}
	}
	rnd := random(5)
	var tiles, tasks, slabs []*problem[S, T]
	for _, transA := range flags {
		for _, transB := range flags {
			add := func(to *[]*problem[S, T], s size, alpha, beta T) {
				*to = append(*to, newProblem[S](rnd, s.m, s.n, s.k, transA, transB, alpha, beta))
			}
			for _, s := range sizes {
				add(&tiles, s, -0.7, 0)
				add(&tiles, s, 1, -1.5)
			}
			if testing.Short() && !(transA && !transB) {
				continue
			}
			// Around the edges of the tasks and of the cut sums.
			for _, s := range []size{
				{193, 200, 300}, {3, 385, 513}, {129, 5, 257}, {8, 24, 1030}, {1, 1, 5000}, {400, 75, 256}, {30, 600, 31},
				{21, 45, 2900}, {530, 31, 1500}, // long products
			} {
				add(&tasks, s, 2, map[bool]T{true: 0.5, false: 0}[transA == transB])
			}
			add(&slabs, size{9, 26, 700}, 3, 2)
			add(&slabs, size{9, 26, 700}, 3, 0)
		}
	}
	// More columns than are computed at once, and more terms than are packed at once.
	tasks = append(tasks, newProblem[S, T](rnd, 3, columnBlock+5, 2, false, false, 1, 0))
	packed := newProblem[S, T](rnd, 300, 2500, 520, false, true, 1, 0)
	return func(t *testing.T) {
		for _, p := range slices.Concat(tiles, tasks) {
			p.check(t, p.gemm)
		}
		for _, p := range tiles {
			if p.m*p.n*p.k > 0 {
				p.check(t, func(c Matrix[T]) { _ = p.product(c).inChunks(parallel.Alone(context.Background())) })
			}
		}
		for q, p := range slabs {
			p.check(t, func(c Matrix[T]) { _ = p.product(c).sumSlabs(context.Background(), 2+q%2) })
		}
		c := clone(packed.c)
		packed.gemm(c)
		for range 100 { // of too many entries to compare
			i, j := rnd.IntN(packed.m), rnd.IntN(packed.n)
			packed.compare(t, c, i, j, packed.expect(i, j))
		}
		checkPadding(t, packed.name, c)
	}
}

func TestGemmReadsNoFactorsWithAlphaZero(t *testing.T) {
	onEveryPath(t, testAlphaZero[float64], testAlphaZero[float32])
}

func testAlphaZero[T Float](t *testing.T) {
	a, c := Dense[T](9, 9), Dense[T](9, 9)
	fill(a, T(math.NaN()))
	fill(c, 3)
	must(t, Gemm(context.Background(), false, false, 0, a, a, 2, c))
	for i, v := range c.Data {
		if v != 6 {
			t.Fatalf("number %d of 2·c is %g, want 6", i, v)
		}
	}
}

func TestGramEqualsTheUpperTriangleOfTheTripleLoop(t *testing.T) {
	onEveryPath(t, testGram[float64, float64], testGram[float32, float32], testGram[float32, float64])
}

func testGram[S, T Float](t *testing.T) {
	rnd := random(6)
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 23, 24, 25, 26, 64, 65, 130, 400} {
		for _, r := range []int{0, 1, 8, 65, 255, 257, 511, 513, 1024, 1300} {
			if r != 8 && n != 25 && !(r == 513 && n <= 130) {
				continue // edges of rows and of columns in pairs
			}
			name := fmt.Sprintf("r=%d n=%d", r, n)
			a, b, c := poisoned[S](rnd, r, n, 1), poisoned[S](rnd, r, n, 2), poisoned[T](rnd, n, n, 3)
			before := clone(c)
			must(t, Gram(context.Background(), 0.5, a, b, c))
			for i := range n {
				for j := range n {
					got, want, tol := float64(c.Data[i*c.Stride+j]), float64(before.Data[i*c.Stride+j]), 0.0
					if j >= i {
						sum, bound := byHand[S, T](true, false, 0.5, a, b, i, j, r)
						want += sum
						tol = bound + 4*epsilon[T]()*math.Abs(want)
					}
					if !(math.Abs(got-want) <= tol) {
						t.Fatalf("%s: entry (%d, %d) is %g, want %g", name, i, j, got, want)
					}
				}
			}
			checkPadding(t, name, c)
			MirrorUpper(c)
			for i := range n {
				for j := range i {
					if c.Data[i*c.Stride+j] != c.Data[j*c.Stride+i] {
						t.Fatalf("%s: entry (%d, %d) was not mirrored", name, i, j)
					}
				}
			}
			checkPadding(t, name, c)
		}
	}
}
