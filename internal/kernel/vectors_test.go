package kernel

import (
	"fmt"
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

// rowCase has a vector of that width and a list of rows, one of them twice, of a matrix with padding.
func rowCase(width int) (x, m Matrix[float32], y Matrix[float32], rows []int32) {
	rnd := random(uint64(width))
	rows = []int32{4, 0, 6, 3, 6, 1, 2}
	return poisoned[float32](rnd, 1, width, 3), poisoned[float32](rnd, 1, len(rows), 2), poisoned[float32](rnd, 7, width, 5), rows
}

// eachRowCase has numbers of rows, and widths of whole and of parts of the largest step of every path.
func eachRowCase(do func(p *path, width, n int)) {
	for _, p := range available() {
		for _, width := range []int{16, 32, 48, 64, 80, 112, 128, 144, 256, 272} {
			for n := 1; n <= 7; n++ {
				do(p, width, n)
			}
		}
	}
}

func TestRowDotsEqualTheSumsByHand(t *testing.T) {
	eachRowCase(func(p *path, width, n int) {
		x, dots, y, rows := rowCase(width)
		fill(dots, 7)
		rowDots(p, dots.Data[:n], x.Data[:width], y, rows[:n])
		for k, i := range rows {
			want, size := 0.0, 0.0
			for j, v := range y.Row(int(i)) {
				term := float64(v) * float64(x.Data[j])
				want += term
				size += math.Abs(term)
			}
			if k >= n {
				want = 7
			}
			if got := float64(dots.Data[k]); !(math.Abs(got-want) <= float64(width)*epsilon[float32]()*size) {
				t.Fatalf("%s: product %d of %d, width %d, is %g, want %g", p.name, k, n, width, got, want)
			}
		}
		checkPadding(t, p.name, dots)
	})
}

func TestRowStepsEqualTheSumsByHand(t *testing.T) {
	eachRowCase(func(p *path, width, n int) {
		x, m, y, rows := rowCase(width)
		gotX, gotY := clone(x), clone(y)
		rowSteps(p, m.Data[:n], gotX.Data[:width], gotY, rows[:n])
		// Each number is a sum of at most eight terms.
		check := func(name string, got float32, terms ...float64) {
			want, size := 0.0, 0.0
			for _, v := range terms {
				want += v
				size += math.Abs(v)
			}
			if !(math.Abs(float64(got)-want) <= 8*epsilon[float32]()*size) {
				t.Fatalf("%s: %s of width %d and %d rows is %g, want %g", p.name, name, width, n, got, want)
			}
		}
		for j := range width {
			terms := []float64{float64(x.Data[j])}
			for k, i := range rows[:n] {
				terms = append(terms, float64(m.Data[k])*float64(y.Row(int(i))[j]))
			}
			check(fmt.Sprintf("x[%d]", j), gotX.Data[j], terms...)
			for i := range y.Rows {
				terms := []float64{float64(y.Row(i)[j])}
				for k, at := range rows[:n] {
					if int(at) == i {
						terms = append(terms, float64(m.Data[k])*float64(x.Data[j]))
					}
				}
				check(fmt.Sprintf("y[%d, %d]", i, j), gotY.Row(i)[j], terms...)
			}
		}
		checkPadding(t, p.name+", x", gotX)
		checkPadding(t, p.name+", y", gotY)
	})
}
