package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"coles/internal/tape"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// quadrants are points of a square, labelled by whether their coordinates have
// the same sign: no line tells the two apart.
func quadrants(n int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, labels := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		u, v := 2*rng.Float64()-1, 2*rng.Float64()-1
		x.SetRow(i, []float64{u, v})
		if u*v > 0 {
			labels[i] = 4
		}
	}
	return x, labels
}

func small() MLP {
	p := DefaultMLP()
	p.Hidden, p.Epochs = []int{32, 32}, 200
	return p
}

func share(t *testing.T, m Predictor, x mat.Matrix, rows, labels []int) float64 {
	t.Helper()
	predicted, err := m.Predict(background, x, rows)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for q, i := range rows {
		if predicted[q] == labels[i] {
			right++
		}
	}
	return float64(right) / float64(len(rows))
}

// The test of the test is that the linear classifier stays below 3/4: a line can
// cut off one corner of the square at best.
func TestMLPLearnsWhatNoLineTells(t *testing.T) {
	x, labels := quadrants(1000, 1)
	rows := upTo(1000)
	linear, err := LogisticRegression{}.Fit(background, x, rows[:300], labels)
	if err != nil {
		t.Fatal(err)
	}
	if s := share(t, linear, x, rows[400:], labels); s > 0.75 {
		t.Fatalf("a line is right for %.3f: the problem is no test", s)
	}
	for form, given := range forms(x) {
		m, err := small().Fit(background, given, rows[:300], rows[300:400], labels)
		if err != nil {
			t.Fatal(err)
		}
		if s := share(t, m, given, rows[400:], labels); s < 0.93 {
			t.Errorf("%s: right for %.3f after epoch %d", form, s, m.Epoch)
		}
	}
}

// The kept epoch is the first of the best, so that training just that long
// without validation gives the same weights.
func TestMLPKeepsTheBestEpoch(t *testing.T) {
	x, labels := quadrants(300, 2)
	rows := upTo(300)
	p := small()
	p.Epochs, p.Patience = 60, 15
	stopped, err := p.Fit(background, x, rows[:200], rows[200:], labels)
	if err != nil {
		t.Fatal(err)
	}
	best, first := 0.0, 0
	for epoch := 1; epoch <= min(p.Epochs, stopped.Epoch+p.Patience); epoch++ {
		q := p
		q.Epochs = epoch
		m, err := q.Fit(background, x, rows[:200], nil, labels)
		if err != nil {
			t.Fatal(err)
		}
		if m.Epoch != epoch {
			t.Fatalf("without validation epoch %d of %d is kept", m.Epoch, epoch)
		}
		if s := share(t, m, x, rows[200:], labels); s > best {
			best, first = s, epoch
		}
		if epoch == stopped.Epoch && !slices.Equal(weightsOf(m), weightsOf(stopped)) {
			t.Errorf("the weights kept are not those of epoch %d", epoch)
		}
	}
	if stopped.Epoch != first {
		t.Errorf("epoch %d is kept, the first of the best is %d", stopped.Epoch, first)
	}
}

func weightsOf(m *MLPModel) (w []float32) {
	for _, l := range m.layers {
		w = append(append(w, l.weight.value.Data...), l.bias.value.Data...)
	}
	return w
}

// Two steps against Adam in float64 by its formulas, on the gradients of the tape.
func TestMLPStepIsAdams(t *testing.T) {
	x, labels := quadrants(50, 3)
	p := MLP{Hidden: []int{5}, Rate: 0.01, Epochs: 2, Seed: 9}
	f, err := newFeatures(background, x)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newMLPRun(background, p, f, upTo(50), nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	var want, first, second []float64
	for step := 1; step <= 2; step++ {
		before := weightsOf(r.model)
		if want == nil {
			want, first, second = make([]float64, len(before)), make([]float64, len(before)), make([]float64, len(before))
			for i, w := range before {
				want[i] = float64(w)
			}
		}
		if err := r.step(background, step); err != nil {
			t.Fatal(err)
		}
		var grad []float32
		for _, l := range r.model.layers {
			grad = append(append(grad, l.weight.grad.Data...), l.bias.grad.Data...)
		}
		for i := range want {
			g := float64(grad[i])
			first[i], second[i] = 0.9*first[i]+0.1*g, 0.999*second[i]+0.001*g*g
			m, v := first[i]/(1-math.Pow(0.9, float64(step))), second[i]/(1-math.Pow(0.999, float64(step)))
			want[i] -= 0.01 * m / (math.Sqrt(v) + 1e-8)
		}
		for i, w := range weightsOf(r.model) {
			if math.Abs(float64(w)-want[i]) > 1e-6 {
				t.Errorf("step %d, weight %d: %v, want %v", step, i, w, want[i])
			}
		}
	}
}

// The scores against the sums of the definition.
func TestMLPForward(t *testing.T) {
	x, labels := quadrants(20, 4)
	p := MLP{Hidden: []int{6, 5}, Rate: 0.01, Epochs: 5}
	m, err := p.Fit(background, x, upTo(20), nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFeatures(background, x)
	if err != nil {
		t.Fatal(err)
	}
	in, err := newMLPInput(background, f)
	if err != nil {
		t.Fatal(err)
	}
	got := m.forward(tape.New[float32](background), in, 0.4, nil).Data()
	for i := range 20 {
		h := slices.Clone(x.RawRowView(i))
		for number, l := range m.layers {
			next := make([]float64, l.weight.value.Cols)
			for k := range next {
				next[k] = float64(l.bias.value.Data[k])
				for j, v := range h {
					if number > 0 {
						v = max(v, 0)
					}
					next[k] += v * float64(l.weight.value.Data[j*l.weight.value.Stride+k])
				}
			}
			h = next
		}
		for k, v := range h {
			if s := float64(got.Data[i*got.Stride+k]); math.Abs(s-v) > 1e-5*(1+floats.Norm(h, 2)) {
				t.Errorf("row %d, class %d: %v, want %v", i, k, s, v)
			}
		}
	}
}

func TestClassifiersAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	x, labels := blobs(700, 300, 5, 5)
	rows := upTo(700)
	run := func() (out []float64) {
		for _, given := range []mat.Matrix{x, toCSR(x)} {
			for _, count := range []int{100, 400} { // in the span of the rows, and not
				m, err := LogisticRegression{Cs: []float64{0.1, 1}}.Fit(background, given, rows[:count], labels)
				if err != nil {
					t.Fatal(err)
				}
				out = append(append(out, m.Coef.RawMatrix().Data...), m.Intercept...)
			}
			p := small()
			p.Epochs = 20
			m, err := p.Fit(background, given, rows[:300], rows[300:400], labels)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range weightsOf(m) {
				out = append(out, float64(w))
			}
			n, err := KNN{ByDistance: true}.Fit(background, given, rows[:600], labels)
			if err != nil {
				t.Fatal(err)
			}
			predicted, err := n.Predict(background, given, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range predicted {
				out = append(out, float64(l))
			}
		}
		return out
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := run()
	for _, procs := range []int{2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		if !slices.Equal(run(), want) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1", procs)
		}
	}
}

func TestMLPSeedsDiffer(t *testing.T) {
	x, labels := quadrants(50, 5)
	p := small()
	p.Epochs = 2
	a, err := p.Fit(background, x, upTo(50), nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	p.Seed = 1
	b, err := p.Fit(background, x, upTo(50), nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(weightsOf(a), weightsOf(b)) {
		t.Error("two seeds give the same weights")
	}
}

func TestMLPRefusals(t *testing.T) {
	x, labels := normal(6, 2, 1, 51), []int{0, 1, 0, 1, 0, -1}
	for name, c := range map[string]struct {
		change     func(p *MLP)
		x          mat.Matrix
		validation []int
		want       error
	}{
		"dropout of one":        {func(p *MLP) { p.Dropout = 1 }, x, nil, ErrParameter},
		"NaN as dropout":        {func(p *MLP) { p.Dropout = math.NaN() }, x, nil, ErrParameter},
		"no rate":               {func(p *MLP) { p.Rate = 0 }, x, nil, ErrParameter},
		"no epochs":             {func(p *MLP) { p.Epochs = 0 }, x, nil, ErrParameter},
		"negative patience":     {func(p *MLP) { p.Patience = -1 }, x, nil, ErrParameter},
		"layer of no units":     {func(p *MLP) { p.Hidden = []int{3, 0} }, x, nil, ErrParameter},
		"too many weights":      {func(p *MLP) { p.Hidden = []int{1 << 20, 1 << 20} }, x, nil, ErrParameter},
		"validation overlaps":   {func(*MLP) {}, x, []int{4, 1}, ErrSplit},
		"validation outside":    {func(*MLP) {}, x, []int{6}, ErrRow},
		"validation unlabelled": {func(*MLP) {}, x, []int{5}, ErrLabel},
		"beyond float32":        {func(*MLP) {}, normal(6, 2, 1e50, 1), nil, ErrNotFinite},
		"weights that overflow": {func(p *MLP) { p.Rate = 1e38 }, x, nil, ErrConvergence},
	} {
		p := small()
		c.change(&p)
		if _, err := p.Fit(background, c.x, upTo(4), c.validation, labels); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if _, err := new(MLPModel).Predict(background, x, nil); !errors.Is(err, ErrShape) {
		t.Errorf("empty model: %v", err)
	}
}
