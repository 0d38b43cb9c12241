package distributed

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/linear"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A plan describes a fit before any number is read: sizes, grid and settings, checked and
// with their defaults filled in. Two equal plans on equal inputs give the same bytes, so that its
// JSON may name a step's output.
type plan struct {
	Nodes    int64          `json:"nodes"`
	Columns  int            `json:"columns"`
	Grid     Grid           `json:"grid"`
	Settings coles.Settings `json:"settings"` // Kind may be 0, to be chosen

	job string // of the engine in the program, see park
}

// newPlan checks what can be checked before any work, and reports everything that cannot be had.
//
// Errors: [coles.ErrSetting], [coles.ErrShape], [coles.ErrTooLarge].
func newPlan(in Input, set coles.Settings, grid Grid) (plan, error) {
	errs := []error{set.Check(), checkSizes(in.Nodes, in.Columns), grid.check(), kernel.Check()}
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("distributed: %w: %s", coles.ErrSetting, fmt.Sprintf(format, args...)))
		}
	}
	refuse(set.Dim > in.Columns, "d′ = %d of %d features", set.Dim, in.Columns)
	refuse(set.Linear().Drawn, "negatives %v are drawn; only expected ones, or none, can be had here", set.Negatives)
	refuse(set.Solver == coles.SolverKrylov, "the solver %v multiplies by the whole graph many times; only %v can be had here", set.Solver, coles.SolverDirect)
	refuse(set.Precision == coles.Float32, "precision %v; sums are %v here, see Grid.Messages", set.Precision, coles.Float64)
	if err := errors.Join(errs...); err != nil {
		return plan{}, err
	}
	set.Dim = linear.Dim(set.Dim, in.Columns)
	set.Solver, set.Precision = coles.SolverDirect, coles.Float64
	return plan{Nodes: in.Nodes, Columns: in.Columns, Grid: grid.resolved(in.Nodes, in.Columns), Settings: set}, nil
}

func checkSizes(nodes int64, columns int) error {
	switch {
	case nodes < 1 || columns < 1:
		return fmt.Errorf("distributed: %w: features of %d × %d", coles.ErrShape, nodes, columns)
	case nodes > math.MaxInt32:
		return fmt.Errorf("distributed: %w: %d nodes, at most %d", coles.ErrTooLarge, nodes, math.MaxInt32)
	case columns > MostColumns:
		return fmt.Errorf("distributed: %w: %d features, at most %d", coles.ErrTooLarge, columns, MostColumns)
	}
	return nil
}

func (g Grid) check() error {
	switch {
	case g.Height < 0 || g.Height > math.MaxInt32:
		return fmt.Errorf("distributed: %w: blocks of %d rows", coles.ErrSetting, g.Height)
	case g.Messages < 0 || g.Messages > coles.Float32:
		return fmt.Errorf("distributed: %w: messages in %v", coles.ErrSetting, g.Messages)
	case !slices.Contains([]string{"", "avx512", "avx2", "portable"}, g.Kernel):
		return fmt.Errorf("distributed: %w: kernel %q; there are avx512, avx2 and portable", coles.ErrSetting, g.Kernel)
	}
	return nil
}

// A tile is to have so many edges, which share the costs of an element, in a graph of a likely mean degree.
// The height does not depend on the edges: how they lie in files would show in the bytes of the result.
const tileEdges, likelyDegree = 50, 20

// resolved is the grid with its defaults filled in.
func (g Grid) resolved(nodes int64, columns int) Grid {
	if g.Height == 0 {
		g.Height = max(1<<21/int64(columns), int64(columns), int64(math.Sqrt(tileEdges*float64(nodes)/likelyDegree)))
	}
	g.Height = min(g.Height, nodes)
	if g.Messages == 0 {
		g.Messages = coles.Float32
	}
	if g.Kernel == "" {
		g.Kernel = kernel.Path()
		if g.Kernel == "avx512" {
			g.Kernel = "avx2"
		}
	}
	return g
}

// blocks is the number of blocks that so many rows are cut into.
func (g Grid) blocks(nodes int64) int64 { return (nodes + g.Height - 1) / g.Height }

func (p plan) blocks() int64 { return p.Grid.blocks(p.Nodes) }

// Fit adds linear COLES to a pipeline, as [coles.Fit] computes it and to rounding with its numbers.
// embedding is a collection of KV<int64, Rows>: one for every block, by its number. model is a
// collection of one []byte, a model that [coles.ReadModel] reads.
//
// Where the settings leave Kind open, q is measured by as many random columns as [coles.Fit] takes at
// most, 128 on a large graph, which costs as many hops of that width again; [Run] measures it by few
// columns first and leaves out what is not needed.
//
// Bad data ends the pipeline with an error that names its kind; an engine hands on its text only.
//
// Errors, before any work: [coles.ErrSetting], [coles.ErrShape], [coles.ErrTooLarge].
func Fit(s beam.Scope, in Input, set coles.Settings, grid Grid) (embedding, model beam.PCollection, err error) {
	p, err := newPlan(in, set, grid)
	if err != nil {
		return beam.PCollection{}, beam.PCollection{}, err
	}
	embedding, model = p.fit(s, in)
	return embedding, model, nil
}

// fit adds all steps to a pipeline.
func (p plan) fit(s beam.Scope, in Input) (embedding, model beam.PCollection) {
	state, facts := p.prepare(s, in)
	choice := p.choose(s, state, facts)
	if p.Settings.Kind == 0 {
		state = p.marked(s, state, choice)
	}
	return p.finish(s, p.filtered(s, state, p.hops(), 0), facts, choice)
}

// The steps of fit, each from collections to collections: between any two of them a job may be cut,
// by writing the collections to files, as encode has their elements, and reading them in the next pipeline.
//
//	prepare(s, in)                       → state KV<int64, piece>, facts (one facts)
//	choose(s, state, facts)              → one choice
//	measure(s, state, facts, columns)    → one coles.Alignment as a choice by so many random columns
//	settle(s, state, choice)             → one choice, by communities where q does not decide
//	marked(s, state, choice)             → state, alone where features were chosen
//	filtered(s, state, hi, lo)           → state, which holds FX after the last hop
//	finish(s, state, facts, choice)      → embedding KV<int64, Rows>, model []byte
//
// A state is keyed by block. Its pieces are in no order.

// hops is the number of hops, one for each coefficient of the filter, and none in a model of features alone.
func (p plan) hops() int {
	if p.Settings.Kind == coles.UseFeatures {
		return 0
	}
	return p.Settings.Filter.Hops() + 1
}
