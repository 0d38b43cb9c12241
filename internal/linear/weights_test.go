package linear

import (
	"math"
	"slices"
	"testing"

	"coles/internal/stream"
)

// The unit is the median that sorting finds, of weights of all magnitudes and repeated ones.
func TestWeightUnitIsTheMedian(t *testing.T) {
	rng := stream.New()
	rng.Reseed(3, 0)
	for _, n := range []int{1, 2, 3, 4, 5, 8, 13, 40, 101} {
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = math.Exp(40 * (rng.Float64() - 0.5))
			if i > 0 && rng.IntN(3) == 0 {
				weights[i] = weights[i-1]
			}
		}
		weights[rng.IntN(n)] = 1e300
		weights[rng.IntN(n)] = math.SmallestNonzeroFloat64
		sorted := slices.Sorted(slices.Values(weights))
		for rank, want := range sorted {
			if got := ranked(weights, rank); got != want {
				t.Fatalf("rank %d of %d: %g, want %g", rank, n, got, want)
			}
		}
		got, err := WeightUnit(t.Context(), weights, 10)
		if want := sorted[(n-1)/2]; err != nil || sorted[n-1] >= 10*want && got != want || sorted[n-1] < 10*want && got != 0 {
			t.Fatalf("%d weights: unit %g, %v, want %g", n, got, err, want)
		}
	}
}
