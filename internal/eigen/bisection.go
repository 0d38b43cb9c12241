package eigen

import (
	"context"
	"math"

	"coles/internal/parallel"
)

// epsilon is the distance from 1 to the next float64.
const epsilon = 0x1p-52

// lanes eigenvalues are bisected together: the chain of divisions of one count
// waits for each quotient, and four chains fill that time.
const lanes = 4

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

// eigenvalues returns the k largest, descending, and the smallest of all, each
// within a few ε‖t‖. Bisection by Sturm counts rather than the QR algorithm:
// it costs O(n) for each value wanted, runs in parallel and can be cancelled
// (Golub and Van Loan, section 8.4.1).
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
		var below [lanes]int // how many eigenvalues lie below the one sought
		for l := range below {
			below[l] = max(0, n-1-min(lo+l, hi-1))
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
func bisect(d, squares []float64, below [lanes]int, bound, pivot float64) (at [lanes]float64) {
	var lo, hi [lanes]float64
	for l := range lo {
		lo[l], hi[l] = -bound, bound
	}
	// The interval halves until it is ε/2 of the first.
	for range 54 {
		for l := range at {
			at[l] = lo[l] + (hi[l]-lo[l])/2
		}
		count := sturm(d, squares, at, pivot)
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

// sturm counts the eigenvalues below each of four numbers: the negative pivots
// of the LDLᵀ factors of T − x·I.
func sturm(d, squares []float64, x [lanes]float64, pivot float64) (count [lanes]int) {
	squares = squares[:len(d)]
	q0, q1, q2, q3 := 1.0, 1.0, 1.0, 1.0
	var c0, c1, c2, c3 uint64
	for i, di := range d {
		s := squares[i]
		q0 = offZero(di-x[0]-s/q0, pivot)
		q1 = offZero(di-x[1]-s/q1, pivot)
		q2 = offZero(di-x[2]-s/q2, pivot)
		q3 = offZero(di-x[3]-s/q3, pivot)
		// The sign bit, since the branch could not be predicted.
		c0 += math.Float64bits(q0) >> 63
		c1 += math.Float64bits(q1) >> 63
		c2 += math.Float64bits(q2) >> 63
		c3 += math.Float64bits(q3) >> 63
	}
	return [lanes]int{int(c0), int(c1), int(c2), int(c3)}
}

// offZero moves q away from zero.
func offZero(q, pivot float64) float64 {
	if math.Abs(q) < pivot {
		return -pivot
	}
	return q
}
