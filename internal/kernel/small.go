package kernel

// smallProduct is the number of multiplications up to which the tiles are
// computed one after the other without any preparation.
const smallProduct = 1 << 15

// isSmall reports whether p can be left to small.
func (p *product[S, T]) isSmall() bool {
	if isDouble[S]() != isDouble[T]() && p.k > innerBlock {
		return false // one tile would sum all terms in float32
	}
	work := p.m * p.n * p.k
	return 0 < work && work <= smallProduct && p.alpha != 0 && p.b.col == 1 && !p.packs
}

// small computes all tiles from the factors as they lie.
func (p *product[S, T]) small() {
	s := panelsOf(p.shape, p.n)
	for q := range s.count {
		lo, hi := s.bounds(q)
		for i := 0; i < p.m; {
			rows := p.strip(i, p.m)
			tile(p.path, rows, hi-lo, p.k, p.a.data[i*p.a.row:], p.a.row, p.a.col,
				p.b.data[lo:], p.b.row, p.c.Data[i*p.c.Stride+lo:], p.c.Stride, p.alpha, p.beta)
			i += rows
		}
	}
}
