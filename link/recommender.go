package link

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// A Recommender recommends to a node u nodes v that no edge joins to it. It scores them by a conditional logit,
//
//	score(u, v) = e^{w·x(u, v)} / Σ e^{w·x(u, c)},
//
// over the candidates c of u: the 50 best by walks of two steps, by walks of three, and by an embedding if there is one.
// Each of these scores, s, and the cosine of the features have a column log(s/max_c s + 0.01) of x; one more is
// log(1 + degree of v). With arcs, walks along them have columns, too, and so has the number of arcs that lead to v.
//
// Edges count by log(1 + weight/median weight). Of a node of more than 200 neighbours, 200 drawn once stand for all. A walk
// of three steps goes on from the 300 best nodes of two steps: that is quicker, and a little more accurate. On a graph of
// two kinds no walk of two steps leads to the other kind.
//
// [Fit] learns w from edges that it hides.
type Recommender struct {
	Worth Worth // what recommendations are worth, measured on the hidden edges

	*finder
	weights [2][]float64 // of the columns of candidates, for nodes of either side
}

// Options are what [Fit] may be told. The zero value is a graph of one kind of nodes, without vectors.
type Options struct {
	// Sides, for a graph of two kinds of nodes, is the kind of each: recommended are nodes of the other kind
	// only. [Sides] finds it in the edges.
	Sides []bool
	// Arcs are the directions of edges, from U to V; an edge may have one or both. The nodes recommended to u are then heads
	// V of arcs from it. Loops do not count.
	Arcs []coles.Edge
	// Embed returns vectors of the nodes of a graph, n × d, whose cosines help where features tell who is
	// joined. It is called twice: for the graph without the hidden edges, which the vectors must not have seen,
	// and for all of it.
	Embed func(context.Context, *coles.Graph) (mat.Matrix, error)
	// Features, n × d, have a column of cosines besides that of Embed: it compares the two nodes, not their neighbours. It is
	// for nodes of few edges, and brings no candidates.
	Features mat.Matrix
	// OneOfSeveral says that the graph has one of several kinds of edges, such as those of papers and authors, and Embed
	// knows the others. With rows z of length 1, the column of the embedding is then (z_uW/‖z_uW‖ + z_u/2)·z_v. W is a ridge
	// regression of the edges. Nodes with edges of other kinds alone are not recommended.
	OneOfSeveral bool
	VectorsAlone bool   // rank candidates by the column of the embedding alone
	Seed         uint64 // of the hidden edges, and of the hubs' neighbours
	Progress     coles.Progress
}

// Fit learns a [Recommender] for g. It hides a tenth of the edges, finds the candidates of up to 600 nodes that lost one,
// and fits w so that the lost neighbours score high among the candidates. Where few edges can be hidden, w stays near a
// fixed rule, two^½·three^1¼·degree^−0.4, of two kinds three^1¾·degree^−0.4. Rule and constants were chosen on
// eight graphs, three of them with features and two of two kinds, and held on eleven others.
//
// It takes two calls of Embed, and for every node asked about some 10⁵ steps at most; for n nodes and m edges
// 40·m + 100·n bytes, and 17·n for each processor. The result is the same to the byte for any number of
// processors.
//
// Errors: [coles.ErrShape] for a graph without edges, and for sides, features or an embedding of other than n rows;
// [coles.ErrSetting] for an edge within a side or what needs Embed without one; and the errors of Embed and ctx.
func Fit(ctx context.Context, g *coles.Graph, opts Options) (*Recommender, error) {
	if err := given.CheckEdges(g); err != nil {
		return nil, err
	}
	if err := checkSides(g, opts.Sides); err != nil {
		return nil, err
	}
	if err := opts.checkArcs(g); err != nil {
		return nil, err
	}
	if (opts.Features != nil || opts.OneOfSeveral || opts.VectorsAlone) && opts.Embed == nil {
		return nil, setting.Bad("Embed", "none", "one for features, for OneOfSeveral and for VectorsAlone")
	}
	ctx = parallel.Reporting(ctx, opts.Progress)
	list := edgesOf(g)
	if opts.Arcs != nil {
		list = newArcs(g.Nodes(), opts.Arcs, 0).list
	}
	train, kept, lost := hideSome(g, list, opts.Arcs != nil, opts.Seed)
	inner, err := newFinder(ctx, train, kept, opts)
	if err != nil {
		return nil, err
	}
	all, err := newFinder(ctx, g, opts.Arcs, opts)
	if err != nil {
		return nil, err
	}
	if opts.Features != nil {
		if inner.known, err = unitFeatures(ctx, g.Nodes(), opts.Features); err != nil {
			return nil, err
		}
		all.known = inner.known
	}
	r := &Recommender{finder: all}
	for side := range r.weights {
		if side == 1 && opts.Sides == nil {
			break
		}
		trials, err := newTrials(ctx, inner, lost, side == 1, opts.Seed)
		if err != nil {
			return nil, err
		}
		r.weights[side] = conditionalLogit(picksOf(trials), r.prior())
		if opts.VectorsAlone {
			clear(r.weights[side])
			r.weights[side][byCosine] = 1
		}
		r.Worth.count(trials, r.prior())
	}
	if r.Worth.divide(); opts.VectorsAlone {
		r.Worth.Recall = r.Worth.Vectors
	}
	return r, nil
}

// checkArcs reports an arc between other nodes than an edge joins, and two sides besides.
func (o Options) checkArcs(g *coles.Graph) error {
	if o.Arcs != nil && o.Sides != nil {
		return setting.Bad("arcs", len(o.Arcs), "none on a graph of two kinds of nodes")
	}
	if err := matrix.CheckPairs(g.Nodes(), o.Arcs, nil); err != nil {
		return err
	}
	for _, e := range o.Arcs {
		near, _ := g.Neighbors(e.U)
		if _, joined := slices.BinarySearch(near, int32(e.V)); e.U != e.V && !joined {
			return fmt.Errorf("%w: an arc from %d to %d, which no edge joins", coles.ErrShape, e.U, e.V)
		}
	}
	return nil
}

// weightsOf are the weights for a node.
func (r *Recommender) weightsOf(u int) []float64 {
	if r.sides != nil && r.sides[u] {
		return r.weights[1]
	}
	return r.weights[0]
}

// nodes is the number of nodes of a recommender that this package has made: any other is a caller's bug.
func (r *Recommender) nodes() int {
	if r == nil || r.finder == nil {
		panic("link: a Recommender that is nil or zero; Fit makes one")
	}
	return len(r.walks.sums)
}

// Recommend finds the k nodes of the best scores for each of the given nodes, nil for all: best first, the lower node
// first among equal scores. It recommends only what may allows, nil for everything; several goroutines call it at once.
// A node gets fewer where fewer are within reach. A node that reaches nobody gets the nodes of most edges, with score 0.
//
// Errors: [coles.ErrSetting] for k below 1, [coles.ErrShape] for no nodes given, [coles.ErrIndex], and ctx's.
func (r *Recommender) Recommend(ctx context.Context, nodes []int, k int, may func(node, recommended int) bool) ([][]near.Match, error) {
	switch {
	case nodes != nil && len(nodes) == 0:
		return nil, fmt.Errorf("%w: no nodes to recommend links for", coles.ErrShape)
	case k < 1:
		return nil, setting.Bad("k", k, "1 or more links for each node")
	}
	n := r.nodes()
	if err := given.CheckRows(nodes, n, "given"); err != nil {
		return nil, err
	}
	if nodes == nil {
		nodes = matrix.UpTo(n)
	}
	result := make([][]near.Match, len(nodes))
	done := 0
	for some := range slices.Chunk(nodes, atOnce) {
		err := r.look(ctx, some, may, func(w *walker, q int, c *candidates) {
			best := c.ranked(r.weightsOf(some[q]))
			if len(best) == 0 {
				best = r.mostPopular(w, k, may)
			}
			result[done+q] = slices.Clone(best[:min(k, len(best))])
		})
		if err != nil {
			return nil, err
		}
		done += len(some)
	}
	return result, nil
}

// atOnce nodes are looked at before their candidates are ranked.
const atOnce = 1024

// Scores are the scores of recommending V to U, for each pair. They are those of [Recommender.Recommend] where V is within
// reach. Any other is nearly 0, the score of a node with nothing but its degree. Along arcs a score is multiplied by 1 + the
// number of arcs from U: a node with many arcs is more often the tail.
//
// Errors: [coles.ErrIndex], and ctx's.
func (r *Recommender) Scores(ctx context.Context, pairs []coles.Edge) ([]float64, error) {
	if err := matrix.CheckPairs(r.nodes(), pairs, nil); err != nil {
		return nil, err
	}
	of := make(map[int][]int) // the pairs of each U, whose candidates are found once
	for q, p := range pairs {
		of[p.U] = append(of[p.U], q)
	}
	scores := make([]float64, len(pairs))
	for nodes := range slices.Chunk(slices.Sorted(maps.Keys(of)), atOnce) {
		err := r.look(ctx, nodes, nil, func(w *walker, q int, c *candidates) {
			weights := r.weightsOf(nodes[q])
			for _, pair := range of[nodes[q]] {
				scores[pair] = math.Exp(given.Dot(weights, r.columns(w, pairs[pair].V, c.most)) - c.total(weights))
				if r.arcs != nil {
					scores[pair] *= 1 + float64(r.arcs.out.degree(nodes[q]))
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return scores, nil
}
