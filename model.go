package coles

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"coles/internal/archive"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"
	"coles/internal/setting"
	"coles/internal/spectral"

	"gonum.org/v1/gonum/mat"
)

// A Model is the result of [Fit]: enough to embed nodes that come later. It is immutable and safe
// for use by many goroutines.
type Model struct {
	parts     []Part  // the first is of features, given or made
	dim       int     // d′ that was asked for, resolved
	rows      vectors // of the nodes fitted; none in a model that was read from a file
	widen     sync.Once
	embedding *mat.Dense     // these rows, once they are asked for in float64
	space     *scratch.Space // that the rows lie in, nil for memory
	ids       []string       // nil where nodes are only numbered
	report    Report
}

// A Part is columns FXVᵀ of a model's vectors, scaled. The first part is of the features, given or made by a [Structure]; then
// come neighbour columns, if features leave a [Share], and last columns of roles, if the graph keeps arcs.
type Part struct {
	Settings   Settings   // of its fit, as [Model.Settings]
	WeightUnit float64    // u, if weights w of edges are taken as log(1 + w/u)
	Preparer   *Preparer  // of X
	Directions *mat.Dense // V (d′ × d): P, and one row below it in some models of older files
	Lambda     []float64  // of P, descending
	Scaling    Scaling    // of the columns of FXVᵀ, before the share
	Share      float64    // of the energy, beside the columns of the parts before; 0 for the first
	Roles      bool       // of [Graph.Roles]: first the columns of a node as a tail, then as a head, with the energy of one
}

// Structure makes the part's X of the graph; nil if X is given.
func (p *Part) Structure() *Structure {
	if p.Preparer == nil {
		return nil
	}
	return p.Preparer.made
}

// columns is the number of the part's columns in a vector.
func (p *Part) columns() int {
	if p.Roles {
		return 2 * len(p.Scaling.Factors)
	}
	return len(p.Scaling.Factors)
}

// vectors are rows in either precision, or none.
type vectors struct {
	single *kernel.Matrix[float32]
	double *kernel.Matrix[float64]
}

func vectorsOf[T kernel.Float](y kernel.Matrix[T]) (v vectors) {
	switch y := any(y).(type) {
	case kernel.Matrix[float32]:
		v.single = &y
	case kernel.Matrix[float64]:
		v.double = &y
	}
	return v
}

// wide is the rows in float64.
func (v vectors) wide(ctx context.Context) (kernel.Matrix[float64], error) {
	if v.single == nil {
		return *v.double, ctx.Err()
	}
	return matrix.ToFloat64(ctx, *v.single)
}

// beside is v with the columns of a part at its side, in the precision of v.
func (v vectors) beside(ctx context.Context, z vectors, p *Part) (vectors, error) {
	more, err := z.wide(ctx)
	if err == nil && p.Roles {
		more, err = linear.Folded(ctx, more)
	}
	if err != nil {
		return v, err
	}
	if v.single != nil {
		y, err := linear.Beside(ctx, *v.single, more, p.Share)
		return vectorsOf(y), err
	}
	y, err := linear.Beside(ctx, *v.double, more, p.Share)
	return vectorsOf(y), err
}

// zeroRows is the number of rows that are 0.
func (v vectors) zeroRows(ctx context.Context) (int, error) {
	if v.single != nil {
		return zeroRows(ctx, *v.single)
	}
	return zeroRows(ctx, *v.double)
}

// A Report records a fit and its input: with the same input, settings and version [Fit] makes
// the same model again, unless it was refitted.
type Report struct {
	Graph          GraphReport `json:"graph"`                     // what building the graph found
	Features       int         `json:"features"`                  // d; 0 without features
	Preparation    Preparation `json:"preparation"`               // of the features, resolved
	Dim            int         `json:"dim"`                       // columns of the embedding
	Asked          int         `json:"asked,omitempty"`           // columns that Settings.Dim asked for, where features or nodes make fewer
	Solver         Solver      `json:"solver"`                    // that found P
	Products       int         `json:"products,omitempty"`        // of vectors with M that SolverKrylov took
	Precision      Precision   `json:"precision"`                 // of features, W, ΔW and the embedding
	Kernels        string      `json:"kernels"`                   // the inner loops: avx512, avx2 or portable, alike to rounding
	Kind           Kind        `json:"kind"`                      // graph or features alone
	Alignment      *Alignment  `json:"alignment,omitempty"`       // by which Kind was chosen; nil where it was not
	Power          float64     `json:"power"`                     // γ
	EffectiveRank  float64     `json:"effective_rank"`            // of the centred embedding
	RankBound      float64     `json:"rank_bound,omitempty"`      // a bound that EffectiveRank exceeds for every γ; 0 for none
	WeightUnit     float64     `json:"weight_unit,omitempty"`     // u, if weights w of edges are taken as log(1 + w/u)
	Structure      int         `json:"structure,omitempty"`       // columns of the [Structure] that stands for features
	StructureShare float64     `json:"structure_share,omitempty"` // the [Share] of neighbour columns
	FeatureRank    float64     `json:"feature_rank,omitempty"`    // the effective rank of the columns of features, where the share was chosen
	Entries        float64     `json:"entries,omitempty"`         // mean number in a row of prepared features, where the share was chosen
	RoleShare      float64     `json:"role_share,omitempty"`      // of the columns of [Graph.Roles]
	Undetermined   int         `json:"undetermined,omitempty"`    // columns, the last with an eigenvalue, that weigh nothing: see [Fit]
	ZeroRows       int         `json:"zero_rows,omitempty"`       // of the embedding of the nodes fitted: rows that are 0
	// Seconds of each stage, not kept in files. SolverKrylov filters inside its products: Filter is 0.
	Seconds struct {
		Prepare float64 `json:"prepare"` // features, W and ΔW
		Filter  float64 `json:"filter"`
		Solve   float64 `json:"solve"`
		Embed   float64 `json:"embed"`
	} `json:"seconds"`
	Memory struct {
		Bytes  int64  `json:"bytes"` // by [Settings.Estimate], for this solver
		Solver Solver `json:"solver"`
	} `json:"memory"`
	GraphHash    string `json:"graph_hash"` // of A, and FeaturesHash of X, as they came in: 64 bits, no guard against malice
	FeaturesHash string `json:"features_hash,omitempty"`
	Version      string `json:"version"`            // of this module in the program that fitted, or "(devel)"
	Refitted     bool   `json:"refitted,omitempty"` // by package live after growth, with the preparation and kind of the first fit
}

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph: %v", r.Graph)
	if r.WeightUnit > 0 {
		fmt.Fprintf(&b, " by log(1 + w/%.3g)", r.WeightUnit)
	}
	b.WriteByte('\n')
	if r.Features > 0 {
		fmt.Fprintf(&b, "features: %d, prepared by %v\n", r.Features, r.Preparation)
	} else {
		fmt.Fprintf(&b, "features: none, so %d columns are made of the graph\n", r.Structure)
	}
	switch {
	case r.Alignment != nil:
		fmt.Fprintf(&b, "model by: %v; %v\n", r.Kind, *r.Alignment)
	case r.Kind != 0:
		fmt.Fprintf(&b, "model by: %v\n", r.Kind)
	}
	fmt.Fprintf(&b, "embedding: %s by the %v solver (%v, %s), power γ = %.3f, effective rank %.1f", setting.Count(r.Dim, "columns"), r.Solver, r.Precision, r.Kernels, r.Power, r.EffectiveRank)
	if r.RankBound > 0 {
		fmt.Fprintf(&b, " where at most %.1f was aimed at, but the eigenvalues are too even", r.RankBound)
	}
	if r.Undetermined > 0 {
		fmt.Fprintf(&b, ", of which %d weigh nothing: their eigenvalues equal one that is left out", r.Undetermined)
	}
	if r.ZeroRows > 0 {
		fmt.Fprintf(&b, ", %s of 0", setting.Count(r.ZeroRows, "rows"))
	}
	if r.Asked > 0 {
		fmt.Fprintf(&b, "\ncolumns: %s", r.fewer())
	}
	if r.StructureShare > 0 {
		fmt.Fprintf(&b, "\nstructure: %s", r.neighbours())
	}
	if r.RoleShare > 0 {
		fmt.Fprintf(&b, "\nroles: columns of the tails and heads of arcs have a share of %.2g", r.RoleShare)
	}
	fmt.Fprintf(&b, "\nmemory: about %d MB", r.Memory.Bytes/1e6)
	if s := r.Seconds; s != (Report{}).Seconds {
		fmt.Fprintf(&b, "\nseconds: prepare %.3f, filter %.3f, solve %.3f, embed %.3f", s.Prepare, s.Filter, s.Solve, s.Embed)
	}
	return b.String()
}

// Notice says in one line what a fit chose by itself, and why: fewer columns than were asked for, features without the edges
// of the graph, or columns that tell who the neighbours are; "" for none of these.
func (r Report) Notice() string {
	var notes []string
	if r.Asked > 0 {
		notes = append(notes, r.fewer())
	}
	switch {
	case r.StructureShare > 0 && r.FeatureRank > 0:
		notes = append(notes, r.neighbours())
	case r.Alignment != nil && r.Kind == UseFeatures && r.Graph.Edges > 0:
		notes = append(notes, fmt.Sprintf("%d edges are not used, UseGraph (-kind graph) would: %v", r.Graph.Edges, *r.Alignment))
		if r.ZeroRows > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d rows are 0", r.ZeroRows, r.Graph.Nodes))
		}
	}
	return strings.Join(notes, "; ")
}

// fewer says why there are fewer columns than were asked for.
func (r Report) fewer() string {
	count, of := r.Features, "features"
	if count == 0 {
		count, of = r.Graph.Nodes, "nodes"
	}
	return fmt.Sprintf("the embedding has %s, and not %d (-dim), for there are %d %s", setting.Count(r.Dim, "columns"), r.Asked, count, of)
}

// neighbours says what neighbour columns are for.
func (r Report) neighbours() string {
	text := fmt.Sprintf("columns of who the neighbours are have a share of %.2g", r.StructureShare)
	switch {
	case r.FeatureRank == 0:
		return text
	case r.Alignment != nil && r.Alignment.open():
		text += ": the graph tells what features do not"
	default:
		text += fmt.Sprintf(": a node has %.2g features in the mean, which amount to %.2g independent columns", r.Entries, r.FeatureRank)
	}
	return text + " (-structure 0 leaves them out)"
}

// made is a model that this package has made: any other is a caller's bug.
func (m *Model) made() *Model {
	if m == nil || len(m.parts) == 0 {
		panic("coles: a Model that is nil or zero; Fit and ReadModel make one")
	}
	return m
}

// Report lists what the fit changed and chose.
func (m *Model) Report() Report { return m.report }

func (m *Model) String() string { return m.report.String() }

// Settings returns the settings of the fit, Dim, Kind, Filter of a graph model, Structure and Precision resolved.
func (m *Model) Settings() Settings {
	s := m.made().parts[0].Settings
	s.Dim, s.Structure = m.dim, Share(m.report.StructureShare)
	return s
}

// Parts returns the parts, whose columns stand side by side: read them, do not write to them.
func (m *Model) Parts() []Part { return slices.Clone(m.made().parts) }

// P returns a copy of P of the first part (orthonormal rows of length d).
func (m *Model) P() *mat.Dense {
	first := m.made().parts[0]
	rows := kernel.Matrix[float64](first.Directions.RawMatrix())
	return mat.DenseCopyOf(matrix.ToDense(kernel.Rows(rows, 0, len(first.Lambda))))
}

// IDs returns the names of the nodes fitted, in row order.
func (m *Model) IDs() []string { return idsOf(m.ids, m.report.Graph.Nodes) }

// Embedding returns the embedding (n × d′) of the nodes the model was fitted on, the model's own matrix:
// read it, do not write to it. A fit in [Float32] makes these 8·n·d′ bytes at the first call. It is nil in a
// model that was read from a file; use [Model.Embed].
func (m *Model) Embedding() *mat.Dense {
	m.widen.Do(func() {
		if m.rows != (vectors{}) {
			y, _ := m.rows.wide(context.Background()) // which does not end
			m.embedding = matrix.ToDense(y)
		}
	})
	return m.embedding
}

// Embedding32 returns the embedding as a fit in [Float32] has it, without a copy; rows may lie further apart
// than they are long. It is nil for a fit in [Float64] and for a model that was read from a file.
func (m *Model) Embedding32() *Dense32 {
	if m.rows.single == nil {
		return nil
	}
	return denseOf(*m.rows.single)
}

// Close gives back the files of a fit [WithScratch]. They hold the embedding, which must not be read afterwards; the rest of
// the model works on.
func (m *Model) Close() error {
	space := m.space
	if m.space = nil; space == nil {
		return nil
	}
	m.rows, m.embedding = vectors{}, nil
	return space.Close()
}

// scaled scales the columns of y. For features made of a graph, estimates of 5e-6 to 2e-5 were 4.8 to 6 times the difference, on
// six of 15 made graphs of 17,000 to 40,000 nodes. Hence their bound is four times as large.
func scaled[T kernel.Float](ctx context.Context, s Settings, r *Report, y kernel.Matrix[T], lambda []float64, noise *spectral.Noise) (Scaling, error) {
	w, doubt, err := spectral.Fit(ctx, spectral.Rule(s.Scaling), y, lambda, s.Precision.rounding(), noise)
	if err != nil {
		return Scaling{}, fmt.Errorf("coles: %w", err)
	}
	most := spectral.MostDoubt
	if r.Structure > 0 {
		most *= 4
	}
	if doubt > most {
		return Scaling{}, fmt.Errorf("coles: fit: %w: rounding in float32 may change YYᵀ by %.2g; use Float64", ErrPrecision, doubt)
	}
	r.Undetermined = w.Undetermined
	if err := matrix.ScaleColumns(ctx, y, w.Factors); err != nil {
		return Scaling{}, err
	}
	if y.Cols > 0 {
		err = matrix.CheckOverflow(ctx, "the embedding", matrix.Of(y))
	}
	return Scaling{Power: w.Power, EffectiveRank: w.EffectiveRank, Factors: w.Factors}, err
}

// zeroRows is the number of rows that are 0.
func zeroRows[T kernel.Float](ctx context.Context, y kernel.Matrix[T]) (int, error) {
	zeros, err := parallel.Sum(ctx, y.Rows, 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			if matrix.Magnitude(y.Row(i)) == 0 {
				sum[0]++
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return int(zeros[0]), nil
}

// describe adds the parts to the report.
func (m *Model) describe() {
	r, first := &m.report, m.parts[0]
	r.Kind, r.Power, r.EffectiveRank = first.Settings.Kind, first.Scaling.Power, first.Scaling.EffectiveRank
	if bound := spectral.Rule(first.Settings.Scaling).Bound(r.Power); r.EffectiveRank > bound*(1+1e-9) {
		r.RankBound = bound
	}
	r.Dim, r.StructureShare, r.RoleShare = 0, 0, 0
	for _, p := range m.parts {
		r.Dim += p.columns()
		switch {
		case p.Roles:
			r.RoleShare = p.Share
		case p.Share > 0:
			r.StructureShare = p.Share
		}
	}
	if r.Dim >= r.Asked {
		r.Asked = 0
	}
	r.Kernels, r.Precision, r.Version = kernel.Path(), first.Settings.Precision, archive.ModuleVersion()
}
