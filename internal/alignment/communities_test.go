package alignment_test

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/alignment"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// constant is one feature, of which q cannot be known.
func constant(n int) mat.Matrix { return mat.NewDense(n, 1, slices.Repeat([]float64{1}, n)) }

// communities measures the communities of a graph, where q is not known.
func communities(g *coles.Graph, seed uint64) float64 {
	return measure(g, constant(g.Nodes()), func(s *coles.Settings) { s.Seed, s.Preparation = seed, coles.PrepareNone }).Communities
}

// likeness is computed with n × n matrices, a projection by singular vectors and a loop over all pairs.
func likeness(g *coles.Graph, seed uint64) float64 {
	n, a, degree := g.Nodes(), testkit.DenseOf(g.CSR()), g.Degrees()
	sum, squares := 0.0, 0.0
	for round := range alignment.Rounds(int64(n)) {
		visible, hidden := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		signs, roots := mat.NewDense(n, 32, nil), mat.NewDense(n, 1, nil)
		for i := range n {
			row := make([]float64, alignment.Walkers(int64(n)))
			alignment.Start(seed, int64(i), degree[i], row)
			signs.SetRow(i, row[:32])
			roots.Set(i, 0, math.Sqrt(degree[i]+1))
			for j := range n {
				w := a.At(i, j) / math.Sqrt((degree[i]+1)*(degree[j]+1))
				if alignment.Hidden(seed, round, int64(i), int64(j)) {
					hidden.Set(i, j, w)
				} else {
					visible.Set(i, j, w*4/3)
				}
			}
			visible.Set(i, i, 1/(degree[i]+1))
		}
		power := testkit.Eye(n)
		for range 8 {
			power = testkit.Product(visible, power)
		}
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
		both.Augment(constant(n), q)
		z = without(z, &both)
		gram := testkit.Product(z, z.T())
		for i := range n {
			alike := 0.0
			for j := range n {
				alike += hidden.At(i, j) * gram.At(i, j)
			}
			sum += alike
			squares += alike * alike
		}
	}
	return sum / math.Sqrt(2*squares)
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
		"topics": topics, "any": testkit.RandomGraph(1, 50, 0.1), "weighted": testkit.Must(coles.NewWeightedGraph(60, weighted, weights)),
	} {
		for seed := range uint64(5) {
			testkit.WantNear(t, name, communities(g, seed), likeness(g, seed), 1e-9)
		}
	}
	small, _ := testkit.Topics(2, 29, 4, 0.7)
	testkit.WantSame(t, "communities of 29 nodes", communities(small, 1), alignment.Structured)
}

// blocks are drawn as dataset.Communities draws them, without features.
func blocks(n int, degree, homophily float64) func(seed uint64) *coles.Graph {
	return func(seed uint64) *coles.Graph {
		c := dataset.Communities{Nodes: n, Classes: 5, Degree: degree, Homophily: homophily, Features: -1, Seed: seed}
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

// Graphs have communities, or not, whatever the seed.
func TestCommunitiesOfGraphs(t *testing.T) {
	always := func(g *coles.Graph) func(uint64) *coles.Graph { return func(uint64) *coles.Graph { return g } }
	other := func(of func(uint64) *coles.Graph) func(uint64) *coles.Graph {
		return func(seed uint64) *coles.Graph { return rewired(of(seed), seed) }
	}
	for name, c := range map[string]struct {
		of   func(seed uint64) *coles.Graph
		want bool
	}{
		"60 nodes, 0.8":         {blocks(60, 10, 0.8), true},
		"100 nodes, 0.7":        {blocks(100, 10, 0.7), true},
		"100 nodes, 0.2":        {blocks(100, 10, 0.2), false},
		"300 nodes, 0.7":        {blocks(300, 10, 0.7), true},
		"300 nodes, 0.2":        {blocks(300, 10, 0.2), false},
		"300 nodes, 0.05":       {blocks(300, 10, 0.05), false},
		"300 nodes, rewired":    {other(blocks(300, 10, 0.8)), false},
		"3,000 nodes, 0.6":      {blocks(3000, 10, 0.6), true},
		"3,000 nodes, degree 4": {blocks(3000, 4, 0.8), true},
		"3,000 nodes, 0.2":      {blocks(3000, 10, 0.2), false},
		"3,000 nodes, 0.05":     {blocks(3000, 10, 0.05), false},
		"5,000 nodes, 0.6":      {blocks(5000, 20, 0.6), true},
		"5,000 nodes, rewired":  {other(blocks(5000, 20, 0.8)), false},
		"a grid":                {always(grid(10)), true},
		"a grid, rewired":       {other(always(grid(10))), false},
		"buyers and goods":      {buyers, true},
		"the same, rewired":     {other(buyers), false},
	} {
		t.Run(name, func(t *testing.T) {
			least, most, wrong := math.Inf(1), math.Inf(-1), 0
			seeds := testkit.Few(4, 40)
			for seed := range uint64(seeds) {
				found := communities(c.of(seed), seed)
				least, most = min(least, found), max(most, found)
				if found >= alignment.Structured != c.want {
					wrong++
				}
			}
			t.Logf("%.1f to %.1f", least, most)
			if wrong > seeds/20 { // the rule errs beyond three deviations
				t.Errorf("%d of %d seeds are wrong: %.1f to %.1f", wrong, seeds, least, most)
			}
		})
	}
}
