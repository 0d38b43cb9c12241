package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestSpMMEqualsTheSumsByHand(t *testing.T) {
	onEveryPath(t, testSpMM[float64], testSpMM[float32])
}

func testSpMM[T Float](t *testing.T) {
	rnd := random(1)
	for _, m := range []int{0, 1, 2, 9, 20} {
		for _, n := range []int{0, 1, 7, 40} {
			// Around the edges of the vectors and of 32, 64 and 128 columns.
			for _, d := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 36, 63, 64, 65, 72, 100, 127, 128, 129, 200, 257} {
				a := randomCSR[T](rnd, m, n, 5)
				checkSpMM(t, a, d, rnd)
				checkSpMM(t, a.Slice(m/3, m-m/4), d, rnd)
			}
		}
	}
	// Long rows are summed in segments, which have 1048 entries here.
	const n, d = 3000, 1000
	a := &CSR[T]{Rows: 4, Cols: n, Ptr: []int64{0, 3, 3 + n, 3 + n + 5, 3 + 2*n + 5}}
	for i := range a.Rows {
		for j := range int(a.Ptr[i+1] - a.Ptr[i]) {
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, T(rnd.NormFloat64()))
		}
	}
	checkSpMM(t, a, d, rnd)
}

// checkSpMM compares products with d columns, with and without a third matrix, which is one of its
// own or the destination.
func checkSpMM[T Float](t *testing.T, a *CSR[T], d int, rnd *rand.Rand) {
	t.Helper()
	const c = -1.5
	x := poisoned[T](rnd, a.Cols, d, 3)
	z := poisoned[T](rnd, a.Rows, d, 1)
	dst, sum, own := poisoned[T](rnd, a.Rows, d, 2), poisoned[T](rnd, a.Rows, d, 0), clone(z)
	fill(dst, T(math.NaN()))
	fill(sum, T(math.NaN()))
	must(t,
		SpMM(context.Background(), dst, a, x),
		SpMMAdd(context.Background(), sum, a, x, c, z),
		SpMMAdd(context.Background(), own, a, x, c, own),
	)
	name := fmt.Sprintf("%d×%d times %d columns", a.Rows, a.Cols, d)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for j := range d {
			want, size := 0.0, 0.0
			for q, col := range cols {
				term := float64(vals[q]) * float64(x.Data[int(col)*x.Stride+j])
				want += term
				size += math.Abs(term)
			}
			// The bound of a sum in another order: terms · ε · Σ|term|.
			tol := float64(len(cols)+1) * epsilon[T]() * size
			if got := float64(dst.Data[i*dst.Stride+j]); !(math.Abs(got-want) <= tol) {
				t.Fatalf("%s: entry (%d, %d) is %g, want %g", name, i, j, got, want)
			}
			exact := dst.Data[i*dst.Stride+j] + T(c*z.Data[i*z.Stride+j])
			got := sum.Data[i*sum.Stride+j]
			if got != exact {
				t.Fatalf("%s: sum (%d, %d) is %g, want %g", name, i, j, got, exact)
			}
			if in := own.Data[i*own.Stride+j]; in != got {
				t.Fatalf("%s: sum (%d, %d) is %g in place, %g elsewhere", name, i, j, in, got)
			}
		}
	}
	checkPadding(t, name, dst)
	checkPadding(t, name, own)
}

func TestTransposeMovesEveryEntry(t *testing.T) {
	rnd := random(3)
	for _, s := range []struct{ rows, cols, perRow int }{{0, 3, 0}, {3, 0, 0}, {40, 70, 6}, {3000, 60, 20}} { // the last in blocks
		whole := randomCSR[float64](rnd, s.rows, s.cols, s.perRow)
		for _, a := range []*CSR[float64]{whole, whole.Slice(s.rows/3, s.rows)} {
			b := a.Transpose()
			if b.Rows != a.Cols || b.Cols != a.Rows || b.NNZ() != a.NNZ() {
				t.Fatalf("%d×%d with %d entries is the transpose of %d×%d with %d", b.Rows, b.Cols, b.NNZ(), a.Rows, a.Cols, a.NNZ())
			}
			seen := 0
			for i := range b.Rows {
				cols, vals := b.Row(i)
				for q, j := range cols {
					if q > 0 && cols[q-1] >= j {
						t.Fatalf("row %d of the transpose is not in order", i)
					}
					back, backVals := a.Row(int(j))
					for p, c := range back {
						if int(c) == i && backVals[p] == vals[q] {
							seen++
						}
					}
				}
			}
			if seen != a.NNZ() {
				t.Errorf("%d of %d entries found in the transpose", seen, a.NNZ())
			}
		}
	}
}

func TestConvertRoundsEveryNumberToTheNearest(t *testing.T) {
	onEveryPath(t, testConvert[float64, float32], testConvert[float32, float64])
}

func testConvert[S, D Float](t *testing.T) {
	rnd := random(20)
	for _, rows := range []int{0, 1, 5, 300} {
		for _, cols := range []int{0, 1, 3, 4, 7, 8, 9, 16, 17, 300} {
			src, dst := poisoned[S](rnd, rows, cols, 2), poisoned[D](rnd, rows, cols, 1)
			if rows*cols > 3 {
				// Too large for float32, too small, and halfway between two of them.
				big := math.MaxFloat64
				src.Data[0], src.Data[1], src.Data[2] = S(big), S(-1e-310), S(1+0x1p-24)
			}
			must(t, Convert(context.Background(), dst, src))
			for i := range rows {
				for j, v := range src.Row(i) {
					if got := dst.Row(i)[j]; got != D(v) {
						t.Fatalf("%d×%d: entry (%d, %d) is %g, want %g", rows, cols, i, j, got, D(v))
					}
				}
			}
			checkPadding(t, "converted", dst)
		}
	}
}

func TestConvertCSRSharesThePattern(t *testing.T) {
	a := randomCSR[float64](random(21), 30, 40, 5)
	b := ConvertCSR[float32](a)
	if b.Rows != a.Rows || b.Cols != a.Cols || &b.Ptr[0] != &a.Ptr[0] || &b.Col[0] != &a.Col[0] || len(b.Val) != len(a.Val) {
		t.Fatal("not the same pattern")
	}
	for q, v := range a.Val {
		if b.Val[q] != float32(v) {
			t.Fatalf("value %d is %g, want %g", q, b.Val[q], v)
		}
	}
	if e := ConvertCSR[float32](&CSR[float64]{Ptr: []int64{0}}); e.NNZ() != 0 {
		t.Error("entries in an empty matrix")
	}
}

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
