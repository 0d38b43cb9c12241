package distributed

import (
	"errors"
	"fmt"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
)

// A plan describes a fit before any number is read: sizes, grid and settings, checked and
// with their defaults filled in. Two equal plans on equal inputs give the same bytes, so that its
// JSON may name a step's output.
type plan struct {
	Nodes    int64          `json:"nodes"`
	Columns  int            `json:"columns"`
	Grid     Grid           `json:"grid"`
	Settings coles.Settings `json:"settings"`        // Kind may be 0, to be chosen
	Asked    int            `json:"asked,omitempty"` // columns, where there are fewer features

	job string // of the engine in the program, see park
}

// newPlan checks what can be checked before any work, and reports everything that cannot be had.
//
// Errors: [coles.ErrSetting], [coles.ErrShape], [coles.ErrTooLarge].
func newPlan(nodes int64, columns int, set coles.Settings, grid Grid) (plan, error) {
	errs := []error{set.Check(), checkSizes(nodes, columns), grid.check(), kernel.Check()}
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("distributed: %w: %s", coles.ErrSetting, fmt.Sprintf(format, args...)))
		}
	}
	refuse(inside.Linear(set).Drawn, "negatives %v are drawn; only expected ones, or none, can be had here", set.Negatives)
	refuse(set.Solver == coles.SolverKrylov, "the solver %v multiplies by the whole graph many times; only %v can be had here", set.Solver, coles.SolverDirect)
	refuse(set.Precision == coles.Float32, "precision %v; sums are %v here, see Grid.Messages", set.Precision, coles.Float64)
	refuse(set.Structure > 0, "a structure is made in the memory of one machine; only a share of 0 can be had here")
	refuse(set.WeightSpan != 0 && set.WeightSpan != coles.DefaultSettings().WeightSpan, "a span of weights of %v; edges count as they are here", set.WeightSpan)
	errs = append(errs, inside.CheckUsed(set, int(nodes), columns))
	if err := errors.Join(errs...); err != nil {
		return plan{}, err
	}
	set.Structure = 0
	asked := set.Dim
	if set.Dim = linear.Dim(set.Dim, columns); asked <= columns {
		asked = 0
	}
	set.Solver, set.Precision, set.WeightSpan = coles.SolverDirect, coles.Float64, 0
	return plan{Nodes: nodes, Columns: columns, Grid: grid.resolved(nodes, columns), Settings: set, Asked: asked}, nil
}

func (p plan) blocks() int64 { return p.Grid.blocks(p.Nodes) }

// hops is the number of hops, one for each coefficient of the filter, and none in a model of features alone.
func (p plan) hops() int {
	if p.Settings.Kind == coles.UseFeatures {
		return 0
	}
	return len(inside.Linear(p.Settings).Filter)
}

// rounding is how far rows are apart by the rounding of messages alone, relative to their length.
func (p plan) rounding() float64 { return linear.Rounding(p.Grid.Messages == coles.Float32) }
