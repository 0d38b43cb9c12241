package tape

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/testkit"
)

// One epoch of COLES-GCN without the optimiser, on a graph and with features of the sizes of Cora
// and of Pubmed: their nodes, features, and entries in a row of the features, of W and of ΔW with
// five negative edges drawn for each node.
func BenchmarkEpoch(b *testing.B) {
	for _, e := range []epoch{
		{"Cora", 2708, 1433, 18, 5, 14, 512, 512},
		{"Pubmed", 19717, 500, 50, 6, 15, 512, 256},
	} {
		benchmarkEpoch[float32](b, e)
		benchmarkEpoch[float64](b, e)
	}
}

type epoch struct {
	name              string
	n, features       int
	inX, inW, inDelta int // entries in a row
	hidden, out       int
}

func benchmarkEpoch[T kernel.Float](b *testing.B, e epoch) {
	rnd := testkit.Random(31)
	x := NewSparse(scattered[T](rnd, e.n, e.features, e.inX), false)
	w := NewSparse(scattered[T](rnd, e.n, e.n, e.inW), false)
	contrast := scattered[T](rnd, e.n, e.n, e.inDelta)
	normal := func() float64 { return 0.1 * rnd.NormFloat64() }
	var params, grads []matrix[T]
	for _, size := range [][2]int{{e.features, e.hidden}, {1, e.hidden}, {e.hidden, e.out}, {1, e.out}} {
		params = append(params, rounded[T](padded(size[0], size[1], 0, normal)))
		grads = append(grads, kernel.Dense[T](size[0], size[1]))
	}
	apply := func(ctx context.Context, dst, src matrix[T]) error { return kernel.SpMM(ctx, dst, contrast, src) }
	b.Run(fmt.Sprintf("%s/%T", e.name, T(0)), func(b *testing.B) {
		ctx, dismiss := parallel.Crew(context.Background())
		defer dismiss()
		t := New[T](ctx)
		b.ReportAllocs()
		for b.Loop() {
			t.Reset(ctx)
			var p [4]*Value[T]
			for k := range p {
				clear(grads[k].Data)
				p[k] = t.Variable(params[k], grads[k])
			}
			h := t.ReLU(t.Bias(t.SpMM(w, t.SpMM(x, p[0])), p[1]))
			h = t.Bias(t.SpMM(w, t.MatMul(h, p[2])), p[3])
			loss := t.Add(t.Scale(t.TraceQuadratic(apply, h), -1/float64(e.n)), t.SoftOrthogonality(h))
			if err := t.Backward(loss); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(t.Bytes())/(1<<20), "MiB-tape")
	})
}

// scattered is a sparse matrix with so many entries in each row.
func scattered[T kernel.Float](rnd *rand.Rand, rows, cols, entries int) *kernel.CSR[T] {
	s := &kernel.CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int64, 1, rows+1)}
	for range rows {
		// One in each of as many equal parts of the columns.
		for k := range entries {
			s.Col = append(s.Col, int32((float64(k)+rnd.Float64())*float64(cols)/float64(entries)))
			s.Val = append(s.Val, T(0.1*rnd.NormFloat64()))
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	return s
}
