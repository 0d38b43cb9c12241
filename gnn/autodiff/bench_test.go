package autodiff

import (
	"context"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/testkit"
)

// A layer of GAT with its gradients, 8 heads of 8 numbers, on graphs of the sizes of Cora and Pubmed.
func BenchmarkAttention(b *testing.B) {
	const heads, width = 8, 8
	for name, c := range map[string]synthetic.Communities{"Cora": {Nodes: 2708, Degree: 4}, "Pubmed": {Nodes: 19717, Degree: 4.5}} {
		b.Run(name, func(b *testing.B) {
			random := testkit.Random(32)
			g := testkit.Must(coles.FromCSR(testkit.Must(c.Generate(context.Background())).Adjacency))
			s := NewSparse(kernel.ConvertCSR[float32](inside.Entries(coles.Normalize(g))), true)
			z, gradient := rounded[float32](padded(c.Nodes, heads*width, 0, random.NormFloat64)), kernel.Dense[float32](c.Nodes, heads*width)
			a := rounded[float32](padded(heads, width, 0, random.NormFloat64))
			ctx, dismiss := parallel.Crew(context.Background())
			defer dismiss()
			t := New[float32](ctx)
			b.ReportAllocs()
			for b.Loop() {
				t.Reset(ctx)
				z := t.Variable(z, gradient)
				scores := t.HeadDots(z, t.Constant(a))
				if err := t.Backward(t.Sum(t.ELU(t.Attention(s, z, scores, scores, 0.2, 0.6, random)))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
