package coles

import (
	"context"
	"fmt"
	"time"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// The mean number of entries of rows, as of a few columns of a table, up to which features tell little of a node, and below
// which they may.
const fewest, few = 5, 8

// leaveRoom reports whether columns of the structure are to be tried beside those of a model of the features.
func (f *fitting) leaveRoom(m *Model) bool {
	room := f.numbers < few || f.leavesRank(m) || f.byCommunities()
	return len(m.scaling.Factors) > 0 && (f.Structure > 0 || room && f.scratch == "" && f.mayHold(f.g, f.total))
}

// byCommunities reports whether the graph was taken for its communities, or the features for their lack.
func (f *fitting) byCommunities() bool {
	return f.report.Alignment != nil && alignment.Estimate(*f.report.Alignment).Open()
}

// beside are the settings of the structure's columns, for features that have so many and all. Their rows are as long as those
// of features in the mean of the nodes that have an edge.
func (s Settings) beside(g *Graph, first, all int) Settings {
	s.Dim = min(all-first, s.structureColumns(g.Nodes()), g.Nodes())
	s.Kind, s.Preparation, s.Filter, s.Structure, s.Precision = UseGraph, PrepareAuto, s.filterBeside(), 0, 0
	s.DegreeShare, s.WeightSpan = 0, 0 // weights are as they are taken
	s.Scaling = ScalingRule{Norm: s.Scaling.Norm * g.joined()}
	return s
}

// columns is how many there are with those of the structure, for d′ resolved, of as many as were asked for.
func (s Settings) columns(features, all int) int {
	if s.Dim == features {
		return max(all, linear.DefaultDim)
	}
	return s.Dim
}

// kept is how many of the columns of features stay.
func (s Settings) kept(columns, all int) int {
	return min(columns, max(all/4, min(int(s.aim()), all/2)))
}

// ofRoles are the settings of a fit of the double cover, for vectors of so many columns. Each role has an eighth of them,
// to the nearest number.
func (s Settings) ofRoles(columns int) Settings {
	s.Dim = (columns + 4) / 8
	s.Kind, s.Preparation, s.Filter, s.Structure, s.Precision = UseGraph, PrepareAuto, s.filterBeside(), 0, Float64
	return s
}

// filterBeside is the filter of columns of edges beside others: what a fit without features chooses in the place of the
// usual one. Others, as of links, where near nodes count, serve both.
func (s Settings) filterBeside() Filter {
	if usual := (Settings{}).filterFor(1); s.Filter.String() == usual.String() {
		return Filter{}
	}
	return s.Filter
}

// leavesRank reports whether no γ brings the columns of features to the rank aimed at, which are fewer than all.
func (f *fitting) leavesRank(m *Model) bool {
	return f.Scaling.Rank > 0 && m.scaling.Power == 0 && f.prepare.fitted.Columns < f.total
}

// numbers is the mean number of entries other than 0 in a row of features as prepared, all where they are not counted.
func numbers[T kernel.Float](ctx context.Context, count bool, x *matrix.Matrix[T]) (float64, error) {
	if !count {
		return float64(x.Cols()), nil
	}
	sum, err := parallel.Sum(ctx, x.Rows(), 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, row := x.Row(i)
			for _, v := range row {
				if v != 0 {
					sum[0]++
				}
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return sum[0] / float64(x.Rows()), nil
}

// autoShare is [AutoShare] beside a model of features, for columns z of the structure. It puts its reason into the report.
func (f *fitting) autoShare(ctx context.Context, m *Model, z *mat.Dense) (share float64, err error) {
	m.report.FeatureRank = m.scaling.EffectiveRank
	switch {
	case f.numbers <= fewest:
		share = 0.5
	case f.leavesRank(m):
		share = 1 - m.report.FeatureRank/f.aim()
	}
	if share < 0.5 {
		ratio, err := f.structureRatio(ctx, z)
		if err != nil {
			return 0, err
		}
		if 1-ratio > share {
			share, m.report.StructureRatio = 1-ratio, ratio
		}
	}
	return min(0.5, share), nil
}

// structureRatio is a(K_N)/a(K_L).
func (f *fitting) structureRatio(ctx context.Context, z *mat.Dense) (float64, error) {
	x, err := prepared[float64](ctx, f.prepare, f.x)
	if err != nil {
		return 0, err
	}
	w, err := matrix.Normalized(ctx, f.g.adj, true)
	if err != nil {
		return 0, err
	}
	ratio, err := alignment.Parts[float64]{X: x, Degrees: f.g.degree, Seed: f.Seed}.
		Beside(ctx, f.Filter.coef, w, kernel.Matrix[float64](z.RawMatrix()))
	if err != nil {
		err = fmt.Errorf("coles: structure: %w", err)
	}
	return ratio, err
}

// keep leaves the first columns, and the one of degrees, which is the last.
func (m *Model) keep(columns int) {
	rows, vectors := kernel.Matrix[float64](m.directions.RawMatrix()), len(m.lambda)
	if columns == rows.Rows {
		return
	}
	var degree []float64
	kept := m.scaling.Factors[:columns:columns]
	if vectors < rows.Rows {
		degree = rows.Row(vectors)
		kept = append(kept[:columns-1:columns-1], m.scaling.Factors[vectors])
		columns--
	}
	m.lambda, m.scaling.Factors = m.lambda[:columns], kept
	m.directions = matrix.ToDense(linear.Above(kernel.Rows(rows, 0, columns), degree))
}

// joinFit sets the embedding of the nodes fitted, of which z has the columns of the structure.
func joinFit[T kernel.Float](ctx context.Context, m *Model, f *fitting, z *mat.Dense) error {
	y, err := embedFeatures[T](ctx, m, f.g, f.x)
	if err != nil {
		return err
	}
	return hold(ctx, m, y, z, m.share)
}

// Shares of the energy of the columns of roles, without features and beside them. Where arcs say no more than edges, half and
// a tenth cost up to 6 and 3 points of accuracy, and these up to 2; packages that need others keep more than half of their gain.
const (
	roleShareAlone = 0.1
	roleShare      = 0.05
)

// fitting holds the checked input of Fit, for either precision.
type fitting struct {
	config
	g       *Graph
	x       *matrix.Source // features as they came in
	prepare *Preparer
	numbers float64                // of entries in a row of features
	made    *Structure             // that made the features, nil where they were given
	room    kernel.Matrix[float32] // that this took, for the filter
	total   int                    // d′ where columns of the structure are added
	roles   Settings               // of the fit of the double cover; of no columns for none
	report  Report
	last    time.Time // end of the last stage
}

// step reports progress, and adds the time since the last step to a stage.
func (f *fitting) step(stage string, done, total int) {
	now := time.Now()
	passed := now.Sub(f.last).Seconds()
	switch s := &f.report.Seconds; stage {
	case "prepare":
		s.Prepare += passed
	case "filter":
		s.Filter += passed
	case "solve":
		s.Solve += passed
	case "embed":
		s.Embed += passed
	}
	f.last = now
	f.progress(stage, done, total)
}
