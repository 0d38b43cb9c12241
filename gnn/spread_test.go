package gnn

import (
	"coles/internal/kernel"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestSpreadEqualsItsFormulas(t *testing.T) {
	h := randomMatrix[float64](5, 50, 4)
	for i := range h.Rows {
		h.Data[i*h.Stride] += 3
		h.Data[i*h.Stride+1] *= 5
	}
	orthogonality, rank, err := spread(ctx, h)
	if err != nil {
		t.Fatal(err)
	}
	var gram mat.Dense
	gram.Mul(dense(h).T(), dense(h))
	gram.Scale(1.0/50, &gram)
	for j := range 4 {
		gram.Set(j, j, gram.At(j, j)-1)
	}
	if want := math.Pow(mat.Norm(&gram, 2), 2) / 4; math.Abs(orthogonality-want) > 1e-12*want {
		t.Errorf("orthogonality %v, want %v", orthogonality, want)
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, dense(h), nil)
	var e mat.EigenSym
	e.Factorize(&covariance, false)
	sum, squares := 0.0, 0.0
	for _, l := range e.Values(nil) {
		sum += l
		squares += l * l
	}
	if want := sum * sum / squares; math.Abs(rank-want) > 1e-12*want {
		t.Errorf("rank %v, want %v", rank, want)
	}
	for i := range h.Data { // its squares are no numbers any more
		h.Data[i] = math.Ldexp(h.Data[i], 900)
	}
	if o, r, err := spread(ctx, h); err != nil || !math.IsInf(o, 1) || math.Abs(r-rank) > 1e-12*rank {
		t.Errorf("times 2⁹⁰⁰: orthogonality %v, rank %v, was %v, error %v", o, r, rank, err)
	}
	if _, rank, _ := spread(ctx, kernel.Dense[float32](5, 3)); rank != 0 {
		t.Errorf("the rank of nothing is %v", rank)
	}
}

// The rank is that of the centred rows however large their mean is, and in whatever unit.
func TestSpreadOfRowsFarFromZero(t *testing.T) {
	h := randomMatrix[float64](6, 60, 5)
	_, want, err := spread(ctx, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ unit, offset float64 }{{1, 1e3}, {1, 1e4}, {1e-30, 0}, {1e30, 0}, {1e-25, 1e-22}} {
		moved := kernel.Dense[float32](60, 5)
		for i, v := range h.Data {
			moved.Data[i] = float32(v*c.unit + c.offset)
		}
		// float32 keeps of the differences what is beyond 2⁻²⁴ of the offset.
		bound := 1e-5 + 1e-6*c.offset/c.unit
		if _, rank, err := spread(ctx, moved); err != nil || math.Abs(rank-want) > bound*want {
			t.Errorf("times %g plus %g: rank %v, want %v, error %v", c.unit, c.offset, rank, want, err)
		}
	}
}
