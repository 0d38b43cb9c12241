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

	"coles/internal/race"
)

func TestSpMMEqualsTheSumsByHand(t *testing.T) {
	onEveryPath(t, testSpMM[float64], testSpMM[float32])
}

func testSpMM[T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, m := range []int{0, 1, 2, 9, 20} {
		for _, n := range []int{0, 1, 7, 40} {
			// Around the edges of the vectors and of 32, 64 and 128 columns.
			for _, d := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 36, 63, 64, 65, 72, 100, 127, 128, 129, 200, 257} {
				checkSpMM(t, randomCSR[T](rnd, m, n, 5), d, rnd)
			}
		}
	}
}

func TestLongRowsAreSummedInSegments(t *testing.T) {
	onEveryPath(t, testLongRows[float64], testLongRows[float32])
}

func testLongRows[T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 0))
	const n, d = 3000, 1000 // 1048 entries are a segment
	a := &CSR[T]{Rows: 4, Cols: n, Ptr: []int64{0, 3, 3 + n, 3 + n + 5, 3 + 2*n + 5}}
	for i := range a.Rows {
		for j := range int(a.Ptr[i+1] - a.Ptr[i]) {
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, T(rnd.NormFloat64()))
		}
	}
	checkSpMM(t, a, d, rnd)
}

// checkSpMM compares products with d columns, with and without a third matrix,
// which is one of its own or the destination.
func checkSpMM[T Float](t *testing.T, a *CSR[T], d int, rnd *rand.Rand) {
	t.Helper()
	const c = -1.5
	x := poisoned[T](rnd, a.Cols, d, 3)
	z := poisoned[T](rnd, a.Rows, d, 1)
	dst, sum, own := poisoned[T](rnd, a.Rows, d, 2), poisoned[T](rnd, a.Rows, d, 0), clone(z)
	fill(dst, T(math.NaN()))
	fill(sum, T(math.NaN()))
	for _, err := range []error{
		SpMM(context.Background(), dst, a, x),
		SpMMAdd(context.Background(), sum, a, x, c, z),
		SpMMAdd(context.Background(), own, a, x, c, own),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
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

func TestSpMMIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	onEveryPath(t, testSpMMProcs[float64], testSpMMProcs[float32])
}

func testSpMMProcs[T Float](t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	a := randomCSR[T](rnd, 3000, 3000, 20)
	x := poisoned[T](rnd, 3000, 67, 5)
	z := poisoned[T](rnd, 3000, 67, 0)
	var first []T
	withProcs(func(procs int) {
		dst := poisoned[T](rnd, 3000, 67, 0)
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
		if best = min(best, time.Since(<-stopped)); best <= 100*time.Millisecond*race.Slowdown {
			break
		}
	}
	if best > 100*time.Millisecond*race.Slowdown {
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
	onEveryPath(t, testSpMMCancellation[float64], testSpMMCancellation[float32])
}

func testSpMMCancellation[T Float](t *testing.T) {
	// Two full rows: the worst case is a task of one row.
	const n = 300_000
	a := &CSR[T]{Rows: 2, Cols: n, Ptr: []int64{0, n, 2 * n}}
	for range a.Rows {
		for j := range n {
			a.Col = append(a.Col, int32(j))
			a.Val = append(a.Val, 1)
		}
	}
	x, dst := Dense[T](n, 64), Dense[T](2, 64)
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
	a := randomCSR[float64](rnd, 40, 70, 6)
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
