package testkit

import (
	"errors"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A BadMatrix is a matrix that every function refuses.
type BadMatrix struct {
	X    mat.Matrix // not to be taken
	Want error      // of the refusal
}

// BadMatrices are n × d matrices that nothing may take.
func BadMatrices(n, d int) map[string]BadMatrix {
	with := func(v float64) *mat.Dense {
		x := RandomDense(Random(1), n, d)
		x.Set(n-1, d-1, v)
		return x
	}
	// One entry a row, in the first column.
	csr := func(change func(ptr, ind []int, val []float64)) *sparse.CSR {
		ptr, ind, val := make([]int, n+1), make([]int, n), make([]float64, n)
		for i := range n {
			ptr[i+1], val[i] = i+1, 1
		}
		change(ptr, ind, val)
		return sparse.NewCSR(n, d, ptr, ind, val)
	}
	single := SingleOf(with(1))
	broken, short := *single, *single
	broken.Data = append([]float32(nil), single.Data...)
	broken.Data[d] = float32(math.Inf(1))
	short.Data = single.Data[:n*d-1]
	return map[string]BadMatrix{
		"no rows":                     {&mat.Dense{}, coles.ErrShape},
		"NaN":                         {with(math.NaN()), coles.ErrNotFinite},
		"infinity":                    {with(math.Inf(-1)), coles.ErrNotFinite},
		"infinity in float32":         {&broken, coles.ErrNotFinite},
		"float32 cut short":           {&short, coles.ErrShape},
		"NaN in another type":         {Foreign{with(math.NaN())}, coles.ErrNotFinite},
		"sparse, NaN":                 {SparseOf(with(math.NaN())), coles.ErrNotFinite},
		"sparse, no such column":      {csr(func(_, ind []int, _ []float64) { ind[n/2] = d }), coles.ErrIndex},
		"sparse, negative column":     {csr(func(_, ind []int, _ []float64) { ind[n-1] = -1 }), coles.ErrIndex},
		"sparse, descending pointers": {csr(func(ptr, _ []int, _ []float64) { ptr[1] = 2; ptr[2] = 1 }), coles.ErrShape},
		"sparse, pointers too far":    {csr(func(ptr, _ []int, _ []float64) { ptr[n] = n + 1 }), coles.ErrShape},
		"sparse, sums overflow": {csr(func(ptr, _ []int, val []float64) {
			for i := 1; i < n; i++ {
				ptr[i] = 2
			}
			val[0], val[1] = math.MaxFloat64, math.MaxFloat64
			ptr[n] = 2
		}), coles.ErrNotFinite},
	}
}

// RefuseMatrices opens every door with every bad n × d matrix, and wants the error that it names.
func RefuseMatrices(t *testing.T, n, d int, doors map[string]func(x mat.Matrix) error) {
	t.Helper()
	for what, bad := range BadMatrices(n, d) {
		for name, open := range doors {
			t.Run(name+" of "+what, func(t *testing.T) { WantError(t, open(bad.X), bad.Want) })
		}
	}
}

// A BadGraph has edges, and weights, that nothing may take.
type BadGraph struct {
	Edges   []coles.Edge // of a graph that is none
	Weights []float64    // of the edges
	Want    error        // of the refusal
}

// BadGraphs are edges, and weights, of no graph of n nodes.
func BadGraphs(n int) map[string]BadGraph {
	one := []coles.Edge{{U: 0, V: 1}}
	return map[string]BadGraph{
		"an edge to nowhere":           {[]coles.Edge{{U: 0, V: n}}, nil, coles.ErrIndex},
		"a negative node":              {[]coles.Edge{{U: -1, V: 1}}, nil, coles.ErrIndex},
		"a negative weight":            {one, []float64{-1}, coles.ErrNegative},
		"a weight that is no number":   {one, []float64{math.NaN()}, coles.ErrNotFinite},
		"an infinite weight":           {one, []float64{math.Inf(1)}, coles.ErrNotFinite},
		"fewer weights than edges":     {one, []float64{}, coles.ErrShape},
		"weights that sum to too much": {[]coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}}, []float64{1.7e308, 1.7e308}, coles.ErrNotFinite},
	}
}

// IsNamed reports whether an error wraps one of package coles, or one of those given.
func IsNamed(err error, more ...error) bool {
	var stopped *coles.ConvergenceError
	for _, named := range append([]error{
		coles.ErrShape, coles.ErrIndex, coles.ErrNotFinite, coles.ErrTooLarge, coles.ErrNegative, coles.ErrAsymmetric, coles.ErrIDs,
		coles.ErrDense, coles.ErrSetting, coles.ErrPrecision, coles.ErrUnplaced, coles.ErrFormat, coles.ErrChecksum,
	}, more...) {
		if errors.Is(err, named) {
			return true
		}
	}
	return errors.As(err, &stopped)
}
