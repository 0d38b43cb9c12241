package alignment_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/alignment"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// measure is the alignment by the default settings without preparation, and a change.
func measure(g *coles.Graph, x mat.Matrix, change func(s *coles.Settings)) coles.Alignment {
	s := coles.DefaultSettings()
	s.Preparation = coles.PrepareNone
	change(&s)
	return testkit.Must(s.Alignment(ctx, g, x))
}

func plainly(*coles.Settings) {}

// alike computes s and its deviation by the formulas: R by singular vectors of what explains it, and loops over all
// nodes and pairs.
func alike(g *coles.Graph, x *mat.Dense) (s, deviation float64) {
	n, d := x.Dims()
	a := testkit.DenseOf(g.CSR())
	r, explained, live, degrees := mat.NewDense(n, d, nil), mat.NewDense(n, 2, nil), make([]float64, n), g.Degrees()
	nodes, count := 0.0, 0.0
	for i := range n {
		length := mat.Norm(x.RowView(i), 2)
		if length == 0 {
			continue
		}
		live[i] = 1
		nodes++
		explained.SetRow(i, []float64{1, math.Sqrt(degrees[i])})
		for j := range d {
			r.Set(i, j, x.At(i, j)/length)
		}
	}
	weight, all := 0.0, 0.0
	for i := range n {
		for j := range n {
			if w := a.At(i, j); i != j && w > 0 {
				weight, all = weight+w, all+1
				if live[i]*live[j] > 0 {
					count += w
				}
			}
			if i == j || live[i]*live[j] == 0 {
				a.Set(i, j, 0)
			}
		}
	}
	var svd mat.SVD
	svd.Factorize(without(r, explained), mat.SVDThin)
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	total, off := 0.0, make([]float64, n)
	for k := range min(3, d) {
		total += values[k] * values[k]
	}
	for k := range min(3, d) {
		share := values[k] * values[k] / total
		mean, volume, along, inside := 0.0, 0.0, 0.0, 0.0
		row := func(i int) (sum, degree float64) { // z_i·Σ_j a_ij z_j and the degree
			for j := range n {
				sum += a.At(i, j) * (u.At(j, k) - mean)
				degree += a.At(i, j)
			}
			return (u.At(i, k) - mean) * sum, degree
		}
		middle := 0.0
		for i := range n {
			_, degree := row(i)
			middle, volume = middle+degree*u.At(i, k), volume+degree
		}
		mean = middle / volume
		for i := range n {
			product, degree := row(i)
			along, inside = along+product, inside+degree*(u.At(i, k)-mean)*(u.At(i, k)-mean)
		}
		s += share * along / inside
		for i := range n {
			product, degree := row(i)
			off[i] += share / inside * (product - along/inside*degree*(u.At(i, k)-mean)*(u.At(i, k)-mean))
		}
	}
	for _, v := range off {
		deviation += v * v
	}
	neighbours := max(2.5, count/(weight/all)/nodes)
	return neighbours * s, neighbours * math.Sqrt(2*deviation)
}

// steep has features of some causes that decay, so that the leading directions are far apart.
func steep(seed uint64, n, d int) *mat.Dense {
	rng := testkit.Random(seed)
	causes := testkit.RandomDense(rng, n, 6)
	for i := range n {
		for j := range 6 {
			causes.Set(i, j, causes.At(i, j)*math.Pow(0.6, float64(j))+0.5*float64(i*6/n%(j+2)))
		}
	}
	return testkit.Product(causes, testkit.RandomDense(rng, 6, d))
}

// grouped is a graph whose edges mostly join nodes of near numbers, with weights or not.
func grouped(seed uint64, n, edges int, weighted bool) *coles.Graph {
	rng := testkit.Random(seed)
	var list []coles.Edge
	var weights []float64
	for range edges {
		u := rng.IntN(n)
		v := (u + 1 + rng.IntN(n/12)) % n
		if rng.IntN(3) == 0 {
			v = rng.IntN(n)
		}
		if u != v {
			list, weights = append(list, coles.Edge{U: u, V: v}), append(weights, 0.5+float64(rng.IntN(4)))
		}
	}
	if !weighted {
		return testkit.Must(coles.NewGraph(n, list))
	}
	return testkit.Must(coles.NewGraph(n, list, coles.WithWeights(weights)))
}

func TestNeighboursEqualTheFormula(t *testing.T) {
	const n = 240
	holed := steep(2, n, 30)
	for i := 0; i < n; i += 3 {
		holed.SetRow(i, make([]float64, 30))
	}
	for name, c := range map[string]struct {
		g *coles.Graph
		x *mat.Dense
	}{
		"few columns": {grouped(1, n, 900, false), steep(1, n, 4)}, "two columns": {grouped(1, n, 900, false), steep(1, n, 2)},
		"nodes without features": {grouped(2, n, 900, false), holed}, "few edges": {grouped(3, n, 150, false), steep(3, n, 30)},
		"weights": {grouped(4, n, 900, true), steep(4, n, 30)}, "more columns than are multiplied at once": {grouped(5, n, 900, false), steep(5, n, 500)},
	} {
		s, deviation := alike(c.g, c.x)
		for kind, x := range map[string]mat.Matrix{"": c.x, ", sparse": testkit.SparseOf(c.x)} {
			got := measure(c.g, x, plainly)
			testkit.WantNear(t, name+kind+": s", got.Neighbours, s, 2e-3*max(1, math.Abs(s))) // residuals of 1e-3 of the largest value
			testkit.WantNear(t, name+kind+": its deviation", got.Deviation, deviation, 2e-2*deviation)
		}
		single := measure(c.g, c.x, func(s *coles.Settings) { s.Precision = coles.Float32 })
		testkit.WantNear(t, name+", float32", single.Neighbours, s, 2e-3*max(1, math.Abs(s)))
	}
}

// s depends on XXᵀ alone, on no unit of features or weights, and with r on no numbering of nodes.
func TestAlignmentHoldsItsPlace(t *testing.T) {
	const n, d = 240, 30
	g, x := grouped(7, n, 700, true), steep(7, n, d)
	want := measure(g, x, plainly)
	rng := testkit.Random(9)
	var qr mat.QR
	qr.Factorize(testkit.RandomDense(rng, 120, d))
	var wide mat.Dense
	qr.QTo(&wide)
	order := rng.Perm(n)
	moved := mat.NewDense(n, d, nil)
	var list []coles.Edge
	var weights, heavier []float64
	for e, w := range g.Edges() {
		list, weights, heavier = append(list, coles.Edge{U: order[e.V], V: order[e.U]}), append(weights, w), append(heavier, 1e6*w)
	}
	for i, to := range order {
		moved.SetRow(to, x.RawRowView(i))
	}
	for size := range map[float64]bool{1e-300: true, 1e-150: true, 3: true, 1e150: true, 1e307: true} {
		scaled := mat.DenseCopyOf(x)
		scaled.Scale(size/mat.Max(x), x)
		testkit.WantNear(t, fmt.Sprint("s of features times ", size), measure(g, scaled, plainly).Neighbours, want.Neighbours, 1e-9)
	}
	turned := measure(g, testkit.Product(x, wide.Slice(0, 120, 0, d).T()), plainly)
	testkit.WantNear(t, "s in another basis", turned.Neighbours, want.Neighbours, 2e-3)
	renumbered := measure(testkit.Must(coles.NewGraph(n, list, coles.WithWeights(weights))), moved, plainly)
	testkit.WantNear(t, "s of other numbers", renumbered.Neighbours, want.Neighbours, 1e-9)
	heavy := measure(testkit.Must(coles.NewGraph(n, list, coles.WithWeights(heavier))), moved, plainly)
	testkit.WantNear(t, "s of other weights", heavy.Neighbours, want.Neighbours, 1e-9)
	open := mat.NewDense(n, d, nil) // features that neighbours do not share
	for i := range n {
		open.SetRow(i, x.RawRowView(i*101%n))
	}
	at := measure(g, open, plainly)
	if at.Neighbours >= 0.8 || at.Communities == 0 {
		t.Fatalf("%+v: the case shows nothing", at)
	}
	for i, to := range order {
		moved.SetRow(to, open.RawRowView(i))
	}
	testkit.WantNear(t, "r of other numbers", measure(testkit.Must(coles.NewGraph(n, list, coles.WithWeights(weights))), moved, plainly).Communities, at.Communities, 1e-9)
}

// Over graphs drawn alike s deviates by what is stated, and so does r.
func TestDeviationIsAsStated(t *testing.T) {
	var s, stated []float64
	x := steep(3, 300, 30)
	for seed := range uint64(testkit.Few(60, 400)) {
		a := measure(grouped(100+seed, 300, 900, false), x, plainly)
		s, stated = append(s, a.Neighbours), append(stated, a.Deviation)
	}
	spread, said := deviationOf(s), 0.0
	for _, v := range stated {
		said += v / float64(len(stated))
	}
	t.Logf("s deviates by %.3f, %.3f as stated", spread, said)
	if ratio := spread / said; ratio < 0.6 || ratio > 1.6 {
		t.Errorf("s deviates by %.3f, and is said to by %.3f", spread, said)
	}
}

func deviationOf(v []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(v))
	return math.Sqrt(squares/n - sum/n*sum/n)
}

// On a table of mixed columns the model is the features where edges join any nodes, and the graph where
// they join nodes of a kind.
func TestChoiceOnATable(t *testing.T) {
	for alike, want := range map[float64]coles.Kind{0: coles.UseFeatures, 0.8: coles.UseGraph} {
		for seed := range uint64(testkit.Few(5, 40)) {
			g, x := mixed(seed, 600, alike)
			if a := measure(g, x, func(s *coles.Settings) { s.Seed, s.Preparation = seed, coles.PrepareAuto }); a.Kind() != want {
				t.Errorf("%v alike, seed %d: %+v, %v", alike, seed, a, a)
			}
		}
	}
}

// products is ⟨K, T⟩ and ‖K‖ of K = LLᵀ and T = RRᵀ, off the diagonal.
func products(l, r mat.Matrix) (along, norm float64) {
	k, t := testkit.Product(l, mat.DenseCopyOf(l.T())), testkit.Product(r, mat.DenseCopyOf(r.T()))
	n, _ := k.Dims()
	for i := range n {
		for j := range n {
			if i != j {
				along, norm = along+k.At(i, j)*t.At(i, j), norm+k.At(i, j)*k.At(i, j)
			}
		}
	}
	return along, math.Sqrt(norm)
}

// q is by the formula, with kernels written out, in the mean over draws of signs, each of which is off by a tenth.
func TestRatioEqualsTheFormula(t *testing.T) {
	const n, d = 180, 20
	g, x := grouped(3, n, 900, false), steep(4, n, d)
	explained, r := mat.NewDense(n, 2, nil), mat.NewDense(n, d, nil)
	for i, degree := range g.Degrees() {
		explained.SetRow(i, []float64{1, math.Sqrt(degree)})
		for j := range d {
			r.Set(i, j, x.At(i, j)/mat.Norm(x.RowView(i), 2))
		}
	}
	r = without(r, explained)
	filter := coles.S2GCSum(3)
	smooth := testkit.Must(filter.Apply(ctx, coles.Normalize(g), mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))))
	source := testkit.Must(matrix.Read(ctx, x))
	want, got, seeds := 0.0, 0.0, uint64(testkit.Few(12, 100))
	for seed := range seeds {
		told, size := [2]float64{}, [2]float64{} // of own features and of what the filter makes
		for k := range uint64(8) {               // both halves of four splits
			half, split := int(k%2), stream.Seed(seed, k/2)
			a, b := mat.DenseCopyOf(r), mat.DenseCopyOf(r)
			for j := range d {
				if int(stream.Seed(^split, uint64(j))&1) == half {
					b.SetCol(j, make([]float64, n))
				} else {
					a.SetCol(j, make([]float64, n))
				}
			}
			for which, k := range []mat.Matrix{a, without(testkit.Product(smooth, a), explained)} {
				along, length := products(k, b)
				told[which], size[which] = told[which]+along, size[which]+length*length
			}
		}
		want += told[1] / math.Sqrt(size[1]) / (told[0] / math.Sqrt(size[0]))
		ratio, known, err := alignment.Parts[float64]{
			Source: source, X: matrix.Of(kernel.Matrix[float64](x.RawMatrix())), Degrees: g.Degrees(), Seed: seed, Filter: filter.Coefficients(),
			Walk: func(ctx context.Context) (*kernel.CSR[float64], error) {
				return matrix.Normalized(ctx, inside.Adjacency(g), true)
			},
		}.Ratio(ctx)
		testkit.Check(t, err)
		testkit.WantSame(t, "known", known, true)
		got += ratio
	}
	testkit.WantNear(t, "mean ratio", got, want, 0.05*want)
}

// mixed are n nodes of four kinds with columns as a table has them, and a graph that joins nodes of one
// kind (alike = 1), or any nodes (0): one of twelve makers and one of five colours, where the maker
// partly predicts the kind; three numbers with signs, as large as all the others together, where two
// predict it; and four of 60 words, half of them of the kind.
func mixed(seed uint64, n int, alike float64) (*coles.Graph, *sparse.CSR) {
	rng := testkit.Random(seed)
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
	list := testkit.Ring(n, 1)[:n-1]
	for range 4 * n {
		u, v := rng.IntN(n), rng.IntN(n)
		if rng.Float64() < alike {
			v += u%4 - v%4
		}
		list = append(list, coles.Edge{U: u, V: v % n})
	}
	return testkit.Must(coles.NewGraph(n, list)), testkit.SparseOf(x)
}
