package kernel

import (
	"fmt"
	"math"
)

// Symv4 is the inner loop of the product of a symmetric matrix, of which one triangle is given, and a vector. For
// four rows of len(x) numbers, a[r·stride:], it returns s[r] = Σ_j a[r][j]·x[j] and adds y[j] += Σ_r m[r]·a[r][j]. It
// reads every number of a once. y must not overlap a or x.
func Symv4[T Float](a []T, stride int, m [4]T, x, y []T) (s [4]T) {
	n := len(x)
	if n == 0 {
		return s
	}
	if stride < n || len(a) < 3*stride+n || len(y) < n {
		panic(fmt.Sprintf("kernel: four rows of %d in %d numbers, %d apart, and %d sums", n, len(a), stride, len(y)))
	}
	symv4(active, a, stride, &m, x, y, &s)
	return s
}

func portableSymv4[T Float](a []T, stride int, m *[4]T, x, y []T, s *[4]T) {
	n := len(x)
	y = y[:n]
	r0, r1, r2, r3 := a[:n], a[stride:][:n], a[2*stride:][:n], a[3*stride:][:n]
	m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
	var s0, s1, s2, s3 T
	for j, t := range x {
		a0, a1, a2, a3 := r0[j], r1[j], r2[j], r3[j]
		s0 += a0 * t
		s1 += a1 * t
		s2 += a2 * t
		s3 += a3 * t
		y[j] += (a0*m0 + a1*m1) + (a2*m2 + a3*m3)
	}
	*s = [4]T{s0, s1, s2, s3}
}

// SturmLanes is how many numbers [SturmCounts] takes at once.
const SturmLanes = 16

// SturmCounts counts, for each number x, the eigenvalues below x of a symmetric tridiagonal matrix. Its diagonal is
// d, and squares holds the squares of its other entries: squares[i] belongs to entry (i−1, i), and squares[0] is
// zero. By Sylvester's law of inertia these are as many as the negative pivots q[i] = d[i] − x − squares[i]/q[i−1]; a
// pivot closer to zero than pivot becomes −pivot. Every path gives the same counts.
func SturmCounts(d, squares []float64, x *[SturmLanes]float64, pivot float64) (count [SturmLanes]int64) {
	if len(squares) < len(d) {
		panic(fmt.Sprintf("kernel: %d squares for a diagonal of %d", len(squares), len(d)))
	}
	if len(d) > 0 {
		active.sturm(d, squares, x, pivot, &count)
	}
	return count
}

func portableSturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	// In one count every division waits for the one before; four counts at a time fill the gaps.
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
			// The sign bit: a branch could not be predicted.
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
