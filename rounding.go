package coles

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
)

// mostDoubt is how far YYᵀ of a fit in [Float32] may be estimated to be from that in [Float64].
const mostDoubt = 5e-6

// What float32 makes of an entry of M, in any basis, in units of ‖FX‖²/d and, where sums grow
// steadily, of ‖M‖/d, both of what M is before anything is taken out of it; and of a column FXp with
// |p| = 1, in units of ‖FX‖/√d. Measured on spectra of fourteen kinds: the entries are a fifth of the
// estimate to twice it.
const (
	randomRounding = 4e-8
	steadyRounding = 2e-7
	columnRounding = 6e-8
)

// tooCoarse reports whether the error may be float32's. Where few of the nodes have edges, M is far
// smaller than (FX)ᵀ(FX), which float32 rounds by.
func tooCoarse(err error) bool {
	var stopped *ConvergenceError
	return errors.Is(err, ErrPrecision) || errors.As(err, &stopped)
}

// rounded adds what float32 makes of M to what is not known of its eigenpairs. squares is ‖FX‖², left
// what it is without the direction that is split off, and one the norm of what is taken out of M.
func (found *Projection) rounded(squares, left, one float64, d int) {
	n, side := &found.noise, math.Sqrt(float64(d))
	entry := (randomRounding*left + steadyRounding*(matrix.Length(found.Lambda)+one)) / float64(d)
	n.Total, n.Column = squares, columnRounding*math.Sqrt(squares)/side
	for j, r := range n.Pairs {
		n.Pairs[j] = math.Hypot(entry, r/side)
	}
}

// squares estimates ‖FX‖² from products with vectors of random signs (Hutchinson's estimator), and
// what it is without a direction, of length 1 or nil.
func (p *problem[T]) squares(ctx context.Context, along []float64) (all, left float64, err error) {
	const probes = 16
	n, d := p.x.Dims()
	draw := stream.New()
	draw.Reseed(p.seed, 0)
	r := kernel.Unset[float64](d, probes)
	var shares [probes]float64
	for j := range d {
		row, bits := r.Data[j*probes:][:probes], draw.Uint64()
		for c := range row {
			row[c] = 1 - 2*float64(bits>>c&1)
			if along != nil {
				shares[c] += along[j] * row[c]
			}
		}
	}
	random := probes
	if along != nil { // the first is that direction, the others have nothing of it
		random--
		shares[0] = 0
		for j, v := range along {
			row := r.Data[j*probes:][:probes]
			row[0] = v
			matrix.AddScaled(row, -v, shares[:])
		}
	}
	in, err := matrix.Convert[T](ctx, matrix.Of(r))
	if err != nil {
		return 0, 0, err
	}
	u, y, spare := kernel.Unset[T](n, probes), kernel.Unset[T](n, probes), kernel.Unset[T](n, probes)
	if err := p.x.Times(ctx, u, in.Dense); err != nil {
		return 0, 0, err
	}
	fu, err := matrix.Horner(ctx, p.filter.coef, p.w.Stored, matrix.Of(u), y, spare)
	if err != nil {
		return 0, 0, err
	}
	if left, err = matrix.Of(kernel.Columns(fu, probes-random, probes)).Squares(ctx); err != nil {
		return 0, 0, err
	}
	left /= float64(random)
	if along == nil {
		return left, left, nil
	}
	all, err = matrix.Of(kernel.Columns(fu, 0, 1)).Squares(ctx)
	return all + left, left, err
}

// checkDoubt refuses what float32 has made of an embedding if too little of it is certain.
func checkDoubt(doubt float64) error {
	if doubt <= mostDoubt {
		return nil
	}
	return fmt.Errorf("coles: fit: %w: rounding in float32 may change YYᵀ by %.2g; use Float64", ErrPrecision, doubt)
}
