package learn

import (
	"context"
	"math"
	"testing"

	"coles/internal/kernel"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
)

// heldOut are two opinions of n rows on three classes, which know the class a little, and the classes.
func heldOut(n int, seed uint64) (of opinions, has [][]int) {
	rng := testkit.Random(seed)
	for j := range of {
		of[j] = kernel.Dense[float64](n, 3)
	}
	for i := range n {
		has = append(has, []int{rng.IntN(3)})
		for j, knows := range []float64{1, 0.7} {
			for k := range 3 {
				of[j].Row(i)[k] = rng.NormFloat64()
			}
			of[j].Row(i)[has[i][0]] += knows
		}
		softmax(of[0].Row(i))
		for k, p := range of[0].Row(i) {
			of[0].Row(i)[k] = math.Log(p)
		}
	}
	return of, has
}

// The gradient is that of the loss by central differences, and vanishes at the weights found, of opinions that both count.
func TestWeighing(t *testing.T) {
	for name, several := range map[string]bool{"one class": false, "several": true} {
		of, has := heldOut(300, 3)
		of[0].Row(5)[(has[5][0]+1)%3] = math.Inf(-1) // a class that the other parts lack
		if several {
			of[0].Row(5)[(has[5][0]+1)%3] = -1
			has[7] = []int{0, 2}
		}
		w := weighing{of, testkit.UpTo(300), func(q int) []int { return has[q] }, several}
		at := func(v [3]float64) (float64, []float64) {
			f, gradient, _, err := w.loss(context.Background(), v)
			testkit.Check(t, err)
			return f, gradient
		}
		v := [3]float64{0.3, -0.4, 0.1}
		_, gradient := at(v)
		for j := range v {
			const h = 1e-5
			above, below := v, v
			above[j] += h
			below[j] -= h
			up, _ := at(above)
			down, _ := at(below)
			testkit.WantNear(t, name+": a derivative", gradient[j], (up-down)/(2*h), 1e-5)
		}
		by := testkit.Must(weigh(context.Background(), w.rows, of, w.actual, several, Weights{Vectors: 1}))
		found := [3]float64{math.Log(by.Vectors), by.Surroundings / by.Vectors, by.Shift}
		if _, gradient := at(found); floats.Norm(gradient, 2) > 1e-4 {
			t.Errorf("%s: gradient %v at %v", name, gradient, found)
		}
		if by.Vectors < 0.3 || by.Surroundings < 0.1 {
			t.Errorf("%s: %v", name, by)
		}
	}
}
