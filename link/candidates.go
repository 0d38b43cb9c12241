package link

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"coles"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/parallel"
	"coles/near"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// candidates are nodes that may be recommended to one.
type candidates struct {
	nodes []int // ascending
	x     *mat.Dense
	most  tops
}

// Kinds of scores of a node's candidates. With A of the arcs u → v, O and I its out- and in-degrees on a diagonal, scores
// along arcs are
const (
	ofTwo      = iota // by walks of two steps
	ofThree           // of three
	ofVectors         // by cosines of an embedding
	ofFeatures        // of features
	along             // A·O⁻¹A, of two steps forward
	sameHeads         // A·I⁻¹Aᵀ, of those that point to the same nodes
	sameTails         // Aᵀ·O⁻¹A, of those that the same nodes point to
	likewise          // sameHeads·O⁻¹A, where those that point to the same nodes point, too
	back              // Aᵀ
	kinds
)

// tops are the best scores of a node's candidates.
type tops [kinds]float64

// columns of a candidate.
const (
	twoSteps = iota
	threeSteps
	degrees
	byCosine
	byFeatures
)

// A finder finds the candidates of nodes, and what speaks for them.
type finder struct {
	walks   *walks
	sides   []bool                  // nil for nodes of one kind
	units   *matrix.Matrix[float64] // an embedding with rows of length 1; nil without one
	asks    *matrix.Matrix[float64] // what they are multiplied by: themselves, or by bilinear
	vectors *nearest.Index          // its rows
	known   *matrix.Matrix[float64] // the features with rows of length 1; nil without
	popular []int                   // the nodes by falling degree, along arcs by that of those that point to them
	arcs    *arcs                   // nil for edges without a direction
}

func newFinder(ctx context.Context, g *coles.Graph, list []coles.Edge, opts Options) (*finder, error) {
	f := &finder{walks: newWalks(g, opts.Seed), sides: opts.Sides, popular: matrix.UpTo(g.Nodes())}
	if opts.Arcs != nil {
		f.arcs = newArcs(g.Nodes(), list, opts.Seed)
	}
	slices.SortStableFunc(f.popular, func(u, v int) int { return f.popularity(v) - f.popularity(u) })
	embed := opts.Embed
	if embed == nil {
		return f, ctx.Err()
	}
	x, err := embed(ctx, g)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	if rows, _ := x.Dims(); rows != g.Nodes() {
		return nil, fmt.Errorf("%w: %d vectors for %d nodes", coles.ErrShape, rows, g.Nodes())
	}
	y, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if f.units, _, err = matrix.Unit(ctx, y); err != nil {
		return nil, err
	}
	if f.asks = f.units; opts.OneOfSeveral {
		if f.asks, err = bilinear(ctx, g, f.units); err != nil {
			return nil, err
		}
	}
	f.vectors, err = nearest.New(ctx, f.units, nearest.Dot)
	return f, err
}

// unitFeatures are the features of n nodes, prepared, with rows of length 1.
func unitFeatures(ctx context.Context, n int, x mat.Matrix) (*matrix.Matrix[float64], error) {
	how, err := coles.PrepareAuto.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	if x, err = inside.View(ctx, how, x); err != nil {
		return nil, err
	}
	if rows, _ := x.Dims(); rows != n {
		return nil, fmt.Errorf("%w: %d rows of features for %d nodes", coles.ErrShape, rows, n)
	}
	read, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	units, _, err := matrix.Unit(ctx, read)
	return units, err
}

// alike is the cosine of the features of two nodes.
func (f *finder) alike(u, v int) (cosine float64) {
	cols, a := f.known.Row(u)
	others, b := f.known.Row(v)
	if cols == nil {
		return given.Dot(a, b)
	}
	for p, q := 0, 0; p < len(cols) && q < len(others); {
		switch {
		case cols[p] < others[q]:
			p++
		case cols[p] > others[q]:
			q++
		default:
			cosine += a[p] * b[q]
			p, q = p+1, q+1
		}
	}
	return cosine
}

// popularity is how many edges lead to a node.
func (f *finder) popularity(v int) int {
	if f.arcs != nil {
		return f.arcs.in.degree(v)
	}
	return f.walks.degree(v)
}

// prior is the fixed rule, in the order of the columns of a candidate.
func (f *finder) prior() []float64 {
	w := []float64{twoSteps: 0.5, threeSteps: 1.25, degrees: -0.4}
	if f.sides != nil {
		w = []float64{twoSteps: 0, threeSteps: 1.75, degrees: -0.4}
	}
	if f.vectors != nil {
		w = append(w, 0)
	}
	if f.known != nil {
		w = append(w, 0)
	}
	if f.arcs != nil {
		w = append(w, make([]float64, kinds-along+1)...)
	}
	return w
}

// look calls do with the candidates of each node, q its number among nodes, on several goroutines at once. The
// walker is at that node.
func (f *finder) look(ctx context.Context, nodes []int, may func(node, recommended int) bool, do func(w *walker, q int, c *candidates)) error {
	allowed := func(u, v int) bool {
		apart := f.asks != f.units && f.popularity(v) == 0 // edges of other kinds alone
		return !apart && (f.sides == nil || f.sides[u] != f.sides[v]) && (may == nil || may(u, v))
	}
	var near [][]nearest.Match
	if f.vectors != nil {
		var err error
		near, err = f.vectors.Apart(ctx, f.asks, nodes, func(u, v int) bool {
			of := f.walks
			if f.arcs != nil {
				of = f.arcs.out
			}
			near, _ := of.edges(u)
			_, joined := slices.BinarySearch(near, int32(v))
			return joined || !allowed(u, v)
		}, bestEnds)
		if err != nil {
			return err
		}
	}
	walkers := sync.Pool{New: func() any { return f.walks.walker(f.arcs) }}
	return parallel.For(ctx, len(nodes), func(q int) {
		w := walkers.Get().(*walker)
		defer walkers.Put(w)
		w.from(nodes[q])
		c := &candidates{}
		c.nodes, c.most = w.ends(func(v int) bool { return allowed(nodes[q], v) })
		if near != nil {
			for _, m := range near[q] {
				c.nodes = append(c.nodes, m.Row)
				c.most[ofVectors] = max(c.most[ofVectors], m.Score)
			}
		}
		slices.Sort(c.nodes)
		c.nodes = slices.Compact(c.nodes)
		if f.known != nil {
			for _, v := range c.nodes {
				c.most[ofFeatures] = max(c.most[ofFeatures], f.alike(nodes[q], v))
			}
		}
		if len(c.nodes) > 0 {
			c.x = mat.NewDense(len(c.nodes), len(f.prior()), nil)
			for k, v := range c.nodes {
				c.x.SetRow(k, f.columns(w, v, c.most))
			}
		}
		do(w, q, c)
	})
}

// columns are what is known of v as a candidate of the walker's node.
func (f *finder) columns(w *walker, v int, most tops) []float64 {
	share := func(score, most float64) float64 {
		if most <= 0 {
			return math.Log(floor)
		}
		return math.Log(max(0, score)/most + floor)
	}
	x := []float64{twoSteps: math.Log(floor), threeSteps: share(float64(w.scores[ofThree][v]), most[ofThree]), degrees: math.Log1p(float64(w.degree(v)))}
	if f.sides == nil {
		x[twoSteps] = share(float64(w.scores[ofTwo][v]), most[ofTwo])
	}
	if f.units != nil {
		_, a := f.asks.Row(w.last)
		_, b := f.units.Row(v)
		x = append(x, share(given.Dot(a, b), most[ofVectors]))
	}
	if f.known != nil {
		x = append(x, share(f.alike(w.last, v), most[ofFeatures]))
	}
	if f.arcs != nil {
		for kind := along; kind < kinds; kind++ {
			x = append(x, share(float64(w.scores[kind][v]), most[kind]))
		}
		x = append(x, math.Log1p(float64(f.popularity(v))))
	}
	return x
}

// total is log Σ e^{w·x} over the candidates.
func (c *candidates) total(weights []float64) float64 {
	if len(c.nodes) == 0 {
		return math.Inf(1)
	}
	return floats.LogSumExp(scoresOf(c.x, mat.NewVecDense(len(weights), weights)).RawVector().Data)
}

// ranked are the candidates with their scores, best first.
func (c *candidates) ranked(weights []float64) []near.Match {
	if len(c.nodes) == 0 {
		return nil
	}
	total, scores := c.total(weights), scoresOf(c.x, mat.NewVecDense(len(weights), weights))
	all := make([]near.Match, len(c.nodes))
	for k, v := range c.nodes {
		all[k] = near.Match{Row: v, Score: math.Exp(scores.AtVec(k) - total)}
	}
	sortMatches(all)
	return all
}

// by are the candidates by a column alone, without those that it says nothing of.
func (c *candidates) by(column int) []near.Match {
	var all []near.Match
	if c.x != nil && column < c.x.RawMatrix().Cols {
		for k, v := range c.nodes {
			if s := c.x.At(k, column); s > math.Log(floor) {
				all = append(all, near.Match{Row: v, Score: s})
			}
		}
	}
	sortMatches(all)
	return all
}

// sortMatches puts the best first, the lower node of equal ones.
func sortMatches(all []near.Match) {
	slices.SortFunc(all, func(a, b near.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), a.Row-b.Row) })
}

// mostPopular are the k nodes of most edges of those that may be recommended to the walker's node, with score 0.
func (f *finder) mostPopular(w *walker, k int, may func(node, recommended int) bool) []near.Match {
	var best []near.Match
	for _, v := range f.popular {
		if len(best) == k || f.popularity(v) == 0 {
			break
		}
		if !w.joined[v] && (f.sides == nil || f.sides[v] != f.sides[w.last]) && (may == nil || may(w.last, v)) {
			best = append(best, near.Match{Row: v})
		}
	}
	return best
}
