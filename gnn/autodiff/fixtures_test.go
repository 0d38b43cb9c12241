package autodiff

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"coles/internal/kernel"
	"coles/internal/testkit"
)

// fixture is a file of testdata: inputs, a result "out" or only the loss, and the gradients of the
// loss, as torch has them in float64.
type fixture struct {
	*Tape[float64]
	data     map[string]json.RawMessage
	gradient map[string]matrix64 // of the variables
}

func readFixture(name string) *fixture {
	f := &fixture{Tape: New[float64](context.Background()), gradient: map[string]matrix64{}}
	decode(testkit.Must(os.ReadFile(filepath.Join("testdata", name+".json"))), &f.data)
	return f
}

func decode(data []byte, to any) {
	if err := json.Unmarshal(data, to); err != nil {
		panic(err)
	}
}

func (f *fixture) number(name string) (v float64) {
	decode(f.data[name], &v)
	return v
}

func (f *fixture) matrix(name string) matrix64 { return matrixOf(f.data[name]) }

func matrixOf(data []byte) matrix64 {
	var rows [][]float64
	decode(data, &rows)
	return build(len(rows), len(rows[0]), func(i, j int) float64 { return rows[i][j] })
}

func (f *fixture) variable(name string) *Value[float64] {
	m := f.matrix(name)
	f.gradient[name] = kernel.Dense[float64](m.Rows, m.Cols)
	return f.Variable(m, f.gradient[name])
}

// pattern is the matrix of ones in the places of the file.
func (f *fixture) pattern() *Sparse[float64] {
	s := &CSR[float64]{}
	decode(f.data["ptr"], &s.Ptr)
	decode(f.data["cols"], &s.Col)
	s.Rows = len(s.Ptr) - 1
	s.Cols = s.Rows
	for range s.Col {
		s.Val = append(s.Val, 1)
	}
	return NewSparse(s, false)
}

func TestOperationsEqualTorch(t *testing.T) {
	softmaxSum := func(constant bool) func(f *fixture) *Value[float64] {
		return func(f *fixture) *Value[float64] {
			return f.SoftmaxSum(f.pattern(), f.variable("x"), f.number("t"), constant)
		}
	}
	decoder := func(f *fixture) *Value[float64] {
		z, target := f.variable("z"), f.pattern().Matrix()
		decode(f.data["vals"], &target.Val)
		return f.InnerProductLoss(NewSparse(target, true), z)
	}
	for name, apply := range map[string]func(f *fixture) *Value[float64]{
		"attention": func(f *fixture) *Value[float64] {
			z, heads := f.variable("z"), int(f.number("heads"))
			scores := func(name string) *Value[float64] {
				return f.HeadDots(z, f.Reshape(f.variable(name), heads, z.Cols()/heads))
			}
			return f.Attention(f.pattern(), z, scores("a_src"), scores("a_dst"), f.number("slope"), 0, nil)
		},
		"layernorm": func(f *fixture) *Value[float64] {
			return f.LayerNorm(f.variable("x"), f.variable("gain"), f.variable("bias"), f.number("eps"))
		},
		"softmaxsum":          softmaxSum(false),
		"softmaxsum_constant": softmaxSum(true),
		"graphmae": func(f *fixture) *Value[float64] {
			cosines := f.RowDots(f.RowNormalize(f.variable("x")), f.RowNormalize(f.variable("z")))
			ones := f.Constant(build(cosines.Rows(), 1, func(_, _ int) float64 { return 1 }))
			return f.Mean(f.Pow(f.Add(ones, f.Scale(cosines, -1)), f.number("gamma")))
		},
		"sce": func(f *fixture) *Value[float64] {
			z := f.variable("Z")
			trace := f.Sum(f.Mul(z, f.MatMul(f.Constant(f.matrix("N")), z)))
			return f.Scale(f.Reciprocal(trace), f.number("alpha"))
		},
		"infonce": func(f *fixture) *Value[float64] {
			return f.SoftmaxContrast(f.RowNormalize(f.variable("u")), f.RowNormalize(f.variable("v")), f.number("tau"), nil)
		},
		"decoder":          decoder,
		"decoder_weighted": decoder,
		"gaussian": func(f *fixture) *Value[float64] {
			var triplets [][3]int
			decode(f.data["triplets"], &triplets)
			var at [3][]int
			for _, triplet := range triplets {
				for k, i := range triplet {
					at[k] = append(at[k], i)
				}
			}
			mean, variance := f.variable("mu"), f.variable("sigma")
			near, far := f.GaussianKL(mean, variance, at[0], at[1]), f.GaussianKL(mean, variance, at[0], at[2])
			return f.Mean(f.Add(f.Mul(near, near), f.Exp(f.Scale(far, -1))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := readFixture(name)
			loss := apply(f)
			if f.data["out"] != nil {
				wantNear(t, "result", loss.Data(), f.matrix("out"))
				loss = f.Sum(f.Mul(loss, f.Constant(f.matrix("C"))))
			}
			wantNear(t, "loss", loss.Data(), scalar(f.number("loss")))
			if err := f.Backward(loss); err != nil {
				t.Fatal(err)
			}
			var gradients map[string]json.RawMessage
			decode(f.data["gradient"], &gradients)
			for name, want := range gradients {
				wantNear(t, "gradient of "+name, f.gradient[name], matrixOf(want))
			}
		})
	}
}

// wantNear allows for rounding errors of sums of some tens of numbers of order one.
func wantNear(t *testing.T, what string, got, want matrix64) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	g := entries(got)
	for k, w := range entries(want) {
		if !(math.Abs(g[k]-w) <= 1e-10) {
			t.Errorf("%s: number %d is %g, want %g", what, k, g[k], w)
		}
	}
}
