package rivals_test

import (
	"context"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/rivals"
)

// BenchmarkDeepWalk is one walk of 80 nodes from every node of generated graphs of the sizes of Cora
// and Pubmed: some 11 pairs for each node of a walk, and 6 targets for each pair.
func BenchmarkDeepWalk(b *testing.B) {
	for _, c := range []struct {
		name  string
		graph dataset.Communities
	}{
		{"cora", dataset.Communities{Nodes: 2708, Degree: 4, Seed: 1}},
		{"pubmed", dataset.Communities{Nodes: 19717, Degree: 4.5, Classes: 3, Seed: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := testkit.Must(c.graph.Generate(context.Background()))
			g := testkit.Must(coles.FromCSR(d.Adjacency))
			s := rivals.DeepWalk()
			s.Walks = 1
			for b.Loop() {
				testkit.Must(s.Fit(context.Background(), g, nil))
			}
			nodes := float64(s.Walks*s.Length*c.graph.Nodes) * float64(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/nodes, "ns/token")
		})
	}
}
