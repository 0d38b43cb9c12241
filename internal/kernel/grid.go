package kernel

// grid is how a product is cut into tasks: each computes up to rows rows in up
// to columns panels of columns.
type grid struct {
	panels        panels
	rows, columns int
	packA, packB  bool
}

const (
	// A factor of which every number is used by no more tiles than this is read
	// where it lies.
	directPanels = 3
	directStrips = 4

	// ownPanels panels are packed at once by a task that packs for itself: they
	// stay in the second cache.
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
	for ceilDiv(p.m, g.rows)*ceilDiv(g.panels.count, g.columns) < productTasks &&
		g.rows*g.columns*width*inner >= 2*productTask {
		if g.columns*width > g.rows && g.columns > 1 {
			g.columns = ceilDiv(g.columns, 2)
		} else {
			g.rows = ceilDiv(g.rows, 2*p.rows) * p.rows
		}
	}
	g.packA = p.packs || g.columns > directPanels
	g.packB = p.packs || p.b.col != 1 || p.m > directStrips*p.rows
	return g
}

// panels are the columns of a product, cut into strips of whole vectors, as
// wide as a tile or narrower by one vector.
type panels struct {
	n, lanes, count, vecs, wider int
}

func panelsOf(p shape, n int) panels {
	vecs := ceilDiv(n, p.lanes)
	// The last panel is one of the narrower ones. If its last vector is used
	// in part, it may not be as wide as the widest.
	spare := 0
	if n%p.lanes != 0 {
		spare = p.vecs - p.maskedVecs
	}
	count := ceilDiv(vecs+spare, p.vecs)
	return panels{n, p.lanes, count, vecs / count, vecs % count}
}

// start is the first column of panel q.
func (s panels) start(q int) int { return (q*s.vecs + min(q, s.wider)) * s.lanes }

// padded is the number of columns with the last vector filled up.
func (s panels) padded() int { return s.start(s.count) }

// bounds are the columns of panel q.
func (s panels) bounds(q int) (lo, hi int) { return s.start(q), min(s.n, s.start(q+1)) }
