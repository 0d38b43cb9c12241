package kernel

import (
	"math"
	"testing"
)

func TestSymv4EqualsTheSumsByHand(t *testing.T) {
	onEveryPath(t, testSymv4[float64], testSymv4[float32])
}

func testSymv4[T Float](t *testing.T) {
	rnd := random(13)
	for n := range 70 {
		a, x := poisoned[T](rnd, 4, n, 1+n%3), poisoned[T](rnd, 1, n, 3)
		y := poisoned[T](rnd, 1, n, 9)
		before := clone(y)
		m := [4]T{0.3, -2, 0, 1.7}
		s := Symv4(a.Data, a.Stride, m, x.Data[:n], y.Data)
		for r := range 4 {
			want, size := 0.0, 0.0
			for j, v := range a.Row(r) {
				term := float64(v) * float64(x.Data[j])
				want += term
				size += math.Abs(term)
			}
			if !(math.Abs(float64(s[r])-want) <= float64(n)*epsilon[T]()*size) {
				t.Fatalf("n=%d: product of row %d is %g, want %g", n, r, s[r], want)
			}
		}
		for j := range n {
			want := float64(before.Data[j])
			size := math.Abs(want)
			for r := range 4 {
				term := float64(m[r]) * float64(a.Row(r)[j])
				want += term
				size += math.Abs(term)
			}
			if !(math.Abs(float64(y.Data[j])-want) <= 5*epsilon[T]()*size) {
				t.Fatalf("n=%d: sum %d is %g, want %g", n, j, y.Data[j], want)
			}
		}
		checkPadding(t, "y", y)
	}
}

// The second difference of order n has the eigenvalues 2 − 2·cos(jπ/(n+1)).
func TestSturmCountsKnownEigenvalues(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 17, 64} {
			d, squares := make([]float64, n), make([]float64, n)
			for i := range n {
				d[i], squares[i] = 2, min(1, float64(i))
			}
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

// A pivot of zero counts as negative: the matrix (0 1; 1 0) has one eigenvalue below zero.
func TestSturmCountsWithPivotsOfZero(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
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
	rnd := random(16)
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
		onEveryPath(t, func(t *testing.T) {
			if got := SturmCounts(d, squares, &x, 0x1p-1022); got != want {
				t.Errorf("counts %v, of the portable path %v", got, want)
			}
		})
	}
}
