package picture

import (
	"math"
	"slices"
	"strconv"
)

// steps is how many colours a scale has.
const steps = 8

// Graded are the steps of numbers, −1 for NaN, for [Axes.Grades]: eight of about as many numbers each, fewer where numbers are
// equal, and the range of each in words.
func Graded(values []float64) (step []int, names []string) {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(sorted)
	var first []float64 // of each step
	for k := range steps {
		first = append(first, sorted[k*len(sorted)/steps])
	}
	first = slices.Compact(first)
	for k, v := range first {
		last := sorted[len(sorted)-1]
		if k+1 < len(first) {
			next, _ := slices.BinarySearch(sorted, first[k+1])
			last = sorted[next-1]
		}
		name := short(v)
		if last > v {
			name += " to " + short(last)
		}
		names = append(names, name)
	}
	step = make([]int, len(values))
	for i, v := range values {
		at, found := slices.BinarySearch(first, v)
		if step[i] = at - 1; found {
			step[i] = at
		}
	}
	return step, names
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
