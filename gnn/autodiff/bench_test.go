package autodiff

import (
	"context"
	"fmt"
	"slices"
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

// The losses of all pairs with their gradients, for graphs of the sizes of Cora, Citeseer and
// Pubmed and the widths that are usual for them.
func BenchmarkPairs(b *testing.B) {
	for _, g := range []struct {
		name               string
		n, degree, h, code int
	}{
		{"Cora", 2708, 4, 128, 16},
		{"Citeseer", 3327, 3, 256, 16},
		{"Pubmed", 19717, 4, 256, 16},
	} {
		n, all := g.n, float64(g.n)*float64(g.n)
		unit := func(seed uint64) Matrix[float32] {
			t := New[float32](context.Background())
			return t.RowNormalize(t.Constant(rounded[float32](padded(n, g.h, 0, testkit.Random(seed).NormFloat64)))).Data()
		}
		u, v := unit(41), unit(42)
		anchors := picks(1024, n, 7)
		target := NewSparse(ringTarget[float32](n, g.degree/2), true)
		for _, c := range []struct {
			name  string
			flops float64
			apply func(t *Tape[float32], u, v *Value[float32]) *Value[float32]
			width int
		}{
			{"contrast", 16 * all * float64(g.h), func(t *Tape[float32], u, v *Value[float32]) *Value[float32] {
				return t.SoftmaxContrast(u, v, 0.5, nil)
			}, g.h},
			{"contrast of 1024 anchors", 32 * 1024 * float64(n) * float64(g.h), func(t *Tape[float32], u, v *Value[float32]) *Value[float32] {
				return t.SoftmaxContrast(u, v, 0.5, anchors)
			}, g.h},
			{"decoder", 3 * all * float64(g.code), func(t *Tape[float32], z, _ *Value[float32]) *Value[float32] {
				return t.InnerProductLoss(target, z)
			}, g.code},
		} {
			b.Run(fmt.Sprintf("%s/%s/h=%d", g.name, c.name, c.width), func(b *testing.B) {
				ctx, dismiss := parallel.Crew(context.Background())
				defer dismiss()
				t := New[float32](ctx)
				u, v := kernel.Columns(u, 0, c.width), kernel.Columns(v, 0, c.width)
				gu, gv := kernel.Dense[float32](n, c.width), kernel.Dense[float32](n, c.width)
				b.ReportAllocs()
				for b.Loop() {
					t.Reset(ctx)
					if err := t.Backward(c.apply(t, t.Variable(u, gu), t.Variable(v, gv))); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(c.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				b.ReportMetric(float64(t.Bytes())/(1<<20), "MiB-tape")
			})
		}
	}
}

// ringTarget is A + I for a ring whose nodes are joined to the next ones on either side; node 0 has
// a loop of weight ½ besides.
func ringTarget[T Float](n, side int) *CSR[T] {
	s := &CSR[T]{Rows: n, Cols: n, Ptr: make([]int64, 1, n+1)}
	for i := range n {
		var cols []int32
		for gap := -side; gap <= side; gap++ {
			cols = append(cols, int32(((i+gap)%n+n)%n))
		}
		slices.Sort(cols)
		for _, j := range slices.Compact(cols) {
			value := T(1)
			if i == 0 && j == 0 {
				value = 1.5
			}
			s.Col, s.Val = append(s.Col, j), append(s.Val, value)
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	return s
}
