package coles_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A Dense32 halves the memory of dense features and is read like any matrix.
func ExampleNewDense32() {
	x, err := coles.NewDense32(2, 3, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mat.Formatted(x))
	_, err = coles.NewDense32(2, 3, []float32{1, 2, 3, 4})
	fmt.Println(err)
	// Output:
	// ⎡1  2  3⎤
	// ⎣4  5  6⎦
	// coles: matrix: sizes do not agree: 4 numbers for 2 × 3
}

func TestDense32ViewsItsData(t *testing.T) {
	data := []float32{1, 0.1, -3, 4, 5, 6}
	m := must(coles.NewDense32(2, 3, data))
	if r, c := m.Dims(); r != 2 || c != 3 {
		t.Fatalf("%d × %d", r, c)
	}
	// 0.1 is what float32 makes of it; widening keeps that.
	want := mat.NewDense(2, 3, []float64{1, float64(float32(0.1)), -3, 4, 5, 6})
	if !mat.Equal(m, want) || !mat.Equal(m.T(), want.T()) {
		t.Errorf("%v", mat.Formatted(m))
	}
	data[5] = 7
	raw := m.RawMatrix()
	raw.Data[0] = 8
	if m.At(1, 2) != 7 || m.At(0, 0) != 8 || raw.Rows != 2 || raw.Cols != 3 || raw.Stride != 3 {
		t.Errorf("no view: %v, %+v", mat.Formatted(m), raw)
	}
	zeros := must(coles.NewDense32(4, 2, nil))
	if !mat.Equal(zeros, mat.NewDense(4, 2, nil)) {
		t.Errorf("a new matrix holds %v", mat.Formatted(zeros))
	}
}

func TestDense32RefusesSizes(t *testing.T) {
	for _, c := range []struct {
		rows, cols int
		data       []float32
		want       error
	}{
		{-1, 2, nil, coles.ErrShape},
		{2, -1, nil, coles.ErrShape},
		{0, 2, nil, coles.ErrEmpty},
		{2, 0, []float32{}, coles.ErrEmpty},
		{2, 2, make([]float32, 3), coles.ErrShape},
		{2, 2, make([]float32, 5), coles.ErrShape},
		{2, 2, []float32{}, coles.ErrShape},
		{math.MaxInt32, math.MaxInt32, nil, coles.ErrTooLarge},
		{math.MaxInt, 4, nil, coles.ErrTooLarge},
		{1, math.MaxInt, []float32{1}, coles.ErrTooLarge},
	} {
		if m, err := coles.NewDense32(c.rows, c.cols, c.data); m != nil || !errors.Is(err, c.want) {
			t.Errorf("%d × %d of %d numbers: %v, want %v", c.rows, c.cols, len(c.data), err, c.want)
		}
	}
}

func TestDense32OutOfRangePanicsLikeGonum(t *testing.T) {
	m := must(coles.NewDense32(2, 3, nil))
	for _, c := range []struct {
		m    *coles.Dense32
		i, j int
		want mat.Error
	}{
		{m, 2, 0, mat.ErrRowAccess},
		{m, -1, 0, mat.ErrRowAccess},
		{m, 0, 3, mat.ErrColAccess},
		{m, 0, -1, mat.ErrColAccess},
		{nil, 0, 0, mat.ErrRowAccess},
		{&coles.Dense32{}, 0, 0, mat.ErrRowAccess},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("At(%d, %d): %v, want %v", c.i, c.j, got, c.want)
				}
			}()
			c.m.At(c.i, c.j)
		}()
	}
	for _, none := range []*coles.Dense32{nil, {}} {
		if r, c := none.Dims(); r != 0 || c != 0 || len(none.RawMatrix().Data) != 0 {
			t.Errorf("%d × %d, want nothing", r, c)
		}
	}
}
