package testkit

import (
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Topics are n nodes of three kinds, every kind with words of its own, and a graph that joins nodes
// of one kind (alike = 1), or any nodes (0).
func Topics(seed uint64, n, d int, alike float64) (*coles.Graph, *mat.Dense) {
	rng := Random(seed)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if chance := 0.08; i%3 == j%3 && rng.Float64() < 4*chance || rng.Float64() < chance {
				x.Set(i, j, float64(1+rng.IntN(3)))
			}
		}
	}
	list := Ring(n, 1)[:n-1]
	for range 3 * n {
		u, v := rng.IntN(n), rng.IntN(n)
		if rng.Float64() < alike {
			v += (u - v) % 3
			v = (v + n) % n
		}
		list = append(list, coles.Edge{U: u, V: v})
	}
	return Must(coles.NewGraph(n, list)), x
}

func Eye(n int) *mat.Dense {
	e := mat.NewDense(n, n, nil)
	for i := range n {
		e.Set(i, i, 1)
	}
	return e
}

// Powers is Σ_k term(k)·Wᵏ for k up to hops, by dense products.
func Powers(w mat.Matrix, hops int, term func(k int) float64) *mat.Dense {
	n, _ := w.Dims()
	dense, sum, power := DenseOf(w), mat.NewDense(n, n, nil), Eye(n)
	for k := range hops + 1 {
		var scaled mat.Dense
		scaled.Scale(term(k), power)
		sum.Add(sum, &scaled)
		power = Product(power, dense)
	}
	return sum
}

// NormalizedDense is D^-½ A D^-½ by the formula; zero rows stay zero.
func NormalizedDense(a *mat.Dense) *mat.Dense {
	w := mat.DenseCopyOf(a)
	w.Apply(func(i, j int, v float64) float64 {
		if v == 0 {
			return 0
		}
		return v / math.Sqrt(mat.Sum(a.RowView(i))) / math.Sqrt(mat.Sum(a.RowView(j)))
	}, a)
	return w
}
