package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

func TestProductsAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	onEveryPath(t, testProcs[float64], testProcs[float32])
}

func testProcs[S Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 0))
	a, b := poisoned[S](rnd, 300, 333, 1), poisoned[S](rnd, 333, 290, 0)
	x, y := poisoned[S](rnd, 5000, 40, 0), poisoned[S](rnd, 5000, 40, 1)
	var first [][]S
	var firstWide []float64
	withProcs(func(procs int) {
		c, d, g, wide := Dense[S](300, 290), Dense[S](40, 40), Dense[S](40, 40), Dense[float64](40, 40)
		ctx := context.Background()
		for _, err := range []error{
			Gemm(ctx, false, false, 1, a, b, 0, c),
			Gemm(ctx, true, false, 1, x, y, 0, d),
			Gram(ctx, 1, x, y, g),
			gram(ctx, 1, x, y, wide),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		now := [][]S{c.Data, d.Data, g.Data}
		if first == nil {
			first, firstWide = now, wide.Data
		}
		for i := range now {
			if !sameBits(first[i], now[i]) {
				t.Errorf("GOMAXPROCS=%d gives other bytes than 1 in product %d", procs, i)
			}
		}
		if !sameBits(firstWide, wide.Data) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1 in the product in float64", procs)
		}
	})
}

// Paths round differently, but in a few last bits only, even of sums that
// nearly cancel: 5000 ε of the sum of magnitudes, 1e-12 of it in float64.
func TestPathsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 0))
	double, single := newCancelling[float64](rnd), newCancelling[float32](rnd)
	onEveryPath(t, double.check, single.check)
}

// cancelling is a product of which every sum nearly cancels.
type cancelling[T Float] struct {
	problem[T, T]
	first []T
}

func newCancelling[T Float](rnd *rand.Rand) *cancelling[T] {
	p := newProblem[T, T](rnd, 37, 53, 600, false, false, 1, 0)
	for i := range p.m {
		r := row(p.a, i)
		for l := 1; l < p.k; l += 2 {
			r[l] = -r[l-1] * T(1+5e6*epsilon[T]()*rnd.Float64())
		}
	}
	for l := 1; l < p.k; l += 2 {
		copy(row(p.b, l), row(p.b, l-1))
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

func TestProductsStopWhenCancelled(t *testing.T) {
	onEveryPath(t, testCancellation[float64], testCancellation[float32])
}

func testCancellation[T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 0))
	// Few results of long sums: the worst case for cutting work by results.
	a, b := poisoned[T](rnd, 300_000, 8, 0), poisoned[T](rnd, 300_000, 8, 0)
	t.Run("long sums", func(t *testing.T) {
		c := Dense[T](8, 8)
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
		c := Dense[T](8, 8)
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
		a, c := poisoned[T](rnd, 3000, 3000, 0), Dense[T](3000, 3000)
		checkCancellation(t, func(ctx context.Context) error {
			for range 100 {
				if err := Gemm(ctx, false, true, 1, a, a, 0, c); err != nil {
					return err
				}
			}
			return nil
		})
	})
}
