package eigen

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

// lanes eigenvalues are bisected together, in the lanes of vectors.
const lanes = kernel.SturmLanes

// bound is a norm of t: no eigenvalue is larger in magnitude (Gershgorin).
func (t tridiagonal) bound() float64 {
	most := 0.0
	for i := range t.d {
		sum := math.Abs(t.d[i])
		if i > 0 {
			sum += math.Abs(t.e[i-1])
		}
		if i < len(t.e) {
			sum += math.Abs(t.e[i])
		}
		most = max(most, sum)
	}
	return most
}

// eigenvalues returns the k largest, descending, and the smallest of all, each within a few ε‖t‖.
// Bisection by Sturm counts rather than the QR algorithm: it costs O(n) for each value wanted, runs
// in parallel and can be cancelled (Golub and Van Loan, section 8.4.1).
func (t tridiagonal) eigenvalues(ctx context.Context, k int) (values []float64, smallest float64, err error) {
	n := len(t.d)
	squares := make([]float64, n) // squares[i] couples i−1 and i
	largest := 0.0
	for i, e := range t.e {
		squares[i+1] = e * e
		largest = max(largest, e*e)
	}
	// A pivot nearer to zero is moved here, so that no quotient overflows.
	pivot := 0x1p-1022 * max(1, largest)
	bound := t.bound()*(1+4*epsilon) + pivot
	found := make([]float64, k+1)
	err = parallel.Ranges(ctx, k+1, lanes, func(lo, hi int) {
		var below [lanes]int64 // how many eigenvalues lie below the one sought
		for l := range below {
			below[l] = int64(max(0, n-1-min(lo+l, hi-1)))
			if lo+l >= k {
				below[l] = 0
			}
		}
		at := bisect(t.d, squares, below, bound, pivot)
		copy(found[lo:hi], at[:])
	})
	for i := 1; i < k; i++ {
		found[i] = min(found[i], found[i-1])
	}
	return found[:k], found[k], err
}

// bisect finds the eigenvalues that have below[l] others below them.
func bisect(d, squares []float64, below [lanes]int64, bound, pivot float64) (at [lanes]float64) {
	var lo, hi [lanes]float64
	for l := range lo {
		lo[l], hi[l] = -bound, bound
	}
	// The interval halves until it is ε/2 of the first.
	for range 54 {
		for l := range at {
			at[l] = lo[l] + (hi[l]-lo[l])/2
		}
		count := kernel.SturmCounts(d, squares, &at, pivot)
		for l := range at {
			if count[l] > below[l] {
				hi[l] = at[l]
			} else {
				lo[l] = at[l]
			}
		}
	}
	return at
}
