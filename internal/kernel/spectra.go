package kernel

import (
	"fmt"
	"math"
)

// SturmLanes is how many numbers [SturmCounts] takes at once.
const SturmLanes = 16

// SturmCounts counts, for each of some numbers x, the eigenvalues below it of
// the symmetric tridiagonal matrix with the diagonal d and the squares of the
// entries beside it: squares[i] is that of the one between i−1 and i, and
// squares[0] is zero. They are the negative ones among the pivots
// q[i] = d[i] − x − squares[i]/q[i−1]; a pivot within the given distance of zero
// is moved to minus that. Every path gives the same counts.
func SturmCounts(d, squares []float64, x *[SturmLanes]float64, pivot float64) (count [SturmLanes]int64) {
	if len(squares) < len(d) {
		panic(fmt.Sprintf("kernel: %d squares beside a diagonal of %d", len(squares), len(d)))
	}
	if len(d) > 0 {
		active.sturm(d, squares, x, pivot, &count)
	}
	return count
}

func portableSturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	// The chain of divisions of one count waits for each quotient; four chains
	// fill that time.
	const lanes = 4
	squares = squares[:len(d)]
	for l := 0; l < SturmLanes; l += lanes {
		x0, x1, x2, x3 := x[l], x[l+1], x[l+2], x[l+3]
		q0, q1, q2, q3 := 1.0, 1.0, 1.0, 1.0
		var c0, c1, c2, c3 uint64
		for i, di := range d {
			s := squares[i]
			q0 = offZero(di-x0-s/q0, pivot)
			q1 = offZero(di-x1-s/q1, pivot)
			q2 = offZero(di-x2-s/q2, pivot)
			q3 = offZero(di-x3-s/q3, pivot)
			// The sign bit, since the branch could not be predicted.
			c0 += math.Float64bits(q0) >> 63
			c1 += math.Float64bits(q1) >> 63
			c2 += math.Float64bits(q2) >> 63
			c3 += math.Float64bits(q3) >> 63
		}
		count[l], count[l+1], count[l+2], count[l+3] = int64(c0), int64(c1), int64(c2), int64(c3)
	}
}

// offZero moves q away from zero.
func offZero(q, pivot float64) float64 {
	if math.Abs(q) < pivot {
		return -pivot
	}
	return q
}
