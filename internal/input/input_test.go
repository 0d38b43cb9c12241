package input

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// entries reads a matrix back, entry by entry.
func entries(m Matrix) [][]float64 {
	out := make([][]float64, m.Rows)
	for i := range out {
		out[i] = make([]float64, m.Cols)
		if m.Sparse == nil {
			copy(out[i], m.Dense.Data[i*m.Dense.Stride:])
			continue
		}
		cols, vals := m.Sparse.Row(i)
		for q, j := range cols {
			out[i][j] += vals[q]
		}
	}
	return out
}

func TestReadTakesEveryForm(t *testing.T) {
	want := [][]float64{{0, 3, 0}, {1, 0, 2}}
	csr := sparse.NewCSR(2, 3, []int{0, 2, 4}, []int{1, 1, 2, 0}, []float64{1, 2, 2, 1}) // unsorted, one place twice
	coo := sparse.NewCOO(2, 3, []int{1, 0, 0, 1}, []int{2, 1, 1, 0}, []float64{2, 1, 2, 1})
	dok := sparse.NewDOK(2, 3)
	dok.Set(0, 1, 3)
	dok.Set(1, 0, 1)
	dok.Set(1, 2, 2)
	dense := mat.NewDense(2, 3, []float64{0, 3, 0, 1, 0, 2})
	wide := mat.NewDense(3, 4, []float64{9, 9, 9, 9, 9, 0, 3, 0, 9, 1, 0, 2})
	for _, c := range []struct {
		name   string
		x      mat.Matrix
		sparse bool
	}{
		{"CSR", csr, true},
		{"COO", coo, true},
		{"DOK", dok, true},
		{"CSC", coo.ToCSC(), true},
		{"dense", dense, false},
		{"part of a larger dense one", wide.Slice(1, 3, 1, 4), false},
		{"transposed", mat.DenseCopyOf(dense.T()).T(), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Read(context.Background(), c.x)
			if err != nil {
				t.Fatal(err)
			}
			if (m.Sparse != nil) != c.sparse {
				t.Errorf("sparse: %v, want %v", m.Sparse != nil, c.sparse)
			}
			got := entries(m)
			for i := range want {
				for j := range want[i] {
					if got[i][j] != want[i][j] {
						t.Errorf("entry (%d, %d) is %v, want %v", i, j, got[i][j], want[i][j])
					}
				}
			}
		})
	}
}

func TestCompactSortsAndJoins(t *testing.T) {
	a := sparse.NewCSR(2, 5, []int{0, 4, 5}, []int{4, 0, 4, 2, 1}, []float64{1, 2, 5, 3, 7})
	m, joined := Compact(a, math.Max)
	if joined != 1 {
		t.Errorf("%d entries joined, want 1", joined)
	}
	cols, vals := m.Row(0)
	if len(cols) != 3 || cols[0] != 0 || cols[1] != 2 || cols[2] != 4 || vals[2] != 5 {
		t.Errorf("row 0 is %v %v, want columns 0, 2, 4 with 5 at the last", cols, vals)
	}
}

// hostile is a matrix whose every entry panics.
type hostile struct{ r, c int }

func (h hostile) Dims() (r, c int)    { return h.r, h.c }
func (h hostile) At(i, j int) float64 { panic("no entry") }
func (h hostile) T() mat.Matrix       { return h }

func TestReadNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		x    mat.Matrix
		want Kind
	}{
		{"nil", nil, Empty},
		{"nil dense", (*mat.Dense)(nil), Empty},
		{"nil CSR", (*sparse.CSR)(nil), Empty},
		{"nil COO", (*sparse.COO)(nil), Empty},
		{"NaN, dense", mat.NewDense(2, 1, []float64{0, math.NaN()}), NotFinite},
		{"infinity, sparse", sparse.NewCSR(1, 1, []int{0, 1}, []int{0}, []float64{math.Inf(1)}), NotFinite},
		{"infinity after adding up", sparse.NewCSR(1, 1, []int{0, 2}, []int{0, 0}, []float64{1e308, 1e308}), NotFinite},
		{"column outside", sparse.NewCSR(1, 2, []int{0, 1}, []int{2}, []float64{1}), Index},
		{"negative column", sparse.NewCSR(1, 2, []int{0, 1}, []int{-1}, []float64{1}), Index},
		{"row pointers fall", sparse.NewCSR(2, 2, []int{0, 1, 0}, []int{0}, []float64{1}), Shape},
		{"row pointers run out", sparse.NewCSR(1, 2, []int{0, 5}, []int{0}, []float64{1}), Shape},
		{"too few row pointers", sparse.NewCSR(3, 2, []int{0, 1}, []int{0}, []float64{1}), Shape},
		{"foreign code panics", hostile{2, 2}, Shape},
		{"foreign and huge", hostile{1 << 30, 1 << 30}, TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(context.Background(), c.x)
			var bad *Error
			if !errors.As(err, &bad) || bad.Kind != c.want {
				t.Fatalf("error %v, want kind %d", err, c.want)
			}
			if bad.Where == "" {
				t.Error("the error does not say where")
			}
		})
	}
}
