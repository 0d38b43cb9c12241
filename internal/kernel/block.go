package kernel

import (
	"context"

	"coles/internal/parallel"
)

// grid cuts a product into tasks, each of up to rows rows and up to columns panels of columns.
type grid struct {
	panels        panels
	rows, columns int
	packA, packB  bool
}

const (
	// A factor is not packed if each of its entries is used by no more tiles than this.
	directPanels = 3
	directStrips = 4

	// ownPanels panels, packed by the task that uses them, stay in the second cache.
	ownPanels = 8
)

func (p *product[S, T]) grid() grid {
	g := grid{panels: panelsOf(p.shape, p.n), rows: min(p.m, rowBlock)}
	g.columns = g.panels.count
	if p.m <= g.rows {
		g.columns = min(g.columns, ownPanels)
	}
	width := p.vecs * p.lanes
	inner := min(p.k, innerBlock)
	for parallel.Pieces(p.m, g.rows)*parallel.Pieces(g.panels.count, g.columns) < productTasks &&
		g.rows*g.columns*width*inner >= 2*productTask {
		if g.columns*width > g.rows && g.columns > 1 {
			g.columns = parallel.Pieces(g.columns, 2)
		} else {
			g.rows = parallel.Pieces(g.rows, 2*p.rows) * p.rows
		}
	}
	g.packA = p.packs || g.columns > directPanels
	g.packB = p.packs || p.b.col != 1 || p.m > directStrips*p.rows
	return g
}

// panels are the columns of a product, cut into strips of whole vectors, as wide as a tile or
// narrower by one vector.
type panels struct {
	n, lanes, count, vecs, wider int
}

func panelsOf(p shape, n int) panels {
	vecs := parallel.Pieces(n, p.lanes)
	// The last panel is one of the narrower ones. If its last vector is used in part, it may not be
	// as wide as the widest.
	spare := 0
	if n%p.lanes != 0 {
		spare = p.vecs - p.maskedVecs
	}
	count := parallel.Pieces(vecs+spare, p.vecs)
	return panels{n, p.lanes, count, vecs / count, vecs % count}
}

// start is the first column of panel q.
func (s panels) start(q int) int { return (q*s.vecs + min(q, s.wider)) * s.lanes }

// padded is the number of columns with the last vector filled up.
func (s panels) padded() int { return s.start(s.count) }

// bounds are the columns of panel q.
func (s panels) bounds(q int) (lo, hi int) { return s.start(q), min(s.n, s.start(q+1)) }

// block computes the block of c that begins in row top and the given panel; shared, if not nil,
// holds b packed.
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

// tiles computes all tiles of a block; it reports false if the context has ended.
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
			var next ahead[S]
			if rows == p.rows && !w.g.packA && p.a.col == 1 && i+2*rows <= w.bottom {
				next = ahead[S]{p.a.from(i+rows, 0).data, p.a.row, rows * (1 - p.a.row)}
			}
			tile(p.path, rows, hi-lo, p.k, a.data, a.row, a.col, b, bStep, c, stride, p.alpha, beta, next)
			if across {
				p.addCorner(w.corner, i, i+rows, lo, hi)
			}
			i += rows
		}
	}
	return true
}

// addCorner adds to c the part above the diagonal of a tile that the diagonal crosses.
func (p *product[S, T]) addCorner(tile []T, top, bottom, left, right int) {
	for i := top; i < bottom; i++ {
		j := max(left, i-p.shift)
		if j < right {
			add(p.beta, p.c.Data[i*p.c.Stride+j:][:right-j], tile[(i-top)*(right-left)+j-left:][:right-j])
		}
	}
}

// strip is the number of rows, a power of two, of the tile that begins in row i.
func (p *product[S, T]) strip(i, bottom int) int {
	rows := p.rows
	for rows > bottom-i {
		rows /= 2
	}
	return rows
}

// packRows rows are packed by one call: few, so that memory is read along the rows, but enough that
// the call costs little.
const packRows = 16

// packPanels copies k rows of b in the panels first to last to packed, panel after panel; packed
// begins with column skip.
func (p *product[S, T]) packPanels(s panels, first, last, skip int, packed []S) {
	if p.b.col == 1 {
		for l := 0; l < p.k; l += packRows {
			for q := first; q < last; q++ {
				lo, hi := s.bounds(q)
				width := s.start(q+1) - lo
				pack(p.path, min(packRows, p.k-l), hi-lo, p.b.data[l*p.b.row+lo:], p.b.row, packed[(lo-skip)*p.k+l*width:], width)
			}
		}
		return
	}
	for q := first; q < last; q++ {
		lo, hi := s.bounds(q)
		packTransposed(packed[(lo-skip)*p.k:], p.b.from(0, lo), hi-lo, s.start(q+1)-lo, p.k)
	}
}

// packStrips copies the rows top to bottom of a, column after column of each strip.
func (p *product[S, T]) packStrips(top, bottom int, strips []S) {
	if p.a.row == 1 {
		fours := packLine == 4*p.rows
		for l := 0; l < p.k; l += packRows {
			k := min(packRows, p.k-l)
			for i := top; i < bottom; {
				to, from := strips[(i-top)*p.k:], p.a.data[l*p.a.col+i:]
				if fours && i+packLine <= bottom {
					packFours(k, from, p.a.col, to[4*l:], 4*p.k)
					i += packLine
					continue
				}
				rows := p.strip(i, bottom)
				if to = to[l*rows:]; rows < p.lanes {
					copyNarrow(k, rows, from, p.a.col, to)
				} else {
					pack(p.path, k, rows, from, p.a.col, to, rows)
				}
				i += rows
			}
		}
		return
	}
	for i := top; i < bottom; {
		rows := p.strip(i, bottom)
		a := p.a.from(i, 0)
		packTransposed(strips[(i-top)*p.k:], operand[S]{a.data, a.col, a.row}, rows, rows, p.k)
		i += rows
	}
}

// packTransposed copies the first count columns of k rows of b, whose columns lie in memory one
// after the other, into rows of width numbers; the rest is zero.
func packTransposed[S Float](to []S, b operand[S], count, width, k int) {
	to = to[:k*width]
	x := 0
	for ; x+4 <= count; x += 4 {
		c0 := b.data[x*b.col:][:k]
		c1 := b.data[(x+1)*b.col:][:k]
		c2 := b.data[(x+2)*b.col:][:k]
		c3 := b.data[(x+3)*b.col:][:k]
		for l, v := range c0 {
			r := to[l*width+x:][:4]
			r[0], r[1], r[2], r[3] = v, c1[l], c2[l], c3[l]
		}
	}
	for ; x < width; x++ {
		if x >= count {
			for l := range k {
				to[l*width+x] = 0
			}
			continue
		}
		for l, v := range b.data[x*b.col:][:k] {
			to[l*width+x] = v
		}
	}
}

// packLine numbers are packed at a time into four strips of four: in float32 a line of the cache.
const packLine = 16

// packFours copies k rows of packLine numbers to four strips that lie size apart.
func packFours[S Float](k int, from []S, fromRow int, to []S, size int) {
	t0, t1, t2, t3 := to[:4*k], to[size:][:4*k], to[2*size:][:4*k], to[3*size:][:4*k]
	for l := 0; l < 4*k; l += 4 {
		f := (*[packLine]S)(from)
		*(*[4]S)(t0[l:]), *(*[4]S)(t1[l:]) = [4]S(f[:4]), [4]S(f[4:8])
		*(*[4]S)(t2[l:]), *(*[4]S)(t3[l:]) = [4]S(f[8:12]), [4]S(f[12:])
		from = from[min(len(from), fromRow):]
	}
}

// copyNarrow copies k rows shorter than a vector. Most have eight numbers, the rows of a tile,
// where a vector has sixteen.
func copyNarrow[S Float](k, count int, from []S, fromRow int, to []S) {
	if count == 8 {
		for l := range k {
			*(*[8]S)(to[8*l:]) = *(*[8]S)(from[l*fromRow:])
		}
		return
	}
	for l := range k {
		for i, v := range from[l*fromRow:][:count] {
			to[l*count+i] = v
		}
	}
}
