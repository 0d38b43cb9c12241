package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

func TestProductsAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(7, 0))
		a, b := poisoned(rnd, 300, 333, 1), poisoned(rnd, 333, 290, 0)
		x, y := poisoned(rnd, 5000, 40, 0), poisoned(rnd, 5000, 40, 1)
		var first [][]float64
		withProcs(func(procs int) {
			c, d, g := Dense[float64](300, 290), Dense[float64](40, 40), Dense[float64](40, 40)
			ctx := context.Background()
			for _, err := range []error{
				Gemm(ctx, false, false, 1, a, b, 0, c),
				Gemm(ctx, true, false, 1, x, y, 0, d),
				Gram(ctx, 1, x, y, g),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			now := [][]float64{c.Data, d.Data, g.Data}
			if first == nil {
				first = now
			}
			for i := range now {
				if !sameBits(first[i], now[i]) {
					t.Errorf("GOMAXPROCS=%d gives other bytes than 1 in product %d", procs, i)
				}
			}
		})
	})
}

// Paths round differently, but in a few last bits only, even of sums that
// nearly cancel: 1e-12 of the sum of magnitudes.
func TestPathsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 0))
	const m, n, k = 37, 53, 600
	p := newProblem(rnd, m, n, k, false, false, 1, 0)
	for i := range m {
		r := row(p.a, i)
		for l := 1; l < k; l += 2 {
			r[l] = -r[l-1] * (1 + 1e-9*rnd.Float64())
		}
	}
	for l := 1; l < k; l += 2 {
		copy(row(p.b, l), row(p.b, l-1))
	}
	var first []float64
	onEveryPath(t, func(t *testing.T) {
		c := clone(p.c)
		p.gemm(c)
		if first == nil {
			first = c.Data
		}
		for i := range m {
			for j := range n {
				size := 0.0
				for l := range k {
					size += math.Abs(p.a.Data[i*p.a.Stride+l] * p.b.Data[l*p.b.Stride+j])
				}
				q := i*c.Stride + j
				if math.Abs(c.Data[q]) > 1e-7*size || math.Abs(c.Data[q]-first[q]) > 1e-12*size {
					t.Fatalf("entry (%d, %d) is %g, of terms of size %g, and %g on the best path", i, j, c.Data[q], size, first[q])
				}
			}
		}
	})
}

func TestProductsStopWhenCancelled(t *testing.T) {
	onEveryPath(t, testCancellation)
}

func testCancellation(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 0))
	// Few results of long sums: the worst case for cutting work by results.
	a, b := poisoned(rnd, 300_000, 8, 0), poisoned(rnd, 300_000, 8, 0)
	t.Run("long sums", func(t *testing.T) {
		c := Dense[float64](8, 8)
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
		c := Dense[float64](8, 8)
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
		a, c := poisoned(rnd, 1500, 1500, 0), Dense[float64](1500, 1500)
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
