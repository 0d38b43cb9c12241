package rivals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/lab/internal/skipgram"

	"gonum.org/v1/gonum/mat"
)

// SkipGram embeds nodes by random walks: nodes that meet on walks get similar vectors. It is DeepWalk
// (Perozzi, Al-Rfou, Skiena, 2014) and node2vec (Grover, Leskovec, 2016), and sees no features.
//
// Every node starts Walks walks of Length nodes, whose steps are in proportion to the weights of the
// edges; see [Node2Vec] for P and Q. Each node c on a walk draws a distance from 1 to Window. For
// every node o of the walk within that distance, a step up the gradient is made, at the rate
// r, of
//
//	log σ(x_o·y_c) + Σ_k log σ(−x_o·y_k),  k: Negatives nodes drawn ∝ count^0.75, those that are c left out
//
// This is skip-gram with negative sampling (Mikolov, Sutskever, Chen, Corrado, Dean, 2013), in
// float32. The embedding is x, which starts uniform within ±0.5/Dim; y starts at 0. The rate r falls
// linearly from Rate to 1e-4.
//
// There is one pass over the walks: more walks cost the same as more passes, and help more.
type SkipGram struct {
	Walks     int     `json:"walks"`     // γ, walks from every node
	Length    int     `json:"length"`    // t, nodes of a walk, at most 10,000
	Window    int     `json:"window"`    // steps to the farthest node of a pair, at most 100
	Dim       int     `json:"dim"`       // d′, columns of the embedding
	Negatives int     `json:"negatives"` // for each pair
	P         float64 `json:"p"`         // the larger, the seldomer walks turn back
	Q         float64 `json:"q"`         // the smaller, the farther walks go
	Rate      float64 `json:"rate"`      // of the first step, 1e-4 to 1
	// Parts, 1 to 64, is how many parts the nodes are split into, and how many processors can train
	// at once; there are fewer where a part would have less than 64 nodes. The negatives of a pair
	// are drawn from the part of c. The embedding depends on Parts, but not on GOMAXPROCS.
	Parts int    `json:"parts"`
	Seed  uint64 `json:"seed"` // of the walks, the vectors and the negatives
}

// DeepWalk returns 10 walks of 80 nodes from every node, a window of 10, 128 columns, 5 negatives
// and the rate 0.025, in 8 parts.
//
// The program of DeepWalk's authors trains by hierarchical softmax and 5 negatives at once, five
// times on 10 walks of 40 nodes, with a window of 5 and 64 columns. On citation graphs its vectors
// predict classes worse.
func DeepWalk() SkipGram {
	return SkipGram{
		Walks: 10, Length: 80, Window: 10, Dim: 128, Negatives: 5,
		P: 1, Q: 1, Rate: 0.025, Parts: 8, Seed: 1,
	}
}

// Node2Vec is [DeepWalk] on walks of second order. A walk that came from v to u steps to a neighbour x of u in
// proportion to w(u, x)·a. a is 1/p for x = v, 1 for the neighbours of v and 1/q for all others. With p = q = 1 it is
// DeepWalk.
func Node2Vec(p, q float64) SkipGram {
	s := DeepWalk()
	s.P, s.Q = p, q
	return s
}

// Check returns what is wrong with the settings.
//
// Errors: [coles.ErrSetting].
func (s SkipGram) Check() error {
	var errs []error
	wrong := func(bad bool, field string, value any, want string) {
		if bad {
			errs = append(errs, fmt.Errorf("rivals: skip-gram: %w", setting.Bad(field, value, "%s", want)))
		}
	}
	positive := func(v float64) bool { return v > 0 && matrix.Finite(v) && matrix.Finite(1/v) }
	wrong(s.Walks < 1, "Walks", s.Walks, "1 or more")
	wrong(s.Length < 2 || s.Length > 10_000, "Length", s.Length, "2 to 10000")
	wrong(s.Window < 1 || s.Window > 100, "Window", s.Window, "1 to 100")
	wrong(s.Dim < 1 || s.Dim > 1<<16, "Dim", s.Dim, "1 to 65536")
	wrong(s.Negatives < 1 || s.Negatives > 100, "Negatives", s.Negatives, "1 to 100")
	wrong(!positive(s.P), "P", s.P, "more than 0 and finite")
	wrong(!positive(s.Q), "Q", s.Q, "more than 0 and finite")
	wrong(!(s.Rate >= skipgram.LastRate && s.Rate <= 1), "Rate", s.Rate, fmt.Sprintf("%v to 1", skipgram.LastRate))
	wrong(s.Parts < 1 || s.Parts > 64, "Parts", s.Parts, "1 to 64")
	return errors.Join(errs...)
}

// Fit returns the embedding (n × Dim). A node without edges starts no walk, and its row is zero.
//
// progress, which may be nil, is called with the stage "walks" and how many have been trained on. Fit
// takes 16·n·Dim bytes, the result included, about 2 MB·(Window + 1) for the walks at work, and 8
// bytes for each stored entry of a weighted graph. Its cost is O(n·Walks·Length·Window·Negatives·Dim).
//
// Errors: [coles.ErrSetting], [coles.ErrTooLarge], [coles.ErrNotFinite] where the rate is so high that
// the vectors overflow, and ctx's.
func (s SkipGram) Fit(ctx context.Context, g *coles.Graph, progress coles.Progress) (*mat.Dense, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := cmp.Or(kernel.Check(), matrix.CheckSize(g.Nodes(), skipgram.Width(s.Dim))); err != nil {
		return nil, fmt.Errorf("rivals: skip-gram: %w", err)
	}
	if s.Walks > math.MaxInt/g.Nodes()/s.Length {
		return nil, fmt.Errorf("rivals: skip-gram: %w: %d walks of %d nodes from each of %d", coles.ErrTooLarge, s.Walks, s.Length, g.Nodes())
	}
	walks, err := s.walksOn(ctx, g)
	if err != nil {
		return nil, err
	}
	settings := skipgram.Settings{Window: s.Window, Dim: s.Dim, Negatives: s.Negatives, Rate: s.Rate, Parts: s.Parts, Seed: s.Seed}
	vectors, err := skipgram.Train(ctx, walks, settings, func(done, total int) {
		if progress != nil {
			progress("walks", done, total)
		}
	})
	if err != nil {
		return nil, err
	}
	x := kernel.Columns(vectors, 0, s.Dim)
	most, err := matrix.Of(x).Largest(ctx)
	if err != nil {
		return nil, err
	}
	if !matrix.Finite(most) {
		return nil, fmt.Errorf("rivals: skip-gram: %w: the vectors overflow at the rate %v", coles.ErrNotFinite, s.Rate)
	}
	wide, err := matrix.ToFloat64(ctx, x)
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(wide), nil
}

// walksOn are the walks on a graph, from every node that has neighbours.
func (s SkipGram) walksOn(ctx context.Context, g *coles.Graph) (skipgram.Walks, error) {
	w, err := newWalker(ctx, g, s.P, s.Q)
	if err != nil {
		return skipgram.Walks{}, err
	}
	walks := skipgram.Walks{Nodes: g.Nodes(), Passes: s.Walks, Length: s.Length, Draw: w.walk}
	for u := range g.Nodes() {
		if w.adj.Ptr[u] < w.adj.Ptr[u+1] {
			walks.Starts = append(walks.Starts, int32(u))
		}
	}
	return walks, nil
}
