package rivals

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// possible are the subgraphs that walks of one step from two of the rows may come to, by their nodes,
// with their probabilities, by trying all of them.
func possible(g *coles.Graph, rows []int) map[string]*possibleSubgraph {
	type walk struct {
		nodes []int
		p     float64
	}
	var walks []walk
	for _, root := range rows {
		cols, _ := inside.Adjacency(g).Row(root)
		for _, v := range cols {
			walks = append(walks, walk{[]int{root, int(v)}, 1 / float64(len(rows)*len(cols))})
		}
	}
	all := map[string]*possibleSubgraph{}
	for _, a := range walks {
		for _, b := range walks {
			nodes := slices.Concat(a.nodes, b.nodes)
			slices.Sort(nodes)
			nodes = slices.Compact(nodes)
			s := all[fmt.Sprint(nodes)]
			if s == nil {
				s = &possibleSubgraph{nodes: nodes}
				all[fmt.Sprint(nodes)] = s
			}
			s.p += a.p * b.p
		}
	}
	return all
}

type possibleSubgraph struct {
	nodes []int
	p     float64
}

// With the true probabilities instead of counts, the sums over neighbours and the loss have the
// right means over everything that can be drawn: Σ_S P(S)·(1/α_uv, u and v in S) is P(v ∈ S), and the
// mean of the weights 1/n for labelled nodes.
func TestSubgraphsAreWithoutBias(t *testing.T) {
	g := walkGraph(false)
	for name, rows := range map[string][]int{"all nodes": {0, 1, 2, 3, 4, 5, 6}, "some nodes": {0, 2, 6}} {
		t.Run(name, func(t *testing.T) {
			s := testkit.Must(newSubgraphs(ctx, g, rows, 2, 1))
			// Degrees are 1, 2, 3 and 5: these times the probabilities are whole numbers.
			s.drawn = len(rows) * 30 * len(rows) * 30
			count := func(in func(nodes []int) bool) float32 {
				p := 0.0
				for _, c := range possible(g, rows) {
					if in(c.nodes) {
						p += c.p
					}
				}
				n := math.Round(p * float64(s.drawn))
				if math.Abs(n-p*float64(s.drawn)) > 1e-6 {
					t.Fatalf("%v of %d", p, s.drawn)
				}
				return float32(n)
			}
			for v := range 7 {
				s.node[v] = int32(count(func(nodes []int) bool { return slices.Contains(nodes, v) }))
				cols, counts := s.edge.Row(v)
				for q, u := range cols {
					counts[q] = count(func(nodes []int) bool { return slices.Contains(nodes, v) && slices.Contains(nodes, int(u)) })
				}
			}
			got, want, weights := mat.NewDense(7, 7, nil), mat.NewDense(7, 7, nil), make([]float64, 7)
			for _, c := range possible(g, rows) {
				sample := testkit.Must(s.sample(ctx, c.nodes))
				testkit.WantSame(t, "nodes", sample.Levels, [][]int{c.nodes, c.nodes, c.nodes})
				for i, v := range c.nodes {
					weights[v] += c.p * sample.Weights[i]
					cols, vals := sample.Factors[0].Row(i)
					for q, k := range cols {
						got.Set(v, c.nodes[k], got.At(v, c.nodes[k])+c.p*vals[q])
					}
				}
			}
			for v := range 7 {
				cols, counts := s.edge.Row(v)
				for q, u := range cols {
					if counts[q] > 0 { // an edge that can be drawn
						want.Set(v, int(u), float64(s.node[v])/float64(s.drawn))
					}
				}
				if s.node[v] > 0 && math.Abs(weights[v]-1/float64(len(rows))) > 1e-12 {
					t.Errorf("node %d weighs %v in the mean, want 1/%d", v, weights[v], len(rows))
				}
			}
			testkit.WantClose(t, "factors times P(v)", got, want, 1e-12)
		})
	}
}

// Subgraphs are drawn with their probabilities, and counted as they are drawn.
func TestSubgraphsAreCounted(t *testing.T) {
	g, rows := walkGraph(false), []int{0, 2, 6}
	s := testkit.Must(newSubgraphs(ctx, g, rows, 2, 1))
	const coverage, seed = 5000, 7
	if err := s.count(ctx, coverage, seed); err != nil {
		t.Fatal(err)
	}
	drawn, node, edge, met := map[string]int{}, make([]int32, 7), make([]float32, len(s.edge.Val)), 0
	for k := range s.drawn {
		nodes := testkit.Must(s.draw(ctx, stream.Seed(seed, uint64(k))))
		drawn[fmt.Sprint(nodes)]++
		for _, v := range nodes {
			node[v]++
			if slices.Contains(rows, v) {
				met++
			}
			cols, _ := inside.Adjacency(g).Row(v)
			for q, u := range cols {
				if slices.Contains(nodes, int(u)) {
					edge[int(inside.Adjacency(g).Ptr[v])+q]++
				}
			}
		}
	}
	testkit.WantSame(t, "nodes", s.node, node)
	testkit.WantSame(t, "edges", s.edge.Val, edge)
	if most := coverage*len(rows) + saintRound*len(rows); met < coverage*len(rows) || met > most {
		t.Errorf("labelled nodes came %d times, want %d to %d", met, coverage*len(rows), most)
	}
	all := possible(g, rows)
	var counts []int
	var p []float64
	for _, name := range slices.Sorted(maps.Keys(all)) {
		counts, p = append(counts, drawn[name]), append(p, all[name].p)
		delete(drawn, name)
	}
	if len(drawn) > 0 {
		t.Errorf("what cannot be drawn: %v", drawn)
	}
	wantLaw(t, counts, func(i int) float64 { return p[i] })
}

// GraphSAINT: the loss of its step, and the scores of all nodes after it, by the gradient and by the
// authors' setting. The parameters are those that Go draws.
func TestGraphSAINTEqualsTorch(t *testing.T) {
	const roots, steps, coverage = 3, 2, 12 // 6 nodes are labelled: one step is an epoch
	f := testkit.ReadFixture("testdata", "systems", "graphsaint.json")
	var labels, labelled []int
	f.Decode("labels", &labels)
	f.Decode("train", &labelled)
	s := GraphSAINT("")
	parts := []int{2, 1, 2, 1}
	s.Network = nil
	names := []string{"5.weight", "5.bias"}
	for at, p := range parts {
		s.Network = append(s.Network, saintLayer(p, 4*p))
		for k := range p {
			for _, what := range []string{"weight", "bias", "scale", "offset"} {
				names = append(names, fmt.Sprintf("%d.%d.%s", at, k, what))
			}
		}
	}
	s.Network = append(s.Network, unitRowsLayer(), gnn.Linear(gnn.AutoWidth))
	s.Sampler, s.Epochs, s.Precision = subgraphSampler(roots, steps, coverage), 1, coles.Float64
	s.Seed = 7 // ReLU leaves something of every row: one of zeros has a gradient of 1e11 in torch, and none here
	g, x := graphOf(f), denseOf(matrixOf(f.Rows("features")))
	var losses []float64
	scores := func(s gnn.Settings) *mat.Dense {
		losses = nil
		c := testkit.Must(gnn.TrainClassifier(ctx, g, x, labels, labelled, []int{1}, gnn.WithSettings(s), gnn.WithEpochReport(func(p gnn.EpochReport) { losses = append(losses, p.Loss) })))
		return testkit.Must(c.Scores(ctx, g, x))
	}

	var counted [][]int
	var nodes []int
	spy := custom.Sampler{Name: "spy", Start: func(_ context.Context, g *coles.Graph, rows []int, seed uint64) (custom.Samples, error) {
		d := testkit.Must(newSubgraphs(ctx, g, rows, roots, steps))
		first := stepSeed(seed, seedSampleWarmUp, 0, 0)
		if err := d.count(ctx, coverage, first); err != nil {
			return nil, err
		}
		for k := range d.drawn {
			counted = append(counted, testkit.Must(d.draw(ctx, stream.Seed(first, uint64(k)))))
		}
		nodes = testkit.Must(d.draw(ctx, stepSeed(seed, seedSampleNodes, 0, 0)))
		return func(context.Context, int) iter.Seq2[*custom.Sample, error] {
			return func(yield func(*custom.Sample, error) bool) { yield(d.sample(ctx, nodes)) }
		}, nil
	}}
	start := map[string][][]float64{}
	spied := s
	spied.Sampler = spy
	spied.Objective = objectiveOf(custom.ObjectiveSpec{Labels: true}, func(s *custom.Step[float64]) *autodiff.Value[float64] {
		for _, name := range names {
			start[name] = rowsOf(s.Parameter(name).Data())
		}
		return s.Sum(s.Output(&custom.View{}))
	})
	scores(spied)
	wantInFile(t, f, "start", start)
	wantInFile(t, f, "draws", []map[string]any{{"counted": counted, "nodes": nodes}})

	var want []float64
	f.Decode("loss", &want)
	for name, optimizer := range map[string]optim.Optimizer{"descended": optim.SGD(1, 0), "embedding": s.Optimizer} {
		s.Optimizer = optimizer
		testkit.WantClose(t, "scores, "+name, scores(s), denseOf(matrixOf(f.Rows(name))), torchTolerance)
		testkit.WantClose(t, "losses", mat.NewDense(1, 1, losses), mat.NewDense(1, 1, want[:1]), torchTolerance)
	}
}
