package coles_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// topics are n nodes of three kinds, every kind with words of its own, and a graph that joins nodes
// of one kind (alike = 1), or any nodes (0).
func topics(seed uint64, n, d int, alike float64) (*coles.Graph, *mat.Dense) {
	rng := testkit.Random(seed)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if chance := 0.08; i%3 == j%3 && rng.Float64() < 4*chance || rng.Float64() < chance {
				x.Set(i, j, float64(1+rng.IntN(3)))
			}
		}
	}
	list := testkit.Ring(n, 1)[:n-1]
	for range 3 * n {
		u, v := rng.IntN(n), rng.IntN(n)
		if rng.Float64() < alike {
			v += (u - v) % 3
			v = (v + n) % n
		}
		list = append(list, coles.Edge{U: u, V: v})
	}
	return testkit.Must(coles.NewGraph(n, list)), x
}

// agreements are ⟨K_R, T⟩, ‖K_R‖², ⟨K_F, T⟩ and ‖K_F‖² of one split.
type agreements [4]float64

func (a agreements) ratio() float64 { return a[2] / a[0] * math.Sqrt(a[1]/a[3]) }

// A kernelOracle computes them by the formulas, with n × n matrices.
type kernelOracle struct {
	x, fx    *mat.Dense
	root     []float64 // √degree
	diagonal bool      // counts, which it should not
	raw      bool      // without Π
}

func newKernelOracle(g *coles.Graph, x mat.Matrix, s coles.Settings) kernelOracle {
	k := kernelOracle{x: testkit.DenseOf(prepared(x, s.Preparation)), root: g.Degrees()}
	coefficients := s.Filter.Coefficients()
	k.fx = testkit.Product(powers(coles.Normalize(g), len(coefficients)-1, func(i int) float64 { return coefficients[i] }), k.x)
	for i, d := range k.root {
		k.root[i] = math.Sqrt(d)
	}
	return k
}

// half is x with the columns of one half, the others zero.
func half(x *mat.Dense, in []bool) *mat.Dense {
	out := mat.DenseCopyOf(x)
	out.Apply(func(_, j int, v float64) float64 {
		if in[j] {
			return v
		}
		return 0
	}, x)
	return out
}

// kernel is ΠXXᵀΠ.
func (k kernelOracle) kernel(projector, x *mat.Dense) *mat.Dense {
	y := testkit.Product(projector, x)
	out := testkit.Product(y, y.T())
	for i := range k.root {
		if !k.diagonal {
			out.Set(i, i, 0)
		}
	}
	return out
}

// of is that of a split in A, and its complement B, in both roles.
func (k kernelOracle) of(inA []bool) (sum agreements) {
	n, d := k.x.Dims()
	other := make([]bool, d)
	for j := range other {
		other[j] = !inA[j]
	}
	// Π = I − UUᵀ for an orthonormal basis U of the span of 1, √degree and X·1, by the singular
	// value decomposition.
	span := mat.NewDense(n, 3, nil)
	for i := range n {
		span.SetRow(i, []float64{1, k.root[i], mat.Sum(k.x.RowView(i))})
	}
	projector := eye(n)
	var svd mat.SVD
	if !svd.Factorize(span, mat.SVDThin) {
		panic("the oracle's decomposition failed")
	}
	var u mat.Dense
	svd.UTo(&u)
	for c, s := range svd.Values(nil) {
		if s > 1e-10*svd.Values(nil)[0] && !k.raw {
			projector.RankOne(projector, -1, u.ColView(c), u.ColView(c))
		}
	}
	inner := func(a, b *mat.Dense) float64 { return mat.Trace(testkit.Product(a, b)) }
	for _, in := range [][2][]bool{{inA, other}, {other, inA}} {
		own, filtered, hidden := k.kernel(projector, half(k.x, in[0])), k.kernel(projector, half(k.fx, in[0])), k.kernel(projector, half(k.x, in[1]))
		for q, v := range []float64{inner(own, hidden), inner(own, own), inner(filtered, hidden), inner(filtered, filtered)} {
			sum[q] += v
		}
	}
	return sum
}

// mean is that of many random splits, and q's standard error.
func (k kernelOracle) mean(seed uint64, splits int) (q, deviation float64) {
	_, d := k.x.Dims()
	rng := testkit.Random(seed)
	var all agreements
	var seen []agreements
	for range splits {
		in := make([]bool, d)
		for _, j := range rng.Perm(d)[:(d+1)/2] {
			in[j] = true
		}
		a := k.of(in)
		seen = append(seen, a)
		for i, v := range a {
			all[i] += v
		}
	}
	var jackknife []float64
	for _, a := range seen {
		rest := all
		for i, v := range a {
			rest[i] -= v
		}
		jackknife = append(jackknife, math.Log(rest.ratio()))
	}
	return all.ratio(), math.Sqrt(float64(splits-1)) * stat.PopStdDev(jackknife, nil)
}

// alignment is q of the default setting and another seed.
func alignment(g *coles.Graph, x mat.Matrix, change func(s *coles.Settings)) coles.Alignment {
	s := coles.DefaultSettings()
	change(&s)
	return testkit.Must(s.Alignment(ctx, g, x))
}

// An estimate is without bias in its parts, so that over many seeds q is that of the kernels, but
// for the bias that a ratio has, of second order in its deviation.
func TestAlignmentEqualsKernels(t *testing.T) {
	for name, alike := range map[string]float64{"neighbours alike": 0.9, "neighbours of any kind": 0} {
		t.Run(name, func(t *testing.T) {
			g, x := topics(5, 60, 48, alike)
			oracle := newKernelOracle(g, x, coles.DefaultSettings())
			want, unsure := oracle.mean(1, 300)
			const seeds = 400
			var logs []float64
			stated := 0.0
			for seed := range uint64(seeds) {
				a := alignment(g, x, func(s *coles.Settings) { s.Seed = seed })
				logs = append(logs, math.Log(a.Ratio))
				stated += a.Deviation * a.Deviation / seeds
			}
			mean, spread := stat.MeanStdDev(logs, nil)
			bound := 4*math.Hypot(spread/math.Sqrt(seeds), unsure) + spread*spread
			t.Logf("log q is %.3f, in the mean %.3f with a deviation of %.3f, %.3f as stated", math.Log(want), mean, spread, math.Sqrt(stated))
			if math.Abs(mean-math.Log(want)) > bound {
				t.Errorf("log q is %.4f in the mean, by kernels %.4f: allowed %.2g", mean, math.Log(want), bound)
			}
			// The test can tell: with diagonals, or without the projection, q is another.
			for what, other := range map[string]kernelOracle{"with diagonals": {diagonal: true}, "not projected": {raw: true}} {
				other.x, other.fx, other.root = oracle.x, oracle.fx, oracle.root
				if wrong, _ := other.mean(1, 30); math.Abs(mean-math.Log(wrong)) < bound {
					t.Errorf("%s log q is %.4f, no other than %.4f: the case shows nothing", what, math.Log(wrong), mean)
				}
			}
			if ratio := spread / math.Sqrt(stated); ratio < 0.5 || ratio > 2 {
				t.Errorf("over seeds log q deviates by %.3f, and is said to by %.3f", spread, math.Sqrt(stated))
			}
		})
	}
}

// Large enough that every product is split into several tasks.
func TestAlignmentIsTheSameOnAnyNumberOfProcessors(t *testing.T) {
	const n = 3000
	g := sparseGraph(72, n, 4*n)
	words, dense := testkit.RandomWords(testkit.Random(73), n, 400)
	for _, precision := range precisions {
		use := func(s *coles.Settings) { s.Precision = precision }
		first := alignment(g, words, use)
		testkit.ForProcessors(t, func(int) {
			testkit.WantSame(t, precision.String()+", sparse", alignment(g, words, use), first)
			testkit.WantSame(t, precision.String()+", dense", alignment(g, dense, use), first)
		})
	}
	other := alignment(g, words, func(s *coles.Settings) { s.Seed = 2 })
	if other == alignment(g, words, func(*coles.Settings) {}) {
		t.Error("another seed changes nothing")
	}
}

// q is a ratio: it depends on no unit.
func TestAlignmentOfAnySize(t *testing.T) {
	g, x := topics(6, 60, 48, 0.6)
	plain := func(s *coles.Settings) { s.Preparation = coles.PrepareNone }
	want := alignment(g, x, plain)
	if !want.Known {
		t.Fatalf("%+v: the case shows nothing", want)
	}
	wantLike := func(what string, got coles.Alignment) {
		t.Helper()
		testkit.WantNear(t, "q of "+what, got.Ratio, want.Ratio, 1e-9)
		testkit.WantNear(t, "the deviation of "+what, got.Deviation, want.Deviation, 1e-6)
		testkit.WantSame(t, "columns of "+what, got.Columns, want.Columns)
	}
	for _, size := range []float64{1e-300, 1e-150, 3, 1e150, 1e307} {
		scaled := mat.DenseCopyOf(x)
		scaled.Scale(size, x)
		wantLike(fmt.Sprint("features times ", size), alignment(g, scaled, plain))
		wantLike(fmt.Sprint("a filter times ", size), alignment(g, x, func(s *coles.Settings) {
			plain(s)
			c := s.Filter.Coefficients()
			for k := range c {
				c[k] *= size
			}
			s.Filter = coles.Polynomial(c...)
		}))
	}
	wantLike("float32", alignment(g, testkit.SingleOf(x), plain)) // which holds counts
}

// Halves of an orthogonal matrix have opposite kernels; few columns say little; and without edges
// there is nothing else than the features.
func TestAlignmentThatIsNotKnown(t *testing.T) {
	g, x := topics(7, 64, 40, 0.6)
	var qr mat.QR
	qr.Factorize(testkit.RandomDense(testkit.Random(8), 64, 64))
	same := mat.NewDense(64, 40, nil)
	same.Apply(func(i, _ int, _ float64) float64 { return float64(i % 7) }, same)
	var orthogonal mat.Dense
	qr.QTo(&orthogonal)
	for name, c := range map[string]struct {
		g     *coles.Graph
		x     mat.Matrix
		known bool
		want  coles.ModelKind
	}{
		"40 columns":            {g, x, true, coles.GraphModel},
		"39 columns":            {g, x.Slice(0, 64, 0, 39), false, coles.GraphModel},
		"an orthogonal matrix":  {g, &orthogonal, false, coles.GraphModel},
		"columns all alike":     {g, same, false, coles.GraphModel}, // nothing is left of them but rounding
		"no features but zeros": {g, mat.NewDense(64, 40, nil), false, coles.GraphModel},
		"no edges":              {graphOf(64), x, true, coles.FeatureModel},
		"no edges, few columns": {graphOf(64), x.Slice(0, 64, 0, 4), true, coles.FeatureModel},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				a := alignment(c.g, c.x, func(s *coles.Settings) { s.Seed, s.Preparation = seed, coles.PrepareNone })
				if a.Known != c.known || a.Model() != c.want || !a.Known && (a.Ratio != 0 || a.Deviation != 0) {
					t.Errorf("seed %d: %+v, model %v", seed, a, a.Model())
				}
				m := fitted(c.g, c.x, coles.WithPreparation(coles.PrepareNone), coles.WithSeed(seed))
				testkit.WantSame(t, "the model that Fit chooses", m.Report().Model, c.want)
			}
		})
	}
}

// Fit measures what the settings measure, says so, and does as it says.
func TestFitFollowsTheAlignment(t *testing.T) {
	chosen := make(map[coles.ModelKind]bool)
	for seed, alike := range []float64{0, 0.3, 0.9} {
		g, x := topics(uint64(seed), 90, 60, alike)
		for _, precision := range precisions {
			opts := []coles.Option{coles.WithDim(10), coles.WithPrecision(precision)}
			want := alignment(g, x, func(s *coles.Settings) { s.Precision, s.Dim = precision, 10 })
			m := fitted(g, testkit.SparseOf(x), opts...)
			r := m.Report()
			testkit.WantSame(t, "the report", r.Alignment, &want)
			testkit.WantSame(t, "the file", read(m).Report().Alignment, &want)
			testkit.WantSame(t, "the models", []coles.ModelKind{r.Model, m.Settings().Model}, []coles.ModelKind{want.Model(), want.Model()})
			kind := map[coles.ModelKind]string{coles.GraphModel: "graph model", coles.FeatureModel: "feature model"}[want.Model()]
			for _, says := range []string{fmt.Sprintf("q = %.2g", want.Ratio), kind} {
				if !strings.Contains(want.String(), says) || !strings.Contains(r.String(), says) {
					t.Errorf("%q or\n%v\ndo not say %q", want, r, says)
				}
			}
			// Asked for, the same model is the same embedding, and nothing is measured.
			asked := fitted(g, x, append(opts, coles.WithModel(r.Model))...)
			testkit.WantSame(t, "asked for", testkit.Bits(asked.Embedding()), testkit.Bits(fitted(g, x, opts...).Embedding()))
			if asked.Report().Alignment != nil {
				t.Error("q is measured where nothing depends on it")
			}
			chosen[r.Model] = true
		}
	}
	if len(chosen) != 2 {
		t.Errorf("only %v was chosen: the cases show nothing", chosen)
	}
}

// The choices on real graphs, whatever the seed. They were made without labels; by labels they are
// right on those with a margin.
func TestModelsOfRealGraphs(t *testing.T) {
	skipUnderRace(t)
	seeds := uint64(testkit.Few(4, 20))
	for name, want := range map[string]coles.ModelKind{
		"texas": coles.FeatureModel, "cornell": coles.FeatureModel, "wisconsin": coles.FeatureModel, "actor": coles.FeatureModel,
		"cora": coles.GraphModel, "citeseer": coles.GraphModel, "pubmed": coles.GraphModel, "amazon_photo": coles.GraphModel, "coauthor_cs": coles.GraphModel,
		"flickr": coles.GraphModel, "chameleon": coles.GraphModel, "squirrel": coles.GraphModel, "tolokers": coles.GraphModel,
	} {
		t.Run(name, func(t *testing.T) {
			d, g := openGraph(t, name)
			var logs []float64
			columns := 0
			for seed := range seeds {
				a := alignment(g, d.Features, func(s *coles.Settings) { s.Seed = seed })
				if a.Model() != want {
					t.Errorf("seed %d: %v", seed, a)
				}
				logs = append(logs, math.Log(max(a.Ratio, 1e-9)))
				columns += a.Columns
			}
			mean, deviation := stat.MeanStdDev(logs, nil)
			t.Logf("q = %.3f, its logarithm deviates by %.3f, %.0f columns", math.Exp(mean), deviation, float64(columns)/float64(seeds))
		})
	}
}
