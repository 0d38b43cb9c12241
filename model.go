package coles

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Model is what [Fit] found: enough to embed nodes that come later. It is
// immutable and safe for use by many goroutines.
type Model struct {
	settings   Settings
	prepare    *Preparer   // nil without features
	projection *Projection // nil without features
	lambda     []float64
	scaling    Scaling
	embedding  *mat.Dense // of the nodes fitted; nil in a model with features that was read from a file
	// fingerprint identifies the graph of a model without features.
	fingerprint [sha256.Size]byte
	ids         *nodeIDs
	report      Report
	input       InputHash
	module      string // version of the module that fitted
	refitted    bool   // by Growing.Refit
	format      int    // version of the file it is from
}

// A Report tells what a fit did.
type Report struct {
	Graph            GraphReport  `json:"graph"`
	Features         int          `json:"features"` // d; 0 without features
	Preparation      Preparation  `json:"preparation"`
	Dim              int          `json:"dim"` // columns of the embedding
	Solver           Solver       `json:"solver"`
	Precision        Precision    `json:"precision"`         // of features, W and ΔW
	Kernels          string       `json:"kernels"`           // the inner loops: avx512, avx2 or portable, alike to rounding
	Share            float64      `json:"share"`             // c
	Power            float64      `json:"power"`             // γ
	EffectiveRank    float64      `json:"effective_rank"`    // of the centred embedding
	ComponentVectors int          `json:"component_vectors"` // left out of an embedding without features
	Seconds          StageSeconds `json:"seconds"`
	Memory           Memory       `json:"memory"`
}

// StageSeconds is the time of each stage of a fit. Without a filter stage of
// its own (SolverKrylov filters inside its products) Filter is 0. Files do not keep
// it: the same fit is the same file.
type StageSeconds struct {
	Prepare float64 `json:"prepare"` // features, W and ΔW
	Filter  float64 `json:"filter"`
	Solve   float64 `json:"solve"`
	Embed   float64 `json:"embed"`
}

// String is the report in a few lines.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph: %v\n", r.Graph)
	if r.Features > 0 {
		fmt.Fprintf(&b, "features: %d, prepared by %v\n", r.Features, r.Preparation)
	} else {
		fmt.Fprintf(&b, "features: none, so contrastive Laplacian Eigenmaps; vectors left out because they only tell the component: %d\n", r.ComponentVectors)
	}
	fmt.Fprintf(&b, "embedding: %d columns by the %v solver (%v, %s), power γ = %.3f, effective rank %.1f", r.Dim, r.Solver, r.Precision, r.Kernels, r.Power, r.EffectiveRank)
	if r.Share > 0 {
		fmt.Fprintf(&b, ", covariance share %.3f", r.Share)
	}
	fmt.Fprintf(&b, "\nmemory: about %d MB", r.Memory.Bytes/1e6)
	if s := r.Seconds; s != (StageSeconds{}) {
		fmt.Fprintf(&b, "\nseconds: prepare %.3f, filter %.3f, solve %.3f, embed %.3f", s.Prepare, s.Filter, s.Solve, s.Embed)
	}
	return b.String()
}

// Report tells what the fit did to its input and chose.
func (m *Model) Report() Report { return m.orEmpty().report }

// Settings returns the settings of the fit, Dim and Precision resolved.
func (m *Model) Settings() Settings { return m.orEmpty().settings }

// Lambda returns the eigenvalues in descending order.
func (m *Model) Lambda() []float64 { return slices.Clone(m.orEmpty().lambda) }

// Projection returns a copy of P (d′ × d, orthonormal rows) or nil for a model
// without features.
func (m *Model) Projection() *mat.Dense {
	if m == nil || m.projection == nil {
		return nil
	}
	return mat.DenseCopyOf(m.projection.P)
}

// Scaling returns how the columns of FXPᵀ were weighted.
func (m *Model) Scaling() Scaling {
	s := m.orEmpty().scaling
	s.Factors = slices.Clone(s.Factors)
	return s
}

// IDs returns the names of the nodes fitted, in row order.
func (m *Model) IDs() []string { return m.orEmpty().ids.all(m.Report().Graph.Nodes) }

// Embedding returns the embedding (n × d′) of the nodes the model was fitted
// on. It is the model's own matrix, not a copy: read it, do not write to it.
// It is nil in a model with features that was read from a file; use [Model.Embed].
func (m *Model) Embedding() *mat.Dense { return m.orEmpty().embedding }

// orEmpty lets the methods of a nil Model see one that holds nothing.
func (m *Model) orEmpty() *Model {
	if m == nil {
		return new(Model)
	}
	return m
}

// Embed returns the embedding of every node of a graph (n × d′), without fitting
// anything: F(W)·X·Pᵀ, scaled as the model is, with X prepared by the column
// weights that the model remembers. The graph may be
//   - the one that was fitted: the result is [Model.Embedding], to the byte, or to
//     rounding in a model of [Growing.Refit];
//   - a larger one in which it has grown, new nodes and all: the rows of the new
//     nodes are their embeddings, and rows within K hops of them move too;
//   - another graph with the same features.
//
// A model without features embeds only the graph it was fitted on. The time is
// O((nnz(X) + K·nnz(W))·d′).
//
// Errors: [ErrEmpty], [ErrShape], [ErrNotFinite], [ErrPreparation], [ErrPrecision], [ErrTransductive],
// and ctx's.
func (m *Model) Embed(ctx context.Context, g *Graph, x mat.Matrix) (*mat.Dense, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if m == nil || m.ids == nil {
		return nil, fmt.Errorf("coles: embed: %w: neither Fit nor ReadModel made the model", ErrEmpty)
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	if m.prepare == nil {
		if x != nil {
			return nil, fmt.Errorf("coles: embed: %w: features for a model fitted without", ErrShape)
		}
		if g.fingerprint() != m.fingerprint {
			return nil, fmt.Errorf("coles: embed: %w", ErrTransductive)
		}
		return mat.DenseCopyOf(m.embedding), ctx.Err()
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	feat, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if feat.rows() != g.Nodes() {
		return nil, fmt.Errorf("coles: embed: %w: %d feature rows for %d nodes", ErrShape, feat.rows(), g.Nodes())
	}
	if m.settings.Precision == Float32 {
		return embedIn[float32](ctx, m, g, feat)
	}
	return embedIn[float64](ctx, m, g, feat)
}

// embedIn is Embed in numbers of type T: what [Fit] does, in the same order.
func embedIn[T kernel.Float](ctx context.Context, m *Model, g *Graph, raw *features) (*mat.Dense, error) {
	x, err := prepared[T](ctx, m.prepare, raw)
	if err != nil {
		return nil, err
	}
	w, err := normalize(ctx, g, SelfLoops)
	if err != nil {
		return nil, err
	}
	y, err := project(ctx, csrOf[T](w.m), m.settings, x, m.projection.P)
	if err != nil {
		return nil, err
	}
	if err := scale(ctx, y, m.scaling.Factors); err != nil {
		return nil, err
	}
	return finiteDense(ctx, "the embedding", y)
}

// fingerprint is a hash of the adjacency matrix.
func (g *Graph) fingerprint() (sum [sha256.Size]byte) {
	h := sha256.New()
	var buf [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(buf[:], v)
		h.Write(buf[:])
	}
	for _, p := range g.adj.Ptr {
		put(uint64(p))
	}
	for q, j := range g.adj.Col {
		put(uint64(j))
		put(math.Float64bits(g.adj.Val[q]))
	}
	h.Sum(sum[:0])
	return sum
}
