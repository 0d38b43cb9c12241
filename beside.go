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
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// leaveRoom reports whether columns of the structure are to be tried beside those of a model of the features.
func (f *fitting) leaveRoom(m *Model) bool {
	room := f.numbers < few || f.Scaling.Rank > 0 && m.scaling.Power == 0 && f.x.Cols() < f.total || f.byCommunities()
	return len(m.scaling.Factors) > 0 && (f.Structure > 0 || room && f.scratch == "" && f.mayHold(f.g, f.total))
}

// byCommunities reports whether the graph was taken for its communities, or the features for their lack.
func (f *fitting) byCommunities() bool {
	return f.report.Alignment != nil && alignment.Estimate(*f.report.Alignment).Open()
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

// addStructure puts columns of the structure beside those of the features, which the model has.
func (f *fitting) addStructure(ctx context.Context, m *Model) error {
	start, first := time.Now(), f.kept(len(m.scaling.Factors), f.total)
	beside, err := Fit(ctx, f.g.withoutArcs(), nil, WithSettings(f.beside(f.g.Nodes(), first, f.total)), WithProgress(f.progress))
	if err != nil || len(beside.scaling.Factors) == 0 { // which edges make, and truncation leaves
		return err
	}
	z, share := beside.Embedding(), float64(f.Structure)
	switch {
	case f.Structure == AutoShare && (f.numbers <= fewest || f.byCommunities()):
		share, m.report.RowNumbers = 0.5, f.numbers
	case f.Structure == AutoShare:
		if m.report.StructureRatio, err = f.structureRatio(ctx, z); err != nil {
			return err
		}
		if share = min(0.5, 1-m.report.StructureRatio); share <= 0 {
			m.report.Seconds.Solve += time.Since(start).Seconds()
			return nil
		}
	}
	beside.single, beside.embedding = nil, nil
	m.keep(first)
	m.beside, m.share, m.settings.Dim = beside, share, f.total
	m.report.StructureShare, m.report.Dim = share, first+len(beside.scaling.Factors)
	if f.Precision == Float32 {
		err = joinFit[float32](ctx, m, f, z)
	} else {
		err = joinFit[float64](ctx, m, f, z)
	}
	m.report.Seconds.Solve += time.Since(start).Seconds()
	return err
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

// hold keeps y with the columns of z, which get a share, as the embedding.
func hold[T kernel.Float](ctx context.Context, m *Model, y kernel.Matrix[T], z *mat.Dense, share float64) error {
	y, err := linear.Beside(ctx, y, z, share)
	if err != nil {
		return err
	}
	m.single, m.embedding = nil, nil
	m.hold(y)
	m.report.ZeroRows, err = zeroRows(ctx, y)
	return err
}

// Shares of the energy of the columns of roles, without features and beside them. Where arcs say no more than edges, half and
// a tenth cost up to 6 and 3 points of accuracy, and these up to 2; packages that need others keep more than half of their gain.
const (
	roleShareAlone = 0.1
	roleShare      = 0.05
)

// leaveRoles leaves some of all columns to roles.
func (f *fitting) leaveRoles() error {
	if f.scratch != "" {
		return fmt.Errorf("coles: fit: %w", setting.Bad("scratch", f.scratch, "a graph without arcs: their columns are made in memory"))
	}
	if f.made != nil {
		f.total = f.Dim
	}
	f.roles = f.ofRoles(f.total)
	if f.roles.Dim == 0 {
		return fmt.Errorf("coles: fit: %w", setting.Bad("Dim", f.total, "4 or more for a graph with arcs; without features the default is a third of the nodes"))
	}
	f.total -= 2 * f.roles.Dim
	f.Dim = min(f.Dim, f.total)
	return nil
}

// addRoles puts the columns of roles beside those that the model has.
func (f *fitting) addRoles(ctx context.Context, m *Model) (err error) {
	start := time.Now()
	if m.roles, err = Fit(ctx, f.g.roles, nil, WithSettings(f.roles), WithProgress(f.progress)); err != nil {
		return fmt.Errorf("coles: roles: %w", err)
	}
	z := linear.Folded(m.roles.embedding)
	m.roles.embedding = nil
	m.settings.Dim = f.total + 2*f.roles.Dim
	if m.report.RoleShare = roleShare; f.made != nil {
		m.report.RoleShare = roleShareAlone
	}
	m.report.Dim += z.RawMatrix().Cols
	if s := m.single; s != nil {
		err = hold(ctx, m, kernel.Matrix[float32]{Rows: s.Rows, Cols: s.Cols, Stride: s.Stride, Data: s.Data}, z, m.report.RoleShare)
	} else {
		err = hold(ctx, m, kernel.Matrix[float64](m.embedding.RawMatrix()), z, m.report.RoleShare)
	}
	m.report.Seconds.Solve += time.Since(start).Seconds()
	return err
}
