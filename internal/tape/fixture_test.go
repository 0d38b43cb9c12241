package tape_test

import (
	"archive/zip"
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"coles/dataset"
	"coles/internal/kernel"
	"coles/internal/tape"
)

// sharedFolder holds real graphs and an oracle's numbers, beside the project.
const sharedFolder = "../../../shared"

func needShared(t *testing.T, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{sharedFolder}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("%s is not there (real graphs and the oracle's fixtures are kept beside the project, not in it)", full)
	}
	return full
}

// TestTrainingEqualsPyTorch trains a GCN of two layers for COLES as the PyTorch
// oracle did, in float64: on Cora, 1433-16-16, β = 1, Adam with a rate of 1e-3 and
// coupled weight decay 5e-4.
func TestTrainingEqualsPyTorch(t *testing.T) {
	cora, err := dataset.OpenNPZ(needShared(t, "data", "npz", "cora.npz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(needShared(t, "reference", "gcn_fixture.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	g := gcnOf(t, cora, &z.Reader)
	names := []string{"A1", "b1", "A2", "b2"}
	var params, grads []kernel.Matrix[float64]
	for _, name := range names {
		p := array(t, &z.Reader, "init_"+name)
		if name[0] == 'b' { // a vector is read as a column
			p.Rows, p.Cols, p.Stride = 1, p.Rows, p.Rows
		}
		params, grads = append(params, p), append(grads, kernel.Dense[float64](p.Rows, p.Cols))
	}
	optimiser := adam{rate: 1e-3, decay: 5e-4}
	record := tape.New[float64](context.Background())
	var losses []float64
	for epoch := range 20 {
		losses = append(losses, g.loss(t, record, params, grads))
		if epoch == 0 {
			for k, name := range names {
				checkAgainst(t, "gradient of "+name, grads[k].Data, array(t, &z.Reader, "grad_"+name).Data)
			}
		}
		optimiser.step(params, grads)
		record.Reset(context.Background())
	}
	checkAgainst(t, "losses", losses, array(t, &z.Reader, "losses").Data)
	for k, name := range names {
		checkAgainst(t, "final "+name, params[k].Data, array(t, &z.Reader, "final_"+name).Data)
	}
}

// gcn is H = W·relu(W·X·A1 + b1)·A2 + b2 with the loss
// −Tr(Hᵀ·ΔW·H)/n + ‖HᵀH/n − I‖²_F/d′.
type gcn struct {
	n        int
	w, x     *tape.Sparse[float64]
	contrast *kernel.CSR[float64]
}

func gcnOf(t *testing.T, d *dataset.Dataset, z *zip.Reader) gcn {
	n := d.Nodes()
	a, loops, contrast := newEntries(n), newEntries(n), newEntries(n)
	d.Adjacency.DoNonZero(func(i, j int, v float64) {
		if i != j {
			a[i][j], a[j][i] = v, v
		}
	})
	for i := range a {
		maps.Copy(loops[i], a[i])
		loops[i][i]++
		contrast[i] = map[int]float64{}
	}
	a.normalize()
	loops.normalize()
	for i := range a {
		maps.Copy(contrast[i], a[i])
	}
	rows, cols, values := array(t, z, "neg_row").Data, array(t, z, "neg_col").Data, array(t, z, "neg_val").Data
	const eta = 0.9 // the weight of the negative graph
	for k, v := range values {
		contrast[int(rows[k])][int(cols[k])] -= eta * v
	}
	_, features := d.Features.Dims()
	x := newEntries(n)
	for i := range n {
		for j := range features {
			if v := d.Features.At(i, j); v != 0 {
				x[i][j] = v
			}
		}
	}
	w, sparse := loops.csr(n), x.csr(features)
	return gcn{
		n: n, w: tape.NewSparse(w, true), x: tape.NewSparse(sparse, false),
		contrast: contrast.csr(n),
	}
}

// loss sets grads to the gradients.
func (g gcn) loss(t *testing.T, record *tape.Tape[float64], params, grads []kernel.Matrix[float64]) float64 {
	p := make([]*tape.Value[float64], len(params))
	for k := range p {
		clear(grads[k].Data)
		p[k] = record.Variable(params[k], grads[k])
	}
	apply := func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		return kernel.SpMM(ctx, dst, g.contrast, src)
	}
	h := record.ReLU(record.Bias(record.SpMM(g.w, record.SpMM(g.x, p[0])), p[1]))
	h = record.Bias(record.SpMM(g.w, record.MatMul(h, p[2])), p[3])
	loss := record.Add(record.Scale(record.TraceQuadratic(apply, h), -1/float64(g.n)), record.SoftOrthogonality(h))
	if err := record.Backward(loss); err != nil {
		t.Fatal(err)
	}
	return loss.Scalar()
}

// adam is Adam as in PyTorch, with its β and ε.
type adam struct {
	rate, decay float64
	steps       int
	mean, mean2 [][]float64
}

func (o *adam) step(params, grads []kernel.Matrix[float64]) {
	const beta, beta2, epsilon = 0.9, 0.999, 1e-8
	o.steps++
	for k, p := range params {
		if o.steps == 1 {
			o.mean = append(o.mean, make([]float64, len(p.Data)))
			o.mean2 = append(o.mean2, make([]float64, len(p.Data)))
		}
		m, m2 := o.mean[k], o.mean2[k]
		for i := range p.Data {
			g := grads[k].Data[i] + o.decay*p.Data[i]
			m[i] = beta*m[i] + (1-beta)*g
			m2[i] = beta2*m2[i] + (1-beta2)*g*g
			mean := m[i] / (1 - math.Pow(beta, float64(o.steps)))
			root := math.Sqrt(m2[i] / (1 - math.Pow(beta2, float64(o.steps))))
			p.Data[i] -= o.rate * mean / (root + epsilon)
		}
	}
}

// entries are those of a sparse matrix[float64], by row and column.
type entries []map[int]float64

func newEntries(n int) entries {
	e := make(entries, n)
	for i := range e {
		e[i] = map[int]float64{}
	}
	return e
}

// normalize makes of a symmetric A the matrix[float64] D^-½·A·D^-½.
func (e entries) normalize() {
	scale := make([]float64, len(e))
	for i, r := range e {
		degree := 0.0
		for _, v := range r { // whole numbers, for which the order is nothing
			degree += v
		}
		if degree > 0 {
			scale[i] = 1 / math.Sqrt(degree)
		}
	}
	for i, r := range e {
		for j := range r {
			r[j] *= scale[i] * scale[j]
		}
	}
}

func (e entries) csr(cols int) *kernel.CSR[float64] {
	s := &kernel.CSR[float64]{Rows: len(e), Cols: cols, Ptr: make([]int64, 1, len(e)+1)}
	for _, r := range e {
		for _, j := range slices.Sorted(maps.Keys(r)) {
			s.Col, s.Val = append(s.Col, int32(j)), append(s.Val, r[j])
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	return s
}

func array(t *testing.T, z *zip.Reader, name string) kernel.Matrix[float64] {
	t.Helper()
	file, err := z.Open(name + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := dataset.ReadNPY(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return kernel.Matrix[float64](m.RawMatrix())
}

// checkAgainst compares to 1e-10 of the largest entry.
func checkAgainst(t *testing.T, name string, got, want []float64) {
	t.Helper()
	largest, worst := 0.0, 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w))
	}
	t.Logf("%s: off by %.1e of %.1e", name, worst, largest)
	if len(got) != len(want) || !(worst <= 1e-10*largest) {
		t.Errorf("%s: off by %.2g, the largest entry is %.2g", name, worst, largest)
	}
}
