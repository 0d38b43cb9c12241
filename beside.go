package coles

import (
	"context"
	"fmt"
	"math"
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

// A Share is how much of the energy of the vectors, below 1, is in columns that tell who the neighbours are,
// whatever features these have: the columns of a fit without features, by their [Structure], with γ = 0. Those of the
// features come first: a quarter of d′, or the effective rank that is aimed at, but at most half.
//
// [AutoShare] is 0 [WithScratch] and in package distributed. In memory it is measured where features leave it room: a
// graph model has γ = 0, or was taken for its communities. Let R be as in
// [Alignment], T = R_B·R_Bᵀ for half B of its columns, K_N = ZZᵀ for Z = F°R_A with the other half and F without its
// term k = 0, K_L = LLᵀ for the columns L in question, and a(K) = ⟨K, T⟩/‖K‖ off the diagonal, over both halves. Then
//
//	share = min(½, max(0, 1 − a(K_N)/a(K_L))).
//
// A share costs a fit without features, and in the file of the model as much as its Structure.
type Share float64

// AutoShare is the share that is measured without labels.
const AutoShare Share = -1

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

// fewest is the number of features from which a share is measured: halves of fewer tell nothing of one another.
const fewest = 8

// leaveRoom reports whether columns of the structure are to be tried beside those of a model of the features.
func (f *fitting) leaveRoom(m *Model) bool {
	room := m.scaling.Power == 0 || f.report.Alignment != nil && alignment.Estimate(*f.report.Alignment).Open()
	return len(m.scaling.Factors) > 0 && (f.Structure > 0 || room && f.scratch == "" && f.mayHold(f.g, f.x.Cols(), f.total))
}

// mayHold reports whether d features of a graph might come to leave room for others among some columns.
func (s Settings) mayHold(g *Graph, d, columns int) bool {
	return s.Structure > 0 || s.Structure == AutoShare && s.Kind != UseFeatures && g.report.Edges > 0 &&
		s.Scaling.Rank > 0 && float64(columns) >= 2*s.Scaling.Rank && d >= fewest && g.Nodes() >= 2*columns
}

// beside are the settings of the structure's columns, for features that have so many and all.
func (s Settings) beside(nodes, first, all int) Settings {
	s.Dim = min(all-first, s.structureColumns(nodes))
	s.Kind, s.Preparation, s.Structure, s.Precision = UseGraph, PrepareAuto, 0, Float64
	s.DegreeShare, s.WeightSpan = 0, 0 // weights are as they are taken
	s.Scaling = ScalingRule{Norm: s.Scaling.Norm}
	return s
}

// columns is how many there are with those of the structure, for d′ resolved.
func (s Settings) columns(features int) int {
	if s.Dim == features {
		return max(s.Dim, linear.DefaultDim)
	}
	return s.Dim
}

// kept is how many of the columns of features stay.
func (s Settings) kept(columns, all int) int {
	return min(columns, max(all/4, min(int(s.Scaling.Rank), all/2)))
}

// addStructure puts columns of the structure beside those of the features, which the model has.
func (f *fitting) addStructure(ctx context.Context, m *Model) error {
	start, first := time.Now(), f.kept(len(m.scaling.Factors), f.total)
	beside, err := Fit(ctx, f.g, nil, WithSettings(f.beside(f.g.Nodes(), first, f.total)), WithProgress(f.progress))
	if err != nil || len(beside.scaling.Factors) == 0 { // which edges make, and truncation leaves
		return err
	}
	share := float64(f.Structure)
	if f.Structure == AutoShare {
		if m.report.StructureRatio, err = f.structureRatio(ctx, beside); err != nil {
			return err
		}
		if share = min(0.5, 1-m.report.StructureRatio); share <= 0 {
			m.report.Seconds.Solve += time.Since(start).Seconds()
			return nil
		}
	}
	z := beside.embedding
	beside.embedding = nil
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
func (f *fitting) structureRatio(ctx context.Context, beside *Model) (float64, error) {
	x, err := prepared[float64](ctx, f.prepare, f.x)
	if err != nil {
		return 0, err
	}
	w, err := matrix.Normalized(ctx, f.g.adj, true)
	if err != nil {
		return 0, err
	}
	ratio, err := alignment.Parts[float64]{X: x, Degrees: f.g.degree, Seed: f.Seed}.
		Beside(ctx, f.Filter.coef, w, kernel.Matrix[float64](beside.embedding.RawMatrix()))
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
	if y, err = join(ctx, y, z, m.share); err != nil {
		return err
	}
	m.single, m.embedding = nil, nil
	m.hold(y)
	m.report.ZeroRows, err = zeroRows(ctx, y)
	return err
}

// Join puts vectors of the structure beside those of features, as [Model.Embed] does: for the packages of this module.
func Join(features, structure *mat.Dense, share float64) *mat.Dense {
	y, _ := join(context.Background(), kernel.Matrix[float64](features.RawMatrix()), structure, share) // does not end
	return matrix.ToDense(y)
}

// join is y and z side by side, z with a share of the energy where both have rows of one length.
func join[T kernel.Float](ctx context.Context, y kernel.Matrix[T], z *mat.Dense, share float64) (kernel.Matrix[T], error) {
	own, others := math.Sqrt(1-share), math.Sqrt(share)
	more := kernel.Matrix[float64](z.RawMatrix())
	out := kernel.Unset[T](y.Rows, y.Cols+more.Cols)
	return out, parallel.EachRow(ctx, y.Rows, func(i int) {
		row := out.Row(i)
		for j, v := range y.Row(i) {
			row[j] = T(own * float64(v))
		}
		for j, v := range more.Row(i) {
			row[y.Cols+j] = T(others * v)
		}
	})
}

// embed is Embed in numbers of type T: what [Fit] does, in the same order.
func embed[T kernel.Float](ctx context.Context, m *Model, g *Graph, source *matrix.Source) (kernel.Matrix[T], error) {
	y, err := embedFeatures[T](ctx, m, g, source)
	if err != nil || m.beside == nil {
		return y, err
	}
	made, err := m.beside.prepare.made.encode(ctx, g, false)
	if err != nil {
		return y, err
	}
	x, err := readFeatures(ctx, made)
	if err != nil {
		return y, err
	}
	z, err := embedWide[float64](ctx, m.beside, g, x)
	if err != nil {
		return y, err
	}
	return join(ctx, y, z, m.share)
}

// structure says what columns of the structure are for.
func (r Report) structure() string {
	text := fmt.Sprintf("columns of who the neighbours are have a share of %.2g", r.StructureShare)
	if r.StructureRatio > 0 {
		text += fmt.Sprintf(": of hidden features, neighbours' features tell %.2g times as much as they do (-structure 0 leaves them out)", r.StructureRatio)
	}
	return text
}

// Beside returns the model of the structure whose columns follow those of the features, and its [Share]; nil and 0
// without. [Model.P], [Model.Lambda], [Model.Directions] and [Model.Scaling] are of the features, before the share.
func (m *Model) Beside() (structure *Model, share float64) { return m.beside, m.share }
