package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The second difference of order n has the eigenvalues 2 − 2·cos(jπ/(n+1)).
func TestSturmCountsKnownEigenvalues(t *testing.T) {
	onEveryPathInDouble(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 17, 64} {
			d, squares := make([]float64, n), make([]float64, n)
			for i := range n {
				d[i], squares[i] = 2, min(1, float64(i))
			}
			d, squares = guarded(t, d), guarded(t, squares)
			for first := -1; first <= n; first += SturmLanes {
				var x [SturmLanes]float64
				for l := range x {
					x[l] = 2 - 2*math.Cos((float64(first+l)+0.5)*math.Pi/float64(n+1))
				}
				if first < 0 {
					x[0] = -1
				}
				for l, c := range SturmCounts(d, squares, &x, 0x1p-1022) {
					// Beyond the last the cosine turns back.
					if j := first + l; j <= n && c != int64(max(0, j)) {
						t.Errorf("n=%d: %d eigenvalues below %g, want %d", n, c, x[l], max(0, j))
					}
				}
			}
		}
	})
}

// A pivot of zero counts as negative: of the matrix 0 1, 1 0 one eigenvalue is
// below zero, and of a zero matrix none lies far off.
func TestSturmCountsWithPivotsOfZero(t *testing.T) {
	onEveryPathInDouble(t, func(t *testing.T) {
		x := [SturmLanes]float64{0, -0.5, 0.5, -1.5, 1.5, -2, 2}
		want := [SturmLanes]int64{1, 1, 1, 0, 2, 0, 2}
		got := SturmCounts([]float64{0, 0}, []float64{0, 1}, &x, 0x1p-1022)
		for l := range 7 {
			if got[l] != want[l] {
				t.Errorf("%d below %g, want %d", got[l], x[l], want[l])
			}
		}
		for l, c := range SturmCounts(make([]float64, 5), make([]float64, 5), &x, 0x1p-1022) {
			if x[l] != 0 && c != map[bool]int64{false: 0, true: 5}[x[l] > 0] {
				t.Errorf("zero matrix: %d below %g", c, x[l])
			}
		}
	})
}

func TestSturmCountsAreThoseOfEveryPath(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 0))
	const n = 301
	d, squares := make([]float64, n), make([]float64, n)
	for i := range n {
		d[i], squares[i] = rnd.NormFloat64(), rnd.ExpFloat64()*float64(rnd.IntN(4))
	}
	squares[0] = 0
	for range 50 {
		var x [SturmLanes]float64
		for l := range x {
			x[l] = 3 * rnd.NormFloat64()
		}
		var want [SturmLanes]int64
		portableSturm(d, squares, &x, 0x1p-1022, &want)
		onEveryPathInDouble(t, func(t *testing.T) {
			if got := SturmCounts(d, squares, &x, 0x1p-1022); got != want {
				t.Errorf("counts %v, of the portable path %v", got, want)
			}
		})
	}
}

// onEveryPathInDouble runs a test of what there is for float64 only.
func onEveryPathInDouble(t *testing.T, double func(t *testing.T)) {
	onEveryPath(t, double, func(t *testing.T) {})
}
