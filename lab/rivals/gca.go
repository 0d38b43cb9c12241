package rivals

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"coles"
	"coles/gnn"
	"coles/gnn/custom"

	"gonum.org/v1/gonum/mat"
)

// GCA is graph contrastive learning with adaptive augmentation (Zhu, Xu, Yu, Liu, Wu and Wang, WWW
// 2021): [GRACE] on views by [AdaptiveDrop], which spares what is important. The authors' settings,
// in the columns of the table there:
//
//	              h    p    activation  edges dropped  features dropped  τ    Adam  epochs
//	amazon_photo  256  64   ReLU        0.3, 0.5       0.1, 0.1          0.3  0.1   2000
//	coauthor_cs   256  256  PReLU       0.3, 0.2       0.3, 0.4          0.4  5e-4  1000
//
// and the settings of [GRACE] for every other graph, also Cora, Citeseer and Pubmed, for which they
// print none. On Coauthor CS theirs has RReLU, whose slopes are drawn around 0.23; PReLU starts with
// 0.25 and trains it. Of their three measures of importance this is the degree; PageRank and the
// leading eigenvector are not here.
//
// It trains what [GRACE] does, at the same cost.
func GCA(dataset string) gnn.Settings {
	c := graceFor(dataset)
	switch dataset {
	case "amazon_photo":
		c = grace{256, 64, gnn.ReLU, [2]float64{0.3, 0.5}, [2]float64{0.1, 0.1}, 0.3, 0.1, 2000, 0}
	case "coauthor_cs":
		c = grace{256, 256, gnn.PReLU, [2]float64{0.3, 0.2}, [2]float64{0.3, 0.4}, 0.4, 5e-4, 1000, 0}
	}
	return c.settings(AdaptiveDrop)
}

// largestDrop is the probability above which [AdaptiveDrop] drops nothing.
const largestDrop = 0.7

// AdaptiveDrop makes two views at every step, like [gnn.Drop], but drops sooner what is of little
// importance s: in view v an edge, or a column of the features, with probability
//
//	min(0.7, rates[v]·(s_max − s)/(s_max − s̄)),
//
// in which s̄ is the mean of s. With φ the degrees of the nodes,
//
//	s = log((φ_i + φ_j)/2)     for the edge {i, j},
//	s = log Σ_i |x_ic|·φ_i     for column c,
//
// with 1 for |x_ic| where that is not zero if most of X is: words are counted. A column that only
// isolated nodes have, or none, is as important as the least of the others. Self loops stay, and do
// not count in s_max and s̄. The importance of edges is as in the authors' paper; their code drops
// each direction of an edge for itself, by the degree of the node it leads to.
//
// Errors: [coles.ErrSetting] for rates that are not from 0 to less than 1.
func AdaptiveDrop(edges, features [2]float64) gnn.Augmentation {
	name := fmt.Sprintf("adaptive-drop %v %v %v %v", edges[0], edges[1], features[0], features[1])
	return gnn.NewAugmentation(name, false, func(ctx context.Context, g *coles.Graph, x mat.Matrix, rnd *rand.Rand) ([]*custom.View, error) {
		for _, rate := range [...]float64{edges[0], edges[1], features[0], features[1]} {
			if !(rate >= 0 && rate < 1) {
				return nil, fmt.Errorf("rivals: %s: %w: want rates of 0 to less than 1", name, coles.ErrSetting)
			}
		}
		ofEdges := edgeUnimportance(g)
		ofColumns, err := columnUnimportance(ctx, g, x)
		if err != nil {
			return nil, err
		}
		var views []*custom.View
		for v := range 2 {
			next := 0
			rest := g.Without(func(e coles.Edge) bool {
				if e.U == e.V {
					return false
				}
				next++
				return dropped(edges[v]*ofEdges[next-1], rnd)
			})
			columns := make([]float64, len(ofColumns))
			for c, u := range ofColumns {
				if !dropped(features[v]*u, rnd) {
					columns[c] = 1
				}
			}
			views = append(views, &custom.View{Graph: rest, Columns: columns})
		}
		return views, ctx.Err()
	})
}

// dropped draws whether something is dropped.
func dropped(probability float64, rnd *rand.Rand) bool {
	return rnd.Float64() < min(largestDrop, probability)
}

// edgeUnimportance is (s_max − s)/(s_max − s̄) for every edge that is not a self loop, in the order of
// [coles.Graph.Edges].
func edgeUnimportance(g *coles.Graph) []float64 {
	degrees := g.Degrees()
	var s []float64
	for e := range g.Edges() {
		if e.U != e.V {
			s = append(s, math.Log((degrees[e.U]+degrees[e.V])/2))
		}
	}
	return unimportance(s)
}

// columnUnimportance is (s_max − s)/(s_max − s̄) for every column of the features.
func columnUnimportance(ctx context.Context, g *coles.Graph, x mat.Matrix) ([]float64, error) {
	n, d := x.Dims()
	degrees := g.Degrees()
	counts, sums := make([]float64, d), make([]float64, d)
	entries := 0
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x.(mat.RowNonZeroDoer).DoRowNonZero(i, func(_, c int, v float64) {
			entries++
			counts[c] += degrees[i]
			sums[c] += math.Abs(v) * degrees[i]
		})
	}
	s := sums
	if float64(entries) < float64(n)*float64(d)/2 {
		s = counts
	}
	for c, v := range s {
		s[c] = math.Log(v)
	}
	return unimportance(s), nil
}

// unimportance changes every s, of which −∞ stands for the least of the others, to
// (s_max − s)/(s_max − s̄), or to 1 where all are alike.
func unimportance(s []float64) []float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range s {
		if !math.IsInf(v, -1) {
			least, most = min(least, v), max(most, v)
		}
	}
	mean := 0.0
	for i, v := range s {
		s[i] = max(v, least)
		mean += s[i] / float64(len(s))
	}
	for i, v := range s {
		if s[i] = 1; least < most {
			s[i] = (most - v) / (most - mean)
		}
	}
	return s
}
