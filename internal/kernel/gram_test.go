package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestGramEqualsTheUpperTriangleOfTheTripleLoop(t *testing.T) {
	onEveryPath(t, testGram[float64, float64], testGram[float32, float32])
}

func TestGramWideEqualsTheUpperTriangleOfTheTripleLoop(t *testing.T) {
	onEveryPath(t, func(t *testing.T) { t.Skip("is Gram") }, testGram[float32, float64])
}

func testGram[S, T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 0))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 23, 24, 25, 26, 64, 65, 130, 400} {
		for _, r := range []int{0, 1, 8, 65, 255, 257, 511, 513, 1024, 1300} {
			if r*n*n > 8_000_000 {
				continue // the triple loop alone would take seconds
			}
			name := fmt.Sprintf("r=%d n=%d", r, n)
			a, b, c := poisoned[S](rnd, r, n, 1), poisoned[S](rnd, r, n, 2), poisoned[T](rnd, n, n, 3)
			before := clone(c)
			if err := gram(context.Background(), 0.5, a, b, c); err != nil {
				t.Fatal(err)
			}
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
