package alignment_test

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/alignment"
	"coles/internal/matrix"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// none has no features at all: whether r is measured is for the caller.
func none(n int) mat.Matrix { return mat.NewDense(n, 1, slices.Repeat([]float64{1}, n)) }

// parts are what is measured of a graph, with a feature that tells nodes apart and nothing else.
func parts(g *coles.Graph, seed uint64) alignment.Parts[float64] {
	n := g.Nodes()
	x := mat.NewDense(n, 1, nil)
	rng := testkit.Random(seed)
	for i := range n {
		x.Set(i, 0, rng.NormFloat64())
	}
	csr := g.CSR()
	a, _, err := matrix.FromCSR(ctx, csr, math.Max)
	testkit.Must(a, err)
	source := testkit.Must(matrix.Read(ctx, x))
	return alignment.Parts[float64]{
		Source: source, X: testkit.Must(matrix.As[float64](ctx, source)), Graph: a, Degrees: g.Degrees(), Edges: g.Report().Edges, Seed: seed,
	}
}

// likeness computes r with n × n matrices, a projection by singular vectors and a loop over all pairs.
func likeness(g *coles.Graph, seed uint64) (size, deviation float64) {
	n, a, degree := g.Nodes(), testkit.DenseOf(g.CSR()), g.Degrees()
	names := testkit.Must(alignment.NamesOf(parts(g, seed), ctx))
	sum, squares, most := 0.0, 0.0, 0.0
	for draw := range uint64(4) {
		for round := range 4 {
			own := stream.Seed(seed, draw)
			visible, hidden := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			signs, roots := mat.NewDense(n, 32, nil), mat.NewDense(n, 1, nil)
			for i := range n {
				row := make([]float64, alignment.Walkers(int64(n)))
				alignment.Start(own, names[i], degree[i], row)
				signs.SetRow(i, row[:32])
				roots.Set(i, 0, math.Sqrt(degree[i]+1))
				for j := range n {
					w := a.At(i, j) / math.Sqrt((degree[i]+1)*(degree[j]+1))
					if alignment.Hidden(own, round, names[i], names[j]) {
						hidden.Set(i, j, w)
					} else {
						visible.Set(i, j, w*4/3)
					}
				}
				visible.Set(i, i, 1/(degree[i]+1))
			}
			power := testkit.Powers(visible, 9, func(k int) float64 { return float64(k / 8) }) // P⁸ + P⁹
			z, q := testkit.Product(power, signs), testkit.Product(power, roots)
			z = without(z, q)
			for i := range n {
				row := z.RawRowView(i)
				length := mat.Norm(mat.NewVecDense(len(row), row), 2)
				for c := range row {
					row[c] /= length
				}
			}
			var both mat.Dense
			both.Augment(none(n), q)
			z = without(z, &both)
			gram := testkit.Product(z, z.T())
			for i := range n {
				alike := 0.0
				for j := range n {
					alike += hidden.At(i, j) * gram.At(i, j)
					most += hidden.At(i, j) * math.Sqrt(gram.At(i, i)*gram.At(j, j))
				}
				sum += alike
				squares += alike * alike
			}
		}
	}
	return sum / most, math.Sqrt(2*4*squares) / most
}

// without is z less what the columns of q explain of it.
func without(z mat.Matrix, q *mat.Dense) *mat.Dense {
	var svd mat.SVD
	svd.Factorize(q, mat.SVDThin)
	var u mat.Dense
	svd.UTo(&u)
	rest := testkit.Product(&u, u.T(), z)
	rest.Sub(z, rest)
	return rest
}

func TestCommunitiesEqualTheFormula(t *testing.T) {
	weighted, weights := testkit.RandomEdges(testkit.Random(3), 60, 0.1), []float64(nil)
	for k := range weighted {
		weights = append(weights, 0.1+float64(k%7))
	}
	topics, _ := testkit.Topics(2, 80, 4, 0.7)
	for name, g := range map[string]*coles.Graph{
		"topics": topics, "any": testkit.RandomGraph(1, 50, 0.1), "weighted": testkit.Must(coles.NewGraph(60, weighted, coles.WithWeights(weights))),
	} {
		for seed := range uint64(3) {
			size, deviation := likeness(g, seed)
			r, spread, err := parts(g, seed).Communities(ctx)
			if err != nil {
				t.Fatal(err)
			}
			testkit.WantNear(t, name, r, size, 1e-9)
			testkit.WantNear(t, name+", its deviation", spread, deviation, 1e-9)
		}
	}
	small, _ := testkit.Topics(2, 29, 4, 0.7)
	r, _, err := parts(small, 1).Communities(ctx)
	testkit.WantSame(t, "communities of 29 nodes", [2]any{r, err}, [2]any{alignment.Small, nil})
}

// blocks are drawn as synthetic.Communities draws them, without features.
func blocks(n int, degree, homophily float64) func(seed uint64) *coles.Graph {
	return func(seed uint64) *coles.Graph {
		c := synthetic.Communities{Nodes: n, Classes: 5, Degree: degree, Homophily: homophily, Features: -1, Seed: seed}
		return testkit.Must(testkit.Must(c.Generate(ctx)).Graph())
	}
}

// rewired has the edges of a graph between other nodes, each of which keeps its degree: ends change
// places (Maslov and Sneppen 2002).
func rewired(g *coles.Graph, seed uint64) *coles.Graph {
	rng := testkit.Random(seed)
	var list []coles.Edge
	has := map[coles.Edge]bool{}
	between := func(u, v int) coles.Edge { return coles.Edge{U: min(u, v), V: max(u, v)} }
	for e := range g.Edges() {
		list = append(list, between(e.U, e.V))
		has[list[len(list)-1]] = true
	}
	for range 20 * len(list) {
		a, b := &list[rng.IntN(len(list))], &list[rng.IntN(len(list))]
		x, y := between(a.U, b.V), between(b.U, a.V)
		if rng.IntN(2) == 0 {
			x, y = between(a.U, b.U), between(a.V, b.V)
		}
		if x.U == x.V || y.U == y.V || x == y || has[x] || has[y] {
			continue
		}
		delete(has, *a)
		delete(has, *b)
		has[x], has[y] = true, true
		*a, *b = x, y
	}
	return testkit.Must(coles.NewGraph(g.Nodes(), list))
}

// grid has k × k nodes.
func grid(k int) *coles.Graph {
	var list []coles.Edge
	for i := range k * k {
		if i%k > 0 {
			list = append(list, coles.Edge{U: i - 1, V: i})
		}
		if i >= k {
			list = append(list, coles.Edge{U: i - k, V: i})
		}
	}
	return testkit.Must(coles.NewGraph(k*k, list))
}

// buyers and goods of five kinds; three edges in four are of a kind.
func buyers(seed uint64) *coles.Graph {
	rng := testkit.Random(seed)
	var list []coles.Edge
	for u := range 500 {
		for range 10 {
			v := rng.IntN(500)
			if rng.IntN(4) > 0 {
				v += (u%5 - v%5 + 5) % 5
			}
			list = append(list, coles.Edge{U: u, V: 500 + v%500})
		}
	}
	return testkit.Must(coles.NewGraph(1000, list))
}

// Graphs have large communities, or small ones, whatever the seed; edges at random, none.
func TestCommunitiesOfGraphs(t *testing.T) {
	always := func(g *coles.Graph) func(uint64) *coles.Graph { return func(uint64) *coles.Graph { return g } }
	other := func(of func(uint64) *coles.Graph) func(uint64) *coles.Graph {
		return func(seed uint64) *coles.Graph { return rewired(of(seed), seed) }
	}
	for name, c := range map[string]struct {
		of          func(seed uint64) *coles.Graph
		least, most float64
	}{
		"300 nodes, 0.8":       {blocks(300, 10, 0.8), 0.25, 1},
		"300 nodes, 0.2":       {blocks(300, 10, 0.2), -0.15, 0.15},
		"300 nodes, rewired":   {other(blocks(300, 10, 0.8)), -0.15, 0.15},
		"3,000 nodes, 0.8":     {blocks(3000, 20, 0.8), 0.25, 1},
		"3,000 nodes, 0.05":    {blocks(3000, 10, 0.05), -0.25, 0.05},
		"5,000 nodes, rewired": {other(blocks(5000, 20, 0.8)), -0.05, 0.05},
		"a grid":               {always(grid(20)), 0.25, 1},
		"a grid, rewired":      {other(always(grid(20))), -0.15, 0.15},
		"buyers and goods":     {buyers, 0.25, 1}, // whom a hop that is not lazy would set against each other
		"the same, rewired":    {other(buyers), -0.15, 0.15},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(testkit.Few(2, 10)) {
				r, spread, err := parts(c.of(seed), seed).Communities(ctx)
				if t.Log(r, spread); err != nil || !(c.least <= r && r <= c.most) {
					t.Errorf("seed %d: %v, %v, want r from %v to %v", seed, r, err, c.least, c.most)
				}
			}
		})
	}
}
