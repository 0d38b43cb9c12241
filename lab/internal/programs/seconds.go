package programs

import (
	"fmt"
	"slices"
)

// Spread is the median and, of more than one, the range.
func Spread(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	digits := 2
	if Median(values) < 0.1 {
		digits = 3
	}
	if len(values) == 1 {
		return fmt.Sprintf("%.*f", digits, values[0])
	}
	return fmt.Sprintf("%.*f (%.*f–%.*f)", digits, Median(values), digits, slices.Min(values), digits, slices.Max(values))
}

// Median is the middle one of some values, or between the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
