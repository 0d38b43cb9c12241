package eigen

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"coles/internal/kernel"
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
		r := must(Krylov(background, n, k, diagonal(d), KrylovOptions{Block: 8}))
		checkKrylov(t, fmt.Sprintf("k=%d", k), a, r, descending(d, k))
	}
}

// TestKrylovFindsCopiesWhereverTheyAre has more and fewer copies than there are vectors in a block,
// on both sides of the number from which they are searched for, at several places of the spectrum,
// and for several random blocks: some of them must be unlucky.
func TestKrylovFindsCopiesWhereverTheyAre(t *testing.T) {
	const n, k, b = 600, 48, 8
	seeds := uint64(1)
	if os.Getenv("COLES_SHARED") != "" {
		seeds = 3
	}
	simple := func(i int) float64 { return math.Pow(0.97, float64(i)) } // descending
	spectrum := func(at func(i int) float64) []float64 {
		d := make([]float64, n)
		for i := range d {
			d[(i*7+3)%n] = at(i)
		}
		return d
	}
	// run has copies of one value, from the first-th on, before the simple ones go on.
	run := func(first, copies int) func(i int) float64 {
		return func(i int) float64 {
			switch {
			case i < first:
				return simple(i)
			case i < first+copies:
				return simple(first)
			}
			return simple(i - copies + 1)
		}
	}
	spectra := map[string]func(i int) float64{
		"simple":                           simple,
		"every value b/2 − 1 times":        func(i int) float64 { return simple(4 * (i / (b/2 - 1))) },
		"every value b times":              func(i int) float64 { return simple(4 * (i / b)) },
		"every value b + 1 times":          func(i int) float64 { return simple(4 * (i / (b + 1))) },
		"two large clusters":               func(i int) float64 { return []float64{3, 2, simple(i)}[min(2, i/(2*b))] },
		"a cluster of nearly equal values": func(i int) float64 { return simple(max(0, i-20)) - 1e-9*float64(min(i, 20)) },
		"of rank 30, below k":              func(i int) float64 { return max(0, simple(i)*float64(min(1, max(0, 30-i)))) },
		"of rank 30, many copies":          func(i int) float64 { return float64(min(1, max(0, 30-i))) },
		"ones":                             func(int) float64 { return 1 },
	}
	for _, copies := range []int{b/2 - 1, b / 2, b - 1, b, b + 1, 3 * b, 6 * b} {
		for place, first := range map[string]int{"at the top": 0, "inside": 20, "across the k-th": k - 2, "just above the k-th": max(0, k-1-copies)} {
			spectra[fmt.Sprintf("%d copies %s", copies, place)] = run(first, copies)
		}
	}
	for name, at := range spectra {
		d := spectrum(at)
		a, want := diagonalMatrix(d), descending(d, k)
		for seed := range seeds {
			r, err := Krylov(background, n, k, diagonal(d), KrylovOptions{Block: b, Seed: seed})
			name := fmt.Sprintf("%s, seed %d", name, seed)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkKrylov(t, name, a, r, want)
		}
	}
}

// TestKrylovSearchesAgainForManyCopiesOnly counts products: the second search takes more.
func TestKrylovSearchesAgainForManyCopiesOnly(t *testing.T) {
	const n, k, b, step = 600, 24, 8, 8
	var applied [b + 1]int
	for copies := 1; copies <= b; copies++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(0.9, float64(max(0, i-copies+1)))
		}
		r := must(Krylov(background, n, k, diagonal(d), KrylovOptions{Block: b}))
		applied[copies] = r.Applied
	}
	// The few products that copies save are steps of the first search.
	if most := applied[1] + step; applied[b/2-1] > most || applied[b/2] <= most {
		t.Errorf("products by the number of copies %v: want at most %d up to %d, more from there on", applied[1:], most, b/2-1)
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
	want := must(Direct(background, clone(a), 130))
	if ones := slices.IndexFunc(want.Values, func(v float64) bool { return v <= 1-1e-9 }); ones != paths+1 {
		t.Fatalf("the oracle has the eigenvalue 1 %d times, there are %d components", ones, paths+1)
	}
	// Eigenvalues of the grid come close to 1, so that k must not cut the ones.
	r := must(Krylov(background, n, 60, operator(a), KrylovOptions{MaxBasis: 200}))
	checkKrylov(t, "among the copies", a, r, want.Values)
}
