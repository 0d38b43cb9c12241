package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSymv4EqualsTheSumsByHand(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(13, 0))
		for n := range 70 {
			a, x := poisoned(rnd, 4, n, 1+n%3), poisoned(rnd, 1, n, 3)
			y := poisoned(rnd, 1, n, 9)
			before := clone(y)
			m := [4]float64{0.3, -2, 0, 1.7}
			s := Symv4(a.Data, a.Stride, m, x.Data[:n], y.Data)
			for r := range 4 {
				want, size := 0.0, 0.0
				for j, v := range row(a, r) {
					want += v * x.Data[j]
					size += math.Abs(v * x.Data[j])
				}
				if !(math.Abs(s[r]-want) <= float64(n)*0x1p-52*size) {
					t.Fatalf("n=%d: product of row %d is %g, want %g", n, r, s[r], want)
				}
			}
			for j := range n {
				want, size := before.Data[j], math.Abs(before.Data[j])
				for r := range 4 {
					want += m[r] * row(a, r)[j]
					size += math.Abs(m[r] * row(a, r)[j])
				}
				if !(math.Abs(y.Data[j]-want) <= 5*0x1p-52*size) {
					t.Fatalf("n=%d: sum %d is %g, want %g", n, j, y.Data[j], want)
				}
			}
			checkPadding(t, "y", y)
		}
	})
}
