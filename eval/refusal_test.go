package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"coles/internal/race"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// promptly is how soon long work promises to hear a cancellation.
const promptly = 100 * time.Millisecond * race.Slowdown

// cancelled calls work, cancels it after wait and returns how long it took
// to end from then on. Of three times the shortest counts: another program on
// the machine can delay one, a stretch of work that does not look at its
// context delays all.
func cancelled(t *testing.T, wait time.Duration, work func(ctx context.Context) error) time.Duration {
	t.Helper()
	late := time.Hour
	for range 3 {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(background)
		done := make(chan error)
		go func() { done <- work(ctx) }()
		time.Sleep(wait)
		cancel()
		asked := time.Now()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("after %v: error %v, want context.Canceled", wait, err)
		}
		late = min(late, time.Since(asked))
		for range 100 {
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if now := runtime.NumGoroutine(); now > before {
			t.Errorf("after %v: %d goroutines left behind", wait, now-before)
		}
	}
	return late
}

func TestFitStopsWhenCancelled(t *testing.T) {
	x, labels := normal(3000, 300, 1, 41), randomLabels(3000, 50, 41)
	wide := normal(600, 2000, 1, 42) // in the span of its rows
	for _, c := range []struct {
		x *mat.Dense
		n int
	}{{x, 3000}, {wide, 600}} {
		for _, wait := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
			late := cancelled(t, wait, func(ctx context.Context) error {
				_, err := LogisticRegression{C: 100}.Fit(ctx, c.x, upTo(c.n), labels[:c.n])
				return err
			})
			if late > promptly {
				t.Errorf("%d rows: returned %v after the cancellation", c.n, late)
			}
		}
	}
}

func TestBadInputIsNamed(t *testing.T) {
	x, labels := normal(4, 2, 1, 51), []int{0, 1, 0, 1}
	nan := mat.DenseCopyOf(x)
	nan.Set(2, 1, math.NaN())
	var nilDense *mat.Dense
	for _, c := range []struct {
		name   string
		l      LogisticRegression
		x      mat.Matrix
		rows   []int
		labels []int
		want   error
	}{
		{"negative C", LogisticRegression{C: -1}, x, upTo(4), labels, ErrPenalty},
		{"NaN as C", LogisticRegression{C: math.NaN()}, x, upTo(4), labels, ErrPenalty},
		{"infinite C", LogisticRegression{C: math.Inf(1)}, x, upTo(4), labels, ErrPenalty},
		{"no matrix", LogisticRegression{}, nil, upTo(4), labels, ErrShape},
		{"nil dense matrix", LogisticRegression{}, nilDense, upTo(4), labels, ErrShape},
		{"empty matrix", LogisticRegression{}, &mat.Dense{}, upTo(4), labels, ErrShape},
		{"too few labels", LogisticRegression{}, x, upTo(4), labels[:3], ErrShape},
		{"NaN", LogisticRegression{}, nan, upTo(4), labels, ErrNotFinite},
		{"overflow", LogisticRegression{}, normal(4, 2, 1e200, 1), upTo(4), labels, ErrNotFinite},
		{"row too large", LogisticRegression{}, x, []int{0, 1, 4}, labels, ErrRow},
		{"negative row", LogisticRegression{}, x, []int{0, 1, -1}, labels, ErrRow},
		{"negative label", LogisticRegression{}, x, upTo(4), []int{0, 1, -1, 1}, ErrLabel},
		{"no rows", LogisticRegression{}, x, nil, labels, ErrEmpty},
		{"one class", LogisticRegression{}, x, []int{0, 2}, labels, ErrOneClass},
		{"column outside", LogisticRegression{}, sparse.NewCSR(4, 2, []int{0, 1, 1, 1, 1}, []int{2}, []float64{1}), upTo(4), labels, ErrCorrupt},
		{"row pointers fall", LogisticRegression{}, sparse.NewCSR(4, 2, []int{0, 1, 0, 1, 1}, []int{1}, []float64{1}), upTo(4), labels, ErrShape},
		{"sparse infinity", LogisticRegression{}, sparse.NewCSR(4, 2, []int{0, 1, 1, 1, 1}, []int{1}, []float64{math.Inf(-1)}), upTo(4), labels, ErrNotFinite},
	} {
		if _, err := c.l.Fit(background, c.x, c.rows, c.labels); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	_, err := LogisticRegression{}.Fit(background, nan, upTo(4), labels)
	if want := fmt.Sprintf("%v: NaN at row 2, column 1", ErrNotFinite); err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	m, err := LogisticRegression{}.Fit(background, x, upTo(4), labels)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(background, normal(3, 3, 1, 1), nil); !errors.Is(err, ErrShape) {
		t.Errorf("three columns for two: %v", err)
	}
	if _, err := m.Predict(background, x, []int{9}); !errors.Is(err, ErrRow) {
		t.Errorf("row 9 of 4: %v", err)
	}
	if _, err := (&LinearModel{}).Predict(background, x, nil); !errors.Is(err, ErrShape) {
		t.Errorf("empty model: %v", err)
	}
	if got, err := m.Predict(background, x, []int{}); err != nil || len(got) != 0 {
		t.Errorf("no rows asked: %v, %v", got, err)
	}
}
