package kernel

// packRows rows are packed at once: few, so that memory is read along the rows,
// and more than one, so that the calls do not count.
const packRows = 16

// packPanels copies k rows of b in the panels first to last to packed, panel
// after panel, where the columns before skip have no place.
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

// packStrips copies the rows top to bottom of a, column after column of each
// strip.
func (p *product[S, T]) packStrips(top, bottom int, strips []S) {
	if p.a.row == 1 {
		for l := 0; l < p.k; l += packRows {
			for i := top; i < bottom; {
				rows := p.strip(i, bottom)
				to, from := strips[(i-top)*p.k+l*rows:], p.a.data[l*p.a.col+i:]
				if rows < p.lanes {
					copyNarrow(min(packRows, p.k-l), rows, from, p.a.col, to)
				} else {
					pack(p.path, min(packRows, p.k-l), rows, from, p.a.col, to, rows)
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

// packTransposed copies the first count columns of k rows of b, whose columns
// lie in memory one after the other, into rows of width numbers; the rest is
// zero.
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

// copyNarrow copies k rows of less than a vector. Most are of eight, the rows of
// a tile, where a vector is of sixteen numbers.
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
