package gnn

import (
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
)

// BenchmarkEpoch is an epoch of COLES-GCN on generated graphs of the sizes of Cora and Pubmed:
// forward, backward and the step of Adam. MB-step is the memory it takes in addition to data and
// parameters.
func BenchmarkEpoch(b *testing.B) {
	for _, c := range []struct {
		name   string
		graph  synthetic.Communities
		output int
	}{
		{"cora", synthetic.Communities{Nodes: 2708, Degree: 4, Features: 1433, Words: 18, Seed: 1}, 512},
		{"pubmed", synthetic.Communities{Nodes: 19717, Degree: 4.5, Classes: 3, Features: 500, Words: 50, Seed: 1}, 256},
	} {
		for _, precision := range []coles.Precision{coles.Float32, coles.Float64} {
			b.Run(c.name+"/"+precision.String(), func(b *testing.B) {
				d := testkit.Must(c.graph.Generate(ctx))
				g := testkit.Must(coles.FromCSR(d.Adjacency))
				m := testkit.Must(Train(ctx, g, d.Features, withNetwork(GCN(512), ReLU(), GCN(c.output)), withPrecision(precision),
					withEpochs(b.N+1), WithEpochReport(func(p EpochReport) {
						if p.Epoch == 1 { // the first takes the memory for all
							b.ResetTimer()
						}
					})))
				b.ReportMetric(float64(m.Report().Memory)/1e6, "MB-step")
			})
		}
	}
}
