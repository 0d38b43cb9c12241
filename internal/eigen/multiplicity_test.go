package eigen

import (
	"context"
	"fmt"
	"math"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// TestKrylovFindsEveryCopy has eigenvalues of a multiplicity far above the block size, as a graph
// of many components has the eigenvalue 1.
func TestKrylovFindsEveryCopy(t *testing.T) {
	const n, copies = 700, 70
	d := make([]float64, n)
	for i := range d {
		d[i] = 0.98 * float64(n-i) / n
		if i%6 == 0 && i/6 < copies {
			d[i] = 1
		}
	}
	a := diagonalMatrix(d)
	for _, k := range []int{20, 80} {
		r, err := Krylov(context.Background(), n, k, diagonal(d), KrylovOptions{Block: 8})
		if err != nil {
			t.Fatal(err)
		}
		checkKrylov(t, fmt.Sprintf("k=%d", k), a, r, descending(d, k))
	}
}

// TestKrylovFindsEveryComponent of a graph of paths of three nodes and one grid, whose normalised
// adjacency has the eigenvalue 1 once per component.
func TestKrylovFindsEveryComponent(t *testing.T) {
	const paths, side = 120, 16
	const n = 3*paths + side*side
	var edges [][2]int
	for c := range paths {
		edges = append(edges, [2]int{3 * c, 3*c + 1}, [2]int{3*c + 1, 3*c + 2})
	}
	for i := range side {
		for j := range side {
			v := 3*paths + i*side + j
			if j+1 < side {
				edges = append(edges, [2]int{v, v + 1})
			}
			if i+1 < side {
				edges = append(edges, [2]int{v, v + side})
			}
		}
	}
	degree := make([]float64, n)
	for _, e := range edges {
		degree[e[0]]++
		degree[e[1]]++
	}
	a := kernel.Dense[float64](n, n)
	for _, e := range edges {
		w := 1 / math.Sqrt(degree[e[0]]*degree[e[1]])
		a.Data[e[0]*n+e[1]], a.Data[e[1]*n+e[0]] = w, w
	}
	want, err := Direct(context.Background(), clone(a), 130)
	if err != nil {
		t.Fatal(err)
	}
	if ones := countAbove(want.Values, 1-1e-9); ones != paths+1 {
		t.Fatalf("the oracle has the eigenvalue 1 %d times, there are %d components", ones, paths+1)
	}
	apply := func(ctx context.Context, dst, src matrix) error {
		for i := range n {
			clear(row(dst, i))
		}
		for _, e := range edges {
			w := a.Data[e[0]*n+e[1]]
			blas64.Axpy(w, vector(row(src, e[0])), vector(row(dst, e[1])))
			blas64.Axpy(w, vector(row(src, e[1])), vector(row(dst, e[0])))
		}
		return ctx.Err()
	}
	// Eigenvalues of the grid come close to 1, so that k must not cut the ones.
	r, err := Krylov(context.Background(), n, 60, apply, KrylovOptions{MaxBasis: 200})
	if err != nil {
		t.Fatal(err)
	}
	checkKrylov(t, "among the copies", a, r, want.Values)
}

func countAbove(values []float64, x float64) int {
	count := 0
	for _, v := range values {
		if v > x {
			count++
		}
	}
	return count
}
