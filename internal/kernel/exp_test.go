package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every path, over the whole range of float32 and at its ends, against math.Exp rounded.
func TestExp(t *testing.T) {
	inf := float32(math.Inf(1))
	x := []float32{0, 1, -1, 88.7, 88.73, 89, 1000, -87.3, -87.4, -100, -103.9, -104, -1000, inf, -inf, float32(math.NaN())}
	rnd := rand.New(rand.NewPCG(71, 72))
	for range 200_000 {
		x = append(x, float32(200*rnd.Float64()-105), float32(rnd.NormFloat64()))
	}
	for _, p := range available() {
		for n := 1; n < 40; n++ { // all lengths of the last vector
			got := append(make([]float32, n), 7)
			if exp(p, got[:n], x[:n], 1, 0); got[n] != 7 {
				t.Fatalf("%s: wrote behind %d numbers", p.name, n)
			}
		}
		got := make([]float32, len(x))
		exp(p, got, x, 1, 0)
		worst := 0.0
		for j, v := range x {
			want := math.Exp(float64(v))
			unit := math.Max(1.4e-45, math.Abs(float64(math.Nextafter32(float32(want), inf))-float64(float32(want))))
			switch w := float32(want); {
			case math.IsNaN(want):
				if !math.IsNaN(float64(got[j])) {
					t.Errorf("%s: exp(NaN) is %g", p.name, got[j])
				}
			case w == inf || w == 0:
				if got[j] != w {
					t.Errorf("%s: exp(%g) is %g", p.name, v, got[j])
				}
			default:
				d := math.Abs(float64(got[j])-want) / unit
				if d > 2 {
					t.Fatalf("%s: exp(%g) is %g, want %g", p.name, v, got[j], want)
				}
				worst = max(worst, d)
			}
		}
		t.Logf("%s: %.3f units", p.name, worst)
	}
}

// The polynomial has the relative error r³/6 ≤ 5e-10 for r ≤ log(2)/512.
func TestShortExp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(55, 0))
	for k := range 400_000 {
		x := 1400*rnd.Float64() - 700
		if k%2 == 0 {
			x = float64(float32(rnd.NormFloat64()))
		}
		if want, got := math.Exp(x), ShortExp(x); !(math.Abs(got-want) <= 5e-10*want) {
			t.Fatalf("exp(%g) is %.17g, want %.17g", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 1, math.Inf(-1): 0, -701: 0, -1e300: 0} {
		if got := ShortExp(x); got != want {
			t.Errorf("exp(%g) is %g, want %g", x, got, want)
		}
	}
	if got := ShortExp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) is %g", got)
	}
}

func BenchmarkExp(b *testing.B) {
	x, y := make([]float32, 256), make([]float32, 256)
	for j := range x {
		x[j] = rand.Float32()*5 - 2.5
	}
	onEachPath(b, "float32", func(b *testing.B) {
		for b.Loop() {
			Exp(y, x, 2.5, 1)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/number")
	})
}
