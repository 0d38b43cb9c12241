package kernel

import "fmt"

// Symv4 is the inner loop of the product of a symmetric matrix and a vector
// from one of its triangles. Of four rows of len(x) numbers, a[r·stride:], it
// returns the products with x, s[r] = Σ_j a[r][j]·x[j], and adds them,
// multiplied, to y: y[j] += Σ_r m[r]·a[r][j]. So every number of a is read once
// for both. y must not overlap a or x.
func Symv4(a []float64, stride int, m [4]float64, x, y []float64) (s [4]float64) {
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
