package gnn

import (
	"fmt"
	"testing"

	"coles"
	"coles/internal/tape"
)

// On a grid what is k hops around a node is 2·k·(k+1) others, far from all of them:
// every network gets as much as it looks at and no more, and has the whole graph's output.
func TestSurroundingsOnAGrid(t *testing.T) {
	g := grid(21)
	x, _ := randomWords(90, 441, 7)
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
		{Network{Propagate(coles.SGC(5)), GCN(4)}, 1}, // what leads is done once, for all
	} {
		t.Run(fmt.Sprint(c.layers), func(t *testing.T) {
			r := must(newRun[float64](ctx, must(newConfig(DefaultSettings(), smallOptions(WithNetwork(c.layers...)))), g, x, 0))
			v := r.data.surroundings([]int{middle}, r.Network.hops())
			if got, want := v.x.rows(), 1+2*c.hops*(c.hops+1); got != want {
				t.Errorf("%d nodes, want %d", got, want)
			}
			whole := dense(must(r.output(ctx)))
			part := dense(r.encoder.embed(ctx, tape.New[float64](ctx), v, nil).Data())
			if d := maxDiff(part, whole.Slice(middle, middle+1, 0, part.RawMatrix().Cols)); d > 1e-13 {
				t.Errorf("the output is off by %.2g", d)
			}
		})
	}
}

// Blocks keep the weights of the edges within them, each edge once.
func TestInducedGraphKeepsItsEdges(t *testing.T) {
	g, a := weighted(91, 30)
	block := []int{7, 3, 22, 11, 0, 15, 29, 4}
	part := must(induced(ctx, g.CSR(), block)).CSR()
	for k, i := range block {
		for l, j := range block {
			if got, want := part.At(k, l), a.At(i, j); got != want {
				t.Errorf("nodes %d and %d: weight %v, want %v", i, j, got, want)
			}
		}
	}
}
