package eigen

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles/internal/kernel"
)

// TestPeekSeesThePairsNextToTheKth holds peeks to the Ritz pairs, of which all are found: in a
// banded H, in one with the border that a restart leaves.
func TestPeekSeesThePairsNextToTheKth(t *testing.T) {
	const n, k = 600, 24
	d := make([]float64, n)
	for i := range d {
		d[i] = math.Pow(0.98, float64(i)) - 0.2
	}
	s := newSearch(n, k, diagonal(d), KrylovOptions{Block: 8, MaxBasis: 100, Tol: 1e-9})
	ctx := background
	check(t, s.begin(ctx, s.o.Block))
	before := look{}
	for step := range 24 {
		if s.full() {
			r := must(s.rayleighRitz(ctx, 0, k+8))
			check(t, s.restart(ctx, 0, r, k+8))
		}
		check(t, s.step(ctx))
		if s.size < k+8 {
			continue
		}
		r := must(s.rayleighRitz(ctx, 0, k+4))
		name := fmt.Sprintf("step %d, size %d", step, s.size)
		now := s.peek(background, before)
		before = now
		if now.value < r.values[k+3] || now.value > r.values[k-1]+1e-12 || now.norm > r.norm*(1+1e-12) || now.norm < r.norm/2 {
			t.Errorf("%s: value %.6g, the k-th is %.6g; norm %.6g of %.6g", name, now.value, r.values[k-1], now.norm, r.norm)
		}
		// What is found between two pairs is a mixture of them.
		some := r.residuals[k-3 : k+3]
		if got := now.worst * now.norm; !(got >= 0.99*slices.Min(some)-1e-13 && got <= 1.01*slices.Max(some)+1e-13) {
			t.Errorf("%s: residual %.3g, of the six next to the k-th %.3g", name, got, some)
		}
	}
}

// TestEnvelopeCountsAndSolves has columns that begin anywhere.
func TestEnvelopeCountsAndSolves(t *testing.T) {
	const n = 40
	first := make([]int, n)
	for j := range first {
		first[j] = j - (j*7)%min(j+1, 9)
	}
	a := randomSymmetric(n, 5)
	for j, f := range first {
		for i := range f {
			a.Data[i*n+j], a.Data[j*n+i] = 0, 0
		}
	}
	values, _ := oracle(t, a)
	e := newEnvelope(a, first)
	norm, longest := max(values[0], -values[n-1]), math.Sqrt(e.most(func(v float64) float64 { return v * v }))
	if bound := e.most(math.Abs); bound < norm || longest > norm {
		t.Errorf("norm between %g and %g, want %g", longest, bound, norm)
	}
	for i := range n - 1 {
		shift := (values[i] + values[i+1]) / 2
		if above := e.factor(shift); above != i+1 {
			t.Errorf("%d eigenvalues above %g, want %d", above, shift, i+1)
		}
		x, y := kernel.Dense[float64](n, 1), kernel.Dense[float64](n, 1)
		for j := range n {
			x.Data[j] = math.Sin(float64(j))
		}
		check(t, kernel.Gemm(background, false, false, 1, a, x, 0, y))
		for j := range n {
			y.Data[j] -= shift * x.Data[j]
		}
		e.solve(y.Data)
		for j, v := range y.Data {
			// Without exchanges pivots may be small: 1e-8 leaves half of the digits.
			if !(math.Abs(v-x.Data[j]) < 1e-8) {
				t.Fatalf("shift %g: x_%d is %g, want %g", shift, j, v, x.Data[j])
			}
		}
	}
}
