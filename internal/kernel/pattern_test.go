package kernel

import (
	"context"
	"math"
	"testing"
)

func TestPatternsMultiplyAsTheirMatrix(t *testing.T) {
	onEveryPath(t, testPatterns[float64], testPatterns[float32])
}

// testPatterns compares products with a pattern with the sums by hand. A row of all n columns has more
// entries than are made at a time.
func testPatterns[T Float](t *testing.T) {
	rnd := random(21)
	for _, n := range []int{1, 9, 300, 2*patternEntries + 5} {
		a := randomCSR[float64](rnd, n, n, 3)
		pattern := &CSR[float64]{Rows: n, Cols: n, Ptr: a.Ptr, Col: a.Col}
		const d, c = 19, -1.5
		x, z := poisoned[T](rnd, n, d, 3), poisoned[T](rnd, n, d, 1)
		lo, hi := n/3, n-n/4
		sum, mean, own := poisoned[T](rnd, hi-lo, d, 2), poisoned[T](rnd, n, d, 0), clone(z)
		must(t,
			PatternSum(context.Background(), sum, pattern, lo, hi, x),
			PatternMean(context.Background(), mean, pattern, x, c, z),
			PatternMean(context.Background(), own, pattern, x, c, own),
		)
		for i := range n {
			cols, _ := pattern.Row(i)
			for j := range d {
				self := float64(x.Data[i*x.Stride+j])
				total, size := 0.0, math.Abs(self)
				for _, col := range cols {
					v := float64(x.Data[int(col)*x.Stride+j])
					total, size = total+v, size+math.Abs(v)
				}
				tolerance := float64(len(cols)+3) * epsilon[T]() * size // of a sum in another order
				if i >= lo && i < hi && !(math.Abs(float64(sum.Data[(i-lo)*sum.Stride+j])-total) <= tolerance) {
					t.Fatalf("n = %d: the sum at (%d, %d) is %g, want %g", n, i, j, sum.Data[(i-lo)*sum.Stride+j], total)
				}
				add := c * float64(z.Data[i*z.Stride+j])
				want := (total+self)/float64(len(cols)+1) + add
				got := mean.Data[i*mean.Stride+j]
				if !(math.Abs(float64(got)-want) <= tolerance/float64(len(cols)+1)+epsilon[T]()*math.Abs(add)) {
					t.Fatalf("n = %d: the mean at (%d, %d) is %g, want %g", n, i, j, got, want)
				}
				if in := own.Data[i*own.Stride+j]; in != got {
					t.Fatalf("n = %d: the mean at (%d, %d) is %g in place, %g elsewhere", n, i, j, in, got)
				}
			}
		}
		checkPadding(t, "sum", sum)
		checkPadding(t, "mean", mean)
	}
}
