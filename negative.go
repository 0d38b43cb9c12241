package coles

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"coles/internal/enum"
	"coles/internal/input"
	"coles/internal/stream"
	"coles/internal/strict"
)

// A Negative is one part of the contrast: a sampled negative graph W⁻ₖ,
// degree-normalised, or the expectation v·vᵀ of one. Exactly one field is set.
type Negative struct {
	Graph  *SymCSR
	Vector []float64 // of length n
}

// A DrawFunc draws a negative for a graph from a seed: the same seed, the same negative.
type DrawFunc func(ctx context.Context, g *Graph, seed uint64) (Negative, error)

// A NegativeSampler says where the negatives of the contrast come from
// (the paper's W⁻). The zero value draws none.
type NegativeSampler struct {
	kind    samplerKind
	name    string  // of a sampler of the user's
	perNode int     // per-node samplers: partners a node draws
	prob    float64 // Erdős–Rényi
	exclude bool    // no true edges
	draw    DrawFunc
}

type samplerKind int

const (
	noSampler samplerKind = iota
	uniformSampler
	degreeSampler
	erdosRenyiSampler
	expectedUniform
	expectedDegree
	customSampler
)

var samplerNames = []string{"none", "uniform", "degree", "erdos-renyi", "expected-uniform", "expected-degree", "custom"}

func (k samplerKind) MarshalText() ([]byte, error) { return enum.Marshal(k, samplerNames, ErrSetting) }
func (k *samplerKind) UnmarshalText(text []byte) error {
	return enum.Unmarshal(k, text, samplerNames, ErrSetting)
}

// degreePower is the exponent of degree-weighted negatives, the one that
// word2vec found for words (Mikolov et al. 2013) and graph methods kept.
const degreePower = 0.75

// A NegativeOption changes how negatives are sampled; a nil one changes nothing.
type NegativeOption func(*NegativeSampler)

// ExcludeEdges draws no pair that the graph joins. A sampler that promises a
// number of partners still draws all of them, or fails with [ErrDense] where a
// node has fewer non-neighbours than it should draw.
func ExcludeEdges() NegativeOption { return func(s *NegativeSampler) { s.exclude = true } }

func newSampler(s NegativeSampler, opts []NegativeOption) NegativeSampler {
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	return s
}

// NoNegatives draws none: ΔW = W⁺, as with κ = 0.
func NoNegatives() NegativeSampler { return NegativeSampler{} }

// UniformNegatives draws, for every node, perNode partners uniformly among the
// other nodes, with repetition; repeated pairs add up, and the sum is
// symmetrised and degree-normalised. The authors' code samples so (perNode 2
// to 5). The cost is O(n·perNode).
func UniformNegatives(perNode int, opts ...NegativeOption) NegativeSampler {
	return newSampler(NegativeSampler{kind: uniformSampler, perNode: perNode}, opts)
}

// DegreeNegatives is [UniformNegatives] with partners drawn in proportion to
// degree^0.75, by an alias table (Walker 1977).
func DegreeNegatives(perNode int, opts ...NegativeOption) NegativeSampler {
	return newSampler(NegativeSampler{kind: degreeSampler, perNode: perNode}, opts)
}

// ErdosRenyiNegatives joins every pair of nodes with probability p (the
// paper's G(n, p′)), in O(n + p·n²/2): it jumps from one drawn pair to the
// next. With [ExcludeEdges] every pair that is no edge has probability p.
func ErdosRenyiNegatives(p float64, opts ...NegativeOption) NegativeSampler {
	return newSampler(NegativeSampler{kind: erdosRenyiSampler, prob: p}, opts)
}

// ExpectedUniformNegatives is the limit κ → ∞ of uniform negatives in closed
// form, (1/n)·11ᵀ: no sampling, the same for every seed.
func ExpectedUniformNegatives() NegativeSampler { return NegativeSampler{kind: expectedUniform} }

// ExpectedDegreeNegatives is the degree-corrected expectation s·sᵀ with
// s = √deg/‖√deg‖, the default of [Fit]. With η′ = 1, ΔW = W⁺ − s·sᵀ is the
// normalised modularity matrix: it removes the trivial leading eigenvector of
// W⁺ exactly.
func ExpectedDegreeNegatives() NegativeSampler { return NegativeSampler{kind: expectedDegree} }

// NegativeFunc makes a sampler of a function of your own; the name stands in
// reports. [NegativeFromEdges] turns drawn pairs into what it has to return.
func NegativeFunc(name string, draw DrawFunc) NegativeSampler {
	return NegativeSampler{kind: customSampler, name: name, draw: draw}
}

// NegativeFromEdges makes W⁻ of drawn pairs on n nodes: repeated pairs add up,
// pairs of a node with itself are left out, and the sum is degree-normalised
// as W⁺ is.
//
// Errors: [ErrEmpty], [ErrTooLarge], [ErrIndex].
func NegativeFromEdges(n int, pairs []Edge) (Negative, error) {
	if err := checkNodes(n); err != nil {
		return Negative{}, err
	}
	for q, e := range pairs {
		if e.U < 0 || e.U >= n || e.V < 0 || e.V >= n {
			return Negative{}, fmt.Errorf("coles: negatives: %w: pair %d joins %d and %d among %d nodes", ErrIndex, q, e.U, e.V, n)
		}
	}
	return negativeOf(context.Background(), n, pairs)
}

// negativeOf is [NegativeFromEdges] for pairs of such nodes.
func negativeOf(ctx context.Context, n int, pairs []Edge) (Negative, error) {
	a, _, err := symmetricFromPairs(ctx, n, pairs, nil, input.Sum)
	if err != nil {
		return Negative{}, err
	}
	if a, err = dropEntries(ctx, a, func(i, j int, _ float64) bool { return i == j }); err != nil {
		return Negative{}, err
	}
	degree := make([]float64, n)
	if err := eachRowOf(ctx, a, func(i int) {
		_, vals := a.Row(i)
		degree[i] = total(vals)
	}); err != nil {
		return Negative{}, err
	}
	w, err := normalized(ctx, a, degree)
	return Negative{Graph: &SymCSR{w}}, err
}

// String is the name it has in JSON, with its numbers; of a [NegativeFunc] the name given.
func (s NegativeSampler) String() string {
	text := samplerNames[s.kind]
	switch s.kind {
	case uniformSampler, degreeSampler:
		text += fmt.Sprintf("(%d)", s.perNode)
	case erdosRenyiSampler:
		text += fmt.Sprintf("(%g)", s.prob)
	case customSampler:
		text = s.name
	}
	if s.exclude {
		text += " without edges"
	}
	return text
}

// check refuses numbers out of range and a function that is not there.
func (s NegativeSampler) check() error {
	switch {
	case (s.kind == uniformSampler || s.kind == degreeSampler) && s.perNode < 1:
		return fmt.Errorf("coles: negatives: %w: %d partners a node, want at least 1", ErrSetting, s.perNode)
	case s.kind == erdosRenyiSampler && !(s.prob >= 0 && s.prob <= 1):
		return fmt.Errorf("coles: negatives: %w: probability %v, want 0 to 1", ErrSetting, s.prob)
	}
	return nil
}

// samplerJSON is a sampler outside Go.
type samplerJSON struct {
	Kind         *samplerKind `json:"kind"` // which has to be there
	Name         string       `json:"name,omitempty"`
	PerNode      int          `json:"per_node,omitempty"`
	Probability  float64      `json:"probability,omitempty"`
	ExcludeEdges bool         `json:"exclude_edges,omitempty"`
}

// MarshalJSON writes which sampler it is. Of a function only the name remains.
func (s NegativeSampler) MarshalJSON() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return json.Marshal(samplerJSON{&s.kind, s.name, s.perNode, s.prob, s.exclude})
}

// UnmarshalJSON reads what MarshalJSON wrote. A sampler made by [NegativeFunc]
// comes back as its name, and fails with [ErrSetting] when asked to draw.
func (s *NegativeSampler) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	var j samplerJSON
	if err := strict.Unmarshal(text, &j, ErrSetting); err != nil {
		return err
	}
	if j.Kind == nil {
		return fmt.Errorf("coles: negatives: %w: no kind", ErrSetting)
	}
	read := NegativeSampler{kind: *j.Kind, name: j.Name, perNode: j.PerNode, prob: j.Probability, exclude: j.ExcludeEdges}
	if err := read.check(); err != nil {
		return err
	}
	*s = read
	return nil
}

// Sample draws one negative for g. [Contrast] does this κ times.
//
// Errors: [ErrEmpty] for a nil graph, [ErrSetting], [ErrDense], [ErrTooLarge] for more pairs
// than can be indexed, ctx's, those of the user's function, and
// [ErrShape] or [ErrNotFinite] for what that function returns.
func (s NegativeSampler) Sample(ctx context.Context, g *Graph, seed uint64) (Negative, error) {
	if err := checkContext(ctx); err != nil {
		return Negative{}, err
	}
	return s.sample(ctx, g, seed)
}

func (s NegativeSampler) sample(ctx context.Context, g *Graph, seed uint64) (Negative, error) {
	if err := s.check(); err != nil {
		return Negative{}, err
	}
	if err := g.check(); err != nil {
		return Negative{}, err
	}
	switch s.kind {
	case uniformSampler:
		return s.drawPartners(ctx, g, seed, func(rng stream.Stream) int { return rng.IntN(g.Nodes()) })
	case degreeSampler:
		table, err := newAliasTable(g)
		if err != nil {
			return Negative{}, err
		}
		return s.drawPartners(ctx, g, seed, table.draw)
	case erdosRenyiSampler:
		return s.drawPairs(ctx, g, seed)
	case expectedUniform:
		v := make([]float64, g.Nodes())
		for i := range v {
			v[i] = 1 / math.Sqrt(float64(len(v)))
		}
		return Negative{Vector: v}, nil
	case expectedDegree:
		return Negative{Vector: rootDegrees(g)}, nil
	case customSampler:
		return s.drawCustom(ctx, g, seed)
	}
	return Negative{}, nil
}

// rootDegrees is √deg/‖√deg‖; zero on a graph without edges.
func rootDegrees(g *Graph) []float64 {
	v := slices.Clone(g.degree)
	volume := total(v)
	if volume > math.MaxFloat64 { // weights near the end of the numbers
		multiply(v, 0x1p-64)
		volume = total(v)
	}
	for i, d := range v {
		if d > 0 {
			v[i] = math.Sqrt(d / volume)
		}
	}
	return v
}

func (s NegativeSampler) drawCustom(ctx context.Context, g *Graph, seed uint64) (Negative, error) {
	if s.draw == nil {
		return Negative{}, fmt.Errorf("coles: negatives %q: %w: the function is not there (was the setting read from a file?)", s.name, ErrSetting)
	}
	part, err := s.draw(ctx, g, seed)
	if err != nil {
		return Negative{}, fmt.Errorf("coles: negatives %q: %w", s.name, err)
	}
	if (part.Graph == nil) == (part.Vector == nil) {
		return Negative{}, fmt.Errorf("coles: negatives %q: %w: set either the graph or the vector", s.name, ErrSetting)
	}
	if part.Graph != nil && part.Graph.SymmetricDim() != g.Nodes() || part.Vector != nil && len(part.Vector) != g.Nodes() {
		return Negative{}, fmt.Errorf("coles: negatives %q: %w: the negative is not of the graph's %d nodes", s.name, ErrShape, g.Nodes())
	}
	for i, v := range part.Vector {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Negative{}, fmt.Errorf("coles: negatives %q: %w: %v at node %d", s.name, ErrNotFinite, v, i)
		}
	}
	part.Vector = slices.Clone(part.Vector) // the function may use its own again
	return part, nil
}
