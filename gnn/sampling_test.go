package gnn

import (
	"context"
	"iter"
	"slices"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// samplerOf draws the same samples in every epoch.
func samplerOf(name string, make func(g *coles.Graph, rows []int) []*custom.Sample) custom.Sampler {
	return custom.Sampler{Name: name, Start: func(_ context.Context, g *coles.Graph, rows []int, _ uint64) (custom.Samples, error) {
		samples := make(g, rows)
		return func(ctx context.Context, _ int) iter.Seq2[*custom.Sample, error] {
			return func(yield func(*custom.Sample, error) bool) {
				for _, s := range samples {
					if !yield(s, ctx.Err()) {
						return
					}
				}
			}
		}, nil
	}}
}

// exactly is a sample of some nodes with all of their neighbours, and these with all of theirs, as
// many times as there are layers, every factor being 1. Nodes stand before what they see.
func exactly(g *coles.Graph, out []int, layers int) *custom.Sample {
	s := &custom.Sample{Levels: [][]int{out}}
	for range layers {
		to := s.Levels[0]
		from, place := slices.Clone(to), map[int]int{}
		for k, u := range to {
			place[u] = k
		}
		f := &autodiff.CSR[float64]{Rows: len(to), Ptr: []int64{0}}
		for _, u := range to {
			cols, _ := inside.Adjacency(g).Row(u)
			var at []int32
			for _, v := range append([]int32{int32(u)}, cols...) {
				if _, ok := place[int(v)]; !ok {
					place[int(v)], from = len(from), append(from, int(v))
				}
				at = append(at, int32(place[int(v)]))
			}
			slices.Sort(at)
			for _, v := range at {
				f.Col, f.Val = append(f.Col, v), append(f.Val, 1)
			}
			f.Ptr = append(f.Ptr, int64(len(f.Col)))
		}
		f.Cols = len(from)
		s.Levels, s.Factors = slices.Insert(s.Levels, 0, from), slices.Insert(s.Factors, 0, f)
	}
	return s
}

// exact draws every node once, in samples of at most a given number, with all nodes that they see.
func exact(size, layers int) custom.Sampler {
	return samplerOf("exact", func(g *coles.Graph, rows []int) (all []*custom.Sample) {
		for part := range slices.Chunk(rows, size) {
			all = append(all, exactly(g, part, layers))
		}
		return all
	})
}

// A sample with all that its nodes see gives them the output of the whole graph. One of all nodes
// trains like the graph, with labels and without, and so does a block of all labelled nodes.
func TestPartsOfEverythingAreTheGraph(t *testing.T) {
	g, x, labels, train, val := separated()
	for _, network := range []Network{{Linear(3)}, {GCN(6), ReLU(), GCN(3)}, {SAGE(6), ReLU(), GCN(3)}, {Propagate(coles.SGC(2)), SAGE(4), ReLU(), Linear(3)}} {
		layers := network.hops()
		t.Run(network.String(), func(t *testing.T) {
			r := runOf(t, g, x, withNetwork(network...), withSampler(exact(50, layers)))
			whole := dense(testkit.Must(r.output(ctx)))
			for _, b := range batchesOf(t, r, 0) {
				part := dense(stepOf(r, b).Output(&custom.View{}).Data())
				for k, i := range b.block {
					testkit.WantClose(t, "output", part.Slice(k, k+1, 0, 3), whole.Slice(i, i+1, 0, 3), 1e-13)
				}
			}

			options := []Option{withNetwork(network...), withPrecision(coles.Float64), withOptimizer(optim.SGD(0.1, 0)), withEpochs(5)}
			embedding := func(more Option) *mat.Dense {
				return testkit.Must(Train(ctx, g, x, append(options, more)...)).Embedding()
			}
			scores := func(more Option) *mat.Dense {
				c := testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, append(options, more)...))
				return testkit.Must(c.Scores(ctx, g, x))
			}
			sampled, graph := withSampler(exact(g.Nodes(), layers)), withBatchSize(0)
			// Sums of some tens of numbers below 10, in another order, over five steps.
			testkit.WantClose(t, "embedding", embedding(sampled), embedding(graph), 1e-11)
			testkit.WantClose(t, "scores", scores(sampled), scores(graph), 1e-11)
			testkit.WantClose(t, "scores of a block", scores(withBatchSize(len(train))), scores(graph), 1e-12)
		})
	}
}

// What comes of factors: an operator's entries times these, nothing where the operator has none, and
// a node that is drawn twice counts twice.
func TestFactorsMultiplyTheOperator(t *testing.T) {
	g, x := small(1)
	to, from := []int{7, 3, 7}, []int{7, 3, 7, 5, 39, 12}
	factors := testkit.RandomDense(testkit.Random(2), len(to), len(from))
	f := &autodiff.CSR[float64]{Rows: len(to), Cols: len(from), Ptr: []int64{0}}
	for i := range to {
		for j := range from {
			f.Col, f.Val = append(f.Col, int32(j)), append(f.Val, factors.At(i, j))
		}
		f.Ptr = append(f.Ptr, int64(len(f.Col)))
	}
	sample := &custom.Sample{Levels: [][]int{from, to}, Factors: []*autodiff.CSR[float64]{f}}
	r := runOf(t, g, x, withNetwork(GCN(4)), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 1 }), withSampler(samplerOf("one", func(*coles.Graph, []int) []*custom.Sample { return []*custom.Sample{sample} })))
	h := dense(stepOf(r, batchesOf(t, r, 0)[0]).Output(&custom.View{}).Data())

	w := testkit.DenseOf(coles.Normalize(g))
	y := testkit.Product(x.ToDense(), dense(r.encoder.params[0].value))
	want := mat.NewDense(len(to), 4, nil)
	for i, u := range to {
		for j, v := range from {
			floats.AddScaled(want.RawRowView(i), w.At(u, v)*factors.At(i, j), y.RawRowView(v))
		}
	}
	testkit.WantClose(t, "output", h, want, 1e-13)
}

// The loss of labels by the formula, with weights and without, and its gradient by differences.
func TestLossOfLabelsEqualsItsFormula(t *testing.T) {
	g, x, labels, train, val := separated()
	weights, alike := make([]float64, g.Nodes()), slices.Repeat([]float64{1 / float64(len(train))}, g.Nodes())
	for i := range weights {
		weights[i] = 0.1 + float64(i%5)
	}
	for _, c := range []struct{ given, meant []float64 }{{weights, weights}, {nil, alike}} {
		sampler := samplerOf("weighted", func(g *coles.Graph, _ []int) []*custom.Sample {
			s := exactly(g, testkit.UpTo(g.Nodes()), 1)
			s.Weights = c.given
			return []*custom.Sample{s}
		})
		r := labelledRun(t, g, x, labels, train, val, withNetwork(GCN(AutoWidth)), withSampler(sampler))
		b := batchesOf(t, r, 0)[0]
		checkGradients(t, r, b, 1e-9)
		step := stepOf(r, b)
		got, h, want := r.Objective.loss64(step).Scalar(), dense(step.Output(&custom.View{}).Data()), 0.0
		for _, i := range train {
			class := slices.Index([]int{3, 5, 9}, labels[i])
			want += c.meant[i] * (floats.LogSumExp(h.RawRowView(i)) - h.At(i, class))
		}
		testkit.WantNear(t, "loss", got, want, 1e-13)
	}
}

// A step without a label changes nothing.
func TestSampleWithoutLabels(t *testing.T) {
	g, x, labels, train, val := separated()
	sampler := samplerOf("others", func(g *coles.Graph, _ []int) []*custom.Sample {
		return []*custom.Sample{exactly(g, []int{100, 101}, 1)}
	})
	r := labelledRun(t, g, x, labels, train, val, withNetwork(GCN(AutoWidth)), withSampler(sampler))
	if loss := testkit.Must(r.gradients(ctx, batchesOf(t, r, 0)[0], 0, newRand(1))); loss != 0 || r.last.GradientNorm != 0 {
		t.Errorf("loss %v, gradient of norm %v", loss, r.last.GradientNorm)
	}
}

func TestSamplersAreToldTheNodes(t *testing.T) {
	g, x, labels, train, val := separated()
	slices.Reverse(train)
	var told []int
	sampler := samplerOf("told", func(g *coles.Graph, rows []int) []*custom.Sample {
		told = rows
		return []*custom.Sample{exactly(g, rows, 1)}
	})
	options := []Option{withNetwork(GCN(AutoWidth)), withSampler(sampler), withEpochs(1)}
	testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, options...))
	testkit.WantSame(t, "labelled nodes", told, testkit.UpTo(len(train)))
	testkit.Must(Train(ctx, g, x, options...))
	testkit.WantSame(t, "all nodes", told, testkit.UpTo(g.Nodes()))
}

// blind is a layer that does not declare its hops.
func blind() Layer {
	return NewLayer("blind", custom.LayerSpec{Width: SameWidth}, func(p *custom.Pass[float32], h *autodiff.Value[float32]) *autodiff.Value[float32] {
		return p.SpMM(p.W(), h)
	},
		func(p *custom.Pass[float64], h *autodiff.Value[float64]) *autodiff.Value[float64] {
			return p.SpMM(p.W(), h)
		})
}

func TestBadSamples(t *testing.T) {
	g, x := small(1)
	ones := func(rows, cols int) *autodiff.CSR[float64] {
		return &autodiff.CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1)}
	}
	one := []*autodiff.CSR[float64]{ones(1, 2)}
	for name, c := range map[string]struct {
		sample  *custom.Sample
		network Network
		want    error
	}{
		"no levels":            {&custom.Sample{}, nil, coles.ErrShape},
		"a level too many":     {&custom.Sample{Levels: [][]int{{1, 2}, {1}, {1}}, Factors: append(one, ones(1, 1))}, nil, coles.ErrShape},
		"no factors":           {&custom.Sample{Levels: [][]int{{1, 2}, {1}}}, nil, coles.ErrShape},
		"an empty level":       {&custom.Sample{Levels: [][]int{{1, 2}, {}}, Factors: []*autodiff.CSR[float64]{ones(0, 2)}}, nil, coles.ErrShape},
		"no such node":         {&custom.Sample{Levels: [][]int{{1, 40}, {1}}, Factors: one}, nil, coles.ErrIndex},
		"a node below zero":    {&custom.Sample{Levels: [][]int{{1, 2}, {-1}}, Factors: one}, nil, coles.ErrIndex},
		"too narrow factors":   {&custom.Sample{Levels: [][]int{{1, 2, 3}, {1}}, Factors: one}, nil, coles.ErrShape},
		"too few factors":      {&custom.Sample{Levels: [][]int{{1, 2}, {1, 2}}, Factors: one}, nil, coles.ErrShape},
		"weights":              {&custom.Sample{Levels: [][]int{{1, 2}, {1}}, Factors: one, Weights: []float64{1, 2}}, nil, coles.ErrShape},
		"others stand before":  {&custom.Sample{Levels: [][]int{{2, 1}, {1}}, Factors: one}, Network{SAGE(3)}, coles.ErrSetting},
		"a layer without hops": {&custom.Sample{Levels: [][]int{{1, 2}, {1}}, Factors: one}, Network{GCN(3), blind()}, coles.ErrSetting},
		"nothing":              {nil, nil, coles.ErrSetting},
		"two hops":             {nil, Network{GCN(3), Propagate(coles.SGC(2))}, coles.ErrSetting},
	} {
		t.Run(name, func(t *testing.T) {
			sampler := samplerOf("bad", func(*coles.Graph, []int) (all []*custom.Sample) {
				if c.sample != nil {
					all = append(all, c.sample)
				}
				return all
			})
			if c.network == nil {
				c.network = Network{GCN(3)}
			}
			testkit.WantError(t, testkit.Err(Train(ctx, g, x, withNetwork(c.network...), withSampler(sampler))), c.want)
		})
	}
}

// Features that nothing is done to are read where they are, and of them only the rows of a sample.
func TestMappedFeaturesAreNotCopied(t *testing.T) {
	g := testkit.Must(coles.NewGraph(40, testkit.Ring(40, 2)))
	x := &coles.Dense32{Rows: 40, Cols: 12, Stride: 12, Data: make([]float32, 480)}
	c := testkit.Must(newConfig(DefaultSettings(), []Option{withNetwork(GCN(4)), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 1 }), withSampler(exact(4, 1))}))
	r := testkit.Must(newRun[float32](ctx, c, g, x, supervision{}))
	if &r.data.whole.x.Dense.Data[0] != &x.Data[0] {
		t.Error("the features are a copy")
	}
	if err := r.eachBatch(ctx, 0, func(_ int, b *batch[float32]) error {
		if rows := b.view.x.Rows(); rows > 4+2*2 { // of four in a row
			t.Errorf("%d rows are read", rows)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
