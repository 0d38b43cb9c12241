package gnn

import (
	"archive/zip"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"coles"
	"coles/dataset"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// needShared finds real graphs and an oracle's numbers, beside the project.
func needShared(t *testing.T, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{"..", "..", "shared"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("%s is not there (real graphs and the oracle's fixtures are kept beside the project, not in it)", full)
	}
	return full
}

// TestTrainingEqualsPyTorch trains as the PyTorch oracle did, in float64: on Cora,
// 1433-16-16, from its parameters and with its negative graph, β = 1, η′ = 0.9, Adam with a
// rate of 1e-3 and coupled decay 5e-4, 20 epochs.
func TestTrainingEqualsPyTorch(t *testing.T) {
	cora := must(dataset.OpenNPZ(needShared(t, "data", "npz", "cora.npz")))
	z := must(zip.OpenReader(needShared(t, "reference", "gcn_fixture.npz")))
	defer z.Close()
	array := func(name string) *mat.Dense {
		file := must(z.Open(name + ".npy"))
		defer file.Close()
		return must(dataset.ReadNPY(file))
	}
	n := cora.Nodes()
	fixed := coles.NegativeFunc("the oracle's", func(context.Context, *coles.Graph, uint64) (coles.Negative, error) {
		w := sparse.NewDOK(n, n)
		rows, cols, values := array("neg_row"), array("neg_col"), array("neg_val")
		for k := range values.RawMatrix().Rows {
			w.Set(int(rows.At(k, 0)), int(cols.At(k, 0)), values.At(k, 0))
		}
		return coles.Negative{Graph: must(coles.NewSymCSR(w.ToCSR()))}, nil
	})
	config := must(newConfig(DefaultSettings(), []Option{
		WithNetwork(GCN(16), ReLU(), GCN(16)), WithObjective(COLES(1)), WithFeatures(coles.PrepareNone, 1),
		WithNegatives(fixed), WithEta(0.9), WithOptimizer(Adam(1e-3).WithDecay(5e-4)), WithEpochs(20), WithPrecision(coles.Float64),
	}))
	var losses []float64
	config.progress = func(p Progress) { losses = append(losses, p.Loss) }
	g := must(coles.FromCSR(cora.Adjacency, coles.WithSymmetrization()))
	r := must(newRun[float64](ctx, config, g, cora.Features, 0))
	names := map[string]string{"0.weight": "A1", "0.bias": "b1", "2.weight": "A2", "2.bias": "b2"}
	for _, p := range r.encoder.params {
		copy(p.value.Data, array("init_"+names[p.name]).RawMatrix().Data)
	}
	must(r.gradients(ctx, must(r.fullBatch(ctx, 0)), newRand(1)))
	for _, p := range r.encoder.params {
		checkAgainst(t, "gradient of "+p.name, p.grad.Data, array("grad_"+names[p.name]))
	}
	if err := r.train(ctx); err != nil {
		t.Fatal(err)
	}
	checkAgainst(t, "losses", losses, array("losses"))
	for _, p := range r.encoder.params {
		checkAgainst(t, "final "+p.name, p.value.Data, array("final_"+names[p.name]))
	}
}

// checkAgainst compares to 1e-10 of the largest entry.
func checkAgainst(t *testing.T, name string, got []float64, want *mat.Dense) {
	t.Helper()
	largest, worst := 0.0, 0.0
	data := want.RawMatrix().Data
	for i, w := range data {
		largest = max(largest, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w))
	}
	t.Logf("%s: off by %.1e of %.1e", name, worst, largest)
	if len(got) != len(data) || !(worst <= 1e-10*largest) {
		t.Errorf("%s: off by %.2g, the largest entry is %.2g", name, worst, largest)
	}
}
