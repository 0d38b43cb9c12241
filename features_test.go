package coles_test

import (
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A Dense32 is a view of its numbers, widened.
func TestDense32ViewsItsData(t *testing.T) {
	data := []float32{1, 0.1, -3, 9, 4, 5, 6, 9}
	m := &coles.Dense32{Rows: 2, Cols: 3, Stride: 4, Data: data} // 0.1 is what float32 makes of it
	want := mat.NewDense(2, 3, []float64{1, float64(float32(0.1)), -3, 4, 5, 6})
	if !mat.Equal(m, want) || !mat.Equal(m.T(), want.T()) {
		t.Errorf("%v", mat.Formatted(m))
	}
	if m.RawMatrix().Data[0] = 8; m.At(0, 0) != 8 || data[0] != 8 {
		t.Errorf("no view: %v", mat.Formatted(m))
	}
	testkit.WantClose(t, "prepared with a stride", prepared(m, coles.PrepareNone), testkit.DenseOf(m), 0)
}
