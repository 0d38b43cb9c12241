package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestConvertRoundsEveryNumberToTheNearest(t *testing.T) {
	onEveryPath(t, testConvert[float64, float32], testConvert[float32, float64])
}

func testConvert[S, D Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(20, 0))
	for _, rows := range []int{0, 1, 5, 300} {
		for _, cols := range []int{0, 1, 3, 4, 7, 8, 9, 16, 17, 300} {
			src, dst := poisoned[S](rnd, rows, cols, 2), poisoned[D](rnd, rows, cols, 1)
			if rows*cols > 3 {
				// Too large for float32, too small, and halfway between two of them.
				big := math.MaxFloat64
				src.Data[0], src.Data[1], src.Data[2] = S(big), S(-1e-310), S(1+0x1p-24)
			}
			if err := Convert(context.Background(), dst, src); err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				for j, v := range row(src, i) {
					if got := row(dst, i)[j]; got != D(v) {
						t.Fatalf("%d×%d: entry (%d, %d) is %g, want %g", rows, cols, i, j, got, D(v))
					}
				}
			}
			checkPadding(t, "converted", dst)
		}
	}
}

func TestAConvertedSparseMatrixSharesThePlacesOfItsEntries(t *testing.T) {
	a := randomCSR[float64](rand.New(rand.NewPCG(21, 0)), 30, 40, 5)
	b := ConvertCSR[float32](a)
	if b.Rows != a.Rows || b.Cols != a.Cols || &b.Ptr[0] != &a.Ptr[0] || &b.Col[0] != &a.Col[0] || len(b.Val) != len(a.Val) {
		t.Fatal("not the same places")
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

func TestConvertStopsWhenCancelled(t *testing.T) {
	src, dst := Dense[float64](2000, 2000), Dense[float32](2000, 2000)
	checkCancellation(t, func(ctx context.Context) error {
		for range 10_000 {
			if err := Convert(ctx, dst, src); err != nil {
				return err
			}
		}
		return nil
	})
}

// The blocks of a wide product are summed in float64: its error does not grow
// with the number of terms as that of a sum in float32 does. The factor between
// them, about √(terms/256) for terms of one sign, is 20 for 100,000.
func TestWideSumsOfManyTermsAreAsGoodAsThoseOfFew(t *testing.T) {
	const r, n = 100_000, 3
	rnd := rand.New(rand.NewPCG(22, 0))
	x := Dense[float32](r, n)
	for i := range x.Data {
		x.Data[i] = float32(rnd.Float64())
	}
	exact := Dense[float64](n, n)
	double := Dense[float64](r, n)
	ctx := context.Background()
	if err := Convert(ctx, double, x); err != nil {
		t.Fatal(err)
	}
	if err := Gram(ctx, 1, double, double, exact); err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T) {
		wide := Dense[float64](n, n)
		if err := GramWide(ctx, 1, x, x, wide); err != nil {
			t.Fatal(err)
		}
		product := Dense[float64](n, n)
		if err := GemmWide(ctx, true, false, 1, x, x, 0, product); err != nil {
			t.Fatal(err)
		}
		for _, m := range []Matrix[float64]{wide, product} {
			for i := range n {
				for j := i; j < n; j++ {
					// Half an ulp of a sum of 256, in the mean of 400 blocks.
					if e := math.Abs(row(m, i)[j]/row(exact, i)[j] - 1); e > 1e-7 {
						t.Errorf("entry (%d, %d) is wrong by %.2g of it", i, j, e)
					}
				}
			}
		}
	}
	onEveryPath(t, func(t *testing.T) { t.Skip("is exact") }, check)
	// One term too many for a block, with few results: not to be a small product.
	a := Dense[float32](1, innerBlock*100)
	for i := range a.Data {
		a.Data[i] = 0.1
	}
	c := Dense[float64](1, 1)
	b := Matrix[float32]{Rows: a.Cols, Cols: 1, Stride: 1, Data: slices.Clone(a.Data)}
	if err := GemmWide(ctx, false, false, 1, a, b, 0, c); err != nil {
		t.Fatal(err)
	}
	want := float64(float32(0.1)) * float64(float32(0.1)) * float64(a.Cols)
	if math.Abs(c.Data[0]/want-1) > 1e-5 {
		t.Errorf("sum of equal terms is %g, want %g", c.Data[0], want)
	}
}
