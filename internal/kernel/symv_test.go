package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSymv4EqualsTheSumsByHand(t *testing.T) {
	onEveryPathInDouble(t, testSymv4)
}

func testSymv4(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 0))
	for n := range 70 {
		a, x := poisoned[float64](rnd, 4, n, 1+n%3), poisoned[float64](rnd, 1, n, 3)
		y := poisoned[float64](rnd, 1, n, 9)
		before := clone(y)
		m := [4]float64{0.3, -2, 0, 1.7}
		s := Symv4(a.Data, a.Stride, m, x.Data[:n], y.Data)
		for r := range 4 {
			want, size := 0.0, 0.0
			for j, v := range row(a, r) {
				term := float64(v) * float64(x.Data[j])
				want += term
				size += math.Abs(term)
			}
			if !(math.Abs(float64(s[r])-want) <= float64(n)*epsilon[float64]()*size) {
				t.Fatalf("n=%d: product of row %d is %g, want %g", n, r, s[r], want)
			}
		}
		for j := range n {
			want := float64(before.Data[j])
			size := math.Abs(want)
			for r := range 4 {
				term := float64(m[r]) * float64(row(a, r)[j])
				want += term
				size += math.Abs(term)
			}
			if !(math.Abs(float64(y.Data[j])-want) <= 5*epsilon[float64]()*size) {
				t.Fatalf("n=%d: sum %d is %g, want %g", n, j, y.Data[j], want)
			}
		}
		checkPadding(t, "y", y)
	}
}
