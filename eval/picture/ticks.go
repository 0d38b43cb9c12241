package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks are multiples of 1, 2 or 5 times a power of ten, three to nine of them.
func linearTicks(lo, hi float64) []plot.Tick { return ticksApart(lo, hi, (hi-lo)/5) }

// wholeTicks are those among whole numbers.
func wholeTicks(lo, hi float64) []plot.Tick { return ticksApart(lo, hi, max(1, (hi-lo)/5)) }

// ticksApart are about a distance apart.
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

// niceStep is the 1, 2 or 5 times a power of ten next to want, and that power.
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

// spelled writes v, a multiple of step and so of ten to the exponent, on an axis that
// reaches to largest.
func spelled(v, step, largest float64, exponent int) string {
	decimals := max(0, -exponent)
	digits := 1 // that tell it from the tick next to it
	if math.Abs(v) >= step {
		digits += int(math.Floor(math.Log10(math.Abs(v))+1e-9)) - exponent
	}
	var s string
	switch {
	case math.Abs(v) < step/2:
		return "0"
	case decimals <= 6 && largest < 1e4, decimals == 0 && digits > 4 && largest < 1e12:
		s = strconv.FormatFloat(v, 'f', decimals, 64)
	case decimals <= 6 && digits <= 4:
		s = number(v)
	default:
		s = strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	return strings.ReplaceAll(s, "-", "−")
}

// logTicks are at 1, 2 and 5 times the powers of ten, or only at powers where there are
// many.
func logTicks(lo, hi float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	digits, every := []float64{1, 2, 5}, 1
	if decades := math.Log10(hi / lo); decades > 4 || math.IsInf(hi/lo, 0) {
		digits, every = digits[:1], (last-first)/8+1
	}
	var ticks []plot.Tick
	for exponent := first; exponent <= last; exponent++ {
		for _, digit := range digits {
			v := digit * math.Pow10(exponent)
			if v < lo || v > hi {
				continue
			}
			tick := plot.Tick{Value: v}
			if exponent%every == 0 {
				tick.Label = strings.ReplaceAll(number(v), "-", "−")
			}
			ticks = append(ticks, tick)
		}
	}
	if len(ticks) < 3 { // within a decade the usual ones are denser
		return linearTicks(lo, hi)
	}
	return ticks
}

// logTicksAt are at the values themselves, where these are few and apart, else those
// of logTicks.
func logTicksAt(values []float64) plot.TickerFunc {
	return func(lo, hi float64) []plot.Tick {
		if len(values) > 12 {
			return logTicks(lo, hi)
		}
		ticks := make([]plot.Tick, len(values))
		for i, v := range values {
			if i > 0 && math.Log(v/values[i-1]) < 0.04*math.Log(hi/lo) {
				return logTicks(lo, hi)
			}
			ticks[i] = plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)}
			if len(ticks[i].Label) > 6 {
				ticks[i].Label = strings.ReplaceAll(number(v), "-", "−")
			}
		}
		return ticks
	}
}

// number spells 2,000,000 as 2 M.
func number(v float64) string {
	switch m := math.Abs(v); {
	case m >= 1e12:
		return fmt.Sprintf("%.4g", v)
	case m >= 1e9:
		return fmt.Sprintf("%.4g G", v/1e9)
	case m >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case m >= 1e3:
		return fmt.Sprintf("%.4g k", v/1e3)
	}
	return fmt.Sprintf("%.4g", v)
}
