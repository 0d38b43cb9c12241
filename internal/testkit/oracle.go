package testkit

import (
	"math"

	"coles"

	"github.com/james-bowman/sparse"
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

// Mixed are n nodes of four kinds with columns as a table has them, and a graph that joins nodes of one
// kind (alike = 1), or any nodes (0): one of twelve makers and one of five colours, where the maker
// partly predicts the kind; three numbers with signs, as large as all the others together, where two
// predict it; and four of 60 words, half of them of the kind.
func Mixed(seed uint64, n int, alike float64) (*coles.Graph, *sparse.CSR) {
	rng := Random(seed)
	x := mat.NewDense(n, 12+5+3+60, nil)
	for i := range n {
		kind := i % 4
		maker := rng.IntN(12)
		if rng.IntN(3) > 0 {
			maker += kind - maker%4
		}
		x.Set(i, maker, 1)
		x.Set(i, 12+rng.IntN(5), 1)
		for j, tells := range []float64{0.5, 0.3, 0} {
			x.Set(i, 17+j, tells*(2*float64(kind)-3)+rng.NormFloat64())
		}
		for range 4 {
			word := rng.IntN(60)
			if rng.IntN(2) == 0 {
				word += kind - word%4
			}
			x.Set(i, 20+word, 1+rng.Float64())
		}
	}
	list := Ring(n, 1)[:n-1]
	for range 4 * n {
		u, v := rng.IntN(n), rng.IntN(n)
		if rng.Float64() < alike {
			v += u%4 - v%4
		}
		list = append(list, coles.Edge{U: u, V: v % n})
	}
	return Must(coles.NewGraph(n, list)), SparseOf(x)
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
