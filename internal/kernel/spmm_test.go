package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// sizes lie around the edges of the tiles.
var sizes = []int{0, 1, 2, 7, 8, 9, 63, 64, 65}

func TestSpMMEqualsTheSumsByHand(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, m := range sizes {
		for _, n := range sizes {
			for _, d := range sizes {
				a := randomCSR(rnd, m, n, 5)
				x := poisoned(rnd, n, d, 3)
				dst := poisoned(rnd, m, d, 2)
				fill(dst, math.NaN())
				z := poisoned(rnd, m, d, 1)
				sum := clone(dst)
				if err := SpMM(context.Background(), dst, a, x); err != nil {
					t.Fatal(err)
				}
				if err := SpMMAdd(context.Background(), sum, a, x, -1.5, z); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d×%d times %d columns", m, n, d)
				for i := range m {
					cols, vals := a.Row(i)
					for j := range d {
						want, size := 0.0, 0.0
						for q, c := range cols {
							term := vals[q] * x.Data[int(c)*x.Stride+j]
							want += term
							size += math.Abs(term)
						}
						// The bound of a sum in another order: terms · ε · Σ|term|.
						tol := float64(len(cols)+1) * 0x1p-52 * size
						if got := dst.Data[i*dst.Stride+j]; !(math.Abs(got-want) <= tol) {
							t.Fatalf("%s: entry (%d, %d) is %g, want %g", name, i, j, got, want)
						}
						want -= 1.5 * z.Data[i*z.Stride+j]
						tol += 0x1p-50 * math.Abs(z.Data[i*z.Stride+j])
						if got := sum.Data[i*sum.Stride+j]; !(math.Abs(got-want) <= tol) {
							t.Fatalf("%s: sum (%d, %d) is %g, want %g", name, i, j, got, want)
						}
					}
				}
				checkPadding(t, name, dst)
				checkPadding(t, name, sum)
			}
		}
	}
}

func TestSpMMIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	a := randomCSR(rnd, 3000, 3000, 20)
	x := poisoned(rnd, 3000, 67, 5)
	z := poisoned(rnd, 3000, 67, 0)
	var first []float64
	withProcs(func(procs int) {
		dst := poisoned(rnd, 3000, 67, 0)
		if err := SpMMAdd(context.Background(), dst, a, x, 0.3, z); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = dst.Data
		}
		if !sameBits(first, dst.Data) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1", procs)
		}
	})
}

// checkCancellation cancels long work shortly after its start. Of three
// attempts one must return in time: on a machine that is busy with other things
// any of them may have to wait for a processor.
func checkCancellation(t *testing.T, work func(context.Context) error) {
	t.Helper()
	before := runtime.NumGoroutine()
	best := time.Hour
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan time.Time, 1)
		time.AfterFunc(30*time.Millisecond, func() { stopped <- time.Now(); cancel() })
		if err := work(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want context.Canceled; the work must outlast 30 ms", err)
		}
		if best = min(best, time.Since(<-stopped)); best <= 100*time.Millisecond {
			break
		}
	}
	if best > 100*time.Millisecond {
		t.Errorf("returned %v after the cancellation, promised are 100 ms", best)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestSpMMStopsWhenCancelled(t *testing.T) {
	// Two full rows: the worst case is a task of one row.
	const n = 300_000
	a := &CSR{Rows: 2, Cols: n, Ptr: []int64{0, n, 2 * n}}
	for range a.Rows {
		for j := range n {
			a.Col = append(a.Col, int32(j))
			a.Val = append(a.Val, 1)
		}
	}
	x, dst := Dense(n, 64), Dense(2, 64)
	checkCancellation(t, func(ctx context.Context) error {
		for range 1000 {
			if err := SpMM(ctx, dst, a, x); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestTransposeMovesEveryEntry(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 0))
	a := randomCSR(rnd, 40, 70, 6)
	b := a.Transpose()
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
	if seen != a.NNZ() || b.NNZ() != a.NNZ() {
		t.Errorf("%d of %d entries found in the transpose of %d", seen, a.NNZ(), b.NNZ())
	}
}

// BenchmarkSpMM is a power-law graph of 50,000 nodes with 64 columns.
func BenchmarkSpMM(b *testing.B) {
	rnd := rand.New(rand.NewPCG(4, 0))
	const n, d = 50_000, 64
	a := &CSR{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
	for i := range n {
		degree := min(2000, int(4/math.Sqrt(1e-6+rnd.Float64())))
		for range degree {
			a.Col = append(a.Col, int32(rnd.IntN(n)))
			a.Val = append(a.Val, 1)
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	x, dst := poisoned(rnd, n, d, 0), Dense(n, d)
	b.ResetTimer()
	for b.Loop() {
		if err := SpMM(context.Background(), dst, a, x); err != nil {
			b.Fatal(err)
		}
	}
	reportGigaflops(b, 2*float64(a.NNZ())*d)
}

func reportGigaflops(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
