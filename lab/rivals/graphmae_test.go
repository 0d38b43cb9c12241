package rivals

import (
	"math"
	"slices"
	"testing"

	"coles/gnn"
	"coles/gnn/optim"
	"coles/internal/testkit"
)

// maskedNetwork is the network of GraphMAE, narrower, and without dropout of the features, which would draw
// for other entries of sparse ones than of dense ones.
func maskedNetwork() gnn.Network {
	layer := attention{heads: 2, weights: 0.1}.layer(6)
	return gnn.Network{layer, gnn.PReLU(), gnn.Dropout(0.2), layer, gnn.PReLU()}
}

// Of 1,000 nodes 400 are masked and 100 of these get the features of another node; all others keep
// their own.
func TestMaskedNodes(t *testing.T) {
	rows, masked := masking{share: 0.4, replaced: 0.25}.draw(1000, testkit.Random(1))
	seen := slices.Sorted(slices.Values(masked))
	if len(slices.Compact(seen)) != 400 {
		t.Fatalf("%d nodes are masked", len(slices.Compact(seen)))
	}
	zeros := 0
	for i, r := range rows {
		_, hidden := slices.BinarySearch(seen, i)
		if r < 0 {
			zeros++
		}
		if !hidden && r != i || r >= 1000 {
			t.Errorf("node %d, masked: %v, gets row %d", i, hidden, r)
		}
	}
	if zeros != 300 {
		t.Errorf("%d nodes get zeros", zeros)
	}
	if _, masked := (masking{share: 0.4}).draw(2, testkit.Random(1)); len(masked) != 1 {
		t.Errorf("%d of 2 nodes are masked, want at least 1", len(masked))
	}
}

// Training brings the loss down from 1, the loss of features that have nothing to do with their
// neighbours'.
func TestGraphMAELearns(t *testing.T) {
	g, x := words(10, 200, 12)
	s := GraphMAE("")
	s.Network = maskedNetwork()
	s.Optimizer, s.Epochs = optim.Adam(1e-2), 40
	first := math.NaN()
	m := train(t, g, x, s, gnn.WithEpochReport(func(p gnn.EpochReport) {
		if p.Epoch == 1 {
			first = p.Loss
		}
	}))
	if !(m.Report().Loss < first/2) {
		t.Errorf("the loss falls from %.3f to %.3f", first, m.Report().Loss)
	}
}
