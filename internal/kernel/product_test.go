package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/parallel"
)

// Paths round differently, but in a few last bits only, even of sums that nearly cancel: 5000 ε of
// the sum of magnitudes, 1e-12 of it in float64.
func TestPathsAgree(t *testing.T) {
	rnd := random(11)
	double, single := newCancelling[float64](rnd), newCancelling[float32](rnd)
	onEveryPath(t, double.check, single.check)
}

// cancelling is a product of which every sum nearly cancels.
type cancelling[T Float] struct {
	*problem[T, T]
	first []T
}

func newCancelling[T Float](rnd *rand.Rand) *cancelling[T] {
	p := newProblem[T, T](rnd, 37, 53, 600, false, false, 1, 0)
	for i := range p.m {
		r := p.a.Row(i)
		for l := 1; l < p.k; l += 2 {
			r[l] = -r[l-1] * T(1+5e6*epsilon[T]()*rnd.Float64())
		}
	}
	for l := 1; l < p.k; l += 2 {
		copy(p.b.Row(l), p.b.Row(l-1))
	}
	return &cancelling[T]{problem: p}
}

func (p *cancelling[T]) check(t *testing.T) {
	c := clone(p.c)
	p.gemm(c)
	if p.first == nil {
		p.first = c.Data
	}
	for i := range p.m {
		for j := range p.n {
			size := 0.0
			for l := range p.k {
				size += math.Abs(at(false, p.a, i, l) * at(false, p.b, l, j))
			}
			q := i*c.Stride + j
			got, first := float64(c.Data[q]), float64(p.first[q])
			if math.Abs(got) > 5e8*epsilon[T]()*size || math.Abs(got-first) > 5000*epsilon[T]()*size {
				t.Fatalf("entry (%d, %d) is %g, of terms of size %g, and %g on the best path", i, j, got, size, first)
			}
		}
	}
}

// The blocks of a wide product are summed in float64: its error does not grow with the number of
// terms, as it does in float32. The factor between them, about √(terms/256) for terms of
// one sign, is 20 for 100,000.
func TestWideSumsOfManyTermsAreAsGoodAsThoseOfFew(t *testing.T) {
	const r, n = 100_000, 20
	rnd := random(22)
	x := Dense[float32](r, n)
	for i := range x.Data {
		x.Data[i] = float32(rnd.Float64())
	}
	exact, double := Dense[float64](n, n), Dense[float64](r, n)
	ctx := context.Background()
	must(t, Convert(ctx, double, x), Gram(ctx, 1, double, double, exact))
	onEveryPath(t, func(t *testing.T) {
		wide, product := Dense[float64](n, n), Dense[float64](n, n)
		must(t, Gram(ctx, 1, x, x, wide), Gemm(ctx, true, false, 1, x, x, 0, product))
		for _, m := range []Matrix[float64]{wide, product} {
			for i := range n {
				for j := i; j < n; j++ {
					// Half an ulp of a sum of 256, in the mean of 400 blocks.
					if e := math.Abs(m.Row(i)[j]/exact.Row(i)[j] - 1); e > 1e-7 {
						t.Errorf("entry (%d, %d) is wrong by %.2g of it", i, j, e)
					}
				}
			}
		}
	})
	// More terms than a block has, with one result: not to be summed as a small product.
	a := Dense[float32](1, innerBlock*100)
	for i := range a.Data {
		a.Data[i] = 0.1
	}
	c := Dense[float64](1, 1)
	b := Matrix[float32]{Rows: a.Cols, Cols: 1, Stride: 1, Data: slices.Clone(a.Data)}
	must(t, Gemm(ctx, false, false, 1, a, b, 0, c))
	want := float64(float32(0.1)) * float64(float32(0.1)) * float64(a.Cols)
	if math.Abs(c.Data[0]/want-1) > 1e-5 {
		t.Errorf("sum of equal terms is %g, want %g", c.Data[0], want)
	}
}

func TestPanelsCoverTheColumns(t *testing.T) {
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
		if lo != next || hi <= lo || parallel.Pieces(hi-lo, tile.lanes) > most {
			t.Fatalf("%s: panel %d of %d columns is [%d, %d), after %d", name, q, n, lo, hi, next)
		}
		next = hi
	}
	if next != n || s.padded() < n || s.padded() >= n+tile.lanes {
		t.Fatalf("%s: panels of %d columns cover %d and take %d", name, n, next, s.padded())
	}
}

// A product has thousands of tiles and tens of tasks; memory is allocated for tasks only, and none
// for a product of a few tiles, unless its path packs.
func TestProductsAllocateForTasksOnly(t *testing.T) {
	t.Run("float64", testMemory[float64])
	t.Run("float32", testMemory[float32])
}

func testMemory[T Float](t *testing.T) {
	rnd := random(17)
	small := newProblem[T, T](rnd, 9, 9, 9, true, false, 1, 0)
	large := newProblem[T, T](rnd, 300, 300, 300, false, false, 1, 0)
	a, x, c := randomCSR[T](rnd, 2000, 2000, 10), poisoned[T](rnd, 2000, 70, 0), Dense[T](2000, 70)
	four, y := poisoned[float64](rnd, 4, 100, 0), Dense[float64](2, 100)
	few := 0.0
	if active.double.packs {
		few = 100
	}
	for _, k := range []struct {
		name string
		most float64
		call func()
	}{
		{"small product", few, func() { small.gemm(small.c) }},
		{"large product", 100, func() { large.gemm(large.c) }},
		{"sparse product", 100, func() { must(t, SpMM(context.Background(), c, a, x)) }},
		{"four rows", 0, func() { Symv4(four.Data, 100, [4]float64{}, y.Row(0), y.Row(1)) }},
	} {
		if n := testing.AllocsPerRun(20, k.call); n > k.most {
			t.Errorf("%s: %g allocations, want %g at most", k.name, n, k.most)
		}
	}
}
