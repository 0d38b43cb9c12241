package kernel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// poisoned is a rows × cols matrix of normal numbers with NaN in pad columns
// after each row.
func poisoned(rnd *rand.Rand, rows, cols, pad int) Matrix[float64] {
	m := Matrix[float64]{Rows: rows, Cols: cols, Stride: max(1, cols+pad)}
	m.Data = make([]float64, rows*m.Stride)
	for i := range m.Data {
		m.Data[i] = math.NaN()
	}
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = rnd.NormFloat64()
		}
	}
	return m
}

func clone(a Matrix[float64]) Matrix[float64] {
	a.Data = append([]float64(nil), a.Data...)
	return a
}

func fill(a Matrix[float64], v float64) {
	for i := range a.Rows {
		r := row(a, i)
		for j := range r {
			r[j] = v
		}
	}
}

// checkPadding fails if anything was written between the rows.
func checkPadding(t *testing.T, name string, a Matrix[float64]) {
	t.Helper()
	for i := range a.Rows {
		for j := a.Cols; j < a.Stride; j++ {
			if v := a.Data[i*a.Stride+j]; !math.IsNaN(v) {
				t.Fatalf("%s: the padding at (%d, %d) was overwritten with %g", name, i, j, v)
			}
		}
	}
}

// sameBits compares two slices byte by byte, NaN included.
func sameBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// withProcs runs do at each of the promised GOMAXPROCS.
func withProcs(do func(procs int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		do(procs)
	}
}

// randomCSR has about perRow entries in each row, every tenth row empty and
// one row full.
func randomCSR(rnd *rand.Rand, rows, cols, perRow int) *CSR[float64] {
	a := &CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1)}
	p := float64(perRow) / float64(max(1, cols))
	for i := range rows {
		for j := range cols {
			if i == rows/2 || i%10 != 3 && rnd.Float64() < p {
				a.Col = append(a.Col, int32(j))
				a.Val = append(a.Val, rnd.NormFloat64())
			}
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return a
}
