package gnn

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func spreadOf[T kernel.Float](h kernel.Matrix[T]) (orthogonality, rank float64, err error) {
	t := autodiff.New[T](ctx)
	return spread(ctx, t, t.Constant(h))
}

func TestSpreadEqualsItsFormulas(t *testing.T) {
	h := randomMatrix(5, 50, 4)
	for i := range h.Rows {
		h.Data[i*h.Stride] += 3
		h.Data[i*h.Stride+1] *= 5
	}
	orthogonality, rank, err := spreadOf(h)
	testkit.Check(t, err)
	testkit.WantNear(t, "orthogonality", orthogonality, penalty(dense(h)), 1e-12)
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, dense(h), nil)
	var e mat.EigenSym
	e.Factorize(&covariance, false)
	sum, squares := 0.0, 0.0
	for _, l := range e.Values(nil) {
		sum += l
		squares += l * l
	}
	testkit.WantNear(t, "rank", rank, sum*sum/squares, 1e-12)
	for i := range h.Data { // its squares are no numbers any more
		h.Data[i] = math.Ldexp(h.Data[i], 900)
	}
	if o, r, err := spreadOf(h); err != nil || !math.IsInf(o, 1) || !(math.Abs(r-rank) <= 1e-12*rank) {
		t.Errorf("times 2⁹⁰⁰: orthogonality %v, rank %v, was %v, error %v", o, r, rank, err)
	}
	if _, rank, _ := spreadOf(kernel.Dense[float32](5, 3)); rank != 0 {
		t.Errorf("the rank of nothing is %v", rank)
	}
}

// The rank is the centred rows' however large their mean is, and in whatever unit.
func TestSpreadOfRowsFarFromZero(t *testing.T) {
	h := randomMatrix(6, 60, 5)
	_, want, err := spreadOf(h)
	testkit.Check(t, err)
	for _, c := range []struct{ unit, offset float64 }{{1, 0.5}, {1, 5}, {1, 1e3}, {1, 1e4}, {1e-30, 0}, {1e30, 0}, {1e-25, 1e-22}} {
		moved := kernel.Dense[float32](60, 5)
		for i, v := range h.Data {
			moved.Data[i] = float32(v*c.unit + c.offset)
		}
		// float32 keeps of the differences what is beyond 2⁻²⁴ of the offset.
		bound := 1e-5 + 1e-6*c.offset/c.unit
		if _, rank, err := spreadOf(moved); err != nil || math.Abs(rank-want) > bound*want {
			t.Errorf("times %g plus %g: rank %v, want %v, error %v", c.unit, c.offset, rank, want, err)
		}
	}
}

// The embedding is the output times one factor, and the mean norm of its centred rows is r.
func TestCentredRowsHaveTheNorm(t *testing.T) {
	g, x := small(25)
	output, y := trained(t, g, x, withNorm(0)).Embedding(), trained(t, g, x, withNorm(3)).Embedding()
	testkit.WantNear(t, "the mean norm", testkit.MeanNorm(y), 3, 3e-13)
	output.Scale(y.At(0, 0)/output.At(0, 0), output)
	testkit.WantClose(t, "the output times a factor", output, y, 1e-12)
}

// A network may make all rows equal but for rounding: they keep their scale.
func TestEqualRowsKeepTheirScale(t *testing.T) {
	var cliques []coles.Edge
	n := 0
	for _, size := range []int{3, 5, 6, 7, 11, 13} {
		for u := range size {
			for v := range u {
				cliques = append(cliques, coles.Edge{U: n + u, V: n + v})
			}
		}
		n += size
	}
	g := testkit.Must(coles.NewGraph(n, cliques))
	ones := mat.NewDense(n, 3, slices.Repeat([]float64{1}, 3*n))
	for _, p := range []coles.Precision{coles.Float32, coles.Float64} {
		m := trained(t, g, ones, withPrecision(p))
		if largest := mat.Max(m.Embedding()); m.factor != 1 || largest > 100 {
			t.Errorf("%v: an entry of %g, the factor %g", p, largest, m.factor)
		}
	}
}
