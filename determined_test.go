package coles_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// degenerate are features by which M has eigenvalues of 0, or equal ones, besides those of hurting.
var degenerate = map[string]spectrum{
	"rank d′": func(r *rand.Rand, n, d, k int) *mat.Dense {
		rank := max(1, k-2+r.IntN(5))
		return testkit.Product(testkit.RandomDense(r, n, rank), testkit.RandomDense(r, rank, d))
	},
	"repeated columns": func(r *rand.Rand, n, d, _ int) *mat.Dense {
		x := testkit.RandomDense(r, n, d)
		x.Apply(func(i, j int, _ float64) float64 { return x.At(i, j/3*3) }, x)
		return x
	},
	"identities": func(_ *rand.Rand, n, d, _ int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		for i := range min(n, d) {
			x.Set(i, i, 1)
		}
		return x
	},
	"few rows": func(r *rand.Rand, n, d, _ int) *mat.Dense {
		x := testkit.RandomDense(r, n, d)
		for i := range n {
			x.SetRow(i, x.RawRowView(i%4))
		}
		return x
	},
	"small": columnsBy(func(r *rand.Rand, _ int) float64 { return 1e-6 * r.NormFloat64() }),
	"large": columnsBy(func(r *rand.Rand, _ int) float64 { return 1e6 * r.NormFloat64() }),
	"words": columnsBy(func(r *rand.Rand, _ int) float64 { return math.Floor(1.1 * r.Float64()) }),
}

// symmetric are edges of graphs of n nodes with symmetries, or with many nodes of no degree.
var symmetric = map[string]func(r *rand.Rand, n int) []coles.Edge{
	"edgeless": func(*rand.Rand, int) []coles.Edge { return nil },
	"star": func(_ *rand.Rand, n int) (list []coles.Edge) {
		for v := 1; v < n; v++ {
			list = append(list, coles.Edge{U: 0, V: v})
		}
		return list
	},
	"bipartite": func(_ *rand.Rand, n int) (list []coles.Edge) {
		for v := 5; v < n; v++ {
			for u := range 5 {
				list = append(list, coles.Edge{U: u, V: v})
			}
		}
		return list
	},
	"complete": func(r *rand.Rand, n int) []coles.Edge { return testkit.RandomEdges(r, n, 1.1) },
	"ring":     func(_ *rand.Rand, n int) []coles.Edge { return testkit.Ring(n, 1) },
	"torus": func(_ *rand.Rand, n int) (list []coles.Edge) {
		side := int(math.Sqrt(float64(n)))
		for v := range side * side {
			list = append(list, coles.Edge{U: v, V: v/side*side + (v+1)%side}, coles.Edge{U: v, V: (v + side) % (side * side)})
		}
		return list
	},
	"isolated": func(r *rand.Rand, n int) (list []coles.Edge) {
		few := max(3, n/[]int{50, 10, 3}[r.IntN(3)])
		for range 2 * few {
			list = append(list, coles.Edge{U: r.IntN(few), V: r.IntN(few)})
		}
		return list
	},
	"copies": func(r *rand.Rand, n int) (list []coles.Edge) {
		const size = 12
		for _, e := range testkit.RandomEdges(r, size, 0.3) {
			for at := 0; at+size <= n; at += size {
				list = append(list, coles.Edge{U: at + e.U, V: at + e.V})
			}
		}
		return list
	},
	"any": func(r *rand.Rand, n int) (list []coles.Edge) {
		for e := range randomKind(r, n).Edges() {
			list = append(list, coles.Edge{U: e.U, V: e.V})
		}
		return list
	},
}

// A hardCase is a fit with eigenvalues of M that are 0 or equal.
type hardCase struct {
	name string
	n    int
	list []coles.Edge
	x    *mat.Dense
	set  coles.Settings
}

// hardCases are combinations of graphs and features, by turns.
func hardCases(seed int) hardCase {
	r := testkit.Random(uint64(seed))
	graphs, names := slices.Sorted(maps.Keys(symmetric)), slices.Sorted(maps.Keys(degenerate))
	graph := graphs[seed%len(graphs)]
	n, d := 100+r.IntN(150), 20+r.IntN(100)
	c := hardCase{n: n, list: symmetric[graph](r, n), set: coles.DefaultSettings()}
	dim := []int{3, 8, d / 2, d - 1, d}[r.IntN(5)]
	features, kind := names[seed/len(graphs)%len(names)], kinds[r.IntN(2)]
	c.x = degenerate[features](r, n, d, dim)
	c.set.Preparation = []coles.Preparation{coles.PrepareAuto, asIs, unit}[r.IntN(3)]
	c.set.Dim, c.set.Kind = dim, kind
	if r.IntN(4) == 0 {
		c.set.Negatives, c.set.Kappa, c.set.Eta = noNegatives, 0, 0
	}
	c.set.Truncate = r.IntN(6) == 0
	c.set.Structure = 0 // to which the numbering of nodes is a seed
	c.name = fmt.Sprintf("%d: %s, features: %s, n = %d, d = %d, d′ = %d, %v", seed, graph, features, n, d, dim, kind)
	return c
}

// fit is the fit with node i numbered order[i], and its embedding in the order of the case.
func (c hardCase) fit(order []int, store func(x *mat.Dense) mat.Matrix, weights []float64, change func(s *coles.Settings), opts ...coles.Option) (*mat.Dense, coles.Report, error) {
	list := slices.Clone(c.list)
	for i, e := range list {
		list[i] = coles.Edge{U: order[e.U], V: order[e.V]}
	}
	g := testkit.Must(coles.NewGraph(c.n, list))
	if weights != nil {
		g = weighing(c.n, list, weights...)
	}
	moved := mat.DenseCopyOf(c.x)
	for i, to := range order {
		moved.SetRow(to, c.x.RawRowView(i))
	}
	c.set.Precision = coles.Float64
	change(&c.set)
	m, err := coles.Fit(ctx, g, store(moved), append([]coles.Option{coles.WithSettings(c.set)}, opts...)...)
	if err != nil {
		return nil, coles.Report{}, err
	}
	defer m.Close()
	y := mat.NewDense(c.n, max(1, m.Report().Dim), nil)
	for i, to := range order {
		if m.Report().Dim > 0 {
			y.SetRow(i, m.Embedding().RawRowView(to))
		}
	}
	return y, m.Report(), nil
}

// Neither the numbering of the nodes nor how matrices are stored or multiplied chooses an embedding: not where
// eigenvalues are 0 or equal, either, and d′ cuts their eigenspace.
func TestEmbeddingIsDeterminedByTheInput(t *testing.T) {
	skipUnderRace(t)
	dense, undetermined, single := func(x *mat.Dense) mat.Matrix { return x }, 0, 0
	asItIs := func(*coles.Settings) {}
	sparsely := func(x *mat.Dense) mat.Matrix { return testkit.SparseOf(x) }
	for seed := range testkit.Few(72, 360) {
		c, r := hardCases(seed), testkit.Random(uint64(seed))
		want, report, err := c.fit(r.Perm(c.n), dense, nil, asItIs)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		undetermined += min(1, report.Undetermined)
		ones := slices.Repeat([]float64{1}, len(c.list))
		type way struct {
			name      string
			store     func(x *mat.Dense) mat.Matrix
			weights   []float64
			change    func(s *coles.Settings)
			opts      []coles.Option
			tolerance float64
		}
		ways := []way{{"sparse, weights", sparsely, ones, asItIs, nil, 1e-9}, []way{
			{"krylov", sparsely, nil, func(s *coles.Settings) { s.Solver = coles.SolverKrylov }, nil, 1e-9},
			{"scratch", dense, nil, func(s *coles.Settings) { s.Solver = coles.SolverDirect }, []coles.Option{coles.WithScratch(t.TempDir(), 1<<28)}, 1e-9},
			{"float32", dense, nil, func(s *coles.Settings) { s.Precision = coles.Float32 }, nil, 1e-5},
		}[seed%3]}
		for _, w := range ways {
			got, _, err := c.fit(r.Perm(c.n), w.store, w.weights, w.change, w.opts...)
			if w.name == "float32" && errors.Is(err, coles.ErrPrecision) {
				single++
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, w.name, err)
			} else if length := mat.Norm(want, 2); length == 0 && mat.Norm(got, 2) > 0 || length > 0 && !(gramDistance(want, got) <= w.tolerance) {
				t.Errorf("%s, %s: YYᵀ is off by %.2g", c.name, w.name, gramDistance(want, got))
			}
		}
	}
	t.Logf("%d cases with columns that weigh nothing, %d refused in float32", undetermined, single)
	if undetermined == 0 {
		t.Error("no column is without weight: the test shows nothing")
	}
}

// Nor does the numbering choose an embedding without features, columns of the structure, or of roles: their random signs go by
// the neighbourhoods of nodes. Tails and heads change places with the direction of arcs.
func TestNumberingOfStructure(t *testing.T) {
	skipUnderRace(t)
	const n, loose = 400, 1e-3 // columns of the structure are float32, and d′ cuts among near eigenvalues
	list, rng := testkit.RandomEdges(testkit.Random(3), n, 0.02), testkit.Random(4)
	x, order := testkit.RandomDense(rng, n, 4), rng.Perm(n)
	moved, back := mat.NewDense(n, 4, nil), make([]coles.Edge, len(list))
	renumbered := slices.Clone(list)
	for k, e := range list {
		renumbered[k], back[k] = coles.Edge{U: order[e.U], V: order[e.V]}, coles.Edge{U: e.V, V: e.U}
	}
	for i, to := range order {
		moved.SetRow(to, x.RawRowView(i))
	}
	inOrder := func(y *mat.Dense) *mat.Dense {
		z := mat.DenseCopyOf(y)
		for i, to := range order {
			z.SetRow(i, y.RawRowView(to))
		}
		return z
	}
	for name, opts := range map[string][]coles.GraphOption{"edges": nil, "arcs": {coles.WithArcs()}} {
		g, h := testkit.Must(coles.NewGraph(n, list, opts...)), testkit.Must(coles.NewGraph(n, renumbered, opts...))
		for features, both := range map[string][2]mat.Matrix{"none": {nil, nil}, "numbers": {x, moved}} {
			var settings []coles.Option
			if features != "none" {
				settings = append(settings, withStructure(0.5))
			}
			want, got := fitted(g, both[0], settings...).Embedding(), inOrder(fitted(h, both[1], settings...).Embedding())
			if off := gramDistance(want, got); !(off <= loose) {
				t.Errorf("%s, features: %s: YYᵀ is off by %.2g", name, features, off)
			}
		}
	}
	one := fitted(testkit.Must(coles.NewGraph(n, list, coles.WithArcs())), nil)
	other := fitted(testkit.Must(coles.NewGraph(n, back, coles.WithArcs())), nil)
	d, k := one.Report().Dim, len(one.Parts()[1].Scaling.Factors)
	tails, heads := one.Embedding().Slice(0, n, d-2*k, d-k), other.Embedding().Slice(0, n, d-k, d)
	if off := gramDistance(mat.DenseCopyOf(tails), mat.DenseCopyOf(heads)); !(off <= loose) {
		t.Errorf("tails and the heads of arcs reversed: YYᵀ is off by %.2g", off)
	}
}

// The eigenvalues of a torus's W⁺ are (cos(2πi/s) + cos(2πj/s))/2. Columns weigh nothing from the first on whose eigenvalue
// the first one left out has, too, by the direct way and by iteration; and all of M = 0 is kept.
func TestColumnsThatWeighNothing(t *testing.T) {
	for _, side := range []int{12, 20} {
		var values []float64
		for i := range side {
			for j := range side {
				values = append(values, (math.Cos(2*math.Pi*float64(i)/float64(side))+math.Cos(2*math.Pi*float64(j)/float64(side)))/2)
			}
		}
		slices.Sort(values)
		slices.Reverse(values)
		values = values[1:] // the component; with X = I and F = I all others are M's
		g := testkit.Must(coles.NewGraph(side*side, symmetric["torus"](nil, side*side)))
		for dim := 3; dim < 12; dim++ {
			m := fitted(g, testkit.Eye(side*side), coles.WithFilter(coles.SGC(0)), coles.With(func(s *coles.Settings) { s.Dim, s.Preparation, s.Kind = dim, asIs, coles.UseGraph }))
			want := dim
			for want > 0 && values[want-1]-values[dim] < 1e-9 {
				want--
			}
			testkit.WantSame(t, fmt.Sprintf("columns of %d without weight, torus of side %d", dim, side), m.Report().Undetermined, dim-want)
			for j, f := range m.Parts()[0].Scaling.Factors {
				if (f == 0) != (j >= want) {
					t.Errorf("d′ = %d: factor %d is %v, want none from %d on", dim, j, f, want)
				}
			}
			for _, v := range m.Embedding().RawMatrix().Data {
				if v == 0 && math.Signbit(v) {
					t.Fatal("−0 in the embedding")
				}
			}
			if want < dim {
				testkit.WantText(t, m.String(), fmt.Sprintf("of which %d weigh nothing", dim-want))
			}
		}
	}
	x := testkit.RandomDense(testkit.Random(9), 40, 6)
	m := fitted(graphOf(40), x, changed(func(s *coles.Settings) { s.Kind, s.Preparation, s.Filter = coles.UseGraph, asIs, coles.SGC(0) }))
	testkit.WantSame(t, "columns without weight, of all", m.Report().Undetermined, 0)
	if off := gramDistance(x, scaledTo(x, m.Embedding())); !(off <= 1e-12) {
		t.Errorf("XXᵀ is off by %.2g where all of it is kept", off)
	}
}

// scaledTo is y with the Frobenius norm of x.
func scaledTo(x, y *mat.Dense) *mat.Dense {
	z := mat.DenseCopyOf(y)
	z.Scale(mat.Norm(x, 2)/mat.Norm(y, 2), z)
	return z
}

// changed are the default settings with a change.
func changed(change func(s *coles.Settings)) coles.Option {
	s := coles.DefaultSettings()
	change(&s)
	return coles.WithSettings(s)
}

// A row that is the rounding of zero is zero: the middle of a star whose leaves' features cancel has no direction.
func TestRoundingIsNoDirection(t *testing.T) {
	const leaves = 24
	x, rng := mat.NewDense(1+leaves, 2, nil), testkit.Random(1)
	for i := range leaves / 2 {
		for j := range 2 {
			v := 9 * rng.Float64()
			x.Set(1+i, j, v)
			x.Set(1+leaves/2+i, j, -v)
		}
	}
	for _, how := range []coles.Preparation{coles.PrepareAuto, coles.PrepareNone} {
		g := starGraph(leaves)
		m := fitted(g, x, coles.With(func(s *coles.Settings) { s.Kind, s.Preparation = coles.UseGraph, how }))
		hub := 0
		for i, d := range g.Degrees() {
			if d == leaves {
				hub = i
			}
		}
		testkit.WantSame(t, "the middle", m.Embedding().RawRowView(hub), []float64{0, 0})
		testkit.WantSame(t, "zero rows", m.Report().ZeroRows, 1)
		testkit.WantSame(t, "embedded", testkit.Bits(testkit.Must(m.Embed(ctx, g, x))), testkit.Bits(m.Embedding()))
	}
}
