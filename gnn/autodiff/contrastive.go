package autodiff

import (
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// pairBlock rows make a block: the products of the rows of two blocks stay in the second cache.
const pairBlock = 256

// SoftmaxContrast is the 1×1 InfoNCE loss, with the temperature τ > 0, of two views u and v of the
// same n > 0 nodes, n×h matrices whose rows have unit length (see [Tape.RowNormalize]):
//
//	y = (1/2n)·Σ_i [ℓ(u_i) + ℓ(v_i)],
//	ℓ(u_i) = log(Σ_{k≠i} e^(u_i·u_k/τ) + Σ_k e^(u_i·v_k/τ)) − u_i·v_i/τ,
//
// and ℓ(v_i) with u and v exchanged (Zhu et al., 2020, Deep graph contrastive representation
// learning). With anchors the outer sum, and n before it, are of these nodes alone, which may
// repeat; nil is all nodes. Uniform anchors give unbiased estimates of the loss and its gradient.
// With w the rows of u and of v below each other, w′ the rows of v and of u, D_i the sum in the
// logarithm for row i and K_ij = e^(w_i·w_j/τ)·(1/D_i + 1/D_j), K_ii = 0:
//
//	g_w of row i = g/(2nτ)·(Σ_j K_ij·w_j − 2·w′_i).
//
// It costs 8n²h multiplications and 4n² exponentials, or 2n²h and 2n² without a gradient; for a
// anchors 16·a·n·h and 8·a·n; some less up to some thousand nodes. The memory holds 4n·h numbers, of
// which 2n·h are kept, and at most 2²⁴ exponentials. Rows of other lengths are fine as long as
// max‖w_i‖²/τ is at most 60; above, y is infinite or NaN if all terms of a row underflow.
func (t *Tape[T]) SoftmaxContrast(u, v *Value[T], temperature float64, anchors []int) *Value[T] {
	fit(sameSize(u, v) && u.Rows() > 0, "SoftmaxContrast", u, v)
	if !(temperature > 0) || anchors != nil && len(anchors) == 0 {
		panic(fmt.Sprintf("autodiff: SoftmaxContrast with temperature %g and %d anchors", temperature, len(anchors)))
	}
	fitIndices("SoftmaxContrast, anchors", anchors, u.Rows())
	y := t.newValue(1, 1, u, v)
	c := t.infoNCEOf(u.data, v.data, 1/temperature, anchors)
	if y.needsGrad {
		c.keepPowers()
	}
	y.data.Data[0] = T(c.loss())
	if y.needsGrad {
		y.kept = c.gradient()
	}
	c.release()
	y.back = func() {
		for k, x := range []*Value[T]{u, v} {
			t.addGradient(x, y.grad.Data[0], kernel.Rows(y.kept, k*u.Rows(), (k+1)*u.Rows()))
		}
	}
	return y
}

// infoNCE holds the data of a loss and of its gradient.
type infoNCE[T Float] struct {
	t                   *Tape[T]
	anchors, candidates Matrix[T]       // w, and the rows of it that are anchors
	at                  func(r int) int // the row of w that anchor r is
	all                 bool            // the anchors are w itself
	scale, shift        float64         // a product s counts as e^(s·scale − shift)
	sums                Matrix[float64] // D_r·e^−shift of every anchor, 1×count
	powers              Matrix[T]       // a row for each tile, if tiles are kept
	computed            bool            // the kept tiles are
}

// largestExponent keeps the terms, and the inverses of their sums, far from the limits of float32.
const largestExponent = 60

func (t *Tape[T]) infoNCEOf(u, v Matrix[T], scale float64, anchors []int) *infoNCE[T] {
	n, h := u.Rows, u.Cols
	w := t.take(2*n, h)
	t.eachRow(n, h, func(i int) {
		copy(w.Row(i), u.Row(i))
		copy(w.Row(n+i), v.Row(i))
	})
	c := &infoNCE[T]{t: t, candidates: w, scale: scale}
	if a := len(anchors); anchors == nil {
		c.all, c.anchors, c.at = true, w, func(r int) int { return r }
	} else {
		c.anchors, c.at = t.take(2*a, h), func(r int) int { return r/a*n + anchors[r%a] }
		t.eachRow(2*a, h, func(r int) { copy(c.anchors.Row(r), w.Row(c.at(r))) })
	}
	squares := t.wide.take(1, 2*n)
	defer t.wide.release(&squares)
	t.eachRow(2*n, h, func(i int) { squares.Data[i] = dot(w.Row(i), w.Row(i)) })
	c.shift = max(0, slices.Max(squares.Data)*scale-largestExponent)
	c.sums = t.wide.take(1, c.anchors.Rows)
	return c
}

// mostPowers is how many exponentials are kept for the gradient, while it is computed.
const mostPowers = 1 << 24

// keepPowers takes memory for the exponentials of all tiles, if that is little.
func (c *infoNCE[T]) keepPowers() {
	rows, cols := c.anchors.Rows, c.candidates.Rows
	tiles := 1 + c.tile(span{lo: rows - 1}, span{lo: cols - 1})
	if tiles <= mostPowers/(pairBlock*pairBlock) {
		c.powers = c.t.take(tiles, pairBlock*pairBlock)
	}
}

func (c *infoNCE[T]) release() {
	c.t.wide.release(&c.sums)
	c.t.release(&c.powers)
	c.t.release(&c.candidates)
	if !c.all {
		c.t.release(&c.anchors)
	}
}

// partner is the same node's row in the other view.
func (c *infoNCE[T]) partner(r int) []T {
	all := c.candidates.Rows
	return c.candidates.Row((c.at(r) + all/2) % all)
}

// loss sets sums, and returns the loss.
func (c *infoNCE[T]) loss() float64 {
	count, sums := c.anchors.Rows, c.sums.Data
	clear(sums)
	c.tiles(func(i, j span, s Matrix[T]) {
		var columns [pairBlock]float64
		for r := range s.Rows {
			e := s.Row(r)
			addTo(columns[:s.Cols], e)
			sums[i.lo+r] += sum(e)
		}
		if c.all && i != j {
			addTo(sums[j.lo:j.hi], columns[:s.Cols])
		}
	})
	losses := c.t.wide.take(1, count)
	defer c.t.wide.release(&losses)
	c.t.eachRow(count, c.anchors.Cols, func(r int) {
		losses.Data[r] = math.Log(sums[r]) + c.shift - c.scale*dot(c.anchors.Row(r), c.partner(r))
	})
	return sum(losses.Data) / float64(count)
}

// gradient is the gradient of w, from the sums, which it overwrites.
func (c *infoNCE[T]) gradient() Matrix[T] {
	t, w := c.t, c.candidates
	inverse := c.sums.Data
	for r, s := range inverse {
		inverse[r] = 1 / s
	}
	weight := T(c.scale / float64(c.anchors.Rows))
	dst := t.take(w.Rows, w.Cols)
	t.zero(dst)
	own := dst
	if !c.all {
		own = t.take(c.anchors.Rows, w.Cols)
		defer t.release(&own)
		t.zero(own)
	}
	none := make([]float64, pairBlock)
	c.tiles(func(i, j span, s Matrix[T]) {
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
		addTile(t, own, i, weight, false, s, rowsIn(w, j))
		if !c.all || i != j {
			addTile(t, dst, j, weight, true, s, rowsIn(c.anchors, i))
		}
	})
	for r := range c.anchors.Rows {
		to := dst.Row(c.at(r))
		if !c.all {
			addTo(to, own.Row(r))
		}
		matrix.AddScaled(to, -2*weight, c.partner(r))
	}
	return dst
}

// tiles calls do with the terms of the rows of two blocks, 0 for a row with itself. do may change
// the terms of its second call.
func (c *infoNCE[T]) tiles(do func(i, j span, s Matrix[T])) {
	keep := c.powers.Rows > 0
	c.t.rounds(c.anchors.Rows, c.candidates.Rows, c.all, func(i, j span) {
		a, b := rowsIn(c.anchors, i), rowsIn(c.candidates, j)
		var s Matrix[T]
		if keep {
			s = resized(Matrix[T]{Data: c.powers.Row(c.tile(i, j))[:a.Rows*b.Rows]}, a.Rows, b.Rows)
		} else {
			lent, release := kernel.Scratch[T](a.Rows, b.Rows)
			defer release()
			s = lent
		}
		if !c.computed {
			_ = kernel.Gemm(c.t.ctx, false, true, 1, a, b, 0, s) // rounds reports the end of ctx
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

// span is the block of rows [lo, hi).
type span struct{ lo, hi int }

func rowsIn[T Float](m Matrix[T], s span) Matrix[T] { return kernel.Rows(m, s.lo, s.hi) }

// rounds calls do for every pair of a block of rows and a block of cols as a task; with half, where
// these are the same blocks, only for the pairs (i, j) with i ≤ j. A task may add to what belongs to
// its two blocks: the tasks run in rounds, in which no block occurs twice, so that the sums are in
// an order that the sizes alone decide.
func (t *Tape[T]) rounds(rows, cols int, half bool, do func(i, j span)) {
	block := func(k, n int) span { return span{k * pairBlock, min(n, (k+1)*pairBlock)} }
	down, across := parallel.Pieces(rows, pairBlock), parallel.Pieces(cols, pairBlock)
	m := max(down, across)
	for r := 0; r < m && t.err == nil; r++ {
		t.Fail(parallel.For(t.ctx, down, func(i int) {
			if j := (r - i + m) % m; j < across && (i <= j || !half) {
				do(block(i, rows), block(j, cols))
			}
		}))
	}
}

// addTile adds weight·s·x, or with trans weight·sᵀ·x, to a block of the rows of dst.
func addTile[T Float](t *Tape[T], dst Matrix[T], to span, weight T, trans bool, s, x Matrix[T]) {
	_ = kernel.Gemm(t.ctx, trans, false, weight, s, x, 1, rowsIn(dst, to))
}
