package tape

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"coles/internal/kernel"
)

// network is a GCN of two layers with most of what training takes: its loss has
// a contrast, an orthogonality penalty, a classifier and dots of pairs.
type network struct {
	s         *Sparse[float64]
	x         matrix64
	params    []matrix64
	grads     []matrix64
	us, vs    []int
	labels    []int
	mean, vrc []float64
}

func newNetwork(n, features, hidden, out int) *network {
	rnd := rand.New(rand.NewPCG(21, 0))
	normal := func() float64 { return 0.3 * rnd.NormFloat64() }
	g := &network{
		s: NewSparse(sparseOf(n, n), false), x: padded(n, features, 0, normal),
		us: picks(3*n, n, 1), vs: picks(3*n, n, 2), labels: picks(3*n, out, 1),
		mean: make([]float64, hidden), vrc: make([]float64, hidden),
	}
	for _, size := range [][2]int{{features, hidden}, {1, hidden}, {1, hidden}, {1, hidden}, {hidden, out}, {1, out}, {1, 1}} {
		g.params = append(g.params, padded(size[0], size[1], 0, normal))
		g.grads = append(g.grads, kernel.Dense[float64](size[0], size[1]))
	}
	return g
}

// contrast is a cheap symmetric operator: it swaps the rows i and n−1−i, halved.
func contrast(_ context.Context, dst, src matrix64) error {
	for i := range dst.Rows {
		for j, v := range row(src, src.Rows-1-i) {
			dst.Data[i*dst.Stride+j] = v / 2
		}
	}
	return nil
}

// step records the network, goes back and returns the loss.
func (g *network) step(t *Tape[float64]) float64 {
	p := make([]*Value[float64], len(g.params))
	for k := range p {
		clear(g.grads[k].Data)
		p[k] = t.Variable(g.params[k], g.grads[k])
	}
	h := t.MatMul(t.Dropout(t.Constant(g.x), 0.3, rand.New(rand.NewPCG(1, 2))), p[0])
	h = t.Bias(t.SpMM(g.s, h), p[1])
	h = t.ReLU(t.BatchNorm(h, p[2], p[3], 1e-5, g.mean, g.vrc))
	h = t.PReLU(t.Bias(t.SpMM(g.s, t.MatMul(h, p[4])), p[5]), p[6])
	loss := t.Scale(t.TraceQuadratic(contrast, h), -1e-3)
	loss = t.Add(loss, t.SoftOrthogonality(h))
	loss = t.Add(loss, t.SoftmaxCrossEntropy(h, g.us, g.labels))
	unit := t.ColumnNormalize(t.RowNormalize(h))
	loss = t.Add(loss, t.Mean(t.LogSigmoid(t.GatherDots(unit, g.us, unit, g.vs))))
	loss = t.Add(loss, t.LogSumExp(t.RowDots(t.Gather(h, g.us), t.Gather(h, g.vs))))
	if err := t.Backward(loss); err != nil {
		panic(err)
	}
	return loss.Scalar()
}

// state is the loss and all gradients.
func (g *network) state(t *Tape[float64]) []float64 {
	s := []float64{g.step(t)}
	for _, grad := range g.grads {
		s = append(s, entries(grad)...)
	}
	return s
}

func TestStepsAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	var first []float64
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		got := newNetwork(1500, 80, 70, 130).state(New[float64](context.Background()))
		if first == nil {
			first = got
		}
		if math.IsNaN(got[0]) || !sameBits(first, got) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1, loss %g", procs, got[0])
		}
	}
}
