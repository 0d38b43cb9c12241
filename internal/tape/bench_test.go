package tape

import (
	"context"
	"math/rand/v2"
	"testing"

	"coles/internal/kernel"
)

// One epoch of COLES-GCN without the optimiser, on a graph and with features of
// the sizes of Pubmed: 19,717 nodes, 500 features of which 50 are not zero, 44,000
// edges, and layers of 512 and 256.
func BenchmarkEpoch(b *testing.B) {
	const n, features, hidden, out = 19717, 500, 512, 256
	rnd := rand.New(rand.NewPCG(31, 0))
	x := withTranspose(scattered(rnd, n, features, 50))
	w := withTranspose(scattered(rnd, n, n, 5))
	contrast := scattered(rnd, n, n, 10)
	normal := func() float64 { return 0.1 * rnd.NormFloat64() }
	var params, grads []matrix64
	for _, size := range [][2]int{{features, hidden}, {1, hidden}, {hidden, out}, {1, out}} {
		params = append(params, padded(size[0], size[1], 0, normal))
		grads = append(grads, kernel.Dense[float64](size[0], size[1]))
	}
	ctx := context.Background()
	apply := func(ctx context.Context, dst, src matrix64) error { return kernel.SpMM(ctx, dst, contrast, src) }
	t := New[float64](ctx)
	b.ReportAllocs()
	for b.Loop() {
		t.Reset(ctx)
		var p [4]*Value[float64]
		for k := range p {
			p[k] = t.Variable(params[k], grads[k])
		}
		h := t.ReLU(t.Bias(t.SpMM(w, t.SpMM(x, p[0])), p[1]))
		h = t.Bias(t.SpMM(w, t.MatMul(h, p[2])), p[3])
		loss := t.Add(t.Scale(t.TraceQuadratic(apply, h), -1.0/n), t.SoftOrthogonality(h))
		if err := t.Backward(loss); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(t.Bytes())/(1<<20), "MiB-tape")
}

// scattered is a sparse matrix64 with so many entries in each row.
func scattered(rnd *rand.Rand, rows, cols, entries int) *kernel.CSR[float64] {
	s := &kernel.CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, 1, rows+1)}
	for range rows {
		// One in each of as many equal parts of the columns.
		for k := range entries {
			s.Col = append(s.Col, int32((float64(k)+rnd.Float64())*float64(cols)/float64(entries)))
			s.Val = append(s.Val, 0.1*rnd.NormFloat64())
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	return s
}
