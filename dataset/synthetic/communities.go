// Package synthetic draws attributed graphs with communities, of any size.
package synthetic

import (
	"cmp"
	"fmt"
	"math"

	"coles"
	"coles/internal/setting"
)

// Communities describes a random attributed graph whose classes are communities: a degree-corrected
// stochastic block model (Karrer and Newman, Physical Review E 83, 2011) whose nodes hold words,
// some of them on the topic of their class. A field left zero takes the default in brackets; with the
// defaults, words say little about a node, and edges most of the rest.
type Communities struct {
	// Nodes is n [3,000].
	Nodes int
	// Classes is the number of communities, of equal size [7].
	Classes int
	// Degree is the mean degree [4]. Pairs drawn twice merge and self loops are left out, which
	// takes a few per cent from it on small graphs.
	Degree float64
	// Homophily is the share of edges inside a class, in (0, 1] [0.7]. The others lead to all other
	// classes alike.
	Homophily float64
	// DegreeExponent is the exponent γ > 2 of the tail of the degrees, P(degree = k) ~ k^−γ [3];
	// +Inf gives every node the same expectation.
	DegreeExponent float64
	// Features is the number of words of the vocabulary, d [1,000]; negative means that there are
	// no features.
	Features int
	// Dense gives every node d numbers in place of words: the mean of its class plus Gaussian noise
	// of variance 1. The means are Gaussian too, two of them 2 apart in root mean square: a classifier with
	// both is wrong for about a node in six. Words and Topic do not count then.
	Dense bool
	// Words is the mean number of words of a node [20].
	Words float64
	// Topic is the share of a node's words, in (0, 1], that come from the words of its class [0.25].
	// The others come from the whole vocabulary.
	Topic float64
	// Seed chooses the graph; the same seed gives the same bytes.
	Seed uint64
}

const (
	// maxDraws bounds the number of edges and of words asked for.
	maxDraws = 1 << 36
	// maxNumbers bounds the n·d numbers of dense features: 32 GB.
	maxNumbers = 1 << 33
	// wordSkew makes rank = V·u^wordSkew for u uniform: word r has a share of about (r+1)^−½.
	wordSkew = 2
	// meanDistance is the distance of two class means, in root mean square and in standard
	// deviations of the noise.
	meanDistance = 2
)

func (c Communities) withDefaults() Communities {
	c.Nodes = cmp.Or(c.Nodes, 3000)
	c.Classes = cmp.Or(c.Classes, 7)
	c.Degree = cmp.Or(c.Degree, 4)
	c.Homophily = cmp.Or(c.Homophily, 0.7)
	c.DegreeExponent = cmp.Or(c.DegreeExponent, 3)
	c.Features = cmp.Or(c.Features, 1000)
	c.Words = cmp.Or(c.Words, 20)
	c.Topic = cmp.Or(c.Topic, 0.25)
	return c
}

func (c Communities) check() error {
	n := float64(c.Nodes)
	for _, f := range []struct {
		name string
		v    float64
		ok   bool
		want string
	}{
		{"Nodes", n, c.Nodes > 0, "more than 0"},
		{"Classes", float64(c.Classes), c.Classes > 0 && c.Classes <= min(c.Nodes, 1<<20), "1 to Nodes"},
		{"Degree", c.Degree, c.Degree > 0 && c.Degree < n, "more than 0 and less than Nodes"},
		{"Homophily", c.Homophily, c.Homophily > 0 && c.Homophily <= 1, "more than 0, at most 1"},
		{"DegreeExponent", c.DegreeExponent, c.DegreeExponent > 2, "more than 2"},
		{"Features", float64(c.Features), c.Features < 0 || c.Dense || c.Features >= c.Classes, "at least Classes, or negative"},
		{"Words", c.Words, c.Words > 0 && !math.IsInf(c.Words, 0), "more than 0"},
		{"Topic", c.Topic, c.Topic > 0 && c.Topic <= 1, "more than 0, at most 1"},
	} {
		if !f.ok {
			return setting.Bad(f.name, f.v, "%s", f.want)
		}
	}
	edges, words, numbers := n*c.Degree, n*c.Words, 0.0
	if c.Features < 0 {
		words = 0
	} else if c.Dense {
		words, numbers = 0, float64(c.Features)*(n+float64(c.Classes))
	}
	if c.Nodes > math.MaxInt32 || c.Features > math.MaxInt32 || edges > maxDraws || words > maxDraws || numbers > maxNumbers ||
		40*n+16*edges+32*words+4*numbers > math.MaxInt {
		return fmt.Errorf("%d nodes, degree %v, %d features, %v words: %w", c.Nodes, c.Degree, c.Features, c.Words, coles.ErrTooLarge)
	}
	return nil
}
