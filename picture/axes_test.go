package picture

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// wantTicks checks that ticks lie in the range, rise, and print their values.
func wantTicks(t *testing.T, lo, hi float64, ticks []plot.Tick, least, most int) {
	t.Helper()
	labelled := 0
	last := math.Inf(-1)
	seen := map[string]bool{}
	for _, tick := range ticks {
		if tick.Value < lo || tick.Value > hi || tick.Value <= last {
			t.Errorf("[%g, %g]: tick %g after %g", lo, hi, tick.Value, last)
		}
		last = tick.Value
		if tick.IsMinor() {
			continue
		}
		labelled++
		if seen[tick.Label] {
			t.Errorf("[%g, %g]: two ticks %q", lo, hi, tick.Label)
		}
		seen[tick.Label] = true
		text, unit := strings.ReplaceAll(tick.Label, "−", "-"), 1.0
		for suffix, u := range map[string]float64{" k": 1e3, " M": 1e6, " G": 1e9} {
			if rest, ok := strings.CutSuffix(text, suffix); ok {
				text, unit = rest, u
			}
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(v*unit-tick.Value) > 1e-6*(hi-lo)+1e-9*math.Abs(tick.Value) {
			t.Errorf("[%g, %g]: tick %g is called %q", lo, hi, tick.Value, tick.Label)
		}
	}
	if labelled < least || labelled > most {
		t.Errorf("[%g, %g]: %d ticks, want %d to %d", lo, hi, labelled, least, most)
	}
}

func TestLinearTicks(t *testing.T) {
	rnd := testkit.Random(1)
	for range 5000 {
		width := math.Pow(10, rnd.Float64()*16-8)
		lo := (rnd.Float64()*2 - 1) * width * math.Pow(10, rnd.Float64()*4-1)
		wantTicks(t, lo, lo+width, linearTicks(lo, lo+width), 3, 9)
	}
	for _, edges := range [][2]float64{{0, 0.6}, {0.1, 0.3}, {1e-7, 6e-7}} { // which are ticks themselves
		ticks := linearTicks(edges[0], edges[1])
		wantTicks(t, edges[0], edges[1], ticks, 3, 9)
		if first, last := ticks[0].Value, ticks[len(ticks)-1].Value; first != edges[0] || last != edges[1] {
			t.Errorf("ticks from %g to %g, want %v", first, last, edges)
		}
	}
	for _, hi := range []float64{2, 3, 7, 40, 200, 1e6} {
		ticks := wholeTicks(1, hi)
		wantTicks(t, 1, hi, ticks, 2, 9)
		for _, tick := range ticks {
			if tick.Value != math.Trunc(tick.Value) {
				t.Errorf("tick %g among whole numbers to %g", tick.Value, hi)
			}
		}
	}
	wantTicks(t, -8e307, 8e307, linearTicks(-8e307, 8e307), 3, 9)
	wantTicks(t, 0, 1e-290, linearTicks(0, 1e-290), 3, 9)
}

func TestLogTicks(t *testing.T) {
	rnd := testkit.Random(3)
	for range 5000 {
		lo := math.Pow(10, rnd.Float64()*40-20)
		hi := lo * math.Pow(10, 0.16+rnd.Float64()*rnd.Float64()*30)
		wantTicks(t, lo, hi, logTicks(lo, hi), 2, 13)
	}
	wantTicks(t, 1e-299, 1e300, logTicks(1e-299, 1e300), 2, 13)
}

// Few values that keep apart are ticks themselves.
func TestLogTicksAtValues(t *testing.T) {
	for want, values := range map[string][]float64{" 16 64 256 1024": {16, 64, 256, 1024}, " 1 2 5 10 20 50 100": {1, 1.01, 30, 100}} {
		got := ""
		for _, tick := range logTicksAt(values)(values[0]/1.2, values[len(values)-1]*1.2) {
			got += " " + tick.Label
		}
		if got != want {
			t.Errorf("ticks%s, want%s", got, want)
		}
	}
}

// Above a category series stand side by side, apart and around its middle.
func TestSeriesStandSideBySide(t *testing.T) {
	a := Axes{Categories: []string{"a", "b"}}
	for _, n := range []int{1, 2, 5} {
		sum, last := 0.0, math.Inf(-1)
		for i := range n {
			c := testkit.Must(a.curve(Series{Y: []float64{3, 4}}, i, n))
			x := c.points[1].X
			if x <= last || math.Abs(x-1) > 0.25 || math.Abs(x-1-c.points[0].X) > 1e-12 {
				t.Errorf("series %d of %d stands at %v", i, n, c.points)
			}
			sum, last = sum+x-1, x
		}
		if math.Abs(sum) > 1e-12 {
			t.Errorf("%d series are off their category by %g", n, sum/float64(n))
		}
	}
}

func TestBandIsYPlusAndMinusTheError(t *testing.T) {
	c := curve{points: plotter.XYs{{X: 1, Y: 10}, {X: 2, Y: 20}}, errors: []float64{1, 3}}
	testkit.WantSame(t, "the band", c.band(), plotter.XYs{{X: 1, Y: 11}, {X: 2, Y: 23}, {X: 2, Y: 17}, {X: 1, Y: 9}})
}
