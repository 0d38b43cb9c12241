package eigen

import (
	"fmt"
	"math"
	"os"
	"testing"
)

// TestKrylovFindsCopiesWhereverTheyAre has more and fewer copies than there are vectors in a block,
// far more of them too, as a graph of many components has the eigenvalue 1; on both sides of the
// number from which they are searched for, at several places of the spectrum, and for several random
// blocks: some of them must be unlucky.
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
	for _, copies := range []int{b/2 - 1, b / 2, b - 1, b, b + 1, 3 * b, 6 * b, 15 * b} {
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
			// That the value after the last is a copy of it is seen, however many there are, and taken for
			// granted of more than half a block.
			next, many := descending(d, k+1)[k], want[k-1-b/2]-want[k-1] < 1e-8
			if tied := want[k-1]-next < 1e-8 || many; tied != (r.Values[k-1]-r.Next < 1e-6) {
				t.Errorf("%s: %v comes after %v, by the search %v", name, next, want[k-1], r.Next)
			}
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
