package gnn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/testkit"
)

// Every node is in one block. On a grid blocks of 100 nodes in the order of a search are rings, one or
// two nodes wide, which keep a quarter of the edges at the least; random blocks keep a ninth.
func TestBlocksShareTheNodesOutAndHoldTogether(t *testing.T) {
	g := grid(30)
	for _, size := range []int{1, 7, 100, 899} {
		var seen []int
		kept := 0
		for _, b := range blocks(inside.Adjacency(g), size, newRand(1)) {
			if len(b) == 0 || len(b) > size {
				t.Errorf("a block of %d nodes, want 1 to %d", len(b), size)
			}
			seen = append(seen, b...)
			kept += testkit.Must(induced(ctx, inside.Adjacency(g), b)).Report().Edges
		}
		slices.Sort(seen)
		testkit.WantSame(t, "the nodes of all blocks", seen, testkit.UpTo(g.Nodes()))
		if share := float64(kept) / float64(g.Report().Edges); size == 100 && share < 0.25 {
			t.Errorf("blocks keep %.2f of the edges", share)
		}
	}
}

// outputOf is a network's output for a view.
func outputOf(r *run[float64], v *view[float64]) kernel.Matrix[float64] {
	return last(r.encoder.embed(ctx, autodiff.New[float64](ctx), v, nil, nil)).Data()
}

// On a grid what is k hops around a node is 2·k·(k+1) others, far from all of them: every network
// gets as much as it looks at and no more, and has the output of the whole graph.
func TestSurroundingsAreEnough(t *testing.T) {
	g := grid(21)
	x, _ := testkit.RandomWords(testkit.Random(90), 441, 7)
	const middle = 10*21 + 10
	for _, c := range []struct {
		layers Network
		hops   int
	}{
		{Network{Linear(3)}, 0},
		{Network{GCN(4)}, 1},
		{Network{SAGE(4), ReLU(), GCN(3)}, 2},
		{Network{GCN(4), Propagate(coles.SGC(3))}, 4},
		{Network{GCN(4), Propagate(coles.S2GCSum(2)), SAGE(3)}, 4},
		{Network{gated(4), swish(), gated(3)}, 2},
		{Network{Propagate(coles.SGC(5)), GCN(4)}, 1}, // what leads is done once, for all
	} {
		t.Run(c.layers.String(), func(t *testing.T) {
			r := runOf(t, g, x, withNetwork(c.layers...))
			whole := dense(testkit.Must(r.output(ctx)))
			for _, block := range [][]int{{middle}, {middle, 3, 440, 17}} {
				v := testkit.Must(r.data.surroundings(ctx, block, r.Network.hops()))
				if want := 1 + 2*c.hops*(c.hops+1); len(block) == 1 && v.x.Rows() != want {
					t.Errorf("%d nodes, want %d", v.x.Rows(), want)
				}
				part := dense(outputOf(r, v))
				cols := part.RawMatrix().Cols
				for k, i := range block {
					// Sums of some tens of numbers below 10, in another order.
					testkit.WantClose(t, "the output", part.Slice(k, k+1, 0, cols), whole.Slice(i, i+1, 0, cols), 1e-13)
				}
			}
		})
	}
}

// ΔW of a block has no trivial direction either: W⁺·s − s·(sᵀs) = 0 for s = √degree within the
// block.
func TestContrastOfBlockLacksTheTrivialDirection(t *testing.T) {
	g := grid(10)
	b := blocks(inside.Adjacency(g), 40, newRand(3))[0]
	part := testkit.Must(induced(ctx, inside.Adjacency(g), b))
	r := &run[float64]{config: config{Settings: DefaultSettings()}, tape: autodiff.New[float64](ctx)}
	contrast := stepOf(r, &batch[float64]{graph: part, seed: 1}).Contrast()
	s, product := randomMatrix(1, len(b), 1), randomMatrix(2, len(b), 1)
	for i, d := range part.Degrees() {
		s.Data[i] = math.Sqrt(d)
	}
	testkit.Check(t, contrast(ctx, product, s))
	for i, v := range product.Data {
		if math.Abs(v) > 1e-14 {
			t.Errorf("entry %d of ΔW·s is %.2g", i, v)
		}
	}
}

// Blocks are shared out anew in every epoch.
func TestBlocksAreOthersInEveryEpoch(t *testing.T) {
	g, x := small(73)
	r := runOf(t, g, x, withBatchSize(10))
	steps := map[string]int{}
	for epoch := range 3 {
		nodes := 0
		for _, b := range batchesOf(t, r, epoch) {
			nodes += b.graph.Nodes()
			steps[fmt.Sprint(b.view.x.Sparse)]++
		}
		if nodes != 40 {
			t.Errorf("epoch %d goes through %d of 40 nodes", epoch, nodes)
		}
	}
	for _, times := range steps {
		if times == 3 {
			t.Error("a block is the same in all epochs")
		}
	}
}

// The smallest blocks train: most have no edge within, and a loss of pairs is 0 there.
func TestSmallestBlocks(t *testing.T) {
	g, x := small(74)
	for _, c := range cases {
		if c.name == "augmentation" || c.name == "own layers and objective" || c.name == "samples" {
			continue // there are no views and no samples in batches
		}
		for _, size := range []int{1, 2} {
			_, err := Train(ctx, g, x, smallOptions(append(c.opts, withOptimizer(optim.Adam(1e-3)), withBatchSize(size))...)...)
			if c.name == "sampled negatives" && size == 1 {
				testkit.WantError(t, err, coles.ErrDense) // a block of one node has no other to draw
			} else if err != nil {
				t.Errorf("%s in blocks of %d: %v", c.name, size, err)
			}
		}
	}
}

// The rows of a step say which nodes of the graph it has, and its graph has the edges among them.
func TestRowsOfAStep(t *testing.T) {
	g, x := small(77)
	seen := make([]int, 40)
	loss := func(s *custom.Step[float64]) *autodiff.Value[float64] {
		rows, part, whole := s.Rows(), testkit.DenseOf(s.Graph().CSR()), testkit.DenseOf(g.CSR())
		for i, u := range rows {
			seen[u]++
			for j, v := range rows {
				if part.At(i, j) != whole.At(u, v) {
					t.Errorf("entry %d, %d of the block is not that of nodes %d, %d", i, j, u, v)
				}
			}
		}
		return s.Mean(s.Output(&custom.View{}))
	}
	testkit.Must(Train(ctx, g, x, smallOptions(withObjective(objectiveOf(custom.ObjectiveSpec{}, loss)), withBatchSize(10), withEpochs(1))...))
	testkit.WantSame(t, "times that a node was seen", seen, slices.Repeat([]int{1}, 40))
}
