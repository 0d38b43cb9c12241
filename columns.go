package coles

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// A Share is how much of the energy of the vectors, below 1, is in columns that tell who the neighbours are, whatever
// features these have: those of a fit without features, by their [Structure], with γ = 0, and with the filter of the features
// unless that is S2GCSum(8). The columns of the features come first: a quarter of d′, or the effective rank aimed at, but at
// most half. A share costs a fit without features, and in the model's file its Structure.
//
// [AutoShare] is 0 in a feature model, [WithScratch], in package distributed, for a Rank, or 20 for a fixed γ, of more than
// d′/2, and for d′ of more than half of the nodes. It is ½ where the graph was taken for its communities, and where a row of
// features as prepared has 5 entries at most in the mean. It is measured with less than 8 entries, and where a Rank leads to
// γ = 0 and there are fewer features than d′, by how well hidden features follow from two kernels. With R as in [Alignment],
// halves A and B of its columns and T = R_B·R_Bᵀ, let K_N = ZZᵀ be the kernel of neighbours' features, Z = F°R_A for F
// without its term k = 0, and K_L = LLᵀ that of the columns L of the structure. With a(K) = ⟨K, T⟩/‖K‖ off the diagonal, over
// both halves,
//
//	share = min(½, max(0, 1 − a(K_N)/a(K_L))).
type Share float64

// AutoShare is the share that is chosen without labels.
const AutoShare Share = -1

// few is the mean number of entries of rows below which features, as of a few columns of a table, may tell little of a
// node. Up to fewest they do. The words of a film (actor), which come to 5.4, still do better alone, and those of what a
// package is (packages), to 5.9, without columns of the structure.
const (
	few    = 8
	fewest = 5
)

func (s Share) String() string {
	if s == AutoShare {
		return "auto"
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64)
}

func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Share) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*s = AutoShare
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*s = Share(v)
	if err != nil || !s.valid() {
		return setting.Bad("Structure", string(text), "auto, or 0 or more and less than 1")
	}
	return nil
}

func (s Share) valid() bool { return s == AutoShare || s >= 0 && s < 1 }

// leaveRoom reports whether columns of the structure are to be tried beside those of a model of the features.
func (f *fitting) leaveRoom(m *Model) bool {
	room := f.numbers < few || f.Scaling.Rank > 0 && m.scaling.Power == 0 && f.x.Cols() < f.total || f.byCommunities()
	return len(m.scaling.Factors) > 0 && (f.Structure > 0 || room && f.scratch == "" && f.mayHold(f.g, f.total))
}

// byCommunities reports whether the graph was taken for its communities, or the features for their lack.
func (f *fitting) byCommunities() bool {
	return f.report.Alignment != nil && alignment.Estimate(*f.report.Alignment).Open()
}

// mayHold reports whether features of a graph might come to leave room for others among some columns.
func (s Settings) mayHold(g *Graph, columns int) bool {
	return s.Structure > 0 || s.Structure == AutoShare && s.Kind != UseFeatures && g.report.Edges > 0 &&
		float64(columns) >= 2*s.aim() && g.Nodes()/2 >= columns
}

// beside are the settings of the structure's columns, for features that have so many and all.
func (s Settings) beside(nodes, first, all int) Settings {
	s.Dim = min(all-first, s.structureColumns(nodes), nodes)
	s.Kind, s.Preparation, s.Filter, s.Structure, s.Precision = UseGraph, PrepareAuto, s.filterBeside(), 0, 0
	s.DegreeShare, s.WeightSpan = 0, 0 // weights are as they are taken
	s.Scaling = ScalingRule{Norm: s.Scaling.Norm}
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

// aim is the effective rank that is aimed at, the usual one where γ is fixed.
func (s Settings) aim() float64 { return cmp.Or(s.Scaling.Rank, DefaultSettings().Scaling.Rank) }

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
