package gnn

import (
	"math"
	"testing"

	"coles"
	"coles/internal/tape"
)

// grid is a graph of side×side nodes, each joined to those beside it.
func grid(side int) *coles.Graph {
	var edges []coles.Edge
	for i := range side {
		for j := range side {
			if i+1 < side {
				edges = append(edges, coles.Edge{U: i*side + j, V: (i+1)*side + j})
			}
			if j+1 < side {
				edges = append(edges, coles.Edge{U: i*side + j, V: i*side + j + 1})
			}
		}
	}
	return must(coles.NewGraph(side*side, edges))
}

func TestBlocksShareTheNodesOut(t *testing.T) {
	g := grid(30)
	for _, size := range []int{1, 7, 100, 899} {
		seen := make([]int, g.Nodes())
		for _, b := range blocks(g.CSR(), size, newRand(1)) {
			if len(b) == 0 || len(b) > size {
				t.Errorf("a block of %d nodes, want 1 to %d", len(b), size)
			}
			for _, i := range b {
				seen[i]++
			}
		}
		for i, count := range seen {
			if count != 1 {
				t.Fatalf("size %d: node %d is in %d blocks", size, i, count)
			}
		}
	}
}

// On a grid blocks of 100 nodes in the order of a search are rings, one or two nodes
// wide, which keep a quarter of the edges at the least; random blocks keep a ninth.
func TestBlocksHoldTogether(t *testing.T) {
	g := grid(30)
	kept := 0
	for _, b := range blocks(g.CSR(), 100, newRand(2)) {
		kept += must(induced(ctx, g.CSR(), b)).Report().Edges
	}
	if share := float64(kept) / float64(g.Report().Edges); share < 0.25 {
		t.Errorf("blocks keep %.2f of the edges", share)
	}
}

// What a network makes of a block is what it makes of these nodes in the whole graph.
func TestSurroundingsAreEnough(t *testing.T) {
	g, x := small(16)
	for _, layers := range []Network{
		{GCN(6), ReLU(), GCN(4)},
		{SAGE(6), ReLU(), GCN(5), Propagate(coles.S2GCSum(2))},
		{Propagate(coles.SGC(3)), Linear(4)},
	} {
		config := must(newConfig(DefaultSettings(), smallOptions(WithNetwork(layers...))))
		r := must(newRun[float64](ctx, config, g, x, 0))
		whole := dense(must(r.output(ctx)))
		block := []int{3, 17, 39, 0}
		record := tape.New[float64](ctx)
		part := r.encoder.embed(ctx, record, r.data.surroundings(block, r.Network.hops()), nil).Data()
		for k, i := range block {
			for j := range part.Cols {
				// Sums of some tens of numbers below 10, in another order.
				if d := part.Data[k*part.Stride+j] - whole.At(i, j); d > 1e-13 || d < -1e-13 {
					t.Errorf("%v: node %d, column %d is off by %.2g", layers, i, j, d)
				}
			}
		}
	}
}

// ΔW of a block has no trivial direction either: W⁺·s − s·(sᵀs) = 0 for s = √degree
// within the block.
func TestContrastOfBlockLacksTheTrivialDirection(t *testing.T) {
	g := grid(10)
	b := blocks(g.CSR(), 40, newRand(3))[0]
	part := must(induced(ctx, g.CSR(), b))
	config := must(newConfig(DefaultSettings(), nil))
	r := &run[float64]{config: config}
	var step batch[float64]
	if err := r.pairs(ctx, &step, part, 1); err != nil {
		t.Fatal(err)
	}
	s := randomMatrix[float64](1, len(b), 1)
	for i, d := range part.Degrees() {
		s.Data[i] = math.Sqrt(d)
	}
	product := randomMatrix[float64](2, len(b), 1)
	if err := step.contrast(ctx, product, s); err != nil {
		t.Fatal(err)
	}
	for i, v := range product.Data {
		if v > 1e-14 || v < -1e-14 {
			t.Errorf("entry %d of ΔW·s is %.2g", i, v)
		}
	}
}
