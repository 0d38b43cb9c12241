package rivals

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"coles/gnn/autodiff"
	"coles/internal/matrix"
	"coles/internal/race"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

type (
	tape64   = autodiff.Tape[float64]
	value64  = autodiff.Value[float64]
	matrix64 = autodiff.Matrix[float64]
)

func TestLossesOfPairsEqualTorch(t *testing.T) {
	t.Run("infonce", func(t *testing.T) {
		f := readFixture("infonce")
		u, v := f.RowNormalize(f.variable("u")), f.RowNormalize(f.variable("v"))
		f.check(t, softmaxContrast(ctx, f.Tape, u, v, f.Number("tau"), nil))
	})
	for _, name := range []string{"decoder", "decoder_weighted"} {
		t.Run(name, func(t *testing.T) {
			f := readFixture(name)
			z, target := f.variable("z"), &autodiff.CSR[float64]{}
			f.Decode("ptr", &target.Ptr)
			f.Decode("cols", &target.Col)
			f.Decode("vals", &target.Val)
			target.Rows, target.Cols = z.Rows(), z.Rows()
			f.check(t, innerProductLoss(ctx, f.Tape, target, z))
		})
	}
}

// drawnMatrix is n×d numbers.
func drawnMatrix(n, d int, seed uint64) matrix64 {
	m := autodiff.NewMatrix[float64](n, d)
	rnd := testkit.Random(seed)
	for i := range m.Data {
		m.Data[i] = rnd.NormFloat64()
	}
	return m
}

// unitOf is x with its rows divided by their lengths.
func unitOf(x matrix64) matrix64 {
	unit := drawnMatrix(x.Rows, x.Cols, 1)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			unit.Row(i)[j] = v / math.Sqrt(mat.Dot(mat.NewVecDense(x.Cols, x.Row(i)), mat.NewVecDense(x.Cols, x.Row(i))))
		}
	}
	return unit
}

// gradientOf is a loss of variables, and its gradients, one below the other.
func gradientOf(t *testing.T, loss func(tape *tape64, in []*value64) *value64, in ...matrix64) (float64, matrix64) {
	t.Helper()
	tape, all := autodiff.New[float64](ctx), autodiff.NewMatrix[float64](len(in)*in[0].Rows, in[0].Cols)
	var values []*value64
	for k, m := range in {
		part := all
		part.Rows, part.Data = m.Rows, all.Data[k*len(m.Data):(k+1)*len(m.Data)]
		values = append(values, tape.Variable(m, part))
	}
	y := loss(tape, values)
	testkit.Check(t, tape.Backward(y))
	return y.Scalar(), all
}

// contrastByHand is the loss of GRACE and its gradient with respect to u and, below it, v: anchor by anchor
// as the formula has it.
func contrastByHand(u, v matrix64, tau float64, anchors []int) (loss float64, gradient matrix64) {
	n := u.Rows
	row := func(i int) []float64 {
		if i < n {
			return u.Row(i)
		}
		return v.Row(i - n)
	}
	if anchors == nil {
		anchors = upTo(n)
	}
	gradient = autodiff.NewMatrix[float64](2*n, u.Cols)
	share := 1 / float64(2*len(anchors))
	for _, a := range anchors {
		for _, i := range []int{a, n + a} {
			p, partner, all := make([]float64, 2*n), (i+n)%(2*n), 0.0
			for k := range p {
				if k != i {
					p[k] = math.Exp(plainDot(row(i), row(k)) / tau)
					all += p[k]
				}
			}
			loss += share * (math.Log(all) - plainDot(row(i), row(partner))/tau)
			for k := range p {
				c := share / tau * p[k] / all
				if k == partner {
					c -= share / tau
				}
				matrix.AddScaled(gradient.Row(i), c, row(k))
				matrix.AddScaled(gradient.Row(k), c, row(i))
			}
		}
	}
	return loss, gradient
}

func plainDot(a, b []float64) (sum float64) {
	for j, v := range a {
		sum += v * b[j]
	}
	return sum
}

// ring is A + I for a ring whose nodes are joined to the next ones on either side; node 0 has a loop of weight ½
// besides.
func ring(n, side int) *autodiff.CSR[float64] {
	s := &autodiff.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, 1, n+1)}
	for i := range n {
		var cols []int32
		for gap := -side; gap <= side; gap++ {
			cols = append(cols, int32((i+gap+n)%n))
		}
		slices.Sort(cols)
		s.Col = append(s.Col, cols...)
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	s.Val = slices.Repeat([]float64{1}, len(s.Col))
	s.Val[0] = 1.5
	return s
}

// innerProductByHand is the loss of GAE and its gradient, pair by pair as the formula has it.
func innerProductByHand(target *autodiff.CSR[float64], z matrix64) (loss float64, gradient matrix64) {
	n := z.Rows
	y, edges := mat.NewDense(n, n, nil), -float64(n)
	for i := range n {
		cols, vals := target.Row(i)
		for q, j := range cols {
			y.Set(i, int(j), vals[q])
			edges += vals[q]
		}
	}
	all := float64(n * n)
	w, nu := (all-edges)/edges, all/(2*(all-edges))
	gradient = autodiff.NewMatrix[float64](n, z.Cols)
	for i := range n {
		for j := range n {
			s := plainDot(z.Row(i), z.Row(j))
			loss += nu / all * (w*y.At(i, j)*math.Log1p(math.Exp(-s)) + (1-y.At(i, j))*math.Log1p(math.Exp(s)))
			c := nu / all * (-w*y.At(i, j)/(1+math.Exp(s)) + (1-y.At(i, j))/(1+math.Exp(-s)))
			matrix.AddScaled(gradient.Row(i), c, z.Row(j))
			matrix.AddScaled(gradient.Row(j), c, z.Row(i))
		}
	}
	return loss, gradient
}

// picks are m numbers below n, some repeated.
func picks(m, n, step int) []int {
	p := make([]int, m)
	for k := range p {
		p[k] = (k*k*step + k/2) % n
	}
	return p
}

// Several blocks of rows, the last of them incomplete, against the formulas pair by pair, and the same bytes for every
// number of processors.
func TestPairsOfManyBlocks(t *testing.T) {
	const n, d, tau = 2*pairBlock + 70, 6, 0.3
	x := drawnMatrix(n, d, 53)
	u, v := unitOf(x), unitOf(drawnMatrix(n, d, 54))
	check := func(name string, want float64, slopes matrix64, loss func(tape *tape64, in []*value64) *value64, in ...matrix64) {
		var first []float64
		testkit.ForProcessors(t, func(procs int) {
			got, gradient := gradientOf(t, loss, in...)
			// 1,164² terms of about 1/1,164² in another order.
			testkit.WantNear(t, name, got, want, 1e-13*want)
			testkit.WantClose(t, "gradient of "+name, denseOf(gradient), denseOf(slopes), 1e-12*matrix.Magnitude(slopes.Data))
			if first == nil {
				first = append(gradient.Data, got)
			}
			for k, v := range append(gradient.Data, got) {
				if v != first[k] {
					t.Fatalf("%s: GOMAXPROCS=%d gives another number %d", name, procs, k)
				}
			}
		})
	}
	for name, anchors := range map[string][]int{"contrast": nil, "contrast of some": picks(pairBlock+9, n, 5), "contrast of one": {n - 1}} {
		want, slopes := contrastByHand(u, v, tau, anchors)
		check(name, want, slopes, func(tape *tape64, in []*value64) *value64 {
			return softmaxContrast(ctx, tape, in[0], in[1], tau, anchors)
		}, u, v)
	}
	target := ring(n, 3)
	want, slopes := innerProductByHand(target, x)
	check("inner products", want, slopes, func(tape *tape64, in []*value64) *value64 {
		return innerProductLoss(ctx, tape, target, in[0])
	}, x)
}

// Exponents far above the limits of float32 and float64, in which the one large term of a row
// decides: rows of length 100 in two opposite directions, τ = 1.
func TestContrastOfLongRows(t *testing.T) {
	checkLong[float32](t)
	checkLong[float64](t)
}

func checkLong[T autodiff.Float](t *testing.T) {
	t.Helper()
	u, gradient, tape := autodiff.NewMatrix[T](4, 1), autodiff.NewMatrix[T](4, 1), autodiff.New[T](ctx)
	copy(u.Data, []T{100, -100, 100, -100})
	x := tape.Variable(u, gradient)
	y := softmaxContrast(ctx, tape, x, x, 1, nil)
	testkit.Check(t, tape.Backward(y))
	// Every row has three others with the same product as with its partner: log 3. The gradient
	// of such a row is Σ_j K_ij·w_j − 2·w_i = 0.
	if math.Abs(y.Scalar()-math.Log(3)) > 1e-3 || math.Abs(float64(gradient.Data[0])) > 1e-3 {
		t.Errorf("%T: loss %g and gradient %g, want %g and 0", u, y.Scalar(), gradient.Data[0], math.Log(3))
	}
	// One node, whose views are opposite: log e^−49 + 49, of terms that all are small.
	seven := autodiff.NewMatrix[T](1, 1)
	seven.Data[0] = 7
	x = tape.Constant(seven)
	if y := softmaxContrast(ctx, tape, x, tape.Scale(x, -1), 1, nil).Scalar(); math.Abs(y) > 1e-5 {
		t.Errorf("%T: loss %g of opposite views, want 0", u, y)
	}
}

// Products far from zero: two nodes and one edge between them, with both products s_12 = −s_11, the
// target of loops and edge 1: w = (4−2)/2 = 1 and ν = 1, the loss ¼·Σ_ij softplus(−s_ij).
func TestInnerProductsFarFromZero(t *testing.T) {
	target := &autodiff.CSR[float64]{Rows: 2, Cols: 2, Ptr: []int64{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{1, 1, 1, 1}}
	for _, x := range []float64{0, 1, 9, 17.5, 20, 100} {
		s, z := x*x, autodiff.NewMatrix[float64](2, 1)
		copy(z.Data, []float64{x, -x})
		want := (2*math.Log1p(math.Exp(-s)) + 2*(s+math.Log1p(math.Exp(-s)))) / 4
		y, gradient := gradientOf(t, func(tape *tape64, in []*value64) *value64 {
			return innerProductLoss(ctx, tape, target, in[0])
		}, z)
		// dy/dz_1 = ½·Σ_j −σ(−s_1j)·z_j = ½·(−σ(−s)·x + σ(s)·x).
		slope := x / 2 * math.Tanh(s/2)
		if math.Abs(y-want) > 1e-14*max(1, want) || math.Abs(gradient.Data[0]-slope) > 1e-14*max(1, slope) {
			t.Errorf("s = %g: loss %.17g and slope %.17g, want %.17g and %.17g", s, y, gradient.Data[0], want, slope)
		}
	}
}

// The memory grows with the rows, not with their square: no tiles are kept, which would take 32 MB or more.
func TestMemoryOfPairs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector has pools drop at random what is given back")
	}
	const n, d = 2900, 4
	x, target := drawnMatrix(n, d, 59), ring(n, 1)
	for name, loss := range map[string]func(tape *tape64, in []*value64) *value64{
		"contrast": func(tape *tape64, in []*value64) *value64 { return softmaxContrast(ctx, tape, in[0], in[0], 1, nil) },
		"contrast of anchors": func(tape *tape64, in []*value64) *value64 {
			return softmaxContrast(ctx, tape, in[0], in[0], 1, picks(n/2, n, 3))
		},
		"inner products": func(tape *tape64, in []*value64) *value64 { return innerProductLoss(ctx, tape, target, in[0]) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		gradientOf(t, loss, x)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 {
			t.Errorf("%s: %d bytes", name, taken)
		}
	}
}

func TestPairsStop(t *testing.T) {
	const d = 40
	target := ring(5000, 1)
	for name, c := range map[string]struct {
		n    int
		loss func(ctx context.Context, tape *tape64, in []*value64) *value64
	}{
		"contrast": {5000, func(ctx context.Context, tape *tape64, in []*value64) *value64 {
			return softmaxContrast(ctx, tape, in[0], in[1], 1, nil)
		}},
		"contrast of anchors": {5000, func(ctx context.Context, tape *tape64, in []*value64) *value64 {
			return softmaxContrast(ctx, tape, in[0], in[1], 1, picks(2500, 5000, 3))
		}},
		"inner products": {5000, func(ctx context.Context, tape *tape64, in []*value64) *value64 {
			return innerProductLoss(ctx, tape, target, in[0])
		}},
		"divergences": {20_000, func(ctx context.Context, tape *tape64, in []*value64) *value64 {
			return tape.Sum(gaussianKL(ctx, tape, in[0], tape.Mul(in[1], in[1]), picks(20_004, 20_000, 1), picks(20_004, 20_000, 2)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			u, v := drawnMatrix(c.n, d, 57), drawnMatrix(c.n, d, 58)
			testkit.Stops(t, func(ctx context.Context) error {
				tape := autodiff.New[float64](ctx)
				gradients := [2]matrix64{autodiff.NewMatrix[float64](c.n, d), autodiff.NewMatrix[float64](c.n, d)}
				return tape.Backward(c.loss(ctx, tape, []*value64{tape.Variable(u, gradients[0]), tape.Variable(v, gradients[1])}))
			})
		})
	}
}
