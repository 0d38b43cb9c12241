package eval

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// slowUniformity is the definition, relative to the nearest pair.
func slowUniformity(x *mat.Dense, t float64) float64 {
	n, _ := x.Dims()
	var squares []float64
	nearest := math.Inf(1)
	for i := range n {
		for j := range i {
			r := 0.0
			for k, v := range x.RawRowView(i) {
				r += (v - x.At(j, k)) * (v - x.At(j, k))
			}
			squares, nearest = append(squares, r), min(nearest, r)
		}
	}
	sum := 0.0
	for _, r := range squares {
		sum += math.Exp(-t * (r - nearest))
	}
	return math.Log(sum/float64(len(squares))) - t*nearest
}

func TestUniformityEqualsItsDefinition(t *testing.T) {
	far := normal(600, 3, 1, 61)
	far.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, far)
	near := normal(520, 4, 100, 62) // pairs of rows 1e-6 apart, 100 from the mean
	for i := 0; i < 520; i += 2 {
		for j := range 4 {
			near.Set(i+1, j, near.At(i, j)+1e-6*float64(j))
		}
	}
	for _, c := range []struct {
		name string
		x    *mat.Dense
		t    float64
		tol  float64
	}{
		{"two rows", normal(2, 3, 1, 63), 2, 1e-13},
		{"one block", normal(256, 5, 1, 64), 2, 1e-13},
		{"a last block of one row", normal(257, 5, 1, 65), 2, 1e-13},
		{"three blocks", normal(700, 17, 0.3, 66), 2, 1e-13},
		{"more columns than rows", normal(40, 300, 0.1, 67), 2, 1e-13},
		// Every potential is below the smallest float64.
		{"far apart", normal(300, 400, 5, 68), 2, 1e-13},
		// Entries near 1e6 are known to 1e-10, their differences no better.
		{"far from the origin", far, 2, 1e-9},
		{"near pairs", near, 1e6, 1e-13},
		{"all equal", mat.NewDense(300, 3, nil), 2, 0},
	} {
		want := slowUniformity(c.x, c.t)
		got, err := Uniformity(background, c.x, c.t)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !(math.Abs(got-want) <= c.tol*max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

func TestRowDiagnosticsAreTheSameForAllProcessors(t *testing.T) {
	x := normal(900, 40, 0.3, 69)
	sample := x.RawMatrix().Data[:3000]
	measure := func() [3]float64 {
		u, err := Uniformity(background, x, 2)
		if err != nil {
			t.Fatal(err)
		}
		r, err := EffectiveRank(background, x)
		if err != nil {
			t.Fatal(err)
		}
		js, err := JensenShannonOfSamples(background, sample[:1000], sample[1000:], 200, 0)
		if err != nil {
			t.Fatal(err)
		}
		return [3]float64{u, r, js}
	}
	want := measure()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		if got := measure(); got != want {
			t.Errorf("%d processors: %v, want %v", procs, got, want)
		}
	}
}

func TestRowDiagnosticsStopWhenCancelled(t *testing.T) {
	x := normal(20000, 64, 0.3, 70)
	wide := normal(1500, 3000, 1, 71)
	sample := make([]float64, 1<<20)
	for i := range sample {
		sample[i] = float64(i)
	}
	for name, work := range map[string]func(ctx context.Context) error{
		"Uniformity":    func(ctx context.Context) error { _, err := Uniformity(ctx, x, 2); return err },
		"EffectiveRank": func(ctx context.Context) error { _, err := EffectiveRank(ctx, wide); return err },
		"ParzenDensity": func(ctx context.Context) error { _, err := ParzenDensity(ctx, sample, sample[:512], 1e5); return err },
	} {
		if late := cancelled(t, 30*time.Millisecond, work); late > promptly {
			t.Errorf("%s: returned %v after the cancellation", name, late)
		}
	}
}

func TestRowDiagnosticsNameBadInput(t *testing.T) {
	x := normal(5, 3, 1, 72)
	nan := mat.DenseCopyOf(x)
	nan.Set(4, 2, math.Inf(-1))
	ended, cancel := context.WithCancel(background)
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		x    mat.Matrix
		want error
	}{
		{"nil", background, nil, ErrShape},
		{"empty", background, &mat.Dense{}, ErrShape},
		{"infinity", background, nan, ErrNotFinite},
		{"cancelled", ended, x, context.Canceled},
	} {
		if _, err := Uniformity(c.ctx, c.x, 2); !errors.Is(err, c.want) {
			t.Errorf("Uniformity, %s: error %v, want %v", c.name, err, c.want)
		}
		if _, err := EffectiveRank(c.ctx, c.x); !errors.Is(err, c.want) {
			t.Errorf("EffectiveRank, %s: error %v, want %v", c.name, err, c.want)
		}
		if _, err := LipschitzConstant(c.ctx, c.x); !errors.Is(err, c.want) {
			t.Errorf("LipschitzConstant, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := Uniformity(background, x, bad); !errors.Is(err, ErrParameter) {
			t.Errorf("t = %v: error %v", bad, err)
		}
	}
	if _, err := Uniformity(background, normal(1, 3, 1, 1), 2); !errors.Is(err, ErrEmpty) {
		t.Errorf("one row: error %v", err)
	}
	if _, err := Uniformity(background, normal(5, 3, 1e200, 1), 2); !errors.Is(err, ErrNotFinite) {
		t.Errorf("overflow: error %v", err)
	}
}

func BenchmarkUniformity(b *testing.B) {
	x := normal(8192, 128, 1/math.Sqrt(128), 73)
	for range b.N {
		if _, err := Uniformity(background, x, 2); err != nil {
			b.Fatal(err)
		}
	}
}
