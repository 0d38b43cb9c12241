package rivals

import (
	"testing"

	"coles/gnn/autodiff"
)

func TestCCAEqualsTorch(t *testing.T) {
	f := readFixture("cca")
	// The file's columns have variances of 1 and more, of which ε = 1e-12 changes 1e-12.
	f.check(t, decorrelation(f.Tape, f.variable("Z1"), f.variable("Z2"), f.Number("lambda")))
}

// A column that does not vary counts as one of zeros.
func TestCCAOfAConstantColumn(t *testing.T) {
	tape := autodiff.New[float32](ctx)
	z, g := autodiff.NewMatrix[float32](4, 2), autodiff.NewMatrix[float32](4, 2)
	for i := range 4 {
		z.Data[i*z.Stride], z.Data[i*z.Stride+1] = float32(i), 0.1
	}
	zeros := standardized(tape, tape.Variable(z, g))
	for i := range 4 {
		if v := zeros.Data().Data[i*z.Stride+1]; v != 0 {
			t.Errorf("row %d of the constant column became %v", i, v)
		}
	}
}
