package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// uniformityRows is how many rows are compared with as many others at a time.
const uniformityRows = 256

// Uniformity is the logarithm of the mean Gaussian potential between the rows of
// x (n × d), over all pairs of them:
//
//	log( 2/(n(n−1)) · Σ_{i<j} exp(−t·‖x_i − x_j‖²) ),  t > 0
//
// (Wang and Isola 2020, section 4.1.2, with t = 2 and unit rows). Smaller is
// better; it is 0 when all rows are equal. It takes O(n²d) operations as products
// of matrices and, for each processor, 512 rows and 256² numbers of memory.
//
// Errors: [ErrParameter] for t, [ErrEmpty] for fewer than two rows,
// [ErrNotFinite] also for squares that overflow, [ErrShape], [ErrCorrupt], and ctx.Err().
func Uniformity(ctx context.Context, x mat.Matrix, t float64) (float64, error) {
	if !(t > 0) || math.IsInf(t, 0) {
		return 0, fmt.Errorf("%w: t is %v", ErrParameter, t)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return 0, err
	}
	if f.rows < 2 {
		return 0, fmt.Errorf("%w: %d row has no pairs", ErrEmpty, f.rows)
	}
	mean, err := f.mean(ctx)
	if err != nil {
		return 0, err
	}
	// A task takes a block of rows with all blocks from it on, so that what is
	// kept of the tasks grows with n and not with its square.
	blocks := (f.rows + uniformityRows - 1) / uniformityRows
	parts, errs := make([]potential, blocks), make([]error, blocks)
	err = parallel.For(ctx, blocks, func(b int) {
		parts[b], errs[b] = f.potentialOf(ctx, b*uniformityRows, mean, t)
	})
	if err != nil {
		return 0, err
	}
	var all potential
	for b, part := range parts {
		if errs[b] != nil {
			return 0, errs[b]
		}
		all.add(part)
	}
	n := float64(f.rows)
	// Not above zero but for rounding.
	return min(0, -t*all.nearest+math.Log(all.sum/(n*(n-1)/2))), nil
}

// A potential is Σ exp(−t·r²) over squared distances r², as
// sum·exp(−t·nearest): the sum itself may vanish. None is the zero value.
type potential struct{ nearest, sum, t float64 }

// add joins the sums of both.
func (p *potential) add(other potential) {
	switch {
	case other.sum == 0:
	case p.sum == 0:
		*p = other
	case p.nearest <= other.nearest:
		p.sum += other.sum * math.Exp(-p.t*(other.nearest-p.nearest))
	default:
		p.sum = other.sum + p.sum*math.Exp(-p.t*(p.nearest-other.nearest))
		p.nearest = other.nearest
	}
}

// potentialOf sums over the pairs of a row of the block that begins at lo and a
// later row.
func (f *features) potentialOf(ctx context.Context, lo int, mean []float64, t float64) (potential, error) {
	var total potential
	a, err := f.centred(ctx, lo, min(f.rows, lo+uniformityRows), mean)
	if err != nil {
		return total, err
	}
	products := kernel.Dense[float64](a.Rows, uniformityRows)
	for first := lo; first < f.rows; first += uniformityRows {
		b := a
		if first > lo {
			if b, err = f.centred(ctx, first, min(f.rows, first+uniformityRows), mean); err != nil {
				return total, err
			}
		}
		tile := kernel.View(products, 0, 0, a.Rows, b.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, a, b, 0, tile); err != nil {
			return total, err
		}
		part, err := f.tilePotential(a, b, tile, lo, first, t)
		if err != nil {
			return total, err
		}
		total.add(part)
	}
	return total, nil
}

// tilePotential sums over the pairs i < j of a tile, given the products of rows
// lo + i and first + j, and leaves their distances in it.
func (f *features) tilePotential(a, b, tile kernel.Matrix[float64], lo, first int, t float64) (potential, error) {
	// Where rows are much nearer to each other than to the mean, their products
	// cancel: the distance is taken of the differences.
	const near = 1e-3
	norms := squaredNorms(b)
	p := potential{nearest: math.Inf(1), t: t}
	each := func(visit func(i, j int, row []float64)) {
		for i := range tile.Rows {
			row := tile.Data[i*tile.Stride:][:tile.Cols]
			for j := max(0, lo+i+1-first); j < tile.Cols; j++ {
				visit(i, j, row)
			}
		}
	}
	squares := squaredNorms(a)
	each(func(i, j int, row []float64) {
		scale := squares[i] + norms[j]
		r := scale - 2*row[j]
		if r < near*scale {
			r = f.squaredDistance(lo+i, first+j)
		}
		row[j] = r
		p.nearest = min(p.nearest, r) // a NaN stays one
	})
	if math.IsInf(p.nearest, 1) && lo == first && tile.Rows == 1 {
		return potential{}, nil // a last row alone
	}
	if math.IsNaN(p.nearest) || math.IsInf(t*p.nearest, 0) {
		return p, fmt.Errorf("%w: distances between rows from %d and from %d overflow", ErrNotFinite, lo, first)
	}
	each(func(_, j int, row []float64) { p.sum += math.Exp(-t * (row[j] - p.nearest)) })
	return p, nil
}

// squaredNorms is ‖row‖² of each row.
func squaredNorms(m kernel.Matrix[float64]) []float64 {
	norms := make([]float64, m.Rows)
	for i := range norms {
		row := m.Data[i*m.Stride:][:m.Cols]
		norms[i] = dot(row, row)
	}
	return norms
}
