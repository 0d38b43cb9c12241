package autodiff

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"coles/internal/kernel"
	"coles/internal/testkit"
)

func TestMistakesPanic(t *testing.T) {
	tape := New[float64](context.Background())
	a, b := tape.Constant(kernel.Dense[float64](3, 4)), tape.Constant(kernel.Dense[float64](5, 6))
	c, empty := tape.Constant(kernel.Dense[float64](4, 3)), tape.Constant(kernel.Dense[float64](0, 4))
	row, six := tape.Constant(kernel.Dense[float64](1, 4)), make([]float64, 6)
	for name, call := range map[string]func(){
		"MatMul of 3×4 and 5×6":                               func() { tape.MatMul(a, b) },
		"MatMulTrans of 3×4 and 5×6":                          func() { tape.MatMulTrans(a, b) },
		"SpMM of 2×2 and 3×4":                                 func() { tape.SpMM(NewSparse(sparseOf(2, 2), false), a) },
		"Bias of 3×4 and 5×6":                                 func() { tape.Bias(a, b) },
		"PReLU of 3×4 and 5×6":                                func() { tape.PReLU(a, b) },
		"Add of 3×4 and 5×6":                                  func() { tape.Add(a, b) },
		"RowDots of 3×4 and 5×6":                              func() { tape.RowDots(a, b) },
		"GatherDots of 3×4 and 5×6":                           func() { tape.GatherDots(a, nil, b, nil) },
		"Variable of 3×4 and 5×6":                             func() { tape.Variable(a.Data(), b.Data()) },
		"BatchNorm of 3×4 and 5×6":                            func() { tape.BatchNorm(a, b, b, 0, make([]float64, 4), make([]float64, 4)) },
		"BatchNorm of 4 columns with 1 means and 0 variances": func() { tape.BatchNorm(a, a, a, 0, make([]float64, 1), nil) },
		"Mean of 0×4":                                         func() { tape.Mean(empty) },
		"SoftOrthogonality of 0×4":                            func() { tape.SoftOrthogonality(empty) },
		"Reshape of 3×4 to 5×2":                               func() { tape.Reshape(a, 5, 2) },
		"Scalar of 3×4":                                       func() { a.Scalar() },
		"Gather: index 3 at place 1, outside of [0, 3)":       func() { tape.Gather(a, []int{0, 3}) },
		"rows: index -1 at place 0":                           func() { tape.SoftmaxCrossEntropy(a, []int{-1}, []int{0}) },
		"classes: index 4 at place 0":                         func() { tape.SoftmaxCrossEntropy(a, []int{0}, []int{4}) },
		"0 rows and 0 classes":                                func() { tape.SoftmaxCrossEntropy(a, nil, nil) },
		"Dropout at a rate of 1":                              func() { tape.Dropout(a, 1, nil) },
		"Backward from a 3×4 value":                           func() { _ = tape.Backward(a) },
		"Mul of 3×4 and 4×3":                                  func() { tape.Mul(a, c) },
		"Concat of 3×4 and 4×3":                               func() { tape.Concat(a, c) },
		"Columns 2 to 5 of 3×4":                               func() { tape.Columns(a, 2, 5) },
		"LayerNorm of 3×4 and 4×3":                            func() { tape.LayerNorm(a, c, c, 0) },
		"HeadDots of 3×4 and 4×3":                             func() { tape.HeadDots(a, c) },
		"Attention of 3×4 and 3×4":                            func() { tape.Attention(hub, a, a, a, 0.2, 0, nil) },
		"Attention of 4×3 and 4×3 and 4×3":                    func() { tape.Attention(hub, c, c, c, 0.2, 0, nil) },
		"LSTM of 3×4 and 4×3 and 3×4 and 4×3":                 func() { tape.LSTM(a, c, a, c, nil) },
		"LSTM: index 4 at place 1, outside of [0, 4)":         func() { tape.LSTM(c, a, row, row, [][]int{{0}, {1, 4}}) },
		"Attention with a slope of -1":                        func() { tape.Attention(hub, c, tape.Columns(a, 0, 3), c, -1, 0, nil) },
		"Attention at a rate of 1":                            func() { tape.Attention(hub, c, tape.Columns(a, 0, 3), c, 0.2, 1, nil) },
		"Constant of 2×3 with a stride of 2 and 6 numbers":    func() { tape.Constant(matrix64{Rows: 2, Cols: 3, Stride: 2, Data: six}) },
		"Variable of 2×4 with a stride of 4 and 6 numbers":    func() { tape.Variable(matrix64{Rows: 2, Cols: 4, Stride: 4, Data: six}, matrix64{}) },
		"Constant of -1×3":                                    func() { tape.Constant(matrix64{Rows: -1, Cols: 3, Stride: 3, Data: six}) },
	} {
		wantPanic(t, name, call)
	}
}

// wantPanic checks that a call panics with a message of the package that has these words.
func wantPanic(t *testing.T, words string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if message, _ := recover().(string); !strings.HasPrefix(message, "autodiff: ") || !strings.Contains(message, words) {
			t.Errorf("%q, want a panic with %q", message, words)
		}
	}()
	call()
}

func TestSparseMatricesThatDoNotFitPanic(t *testing.T) {
	for _, c := range []struct {
		words string
		ptr   []int64
		col   []int32
	}{
		{"2×2 with 2 pointers, 2 columns and 2 values", []int64{0, 2}, []int32{0, 1}},
		{"2×2 with 3 pointers, 1 columns and 2 values", []int64{0, 1, 1}, []int32{0}},
		{"2×2 with 3 pointers", []int64{0, 1, 3}, []int32{0, 1}},
		{"2×2 with 3 pointers", []int64{0, 2, 1}, []int32{0, 1}},
		{"2×2 with 3 pointers", []int64{-1, 1, 2}, []int32{0, 1}},
		{"column 2 at place 0 of row 1, of 2", []int64{0, 1, 2}, []int32{1, 2}},
		{"column -1 at place 0 of row 0, of 2", []int64{0, 1, 2}, []int32{-1, 0}},
		{"column 1 at place 1 of row 0, of 2", []int64{0, 2, 2}, []int32{1, 1}},
	} {
		s := &CSR[float64]{Rows: 2, Cols: 2, Ptr: c.ptr, Col: c.col, Val: make([]float64, 2)}
		for _, symmetric := range []bool{false, true} {
			wantPanic(t, c.words, func() { NewSparse(s, symmetric) })
		}
	}
}

func TestASparseConstantInPlaceOfADenseMatrixPanics(t *testing.T) {
	for _, op := range operations[float64]() {
		for k := range op.sizes(5, 3) {
			if op.name == "Dropout" || op.name == "Gather" || (op.name == "Convolve" || op.name == "LSTM") && k == 0 ||
				strings.HasPrefix(op.name, "MatMul") && len(op.sizes(5, 3)) == 2 && k == 0 {
				continue
			}
			tape := New[float64](context.Background())
			var in []*Value[float64]
			for _, m := range inputsOf(op, 5, 3, testkit.Random(18)) {
				in = append(in, tape.Constant(m))
			}
			rows, cols := in[k].Rows(), in[k].Cols()
			in[k] = tape.SparseConstant(pattern[float64](rows, cols))
			t.Run(fmt.Sprint(op.name, ", input ", k), func(t *testing.T) {
				wantPanic(t, fmt.Sprintf("a %d×%d SparseConstant where a dense matrix is needed", rows, cols), func() { op.apply(tape, in) })
			})
		}
	}
}

// Every method that returns a value is in the list of the package's doc comment and, unless it makes
// an input or ends the recording, in the table of operations.
func TestEveryOperationIsListedAndTested(t *testing.T) {
	file := testkit.Must(parser.ParseFile(token.NewFileSet(), "tape.go", nil, parser.PackageClauseOnly|parser.ParseComments))
	var tested strings.Builder
	for _, op := range operations[float64]() {
		fmt.Fprintln(&tested, op.name)
	}
	tape, count := reflect.TypeFor[*Tape[float64]](), 0
	for i := range tape.NumMethod() {
		m := tape.Method(i)
		if m.Type.NumOut() != 1 || m.Type.Out(0) != reflect.TypeFor[*Value[float64]]() {
			continue
		}
		count++
		word := regexp.MustCompile(`\b` + m.Name + `\b`)
		if !word.MatchString(file.Doc.Text()) {
			t.Errorf("%s is not in the list", m.Name)
		}
		if m.Name != "Constant" && m.Name != "Variable" && m.Name != "Forget" && !word.MatchString(tested.String()) {
			t.Errorf("%s is not in the table", m.Name)
		}
	}
	if count < 40 { // or reflection looks for the wrong type
		t.Errorf("only %d operations were found", count)
	}
}
