package tape

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDropoutKeepsTheMean(t *testing.T) {
	const n, d, rate = 300, 101, 0.3
	tape := New[float64](context.Background())
	x := tape.Constant(build(n, d, func(i, j int) float64 { return float64(1 + i + j) }))
	y := tape.Dropout(x, rate, rand.New(rand.NewPCG(3, 4)))
	dropped, neighbours := 0, 0
	for i := range n {
		for j := range d {
			switch v := at(y.data, i, j); {
			case v == 0:
				dropped++
				if j > 0 && at(y.data, i, j-1) == 0 {
					neighbours++
				}
			case v != at(x.data, i, j)*(1/(1-rate)):
				t.Fatalf("entry (%d, %d) is %g", i, j, v)
			}
		}
	}
	// Within five standard deviations of a binomial number.
	for _, c := range []struct {
		name     string
		got, all int
		p        float64
	}{{"entries", dropped, n * d, rate}, {"pairs of neighbours", neighbours, n * (d - 1), rate * rate}} {
		mean, deviation := float64(c.all)*c.p, math.Sqrt(float64(c.all)*c.p)
		if math.Abs(float64(c.got)-mean) > 5*deviation {
			t.Errorf("%d of %d %s dropped, expected are %.0f", c.got, c.all, c.name, mean)
		}
	}
	again := tape.Dropout(x, rate, rand.New(rand.NewPCG(3, 4)))
	other := tape.Dropout(x, rate, rand.New(rand.NewPCG(3, 5)))
	if !sameBits(y.data.Data, again.data.Data) || slices.Equal(y.data.Data, other.data.Data) {
		t.Error("the mask does not follow from the generator")
	}
	if tape.Dropout(x, 0, nil) != x {
		t.Error("a rate of zero changes something")
	}
}
