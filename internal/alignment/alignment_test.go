package alignment_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var ctx = context.Background()

// measure is the alignment by the default settings and a change.
func measure(g *coles.Graph, x mat.Matrix, change func(s *coles.Settings)) coles.Alignment {
	s := coles.DefaultSettings()
	change(&s)
	return testkit.Must(s.Alignment(ctx, g, x))
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
	k := kernelOracle{x: testkit.DenseOf(testkit.Must(testkit.Must(s.Preparation.Fit(ctx, x)).Apply(ctx, x))), root: g.Degrees()}
	coefficients := s.Filter.Coefficients()
	k.fx = testkit.Product(testkit.Powers(coles.Normalize(g), len(coefficients)-1, func(i int) float64 { return coefficients[i] }), k.x)
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

// of adds up the agreements of A and its complement B, in both roles.
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
	projector := testkit.Eye(n)
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

// mean is q by many random splits, and its standard error.
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

// An estimate is without bias in its parts, so that over many seeds q is the q of the kernels, but
// for the bias that a ratio has, of second order in its deviation.
func TestAlignmentEqualsKernels(t *testing.T) {
	for name, alike := range map[string]float64{"neighbours alike": 0.9, "neighbours of any kind": 0} {
		t.Run(name, func(t *testing.T) {
			g, x := testkit.Topics(5, 60, 48, alike)
			oracle := newKernelOracle(g, x, coles.DefaultSettings())
			want, unsure := oracle.mean(1, 300)
			const seeds = 400
			var logs []float64
			stated := 0.0
			for seed := range uint64(seeds) {
				a := measure(g, x, func(s *coles.Settings) { s.Seed = seed })
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

// q is a ratio: it depends on no unit.
func TestAlignmentOfAnySize(t *testing.T) {
	g, x := testkit.Topics(6, 60, 48, 0.6)
	plain := func(s *coles.Settings) { s.Preparation = coles.PrepareNone }
	want := measure(g, x, plain)
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
		wantLike(fmt.Sprint("features times ", size), measure(g, scaled, plain))
		wantLike(fmt.Sprint("a filter times ", size), measure(g, x, func(s *coles.Settings) {
			plain(s)
			c := s.Filter.Coefficients()
			for k := range c {
				c[k] *= size
			}
			s.Filter = coles.Polynomial(c...)
		}))
	}
	wantLike("float32", measure(g, testkit.SingleOf(x), plain)) // which holds counts
}

// Over seeds log q deviates by what is stated, on columns of any kind: on few that hold half of the
// numbers, too, and on copies of each other, which the groups part or not.
func TestDeviationIsAsStated(t *testing.T) {
	topics, words := testkit.Topics(5, 300, 200, 0.5)
	mixed, table := testkit.Mixed(6, 400, 0.5)
	heavy := testkit.DenseOf(table)
	heavy.Apply(func(_, j int, v float64) float64 {
		if j >= 17 && j < 20 {
			return 4 * v
		}
		return v
	}, heavy)
	factors, copies := mat.NewDense(300, 64, nil), mat.NewDense(300, 64, nil)
	rng := testkit.Random(7)
	factors.Mul(testkit.RandomDense(rng, 300, 6), testkit.RandomDense(rng, 6, 64))
	for i := range 300 {
		for j := range 64 {
			factors.Set(i, j, factors.At(i, j)+float64(i%3*(j%3))+rng.NormFloat64())
			copies.Set(i, j, rng.NormFloat64()/3+factors.At(i, j/4))
		}
	}
	for name, c := range map[string]struct {
		g   *coles.Graph
		x   mat.Matrix
		how coles.Preparation
	}{
		"words": {topics, words, coles.PrepareAuto}, "a table": {mixed, table, coles.PrepareAuto},
		"a table of large numbers": {mixed, heavy, coles.PrepareNone},
		"factors":                  {topics, factors, coles.PrepareStandardize}, "copies": {topics, copies, coles.PrepareStandardize},
	} {
		t.Run(name, func(t *testing.T) {
			var logs []float64
			stated, seeds := 0.0, testkit.Few(40, 200)
			for seed := range uint64(seeds) {
				a := measure(c.g, c.x, func(s *coles.Settings) { s.Seed, s.Preparation = seed, c.how })
				logs = append(logs, math.Log(a.Ratio))
				stated += a.Deviation * a.Deviation / float64(seeds)
			}
			mean, spread := stat.MeanStdDev(logs, nil)
			t.Logf("q is %.2f, its logarithm deviates by %.3f, %.3f as stated", math.Exp(mean), spread, math.Sqrt(stated))
			if ratio := spread / math.Sqrt(stated); ratio < 0.6 || ratio > 1.6 {
				t.Errorf("log q deviates by %.3f, and is said to by %.3f", spread, math.Sqrt(stated))
			}
		})
	}
}

// On a table of mixed columns the model is the features where edges join any nodes, and the graph where
// they join nodes of a kind.
func TestChoiceOnATable(t *testing.T) {
	for alike, want := range map[float64]coles.Kind{0: coles.UseFeatures, 0.8: coles.UseGraph} {
		for seed := range uint64(testkit.Few(5, 40)) {
			g, x := testkit.Mixed(seed, 600, alike)
			if a := measure(g, x, func(s *coles.Settings) { s.Seed = seed }); a.Kind() != want {
				t.Errorf("%v alike, seed %d: %+v, %v", alike, seed, a, a)
			}
		}
	}
}
