package eval

import (
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// The error the neighbours' mean by, by hand: on a path of 1, 2 and 4 the ends are predicted 2, the middle 2.5.
func TestNeighboursError(t *testing.T) {
	g := testkit.Must(coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}))
	testkit.WantNear(t, "the error", NeighboursError(g, []float64{1, 2, 4, math.NaN(), math.NaN()}), (1+0.5+2)/3., 1e-12)
}
