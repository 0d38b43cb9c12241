package gnn

import (
	"bytes"
	"math"
	"testing"

	"coles"
	"coles/gnn/optim"
	"coles/internal/matrix"
	"coles/internal/testkit"
	"coles/internal/testkit/promise"

	"gonum.org/v1/gonum/mat"
)

// A script is read as choices of this package.
type script struct{ testkit.Script }

// number is mostly tame, sometimes not.
func (s *script) number() float64 {
	odd := []float64{0, 1, -1, 0.5, 1e-320, 1e-160, 1e30, 1e160, 1.7e308, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e-9}
	if b := s.Byte(); b > 0 {
		return float64(b) / 16
	}
	return odd[s.Byte()%len(odd)]
}

// graph has up to 9 nodes.
func (s *script) graph() *coles.Graph {
	n := 1 + s.Byte()%9
	var pairs []coles.Edge
	for range s.Byte() % 16 {
		pairs = append(pairs, coles.Edge{U: s.Byte() % n, V: s.Byte() % n})
	}
	return testkit.Must(coles.NewGraph(n, pairs))
}

func (s *script) features(n int) mat.Matrix {
	x := mat.NewDense(n, 1+s.Byte()%4, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return s.number() }, x)
	if s.Byte()%2 > 0 {
		return testkit.SparseOf(x)
	}
	return x
}

func (s *script) layer() Layer {
	w := s.Byte()%5 - 1
	l := []Layer{GCN(w), Linear(w), SAGE(w), ReLU(), ELU(), PReLU(), Dropout(s.number()), Propagate(coles.SGC(s.Byte()%3 - 1)), {}, gated(w), swish()}[s.Byte()%11]
	if s.Byte()%8 == 0 {
		l = l.Orthonormal()
	}
	return l
}

// options are options of Train, some of them out of range.
func (s *script) options() []Option {
	network := []Layer{GCN(3), s.layer(), s.layer()}[s.Byte()%2:]
	k := s.Byte()%5 - 1
	samplers := []coles.NegativeSampler{{}, coles.UniformNegatives(k), coles.DegreeNegatives(k), coles.ErdosRenyiNegatives(s.number())}
	d := Settings{
		Objective:   []Objective{COLES(s.number()), SampledNCE(k, s.number()), PowerMean(s.number()-4, k), {}, infomax()}[s.Byte()%5],
		Preparation: coles.Preparation(s.Byte()%8 - 1), FeatureScale: s.number(), Negatives: samplers[s.Byte()%4], Kappa: k, Eta: s.number(),
	}
	all := []Option{
		withNetwork(network...), withObjective(d.Objective), With(func(to *Settings) { to.Preparation, to.FeatureScale = d.Preparation, d.FeatureScale }),
		With(func(to *Settings) { to.FreshNegatives = true }), With(func(to *Settings) { to.Negatives, to.Kappa, to.Eta = d.Negatives, d.Kappa, d.Eta }),
		withAugmentation(Drop([2]float64{s.number() / 16, 0}, [2]float64{0, s.number() / 16})),
		withOptimizer([]optim.Optimizer{optim.Adam(s.number()), optim.SGD(s.number(), s.number()/16), optim.SGD(1e30, 0), optim.Adam(1).WithDecay(s.number()), {}}[s.Byte()%5]),
		withSchedule([]optim.Schedule{optim.Cosine(k), optim.Exponential(s.number() / 16), {}}[s.Byte()%3]), withEpochs(s.Byte()%6 - 1), withRankStop(s.number()),
		withBatchSize(s.Byte()%6 - 1), withNorm(s.number()), withPrecision(coles.Precision(s.Byte()%5 - 1)), withSeed(uint64(s.Byte())), withPatience(k),
	}
	opts := []Option{withNetwork(GCN(3), ReLU(), GCN(2)), withEpochs(2)}
	for range s.Byte() % 6 {
		opts = append(opts, all[s.Byte()%len(all)])
	}
	return opts
}

// What trains embeds, is written, and is read; nothing panics, hangs, or is no number.
func FuzzTrain(f *testing.F) {
	testkit.AddScripts(f, 24, 60, 10)
	f.Fuzz(func(t *testing.T, choices []byte) {
		ctx := promise.NewCountdown(1 << 20) // the seeds look up to 20,000 times
		defer ctx.End()
		s := &script{choices}
		// Numbers, or an error with a name.
		check := func(door string, y *mat.Dense, err error) {
			switch {
			case ctx.Err() != nil:
				t.Fatalf("%s hangs", door)
			case err != nil && !testkit.IsNamed(err, ErrDiverged):
				t.Fatalf("%s: error %v has no name", door, err)
			case err == nil && !matrix.Finite(matrix.Magnitude(y.RawMatrix().Data)):
				t.Fatalf("%s: the embedding is not finite", door)
			}
		}
		g := s.graph()
		x, opts := s.features(g.Nodes()), s.options()
		m, err := Train(ctx, g, x, opts...)
		if err != nil {
			check("Train", nil, err)
			return
		}
		check("Train", m.Embedding(), nil)
		again, err := m.Embed(ctx, g, x)
		check("Embed", again, err)
		if d := testkit.MaxDiff(again, m.Embedding()); d != 0 {
			t.Errorf("embedded again it is off by %g", d)
		}
		other, err := m.Embed(ctx, g, s.features(g.Nodes()))
		check("Embed of other features", other, err)
		testkit.Must(ReadModel(bytes.NewReader(fileOf(m)), m.Settings().Network...))
	})
}
