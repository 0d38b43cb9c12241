package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// epsilon is the distance from 1 to the next number.
func epsilon[T Float]() float64 {
	if isDouble[T]() {
		return 0x1p-52
	}
	return 0x1p-23
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// poisoned is a rows × cols matrix of normal numbers with NaN in pad columns after each row.
func poisoned[T Float](rnd *rand.Rand, rows, cols, pad int) Matrix[T] {
	m := Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols+pad)}
	m.Data = make([]T, rows*m.Stride)
	for i := range m.Data {
		m.Data[i] = T(math.NaN())
	}
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = T(rnd.NormFloat64())
		}
	}
	return m
}

func clone[T Float](a Matrix[T]) Matrix[T] {
	a.Data = append([]T(nil), a.Data...)
	return a
}

func fill[T Float](a Matrix[T], v T) {
	for i := range a.Rows {
		r := a.Row(i)
		for j := range r {
			r[j] = v
		}
	}
}

// checkPadding fails if anything was written between the rows.
func checkPadding[T Float](t *testing.T, name string, a Matrix[T]) {
	t.Helper()
	for i := range a.Rows {
		for j := a.Cols; j < a.Stride; j++ {
			if v := a.Data[i*a.Stride+j]; v == v {
				t.Fatalf("%s: the padding at (%d, %d) was overwritten with %g", name, i, j, v)
			}
		}
	}
}

// randomCSR has about perRow entries in each row, every tenth row empty and one row full.
func randomCSR[T Float](rnd *rand.Rand, rows, cols, perRow int) *CSR[T] {
	a := &CSR[T]{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1)}
	p := float64(perRow) / float64(max(1, cols))
	for i := range rows {
		for j := range cols {
			if i == rows/2 || i%10 != 3 && rnd.Float64() < p {
				a.Col = append(a.Col, int32(j))
				a.Val = append(a.Val, T(rnd.NormFloat64()))
			}
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return a
}

// onEveryPath runs a test once for each path that this machine supports: for float64, for float32,
// and for factors in float32 with a result in float64, as far as tests are given.
func onEveryPath(t *testing.T, tests ...func(t *testing.T)) {
	before := active
	defer func() { active = before }()
	for _, p := range available() {
		active = p
		for k, test := range tests {
			t.Run(p.name+"/"+[]string{"float64", "float32", "wide"}[k], test)
		}
	}
}

// must fails the test at an error.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
