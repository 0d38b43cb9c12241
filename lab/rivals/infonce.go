package rivals

import (
	"context"
	"math"
	"slices"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// softmaxContrast is the 1×1 loss of [GRACEObjective] for the rows of u and v, n×h matrices whose rows have unit length, with
// the temperature τ > 0. Anchors may repeat; nil is all nodes. With w the rows of u and of v below each other, w′ the rows of v
// and of u, D_i the sum in the logarithm for row i and K_ij = e^(w_i·w_j/τ)·(1/D_i + 1/D_j), K_ii = 0:
//
//	g_w of row i = g/(2nτ)·(Σ_j K_ij·w_j − 2·w′_i).
//
// It costs 8n²h multiplications and 4n² exponentials; for a anchors 16·a·n·h and 8·a·n; some less up to some thousand
// nodes. The memory holds 4n·h numbers, of which 2n·h are kept, and at most 2²⁴ exponentials. Rows of other lengths are
// fine as long as max‖w_i‖²/τ is at most 60; above, y is infinite or NaN if all terms of a row underflow.
func softmaxContrast[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], u, v *autodiff.Value[T], temperature float64, anchors []int) *autodiff.Value[T] {
	n := u.Rows()
	var gradient autodiff.Matrix[T] // of u and, below it, v
	return t.Operation(1, 1, func(y autodiff.Matrix[T]) {
		c := infoNCEOf(ctx, t, u.Data(), v.Data(), 1/temperature, anchors)
		defer c.release()
		y.Data[0] = T(c.loss())
		gradient = c.gradient()
	}, func(_, g autodiff.Matrix[T], gradients []autodiff.Matrix[T]) {
		for k, to := range gradients {
			if to.Data != nil {
				eachRow(ctx, t, n, func(i int) { matrix.AddScaled(to.Row(i), g.Data[0], gradient.Row(k*n+i)) })
			}
		}
	}, u, v)
}

// infoNCE holds the data of a loss and of its gradient.
type infoNCE[T autodiff.Float] struct {
	ctx                 context.Context
	t                   *autodiff.Tape[T]
	anchors, candidates autodiff.Matrix[T] // w, and the rows of it that are anchors
	at                  func(r int) int    // the row of w that anchor r is
	all                 bool               // the anchors are w itself
	scale, shift        float64            // a product s counts as e^(s·scale − shift)
	sums                []float64          // D_r·e^−shift of every anchor
	powers              autodiff.Matrix[T] // a row for each tile, if tiles are kept
	computed            bool               // the kept tiles are
	lent                []func()
}

// largestExponent keeps the terms, and the inverses of their sums, far from the limits of float32.
const largestExponent = 60

func infoNCEOf[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], u, v autodiff.Matrix[T], scale float64, anchors []int) *infoNCE[T] {
	n, h := u.Rows, u.Cols
	c := &infoNCE[T]{ctx: ctx, t: t, scale: scale}
	w := c.take(2*n, h)
	c.candidates = w
	eachRow(ctx, t, n, func(i int) {
		copy(w.Row(i), u.Row(i))
		copy(w.Row(n+i), v.Row(i))
	})
	if a := len(anchors); anchors == nil {
		c.all, c.anchors, c.at = true, w, func(r int) int { return r }
	} else {
		c.anchors, c.at = c.take(2*a, h), func(r int) int { return r/a*n + anchors[r%a] }
		eachRow(ctx, t, 2*a, func(r int) { copy(c.anchors.Row(r), w.Row(c.at(r))) })
	}
	squares := make([]float64, 2*n)
	eachRow(ctx, t, 2*n, func(i int) { squares[i] = matrix.Dot(w.Row(i), w.Row(i)) })
	c.shift = max(0, slices.Max(squares)*scale-largestExponent)
	c.sums = make([]float64, c.anchors.Rows)
	c.keepPowers()
	return c
}

// mostPowers is how many exponentials are kept for the gradient, while it is computed.
const mostPowers = 1 << 24

// keepPowers takes memory for the exponentials of all tiles, if that is little.
func (c *infoNCE[T]) keepPowers() {
	rows, cols := c.anchors.Rows, c.candidates.Rows
	tiles := 1 + c.tile(span{lo: rows - 1}, span{lo: cols - 1})
	if tiles <= mostPowers/(pairBlock*pairBlock) {
		c.powers = c.take(tiles, pairBlock*pairBlock)
	}
}

// take is a matrix of any values, until release.
func (c *infoNCE[T]) take(rows, cols int) autodiff.Matrix[T] {
	m, release := kernel.Scratch[T](rows, cols)
	c.lent = append(c.lent, release)
	return m
}

func (c *infoNCE[T]) release() {
	for _, release := range c.lent {
		release()
	}
}

// partner is the same node's row in the other view.
func (c *infoNCE[T]) partner(r int) []T {
	all := c.candidates.Rows
	return c.candidates.Row((c.at(r) + all/2) % all)
}

// loss sets sums, and returns the loss.
func (c *infoNCE[T]) loss() float64 {
	count, sums := c.anchors.Rows, c.sums
	clear(sums)
	c.tiles(func(i, j span, s autodiff.Matrix[T]) {
		var columns [pairBlock]float64
		for r := range s.Rows {
			e := s.Row(r)
			addTo(columns[:s.Cols], e)
			sums[i.lo+r] += matrix.Sum(e)
		}
		if c.all && i != j {
			addTo(sums[j.lo:j.hi], columns[:s.Cols])
		}
	})
	losses := make([]float64, count)
	eachRow(c.ctx, c.t, count, func(r int) {
		losses[r] = math.Log(sums[r]) + c.shift - c.scale*matrix.Dot(c.anchors.Row(r), c.partner(r))
	})
	return matrix.Sum(losses) / float64(count)
}

// gradient is the gradient of w, from the sums, which it overwrites.
func (c *infoNCE[T]) gradient() autodiff.Matrix[T] {
	w, inverse := c.candidates, c.sums
	for r, s := range inverse {
		inverse[r] = 1 / s
	}
	weight := T(c.scale / float64(c.anchors.Rows))
	dst := autodiff.NewMatrix[T](w.Rows, w.Cols)
	own := dst
	if !c.all {
		own = autodiff.NewMatrix[T](c.anchors.Rows, w.Cols)
	}
	none := make([]float64, pairBlock)
	c.tiles(func(i, j span, s autodiff.Matrix[T]) {
		columns := none[:s.Cols]
		if c.all {
			columns = inverse[j.lo:j.hi]
		}
		for r := range s.Rows {
			e, d := s.Row(r), inverse[i.lo+r]
			for k, column := range columns {
				e[k] *= T(d + column)
			}
		}
		addTile(own, i, weight, false, s, rowsIn(w, j))
		if !c.all || i != j {
			addTile(dst, j, weight, true, s, rowsIn(c.anchors, i))
		}
	})
	for r := range c.anchors.Rows {
		to := dst.Row(c.at(r))
		if !c.all {
			matrix.AddScaled(to, 1, own.Row(r))
		}
		matrix.AddScaled(to, -2*weight, c.partner(r))
	}
	return dst
}

// tiles calls do with the terms of the rows of two blocks, 0 for a row with itself. do may change
// the terms of its second call.
func (c *infoNCE[T]) tiles(do func(i, j span, s autodiff.Matrix[T])) {
	keep := c.powers.Rows > 0
	rounds(c.ctx, c.t, c.anchors.Rows, c.candidates.Rows, c.all, func(i, j span) {
		a, b := rowsIn(c.anchors, i), rowsIn(c.candidates, j)
		var s autodiff.Matrix[T]
		if keep {
			s = autodiff.Matrix[T]{Rows: a.Rows, Cols: b.Rows, Stride: b.Rows, Data: c.powers.Row(c.tile(i, j))[:a.Rows*b.Rows]}
		} else {
			lent, release := kernel.Scratch[T](a.Rows, b.Rows)
			defer release()
			s = lent
		}
		if !c.computed {
			_ = kernel.Gemm(c.ctx, false, true, 1, a, b, 0, s) // rounds reports the end of ctx
			for r := range s.Rows {
				e := s.Row(r)
				if k := c.at(i.lo+r) - j.lo; 0 <= k && k < s.Cols {
					e[k] = T(math.Inf(-1))
				}
				kernel.Exp(e, e, T(c.scale), T(c.shift))
			}
		}
		do(i, j, s)
	})
	c.computed = keep
}

// tile numbers the tiles, of which there are half where the anchors are all rows.
func (c *infoNCE[T]) tile(i, j span) int {
	p, q := i.lo/pairBlock, j.lo/pairBlock
	if c.all {
		return q*(q+1)/2 + p
	}
	return p*parallel.Pieces(c.candidates.Rows, pairBlock) + q
}
