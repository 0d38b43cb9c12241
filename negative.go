package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/stream"
)

// A NegativeSampler is the source of the negatives W⁻ of the contrast. The zero value has none.
// Values may be compared by ==. The text form, in JSON too, is
//
//	none
//	uniform:5                 UniformNegatives(5)
//	degree:5,exclude-edges    DegreeNegatives(5).ExcludeEdges()
//	erdos-renyi:0.001         ErdosRenyiNegatives(0.001)
//	expected-uniform          ExpectedUniformNegatives()
//	expected-degree           ExpectedDegreeNegatives()
//	custom:NAME               NegativeFunc("NAME", draw)
type NegativeSampler struct {
	kind    samplerKind
	perNode int     // partners that a node draws
	prob    float64 // Erdős–Rényi
	exclude bool    // no true edges
	custom  *customSampler
}

type samplerKind int

const (
	noNegatives samplerKind = iota
	uniformNegatives
	degreeNegatives
	erdosRenyi
	expectedUniform
	expectedDegree
	customNegatives
)

var samplerNames = []string{"none", "uniform", "degree", "erdos-renyi", "expected-uniform", "expected-degree", "custom"}

// A customSampler is a function of the user's.
type customSampler struct {
	name string
	draw func(ctx context.Context, g *Graph, seed uint64) (*SymCSR, error) // nil when read from text
}

// excludeEdges marks [NegativeSampler.ExcludeEdges] in the text form.
const excludeEdges = "exclude-edges"

// UniformNegatives draws, for every node, perNode partners uniformly among the other nodes, with
// repetition; repeated pairs add up, and the sum is symmetrised and degree-normalised. The authors'
// code samples so (perNode 2 to 5). The cost is O(n·perNode).
func UniformNegatives(perNode int) NegativeSampler {
	return NegativeSampler{kind: uniformNegatives, perNode: perNode}
}

// DegreeNegatives is [UniformNegatives] with partners drawn in proportion to degree^0.75, by an
// alias table (Walker 1977).
func DegreeNegatives(perNode int) NegativeSampler {
	return NegativeSampler{kind: degreeNegatives, perNode: perNode}
}

// ErdosRenyiNegatives joins every pair of nodes with probability p, the paper's G(n, p′), in O(n + p·n²/2).
func ErdosRenyiNegatives(p float64) NegativeSampler {
	return NegativeSampler{kind: erdosRenyi, prob: p}
}

// ExpectedUniformNegatives is the limit κ → ∞ of uniform negatives in closed form, (1/n)·11ᵀ: no
// sampling, the same for every seed.
func ExpectedUniformNegatives() NegativeSampler { return NegativeSampler{kind: expectedUniform} }

// ExpectedDegreeNegatives is the degree-corrected expectation s·sᵀ with s = √deg/‖√deg‖, the
// default of [Fit]. With η′ = 1, ΔW = W⁺ − s·sᵀ is the normalised modularity matrix: it is W⁺ without its trivial eigenvector.
func ExpectedDegreeNegatives() NegativeSampler { return NegativeSampler{kind: expectedDegree} }

// NegativeFunc makes a sampler of a function that draws W⁻ for a graph from a seed: the same seed, the same graph.
// [Graph.Negative] turns drawn pairs into W⁻. Its text form is the name; a sampler read from text only fails with
// [ErrSetting].
func NegativeFunc(name string, draw func(ctx context.Context, g *Graph, seed uint64) (*SymCSR, error)) NegativeSampler {
	return NegativeSampler{kind: customNegatives, custom: &customSampler{name, draw}}
}

// ExcludeEdges returns a sampler that draws no edge of the graph. A sampler with a number of partners still draws all of them,
// or fails with [ErrDense]. For [ErdosRenyiNegatives] every pair that is no edge has probability p. Samplers that draw nothing
// fail with [ErrSetting].
func (s NegativeSampler) ExcludeEdges() NegativeSampler {
	s.exclude = true
	return s
}

func (s NegativeSampler) String() string {
	var args []any
	switch s.kind {
	case uniformNegatives, degreeNegatives:
		args = []any{s.perNode}
	case erdosRenyi:
		args = []any{s.prob}
	case customNegatives:
		args = []any{s.custom.name}
	}
	if s.exclude {
		args = append(args, excludeEdges)
	}
	return setting.Text(samplerNames[s.kind], args...)
}

func (s NegativeSampler) MarshalText() ([]byte, error) { return []byte(s.String()), s.check() }

func (s *NegativeSampler) UnmarshalText(text []byte) error {
	f := setting.Parse("Negatives", text)
	at := slices.Index(samplerNames, f.Name)
	if at < 0 {
		return f.Unknown(samplerNames)
	}
	read := NegativeSampler{kind: samplerKind(at)}
	switch read.kind {
	case uniformNegatives, degreeNegatives:
		read.perNode = f.Int()
	case erdosRenyi:
		read.prob = f.Float()
	case customNegatives:
		read.custom = &customSampler{name: f.Rest()}
	}
	read.exclude = f.Word(excludeEdges)
	if err := f.End(); err != nil {
		return err
	}
	if err := read.check(); err != nil {
		return err
	}
	*s = read
	return nil
}

func badNegatives(s any, want string) error {
	return fmt.Errorf("coles: %w", setting.Bad("Negatives", s, "%s", want))
}

func (s NegativeSampler) check() error {
	drawsPairs := s.kind == uniformNegatives || s.kind == degreeNegatives || s.kind == erdosRenyi
	switch {
	case (s.kind == uniformNegatives || s.kind == degreeNegatives) && s.perNode < 1:
		return badNegatives(s, "at least 1 partner a node")
	case s.kind == erdosRenyi && !(s.prob >= 0 && s.prob <= 1):
		return badNegatives(s, "a probability from 0 to 1")
	case s.exclude && !drawsPairs:
		return badNegatives(s, "a sampler that draws pairs, from which to exclude edges")
	}
	return nil
}

// Sample draws one negative graph W⁻. [Contrast] does this κ times.
// Errors: [ErrSetting] also for a sampler that states an expectation or has none, [ErrDense], [ErrTooLarge]
// for more pairs than can be indexed, the function's.
func (s NegativeSampler) Sample(ctx context.Context, g *Graph, seed uint64) (*SymCSR, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch s.kind {
	case uniformNegatives:
		return s.drawPartners(ctx, g, seed, func(rng stream.Stream) int { return rng.IntN(g.Nodes()) })
	case degreeNegatives:
		table := stream.NewAlias(drawWeights(g))
		if table == nil {
			return nil, fmt.Errorf("coles: negatives: %w: no node has a positive degree to be drawn by", ErrDense)
		}
		return s.drawPartners(ctx, g, seed, table.Draw)
	case erdosRenyi:
		return s.drawPairs(ctx, g, seed)
	case customNegatives:
		return s.custom.sample(ctx, g, seed)
	}
	return nil, badNegatives(s, "a sampler that draws")
}

func (c *customSampler) sample(ctx context.Context, g *Graph, seed uint64) (*SymCSR, error) {
	if c.draw == nil {
		return nil, badNegatives(c.name, "the function set anew, which no file holds")
	}
	minus, err := c.draw(ctx, g, seed)
	if err != nil {
		return nil, fmt.Errorf("coles: negatives %q: %w", c.name, err)
	}
	if minus.SymmetricDim() != g.Nodes() {
		return nil, fmt.Errorf("coles: negatives %q: %w: a graph of %d nodes, want %d", c.name, ErrShape, minus.SymmetricDim(), g.Nodes())
	}
	return minus, nil
}

// Negative makes W⁻ of drawn pairs of nodes of g: repeated pairs add up, pairs of a node with itself are
// left out, and the sum is normalised as W⁺ is. Errors: [ErrIndex].
func (g *Graph) Negative(pairs []Edge) (*SymCSR, error) {
	if err := matrix.CheckPairs(g.Nodes(), pairs, nil); err != nil {
		return nil, fmt.Errorf("coles: negatives: %w", err)
	}
	return g.negative(context.Background(), pairs)
}

// negative is [Graph.Negative] for pairs of nodes, until ctx ends.
func (g *Graph) negative(ctx context.Context, pairs []Edge) (*SymCSR, error) {
	a, _, err := matrix.FromPairs(ctx, g.Nodes(), pairs, nil, func(x, y float64) float64 { return x + y })
	if err != nil {
		return nil, err
	}
	if err = matrix.Drop(ctx, a, func(i, j int, _ float64) bool { return i == j }); err != nil {
		return nil, err
	}
	return symCSR(matrix.Normalized(ctx, a, false))
}

// drawBlock is the number of nodes a drawing task takes.
const drawBlock = 4096

// degreePower is the exponent of degree-weighted negatives, the one that word2vec found for words
// (Mikolov et al. 2013) and graph methods kept.
const degreePower = 0.75

// drawWeights are the weights by which [DegreeNegatives] draws nodes.
func drawWeights(g *Graph) []float64 {
	weights := make([]float64, g.Nodes())
	for i, d := range g.degree {
		weights[i] = math.Pow(d, degreePower)
	}
	return weights
}

// drawPartners lets every node draw its partners from its own random stream.
func (s NegativeSampler) drawPartners(ctx context.Context, g *Graph, seed uint64, propose func(stream.Stream) int) (*SymCSR, error) {
	n := g.Nodes()
	if int64(n)*int64(s.perNode) > min(math.MaxInt32, math.MaxInt/16) {
		return nil, fmt.Errorf("coles: negatives: %w: %d partners for each of %d nodes", ErrTooLarge, s.perNode, n)
	}
	for u := range n {
		others := n - 1
		if s.exclude {
			others -= g.neighbours(u)
		}
		if others < 1 || s.exclude && others < s.perNode {
			return nil, fmt.Errorf("coles: negatives: %w: node %d has %d nodes to draw %d partners from", ErrDense, u, others, s.perNode)
		}
	}
	pairs := make([]Edge, n*s.perNode)
	dense := make([]int, (n+drawBlock-1)/drawBlock) // a node without admissible partners, plus one
	err := parallel.Ranges(ctx, n, drawBlock, func(lo, hi int) {
		rng := stream.New()
		for u := lo; u < hi && (u%parallel.RowsAtOnce != 0 || ctx.Err() == nil); u++ {
			rng.Reseed(seed, uint64(u))
			if !s.drawRow(g, u, rng, propose, pairs[u*s.perNode:][:s.perNode]) {
				dense[lo/drawBlock] = u + 1
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, u := range dense {
		if u > 0 {
			return nil, fmt.Errorf("coles: negatives: %w: node %d has no partner of positive degree", ErrDense, u-1)
		}
	}
	return g.negative(ctx, pairs)
}

// drawRow fills row with partners of u, proposing until one is admissible. Where almost none is, it
// lists the admissible ones once and draws from the list.
func (s NegativeSampler) drawRow(g *Graph, u int, rng stream.Stream, propose func(stream.Stream) int, row []Edge) bool {
	const tries = 64
	admissible := func(v int) bool { return v != u && !(s.exclude && g.adjacent(u, v)) }
	var list *stream.List
	for q := range row {
		v := -1
		for range tries {
			if candidate := propose(rng); admissible(candidate) {
				v = candidate
				break
			}
		}
		if v < 0 {
			if list == nil {
				list = s.listNodes(g, admissible)
			}
			if v = list.Draw(rng); v < 0 {
				return false
			}
		}
		row[q] = Edge{u, v}
	}
	return true
}

// listNodes lists the nodes that admissible allows and that have a weight to be drawn by.
func (s NegativeSampler) listNodes(g *Graph, admissible func(v int) bool) *stream.List {
	l := new(stream.List)
	for v, d := range g.degree {
		weight := 1.0
		if s.kind == degreeNegatives {
			weight = math.Pow(d, degreePower)
		}
		if weight > 0 && admissible(v) {
			l.Add(v, weight)
		}
	}
	return l
}

// drawPairs draws every pair u < v with the same probability, jumping from one drawn pair of a row
// to the next by geometric distances.
func (s NegativeSampler) drawPairs(ctx context.Context, g *Graph, seed uint64) (*SymCSR, error) {
	n := g.Nodes()
	if expected := s.prob * float64(n) * float64(n-1) / 2; expected > math.MaxInt32 {
		return nil, fmt.Errorf("coles: negatives: %w: about %.3g pairs", ErrTooLarge, expected)
	}
	if s.prob == 0 {
		return g.negative(ctx, nil)
	}
	parts := make([][]Edge, (n+drawBlock-1)/drawBlock)
	logMiss := math.Log1p(-s.prob) // −∞ at p = 1: every jump is 1
	err := parallel.Ranges(ctx, n, drawBlock, func(lo, hi int) {
		rng := stream.New()
		var pairs []Edge
		for u := lo; u < hi && (u%parallel.RowsAtOnce != 0 || ctx.Err() == nil); u++ {
			rng.Reseed(seed, uint64(u))
			for v := float64(u); ; {
				v += 1 + math.Floor(math.Log(1-rng.Float64())/logMiss)
				if !(v < float64(n)) {
					break
				}
				if !(s.exclude && g.adjacent(u, int(v))) {
					pairs = append(pairs, Edge{u, int(v)})
				}
			}
		}
		parts[lo/drawBlock] = pairs
	})
	if err != nil {
		return nil, err
	}
	return g.negative(ctx, slices.Concat(parts...))
}
