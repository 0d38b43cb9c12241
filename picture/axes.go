package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"coles"
	"coles/internal/setting"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Axes are the title and the axes of a picture.
type Axes struct {
	Title      string   // above the picture; "" for none
	X, Y       string   // labels, with the unit: "time, s"
	LogX, LogY bool     // logarithmic axes
	FromZero   bool     // the y axis includes zero
	Grades     bool     // for [Places]: classes are steps of a scale, from light to dark
	Categories []string // for [Curves]: names along the x axis, in place of numbers
}

// A box is the range of all points.
type box struct{ x, y span }

// A span is the range of some numbers.
type span struct{ lo, hi float64 }

var emptySpan = span{math.Inf(1), math.Inf(-1)}

func (s *span) include(v float64) { s.lo, s.hi = min(s.lo, v), max(s.hi, v) }

func (b *box) include(points ...plotter.XY) {
	for _, p := range points {
		b.x.include(p.X)
		b.y.include(p.Y)
	}
}

// panel returns an empty plot of a range.
func (a Axes) panel(b box) (*panel, error) {
	if a.FromZero {
		b.y.include(0)
	}
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []struct {
		name, label string
		span        span
		log         bool
		to          *plot.Axis
	}{{"x", a.X, b.x, a.LogX, &p.X}, {"y", a.Y, b.y, a.LogY, &p.Y}} {
		s, err := axis.span.widened(axis.log)
		if err != nil {
			return nil, fmt.Errorf("%w on the %s axis", err, axis.name)
		}
		axis.to.Min, axis.to.Max = s.lo, s.hi
		axis.to.Label.Text, axis.to.Label.Padding = clean(axis.label), vg.Points(4)
		axis.to.Tick.Length = vg.Points(5)
		axis.to.Tick.Marker = plot.TickerFunc(linearTicks)
		if axis.log {
			axis.to.Scale, axis.to.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		}
		axis.to.Label.TextStyle.Font, axis.to.Tick.Label.Font = sans(11), sans(10)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = lightGrey, lightGrey
	p.Add(grid)
	return &panel{plot: p, title: clean(a.Title)}, nil
}

// widened gives a range some extent, and on a logarithmic axis a margin.
func (s span) widened(log bool) (span, error) {
	switch reach := s.reach(); {
	case log && s.lo <= 0:
		return s, setting.Bad("Scale", s.lo, "numbers above 0 on a logarithmic one")
	case log:
		s = span{s.lo / 1.2, s.hi * 1.2}
	case reach < smallestReach:
		s = span{s.lo - 1, s.hi + 1}
	case s.narrow():
		s = span{s.lo - reach/10, s.hi + reach/10}
	}
	if math.IsInf(s.hi-s.lo, 0) || log && s.lo < 1e-300 {
		return s, fmt.Errorf("%w: a range of %g to %g", coles.ErrNotFinite, s.lo, s.hi)
	}
	return s, nil
}

const smallestReach = 1e-290 // smaller ones overflow as reciprocals

// reach is the largest magnitude.
func (s span) reach() float64 { return max(math.Abs(s.lo), math.Abs(s.hi)) }

// narrow reports whether the range is too small for ticks that differ.
func (s span) narrow() bool { return s.reach() < smallestReach || s.hi-s.lo < 1e-9*s.reach() }

// wider is the range with a margin at both ends, a part of it.
func (s span) wider(part float64) span {
	margin := part * (s.hi - s.lo)
	return span{s.lo - margin, s.hi + margin}
}

// around is a range of a width with the same middle.
func (s span) around(width float64) span {
	middle := s.lo/2 + s.hi/2
	return span{middle - width/2, middle + width/2}
}

// clean makes text fit for any format: SVG has no control characters, and a label has one line.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, three to nine of them.
func linearTicks(lo, hi float64) []plot.Tick { return ticksApart(lo, hi, (hi-lo)/5) }

// innerTicks are linearTicks off the ends, where labels stick out of the data area.
func innerTicks(lo, hi float64) []plot.Tick {
	edge := 0.05 * (hi - lo)
	return slices.DeleteFunc(linearTicks(lo, hi), func(t plot.Tick) bool { return t.Value < lo+edge || t.Value > hi-edge })
}

// wholeTicks are linearTicks at whole numbers only.
func wholeTicks(lo, hi float64) []plot.Tick { return ticksApart(lo, hi, max(1, (hi-lo)/5)) }

// ticksApart are ticks at about a distance.
func ticksApart(lo, hi, distance float64) []plot.Tick {
	step, exponent := niceStep(distance)
	var ticks []plot.Tick
	const rounding = 1e-9 // of steps: 0.6/0.2 is less than 3
	for k := math.Ceil(lo/step - rounding); k <= math.Floor(hi/step+rounding) && len(ticks) < 20; k++ {
		v := k * step
		ticks = append(ticks, plot.Tick{Value: min(max(v, lo), hi), Label: spelled(v, step, max(math.Abs(lo), math.Abs(hi)), exponent)})
	}
	return ticks
}

// niceStep is the number closest to want that is 1, 2 or 5 times a power of ten, and the exponent.
func niceStep(want float64) (step float64, exponent int) {
	exponent = int(math.Floor(math.Log10(want)))
	power := math.Pow10(exponent)
	step = power
	for _, digit := range []float64{2, 5, 10} {
		if want >= digit*power/math.Sqrt2 {
			step = digit * power
		}
	}
	if step >= 10*power {
		exponent++
	}
	return step, exponent
}

// spelled writes v, a multiple of step and so of 10^exponent, on an axis of which largest is the
// largest magnitude.
func spelled(v, step, largest float64, exponent int) string {
	decimals := max(0, -exponent)
	digits := 1 // as many as distinguish it from the next tick
	if math.Abs(v) >= step {
		digits += int(math.Floor(math.Log10(math.Abs(v))+1e-9)) - exponent
	}
	switch {
	case math.Abs(v) < step/2:
		return "0"
	case decimals <= 6 && largest < 1e4, decimals == 0 && digits > 4 && largest < 1e12:
		return minus(strconv.FormatFloat(v, 'f', decimals, 64))
	case decimals <= 6 && digits <= 4:
		return number(v)
	}
	return minus(strconv.FormatFloat(v, 'e', digits-1, 64))
}

// logTicks are at 1, 2 and 5 times the powers of ten, and over many decades at powers only.
func logTicks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	digits, every := []float64{1, 2, 5}, 1
	if decades := math.Log10(hi / lo); decades > 4 || math.IsInf(hi/lo, 0) {
		digits, every = digits[:1], (last-first)/8+1
	}
	var ticks []plot.Tick
	for exponent := first; exponent <= last; exponent++ {
		for _, digit := range digits {
			tick := plot.Tick{Value: digit * math.Pow10(exponent)}
			if exponent%every == 0 {
				tick.Label = number(tick.Value)
			}
			if lo <= tick.Value && tick.Value <= hi {
				ticks = append(ticks, tick)
			}
		}
	}
	if len(ticks) < 3 { // within a decade linear ones are denser
		return linearTicks(lo, hi)
	}
	return ticks
}

// logTicksAt are at the values, sorted, if these are few and well apart, else logTicks.
func logTicksAt(values []float64) plot.TickerFunc {
	return func(lo, hi float64) []plot.Tick {
		ticks := make([]plot.Tick, len(values))
		for i, v := range values {
			if len(values) > 12 || i > 0 && math.Log(v/values[i-1]) < 0.04*math.Log(hi/lo) {
				return logTicks(lo, hi)
			}
			ticks[i] = plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)}
			if len(ticks[i].Label) > 6 {
				ticks[i].Label = number(v)
			}
		}
		return ticks
	}
}

// number spells 2,000,000 as 2 M.
func number(v float64) string {
	m := math.Abs(v)
	for unit, letter := range map[float64]string{1e3: " k", 1e6: " M", 1e9: " G"} {
		if unit <= m && m < 1000*unit {
			return minus(fmt.Sprintf("%.4g%s", v/unit, letter))
		}
	}
	return minus(fmt.Sprintf("%.4g", v))
}

// minus writes minus signs instead of hyphens.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
