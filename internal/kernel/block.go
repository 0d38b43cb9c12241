package kernel

import "context"

// block computes the block of c that begins in row top and the given panel. b
// lies packed in shared if that is not nil.
func (p *product[S, T]) block(ctx context.Context, g grid, top, panel int, shared []S) {
	bottom := min(p.m, top+g.rows)
	panels := min(g.panels.count, panel+g.columns)
	inner := min(p.k, innerBlock)
	stripSize, ownSize, own := 0, 0, g.packB && shared == nil
	if g.packA {
		stripSize = (bottom - top) * inner
	}
	if own {
		ownSize = (g.panels.start(panels) - g.panels.start(panel)) * inner
	}
	buffer, corner := borrow[S](stripSize+ownSize), borrow[T](p.rows*p.vecs*p.lanes)
	defer giveBack(buffer)
	defer giveBack(corner)
	w := work[S, T]{g: g, top: top, bottom: bottom, first: panel, last: panels}
	w.corner, w.strips = *corner, (*buffer)[:stripSize]
	for lo := 0; lo < p.k; lo += innerBlock {
		q := p.terms(lo, min(p.k, lo+innerBlock))
		if g.packA {
			q.packStrips(top, bottom, w.strips)
		}
		if own {
			w.packed, w.skip = (*buffer)[stripSize:], g.panels.start(panel)
			q.packPanels(g.panels, panel, panels, w.skip, w.packed)
		} else if shared != nil {
			w.packed = shared[lo*g.panels.padded():]
		}
		if !q.tiles(ctx, w) {
			return
		}
	}
}

// work is the block that a task computes, with the memory it uses.
type work[S, T Float] struct {
	g                        grid
	top, bottom, first, last int
	corner                   []T // a tile on the diagonal
	strips                   []S // of a, packed
	packed                   []S // panels of b, if not nil, without
	skip                     int // the columns before this one
}

// tiles computes all tiles of a block; it reports whether it was left to.
func (p *product[S, T]) tiles(ctx context.Context, w work[S, T]) bool {
	for q := w.first; q < w.last; q++ {
		if ctx.Err() != nil {
			return false
		}
		lo, hi := w.g.panels.bounds(q)
		b, bStep := p.b.data[lo:], p.b.row
		if w.g.packB {
			b, bStep = w.packed[(lo-w.skip)*p.k:], w.g.panels.start(q+1)-lo
		}
		for i := w.top; i < w.bottom; {
			if p.upper && hi-1+p.shift < i {
				break // this row and all further ones are below the diagonal
			}
			rows := p.strip(i, w.bottom)
			a := p.a.from(i, 0)
			if w.g.packA {
				a = operand[S]{w.strips[(i-w.top)*p.k:], 1, rows}
			}
			c, stride, beta := p.c.Data[i*p.c.Stride+lo:], p.c.Stride, p.beta
			across := p.upper && lo+p.shift < i+rows-1
			if across {
				c, stride, beta = w.corner, hi-lo, 0
			}
			tile(p.path, rows, hi-lo, p.k, a.data, a.row, a.col, b, bStep, c, stride, p.alpha, beta)
			if across {
				p.addCorner(w.corner, i, i+rows, lo, hi)
			}
			i += rows
		}
	}
	return true
}

// addCorner adds to c what a tile that the diagonal crosses has above it.
func (p *product[S, T]) addCorner(tile []T, top, bottom, left, right int) {
	for i := top; i < bottom; i++ {
		j := max(left, i-p.shift)
		if j < right {
			add(p.beta, p.c.Data[i*p.c.Stride+j:][:right-j], tile[(i-top)*(right-left)+j-left:][:right-j])
		}
	}
}

// strip is the number of rows, a power of two, that are computed together from
// row i on.
func (p *product[S, T]) strip(i, bottom int) int {
	rows := p.rows
	for rows > bottom-i {
		rows /= 2
	}
	return rows
}
