package eigen

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"coles/internal/kernel"
)

// checkSingle holds a result of DirectSingle to its promises.
func checkSingle(t *testing.T, name string, a panel, k int) {
	t.Helper()
	r := must(DirectSingle(background, clone(a), k))
	checkPairs(t, name, a, r, SingleTolerance, 1e-11)
	if !(r.Residual <= SingleTolerance) {
		t.Errorf("%s: residual said to be %.2g, promised %.0g", name, r.Residual, SingleTolerance)
	}
}

func TestDirectSingleKeepsItsPromises(t *testing.T) {
	eachSpectrum(func(name string, a panel, k int) { checkSingle(t, name, a, k) })
	for _, n := range []int{1, 2, 3, 5, 33, 64, 65, 150, 300} {
		for name, at := range matrices {
			for _, k := range ranks(n, 1, n/3, n) {
				checkSingle(t, fmt.Sprintf("%s, n=%d k=%d", name, n, k), special(n, at), k)
			}
		}
	}
}

// What the estimate says is near the residual of all pairs together: eight probes of Hutchinson's
// estimator miss it by a factor of 3 for none of these.
func TestResidualOfAllPairsIsEstimated(t *testing.T) {
	const n, k = 120, 40
	a := randomSymmetric(n, 6)
	exact := must(Direct(background, clone(a), n))
	norm := max(math.Abs(exact.Values[0]), math.Abs(exact.Values[n-1]))
	for _, wrong := range []int{1, 5, k} {
		vectors := must(kernel.Transposed(background, kernel.Rows(exact.Vectors, 0, k)))
		s := spectrum{values: append([]float64(nil), exact.Values[:k]...), vectors: vectors, norm: norm}
		want := 0.0
		for i := range wrong {
			s.values[i] += 1e-3 * norm * float64(1+i%3) // the residual of its vector grows by as much
			want = math.Hypot(want, 1e-3*float64(1+i%3))
		}
		got := must(s.estimateResidual(background, a))
		if !(got >= want/3 && got <= 3*want) {
			t.Errorf("%d wrong values: %g, want %g", wrong, got, want)
		}
	}
}

// A looked counts how often it is asked whether it has ended.
type looked struct {
	context.Context
	times atomic.Int64
}

func (l *looked) Err() error {
	l.times.Add(1)
	return nil
}

// The context is looked at after every 256 rows of the matrix, for each of the eight vectors that it is
// multiplied by.
func TestProbesLookAtTheContext(t *testing.T) {
	const n = 1100
	s := spectrum{values: []float64{1}, vectors: kernel.Dense[float64](n, 1), norm: 1}
	ctx := &looked{Context: background}
	must(s.estimateResidual(ctx, kernel.Dense[float64](n, n)))
	if times := ctx.times.Load(); times < 8*5 {
		t.Errorf("looked at %d times, want 40", times)
	}
}

// Where float32 does not do, Direct decides, to the byte.
func TestDirectSingleFallsBack(t *testing.T) {
	a := randomSymmetric(90, 2)
	want := must(Direct(background, clone(a), 30))
	for tolerance, same := range map[float64]bool{0: true, SingleTolerance: false} {
		s := must(decomposeSingle(background, clone(a), 30, tolerance))
		rows := must(kernel.Transposed(background, s.vectors))
		FixSigns(rows)
		if sameBytes(want, &Result{Values: s.values, Vectors: rows}) != same {
			t.Errorf("tolerance %g: the bytes are those of Direct: %v, want %v", tolerance, !same, same)
		}
	}
}
