package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// at is entry (i, j) of op(a).
func at(trans bool, a blas64.General, i, j int) float64 {
	if trans {
		i, j = j, i
	}
	return a.Data[i*a.Stride+j]
}

// byHand is entry (i, j) of alpha·op(a)·op(b) and a bound of its error.
func byHand(transA, transB bool, alpha float64, a, b blas64.General, i, j, k int) (sum, tol float64) {
	for l := range k {
		term := alpha * at(transA, a, i, l) * at(transB, b, l, j)
		sum += term
		tol += math.Abs(term)
	}
	return sum, float64(k+3) * 0x1p-52 * tol
}

func TestGemmEqualsTheTripleLoop(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 0))
	check := func(m, n, k int, transA, transB bool, alpha, beta float64) {
		name := fmt.Sprintf("m=%d n=%d k=%d transA=%v transB=%v alpha=%g beta=%g", m, n, k, transA, transB, alpha, beta)
		a, b := poisoned(rnd, m, k, 2), poisoned(rnd, k, n, 3)
		if transA {
			a = poisoned(rnd, k, m, 2)
		}
		if transB {
			b = poisoned(rnd, n, k, 3)
		}
		c := poisoned(rnd, m, n, 1)
		if beta == 0 {
			fill(c, math.NaN())
		}
		before := clone(c)
		if err := Gemm(context.Background(), transA, transB, alpha, a, b, beta, c); err != nil {
			t.Fatal(err)
		}
		for i := range m {
			for j := range n {
				want, tol := byHand(transA, transB, alpha, a, b, i, j, k)
				if beta != 0 {
					old := beta * before.Data[i*c.Stride+j]
					want += old
					tol += 4 * 0x1p-52 * math.Abs(old)
				}
				if got := c.Data[i*c.Stride+j]; !(math.Abs(got-want) <= tol) {
					t.Fatalf("%s: entry (%d, %d) is %g, want %g", name, i, j, got, want)
				}
			}
		}
		checkPadding(t, name, c)
	}
	for _, transA := range []bool{false, true} {
		for _, transB := range []bool{false, true} {
			for _, m := range sizes {
				for _, n := range sizes {
					for _, k := range []int{0, 1, 7, 8, 65} {
						check(m, n, k, transA, transB, -0.7, 0)
						check(m, n, k, transA, transB, 1, 1)
					}
				}
			}
			// Over the edges of the tasks and of the cut sums.
			check(130, 200, 300, transA, transB, 2, 0.5)
			check(3, 385, 513, transA, transB, 1, 0)
			check(129, 5, 257, transA, transB, 1, -1)
		}
	}
}

func TestGramEqualsTheUpperTriangleOfTheTripleLoop(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 0))
	for _, n := range append([]int{130}, sizes...) {
		for _, r := range []int{0, 1, 8, 65, 255, 257, 1024, 1025, 2500} {
			if r*n > 200_000 {
				continue // the triple loop alone would take seconds
			}
			name := fmt.Sprintf("r=%d n=%d", r, n)
			a, b, c := poisoned(rnd, r, n, 1), poisoned(rnd, r, n, 2), poisoned(rnd, n, n, 3)
			before := clone(c)
			if err := Gram(context.Background(), 0.5, a, b, c); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range n {
					got, want, tol := c.Data[i*c.Stride+j], before.Data[i*c.Stride+j], 0.0
					if j >= i {
						sum, bound := byHand(true, false, 0.5, a, b, i, j, r)
						want += sum
						tol = bound + 4*0x1p-52*math.Abs(want)
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

func TestProductsAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 0))
	a, b := poisoned(rnd, 300, 333, 1), poisoned(rnd, 333, 290, 0)
	x, y := poisoned(rnd, 5000, 100, 0), poisoned(rnd, 5000, 100, 1)
	var first, firstGram []float64
	withProcs(func(procs int) {
		c, g := Dense(300, 290), Dense(100, 100)
		if err := Gemm(context.Background(), false, false, 1, a, b, 0, c); err != nil {
			t.Fatal(err)
		}
		if err := Gram(context.Background(), 1, x, y, g); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, firstGram = c.Data, g.Data
		}
		if !sameBits(first, c.Data) || !sameBits(firstGram, g.Data) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1", procs)
		}
	})
}

func TestProductsStopWhenCancelled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 0))
	// Few results of long sums: the worst case for cutting work by results.
	a, b := poisoned(rnd, 300_000, 8, 0), poisoned(rnd, 300_000, 8, 0)
	t.Run("long sums", func(t *testing.T) {
		c := Dense(8, 8)
		checkCancellation(t, func(ctx context.Context) error {
			for range 10_000 {
				if err := Gemm(ctx, true, false, 1, a, b, 0, c); err != nil {
					return err
				}
			}
			return nil
		})
	})
	t.Run("Gram of long sums", func(t *testing.T) {
		c := Dense(8, 8)
		checkCancellation(t, func(ctx context.Context) error {
			for range 10_000 {
				if err := Gram(ctx, 1, a, b, c); err != nil {
					return err
				}
			}
			return nil
		})
	})
	t.Run("large", func(t *testing.T) {
		a, c := poisoned(rnd, 1500, 1500, 0), Dense(1500, 1500)
		checkCancellation(t, func(ctx context.Context) error { return Gemm(ctx, false, true, 1, a, a, 0, c) })
	})
}

func BenchmarkGemm(b *testing.B) {
	rnd := rand.New(rand.NewPCG(9, 0))
	for _, size := range []struct{ m, n, k int }{{1024, 1024, 1024}, {1433, 512, 64}, {1024, 32, 3703}} {
		for _, trans := range []struct{ a, b bool }{{false, false}, {true, false}, {false, true}} {
			b.Run(fmt.Sprintf("%dx%dx%d/trans=%v,%v", size.m, size.n, size.k, trans.a, trans.b), func(b *testing.B) {
				x, y := poisoned(rnd, size.m, size.k, 0), poisoned(rnd, size.k, size.n, 0)
				if trans.a {
					x = poisoned(rnd, size.k, size.m, 0)
				}
				if trans.b {
					y = poisoned(rnd, size.n, size.k, 0)
				}
				c := Dense(size.m, size.n)
				for b.Loop() {
					if err := Gemm(context.Background(), trans.a, trans.b, 1, x, y, 0, c); err != nil {
						b.Fatal(err)
					}
				}
				reportGigaflops(b, 2*float64(size.m)*float64(size.n)*float64(size.k))
			})
		}
	}
}

func BenchmarkGram(b *testing.B) {
	rnd := rand.New(rand.NewPCG(10, 0))
	for _, size := range []struct{ r, n int }{{50_000, 128}, {2708, 1433}, {64, 1433}} {
		b.Run(fmt.Sprintf("%dx%d", size.r, size.n), func(b *testing.B) {
			x, c := poisoned(rnd, size.r, size.n, 0), Dense(size.n, size.n)
			for b.Loop() {
				if err := Gram(context.Background(), 1, x, x, c); err != nil {
					b.Fatal(err)
				}
			}
			reportGigaflops(b, float64(size.r)*float64(size.n)*float64(size.n))
		})
	}
}
