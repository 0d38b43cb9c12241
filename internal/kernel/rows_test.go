package kernel

import (
	"fmt"
	"math"
	"testing"
)

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
