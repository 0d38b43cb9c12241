package autodiff

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"coles/internal/kernel"
	"coles/internal/race"
	"coles/internal/testkit"
)

// network is a GCN of two layers with most of what training takes: its loss has a contrast, an
// orthogonality penalty, a classifier and dots of pairs.
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
	rnd := testkit.Random(21)
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
		for j, v := range src.Row(src.Rows - 1 - i) {
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
	loss = t.Add(loss, t.Mean(t.Softplus(t.RowDots(t.Gather(h, g.us), t.Gather(h, g.vs)))))
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

func TestBytesAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	var first []float64
	testkit.ForProcessors(t, func(procs int) {
		got := newNetwork(1500, 80, 70, 130).state(New[float64](context.Background()))
		if first == nil {
			first = got
		}
		if math.IsNaN(got[0]) || !sameBits(first, got) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1, loss %g", procs, got[0])
		}
	})
}

func TestUsedMemoryGivesTheBytesOfFreshMemory(t *testing.T) {
	g := newNetwork(300, 20, 30, 10)
	want := g.state(New[float64](context.Background()))
	tape := New[float64](context.Background())
	for round := range 3 {
		if got := g.state(tape); !sameBits(got, want) {
			t.Fatalf("step %d on used memory gives other bytes than the first on a fresh tape", round)
		}
		if round == 1 { // a recording of other sizes in between
			tape.Reset(context.Background())
			newNetwork(200, 30, 20, 20).step(tape)
		}
		tape.Reset(context.Background())
		poison(tape)
	}
}

// poison overwrites the memory that a tape keeps.
func poison(t *Tape[float64]) {
	for size, free := range t.memory.free {
		for _, m := range free {
			m = m[:size]
			for i := range m {
				m[i] = math.NaN()
			}
		}
	}
}

func TestAStepTakesNoMemoryThatGrowsWithTheSizes(t *testing.T) {
	if race.Enabled {
		t.Skip("under the race detector pools lose what they are given, so the kernels take memory anew")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))  // as AllocsPerRun does
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it empties these pools
	measure := func(n int) (allocations float64, bytes uint64) {
		g, tape := newNetwork(n, 20, 30, 10), New[float64](context.Background())
		step := func() {
			g.step(tape)
			tape.Reset(context.Background())
		}
		step()
		allocations = testing.AllocsPerRun(5, step)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 5 {
			step()
		}
		runtime.ReadMemStats(&after)
		return allocations, (after.TotalAlloc - before.TotalAlloc) / 5
	}
	// Of 27 operations each makes a few closures, forward and back. The largest matrix of n = 2000
	// has 480,000 bytes.
	allocations, bytes := measure(2000)
	few, _ := measure(20)
	t.Logf("%v allocations of %d bytes, of small matrices %v", allocations, bytes, few)
	if allocations > 400 || allocations > 1.5*few || bytes > 64<<10 {
		t.Errorf("%v allocations of %d bytes a step", allocations, bytes)
	}
}

// Every operation gives back what it has borrowed.
func TestAStepTakesNoMoreMemoryThanTheOneBefore(t *testing.T) {
	for _, op := range operations[float64]() {
		for _, u := range usesOf(op) {
			rnd := testkit.Random(14)
			in := inputsOf(op, 7, 4, rnd)
			grads, w := gradients(in, rnd), normals(rnd, 5)
			tape := New[float64](context.Background())
			before, nodes := 0, 0
			for round := range 3 {
				u.record(tape, op, in, grads, w, w) // as in evaluation, without going back
				tape.Reset(context.Background())
				u.record(tape, op, in, grads, w, w)
				testkit.Check(t, tape.sweep())
				for k, v := range tape.nodes[:tape.used] {
					if v.kept.Data != nil || v.owned && v.back != nil && v.grad.Data != nil {
						t.Errorf("%s, %s: node %d keeps what only Backward needed", op.name, u.name, k)
					}
				}
				if round > 0 && (tape.Bytes() != before || tape.used != nodes) {
					t.Errorf("%s, %s: %d bytes and %d nodes, after the step before %d and %d", op.name, u.name, tape.Bytes(), tape.used, before, nodes)
				}
				before, nodes = tape.Bytes(), tape.used
				tape.Reset(context.Background())
			}
		}
	}
}

// Going back through a chain of operations takes memory for the gradients of two results at a time.
func TestGradientsShareTheirMemory(t *testing.T) {
	const n, length = 32, 40
	tape := New[float64](context.Background())
	x := kernel.Dense[float64](n, n)
	v := tape.Variable(x, kernel.Dense[float64](n, n))
	for range length {
		v = tape.MatMul(v, tape.Constant(x))
	}
	loss := tape.Sum(v)
	recorded := tape.Bytes()
	testkit.Check(t, tape.Backward(loss))
	if recorded < 8*n*n*length || tape.Bytes() > recorded+2*8*n*n+1000 {
		t.Errorf("%d bytes recorded, %d after going back", recorded, tape.Bytes())
	}
}

func TestMemoryOfVaryingSizesIsShared(t *testing.T) {
	tape := New[float64](context.Background())
	for n := range 500 {
		x := tape.Constant(kernel.Dense[float64](1+n%400, 3))
		tape.Sum(tape.ReLU(x))
		tape.Reset(context.Background())
	}
	for size, free := range tape.memory.free {
		if len(free) > 2 {
			t.Errorf("%d pieces of %d numbers, two at most were in use at a time", len(free), size)
		}
	}
}
