package link

import (
	"context"

	"coles"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// bilinear learns a vector for each of the unit rows z (n × d′) whose products with other rows are large for neighbours by
// the edges of g,
//
//	z_uW/‖z_uW‖ + z_u/2,  W = (ZᵀZ + I)⁻¹ZᵀAZ(ZᵀZ + I)⁻¹,
//
// where Z has the rows of nodes with edges, and is 0 for others. W is the ridge regression of A by products of columns of Z.
// The rest is half a cosine, which tells alike rows. It takes O(m·d′ + n·d′²).
func bilinear(ctx context.Context, g *coles.Graph, units *matrix.Matrix[float64]) (*matrix.Matrix[float64], error) {
	z := matrix.ToDense(units.Dense)
	n, d := z.Dims()
	ends, sums, asks := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), mat.NewDense(n, d, nil) // Z and AZ
	for e, w := range g.Edges() {
		for _, pair := range [][2]int{{e.U, e.V}, {e.V, e.U}} {
			ends.SetRow(pair[0], z.RawRowView(pair[0]))
			floats.AddScaled(sums.RawRowView(pair[0]), w, z.RawRowView(pair[1]))
		}
	}
	gram, right, half := mat.NewSymDense(d, nil), &mat.Dense{}, &mat.Dense{}
	gram.SymOuterK(1, ends.T())
	for k := range d {
		gram.SetSym(k, k, gram.At(k, k)+1)
	}
	var factors mat.Cholesky
	factors.Factorize(gram) // which is positive definite
	right.Mul(ends.T(), sums)
	if err := factors.SolveTo(half, right); err != nil {
		return nil, err
	}
	if err := factors.SolveTo(right, half.T()); err != nil { // W
		return nil, err
	}
	asks.Mul(z, right)
	if err := parallel.EachRow(ctx, n, func(u int) {
		ask := asks.RawRowView(u)
		if length := floats.Norm(ask, 2); length > 0 {
			floats.Scale(1/length, ask)
		}
		floats.AddScaled(ask, 0.5, z.RawRowView(u))
	}); err != nil {
		return nil, err
	}
	return given.Read(ctx, asks)
}
