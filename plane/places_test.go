package plane

import (
	"math"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestPlaces(t *testing.T) {
	one := testkit.Must(Places(t.Context(), mat.NewDense(3, 1, []float64{1, -1, 1}), true, 1, nil))
	testkit.WantNear(t, "the distance of two places", math.Abs(one.At(0, 0)-one.At(1, 0)), 2, 1e-12)
	testkit.WantSame(t, "second component", mat.Col(nil, 1, one), []float64{0, 0, 0})
	testkit.WantSame(t, "by degrees", Important([]float64{1, 3, 2}, nil, nil), []int{1, 2, 0})
	unit := mat.NewDense(3, 2, []float64{0, 1, 1, 0, math.Sqrt(0.5), math.Sqrt(0.5)})
	testkit.WantSame(t, "nearest to the mean of a group", Important(nil, unit, []int{0, 0, 0})[0], 2)
}
