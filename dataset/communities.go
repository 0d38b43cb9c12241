package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
)

// Communities describes a random attributed graph whose classes are
// communities: a degree-corrected stochastic block model (Karrer and Newman,
// Physical Review E 83, 2011) whose nodes hold words, some of them on the topic
// of their class. A field left zero takes the default in brackets; together
// the defaults make a graph whose words say little about a node and whose
// edges say most of the rest.
type Communities struct {
	// Nodes is n [3,000].
	Nodes int
	// Classes is the number of communities, of equal size [7].
	Classes int
	// Degree is the mean degree [4]. Pairs drawn twice merge and self loops
	// are left out, which takes a few per cent from it on small graphs.
	Degree float64
	// Homophily is the share of edges inside a class, in (0, 1] [0.7]. The
	// others lead to all other classes alike.
	Homophily float64
	// DegreeExponent is the exponent γ > 2 of the tail of the degrees,
	// P(degree = k) ~ k^−γ [3]; +Inf gives every node the same expectation.
	DegreeExponent float64
	// Features is the number of words of the vocabulary, d [1,000]; negative
	// means that there are no features.
	Features int
	// Dense gives every node d numbers in place of words: the mean of its
	// class plus Gaussian noise of variance 1. The means are Gaussian too, with
	// a variance that puts two of them at a distance of 2 in root mean square:
	// between two classes, whoever knows both means is still wrong for about a
	// node in six; more classes, and means known from few labels, leave
	// much more to the neighbours. Words and Topic do not count then.
	Dense bool
	// Words is the mean number of words of a node [20].
	Words float64
	// Topic is the share of a node's words that come from the part of the
	// vocabulary that belongs to its class, in (0, 1] [0.25]. The others come
	// from all of it.
	Topic float64
	// Seed chooses the graph; the same seed gives the same bytes.
	Seed uint64
}

// maxDraws bounds the number of edges and of words asked for.
const maxDraws = 1 << 36

// maxNumbers bounds the n·d numbers of dense features: 32 GB.
const maxNumbers = 1 << 33

// wordSkew gives word ranks a heavy head: rank = V·u^wordSkew for u uniform,
// so that word r has a share of about (r+1)^−½.
const wordSkew = 2

// Generate draws the graph: adjacency with ones, symmetric, without loops,
// rows sorted; features a *sparse.CSR of word counts, or a *coles.Dense32;
// labels.
//
// Node p of the internal order draws its edges and its features from random
// streams of its own, (Seed, 2p) and (Seed, 2p+1), so that the result does not
// depend on how the work is done: it is the same to the byte however many
// processors share it. The edges are drawn twice, once to count and once to
// place them, so that no edge list is held beside the adjacency: memory is 16
// bytes for each of the 2m + nnz(X) entries and some 25 a node, with Dense
// 4·d·(n + Classes) in place of what is for X, and some megabytes of scratch a
// processor.
//
// Settings out of range are ErrOption or ErrTooLarge. Cost:
// O(n + m log(degree) + words), or n·d in place of words.
func (c Communities) Generate(ctx context.Context) (*Dataset, error) {
	if ctx == nil {
		return nil, fmt.Errorf("dataset: communities: %w: the context is nil", ErrOption)
	}
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	d, err := c.generate(ctx)
	if err != nil {
		return nil, fmt.Errorf("dataset: communities: %w", err)
	}
	return d, nil
}

func (c Communities) generate(ctx context.Context) (*Dataset, error) {
	g, err := newBlocks(ctx, c)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Name: "communities", Labels: g.labels()}
	if d.Adjacency, err = g.adjacency(ctx); err != nil {
		return nil, err
	}
	switch {
	case c.Features < 0:
	case c.Dense: // an error must not become a nil matrix in the interface
		x, err := g.numbers(ctx)
		if err != nil {
			return nil, err
		}
		d.Features = x
	default:
		x, err := g.words(ctx)
		if err != nil {
			return nil, err
		}
		d.Features = x
	}
	return d, nil
}

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

// bytes is the memory that Generate takes.
func (c Communities) bytes() float64 {
	n, entries := float64(c.Nodes), float64(c.Nodes)*c.Degree
	dense := 0.0
	switch {
	case c.Features < 0:
	case c.Dense:
		dense = 4 * float64(c.Features) * float64(c.Nodes+c.Classes)
	default:
		entries += n * c.Words
	}
	return 25*n + 16*entries + dense
}

func (c Communities) check() error {
	n := float64(c.Nodes)
	for _, f := range []struct {
		name string
		v    float64
		ok   bool
		want string
	}{
		{"Nodes", n, c.Nodes > 0, "positive"},
		{"Classes", float64(c.Classes), c.Classes > 0 && c.Classes <= min(c.Nodes, maxClasses), "1 to Nodes"},
		{"Degree", c.Degree, c.Degree > 0 && c.Degree < n, "above 0 and below Nodes"},
		{"Homophily", c.Homophily, c.Homophily > 0 && c.Homophily <= 1, "in (0, 1]"},
		{"DegreeExponent", c.DegreeExponent, c.DegreeExponent > 2, "above 2"},
		{"Features", float64(c.Features), c.Features < 0 || c.Dense || c.Features >= c.Classes, "at least Classes, or negative"},
		{"Words", c.Words, c.Words > 0 && !math.IsInf(c.Words, 0), "positive"},
		{"Topic", c.Topic, c.Topic > 0 && c.Topic <= 1, "in (0, 1]"},
	} {
		if !f.ok {
			return fmt.Errorf("dataset: communities: %s is %v, it must be %s: %w", f.name, f.v, f.want, ErrOption)
		}
	}
	if c.Nodes > maxDim || c.Features > maxDim || n*c.Degree > maxDraws || !c.Dense && n*c.Words > maxDraws ||
		c.Dense && n*float64(c.Features) > maxNumbers || c.bytes() > math.MaxInt {
		return fmt.Errorf("dataset: communities: %d nodes, degree %v, %d features, %v words: %w",
			c.Nodes, c.Degree, c.Features, c.Words, ErrTooLarge)
	}
	return nil
}
