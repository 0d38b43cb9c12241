package autodiff

import (
	"context"
	"testing"

	"coles/internal/kernel"
	"coles/internal/testkit"
)

// fixture is a file of testdata: inputs, a result "out" or only the loss, and the gradients of the
// loss, as torch has them in float64.
type fixture struct {
	*Tape[float64]
	testkit.Fixture
	gradient map[string]matrix64 // of the variables
}

func readFixture(name string) *fixture {
	return &fixture{New[float64](context.Background()), testkit.ReadFixture("testdata", name+".json"), map[string]matrix64{}}
}

func (f *fixture) matrix(name string) matrix64 { return matrixOf(f.Rows(name)) }

func matrixOf(rows [][]float64) matrix64 {
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
	f.Decode("ptr", &s.Ptr)
	f.Decode("cols", &s.Col)
	s.Rows = len(s.Ptr) - 1
	s.Cols = s.Rows
	for range s.Col {
		s.Val = append(s.Val, 1)
	}
	return NewSparse(s, false)
}

func TestOperationsEqualTorch(t *testing.T) {
	// Rounding errors of sums of some tens of numbers of order one.
	wantNear := func(t *testing.T, what string, got, want matrix64) {
		t.Helper()
		testkit.WantClose(t, what, dense(got), dense(want), 1e-10)
	}
	for name, apply := range map[string]func(f *fixture) *Value[float64]{
		"attention": func(f *fixture) *Value[float64] {
			z, heads := f.variable("z"), int(f.Number("heads"))
			scores := func(name string) *Value[float64] {
				return f.HeadDots(z, f.Reshape(f.variable(name), heads, z.Cols()/heads))
			}
			return f.Attention(f.pattern(), z, scores("a_src"), scores("a_dst"), f.Number("slope"), 0, nil)
		},
		"layernorm": func(f *fixture) *Value[float64] {
			return f.LayerNorm(f.variable("x"), f.variable("gain"), f.variable("bias"), f.Number("eps"))
		},
		"lstm": func(f *fixture) *Value[float64] {
			var sequences [][]int
			f.Decode("sequences", &sequences)
			return f.LSTM(f.variable("x"), f.variable("theta"), f.variable("phi"), f.variable("b"), sequences)
		},
		"graphmae": func(f *fixture) *Value[float64] {
			cosines := f.RowDots(f.RowNormalize(f.variable("x")), f.RowNormalize(f.variable("z")))
			ones := f.Constant(build(cosines.Rows(), 1, func(_, _ int) float64 { return 1 }))
			return f.Mean(f.Pow(f.Add(ones, f.Scale(cosines, -1)), f.Number("gamma")))
		},
		"sce": func(f *fixture) *Value[float64] {
			z := f.variable("Z")
			trace := f.Sum(f.Mul(z, f.MatMul(f.Constant(f.matrix("N")), z)))
			return f.Scale(f.Reciprocal(trace), f.Number("alpha"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := readFixture(name)
			loss := apply(f)
			if f.Fixture["out"] != nil {
				wantNear(t, "result", loss.Data(), f.matrix("out"))
				loss = f.Sum(f.Mul(loss, f.Constant(f.matrix("C"))))
			}
			wantNear(t, "loss", loss.Data(), scalar(f.Number("loss")))
			testkit.Check(t, f.Backward(loss))
			want := f.Inner("gradient")
			for name := range want {
				wantNear(t, "gradient of "+name, f.gradient[name], matrixOf(want.Rows(name)))
			}
		})
	}
}
