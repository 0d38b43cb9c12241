package plane

import (
	"context"

	"coles/internal/parallel"
)

// A quadtree has points in the plane in quads, which stand for their points when seen from far
// away (Barnes and Hut 1986).
type quadtree struct {
	points []point // in the order of the quads
	rows   []int32 // of the points
	quads  []quad  // each before those within it
	leaves []int32 // the quads with none within them
}

type point [2]float64

// A quad is a box around points, as small as can be.
type quad struct {
	body
	lo, hi point
	side   float64 // the longer one, squared
	from   int32   // the first of its points
	to     int32   // behind the last
	next   int32   // the quad behind all within it
}

// A body is one point or several seen as one, in their middle.
type body struct {
	at   point
	mass float64 // how many
}

// leafPoints is how many points a leaf has at most; they share a list of what they see.
const leafPoints = 24

// grow moves the points of a tree to at, and makes new quads of them.
func (t *quadtree) grow(at []point) {
	if t.rows == nil {
		t.points, t.rows = make([]point, len(at)), make([]int32, len(at))
		for i := range t.rows {
			t.rows[i] = int32(i)
		}
	}
	for k, row := range t.rows { // nearly in order since the last time
		t.points[k] = at[row]
	}
	t.quads, t.leaves = t.quads[:0], t.leaves[:0]
	t.divide(0, len(at), 64)
}

// divide makes a quad of the points from lo to hi, and at most depth levels of quads within it.
func (t *quadtree) divide(lo, hi, depth int) {
	c := quad{lo: t.points[lo], hi: t.points[lo], from: int32(lo), to: int32(hi)}
	c.mass = float64(hi - lo)
	for _, p := range t.points[lo:hi] {
		for k, v := range p {
			c.at[k] += v / c.mass
			c.lo[k], c.hi[k] = min(c.lo[k], v), max(c.hi[k], v)
		}
	}
	side := max(c.hi[0]-c.lo[0], c.hi[1]-c.lo[1])
	c.side = side * side
	own := len(t.quads)
	t.quads = append(t.quads, c)
	if hi-lo <= leafPoints || side == 0 || depth == 0 {
		t.leaves = append(t.leaves, int32(own))
	} else {
		middle := t.part(lo, hi, 1, c.lo[1]/2+c.hi[1]/2)
		for _, half := range [2][2]int{{lo, middle}, {middle, hi}} {
			quarter := t.part(half[0], half[1], 0, c.lo[0]/2+c.hi[0]/2)
			for _, q := range [2][2]int{{half[0], quarter}, {quarter, half[1]}} {
				if q[0] < q[1] {
					t.divide(q[0], q[1], depth-1)
				}
			}
		}
	}
	t.quads[own].next = int32(len(t.quads))
}

// part puts points with coordinate k up to a bound before the others, and returns where these begin.
func (t *quadtree) part(lo, hi, k int, bound float64) int {
	for lo < hi {
		if t.points[lo][k] <= bound {
			lo++
			continue
		}
		hi--
		t.points[lo], t.points[hi] = t.points[hi], t.points[lo]
		t.rows[lo], t.rows[hi] = t.rows[hi], t.rows[lo]
	}
	return lo
}

// repel sets push to Σⱼ wᵢⱼ²(yᵢ − yⱼ) and sums to Σⱼ wᵢⱼ, j ≠ i, for every point i. A quad stands for
// its points where its side is at most theta of its distance.
func (t *quadtree) repel(ctx context.Context, theta float64, push []point, sums []float64) error {
	const grain = 16 // leaves: a fraction of a millisecond
	return parallel.Ranges(ctx, len(t.leaves), grain, func(lo, hi int) {
		var room [1024]body
		for _, leaf := range t.leaves[lo:hi] {
			c := &t.quads[leaf]
			seen := t.seen(c, 1/(theta*theta), room[:0])
			if len(seen)%2 > 0 {
				seen = append(seen, body{}) // of no mass
			}
			for k := c.from; k < c.to; k++ {
				sum, px, py := -1.0, 0.0, 0.0 // less w of the point itself
				x, y := t.points[k][0], t.points[k][1]
				for q := 0; q < len(seen); q += 2 { // two share a division, which takes longest
					a, b := &seen[q], &seen[q+1]
					ax, ay, bx, by := x-a.at[0], y-a.at[1], x-b.at[0], y-b.at[1]
					far, other := 1+ax*ax+ay*ay, 1+bx*bx+by*by
					both := 1 / (far * other)
					w, v := other*both, far*both
					m, l := a.mass*w, b.mass*v
					sum += m + l
					m, l = m*w, l*v
					px += m*ax + l*bx
					py += m*ay + l*by
				}
				sums[t.rows[k]], push[t.rows[k]] = sum, point{px, py}
			}
		}
	})
}

// seen appends what the points of a leaf see.
func (t *quadtree) seen(leaf *quad, far float64, to []body) []body {
	for q := int32(0); q < int32(len(t.quads)); {
		c := &t.quads[q]
		dx := max(0, leaf.lo[0]-c.at[0], c.at[0]-leaf.hi[0])
		dy := max(0, leaf.lo[1]-c.at[1], c.at[1]-leaf.hi[1])
		switch {
		case c.side == 0 || c.side*far <= dx*dx+dy*dy:
			to = append(to, c.body)
			q = c.next
		case c.next == q+1:
			for _, p := range t.points[c.from:c.to] {
				to = append(to, body{p, 1})
			}
			q++
		default:
			q++
		}
	}
	return to
}
