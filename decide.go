package coles

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/internal/spectral"
)

// This file holds the decisions of a fit, from top to bottom in their order. No decision sees a label.
//
//	measured                                  decided
//	features d, nodes n                       how many columns, and of which part: dims, kept
//	whether there are features                the filter F: filterFor, filterBeside
//	s, r and q, in this order                 the graph with its features, or the features alone: Alignment.Kind
//	entries a row, effective rank, s and r    the share of neighbour columns beside those of features: share
//	whether the graph keeps arcs              columns of roles: others
//
// Made features are features that a [Structure] makes of a graph. Neighbour columns are the vectors of a fit to made features,
// put beside the vectors of given features.

// fitting holds the checked input of a part's fit, for either precision.
type fitting struct {
	config
	g       *Graph         // with weights
	unit    float64        // of the weights
	x       *matrix.Source // features as they came in
	prepare *Preparer
	entries float64                // in a row of features
	made    *Structure             // that makes the features, nil where they are given
	room    kernel.Matrix[float32] // that made took, for the filter
	total   int                    // columns of all parts but roles
	roles   int                    // columns of each role
	report  Report
	last    time.Time // end of the last stage
}

// features is the number of given features.
func (f *fitting) features() int {
	if f.made != nil {
		return 0
	}
	return f.prepare.fitted.Columns
}

// plan resolves the numbers of columns, and the filter of the first part. Errors: [ErrSetting] for too few.
func (f *fitting) plan() error {
	d := f.prepare.fitted.Columns
	if f.Dim > d {
		f.report.Asked = f.Dim
	}
	arcs := f.g.roles != nil
	if f.Dim, f.total, f.roles = f.dims(d, f.made != nil, arcs); arcs && f.roles == 0 {
		return fmt.Errorf("coles: fit: %w", setting.Bad("Dim", f.total, "4 or more for a graph with arcs; without features the default is a third of the nodes"))
	}
	if f.Kind != UseFeatures {
		f.Filter = f.filterFor(f.features())
	}
	return nil
}

// dims are the numbers of columns of a fit: those of the first part, of which there may be d, those of all parts but roles, and
// those of each role. d′ is 128 unless it is set. Each role has an eighth of d′, to the nearest number.
func (s Settings) dims(d int, made, arcs bool) (first, all, role int) {
	first, all = linear.Dim(s.Dim, d), cmp.Or(s.Dim, linear.DefaultDim)
	if made {
		all = first
	}
	if arcs {
		role = (all + 4) / 8
		all -= 2 * role
	}
	return min(first, all), all, role
}

// madeColumns is the number of features made for so many nodes: a third of the nodes, at most 128 or, if that is more, d′.
func (s Settings) madeColumns(nodes int) int {
	return min(nodes, max(s.Dim, min(linear.DefaultDim, max(2, nodes/3))))
}

// kept is the number of feature columns that stay beside neighbour columns. It falls with their share, from all but one to, at
// a share of ½, a quarter of all or, if that is more, the rank aimed at, but at most half.
func (s Settings) kept(columns, all int, share float64) int {
	least := max(all/4, min(int(s.aim()), all/2))
	return min(columns, all-max(1, int(math.Round(min(1, 2*share)*float64(all-least)))))
}

// aim is the effective rank that a fit aims at: the default where γ is fixed.
func (s Settings) aim() float64 { return cmp.Or(s.Scaling.Rank, DefaultSettings().Scaling.Rank) }

// filterFor is F for so many features: 8 hops, or 24 without features, where the columns of few edges say little alone.
func (s Settings) filterFor(features int) Filter {
	switch {
	case s.Filter.kind != autoFilter:
		return s.Filter
	case features == 0:
		return S2GCSum(24)
	}
	return S2GCSum(8)
}

// filterBeside is the filter of columns of edges beside others. The default gives way to the filter of a fit without features.
// Any other filter serves both, as in links, where near nodes count.
func (s Settings) filterBeside() Filter {
	if usual := (Settings{}).filterFor(1); s.Filter.String() == usual.String() {
		return Filter{}
	}
	return s.Filter
}

// An Alignment answers, without labels, whether neighbours tell more of a node than its features. [Kind] "auto" obeys.
//
// Let R be the rows of X, prepared, of length 1 and freed of what 1 and √degree explain. Let u_k and λ_k, k ≤ 3, be its
// leading left singular vectors and squared singular values. Let A hold the m edges between the n nodes with features, D their
// degrees, and z_k = u_k − (1ᵀDu_k/1ᵀD1)·1. Then
//
//	s = max(2m/n, 2.5) · Σ_k λ_k·(z_kᵀAz_k / z_kᵀDz_k) / Σ_k λ_k
//
// is the mean number of neighbours times their likeness (Newman 2003) along the main directions of the features. From s = 0.8
// on the graph is taken.
//
// Below, the size r of the graph's communities decides. One edge in four is hidden, by a hash of the seed and the pair. Let D
// be the degrees + 1, A the edges left, H the hidden edges and P = D^-½(4/3·A + I)D^-½. S has 32 columns of random signs, or
// 14 from 131,072 nodes on. The rows z_v of (I + P)P⁸S are freed of D^½ under the same power, brought to length 1, centred,
// and freed of the degrees again. Then
//
//	r = Σ_v z_v·(D^-½HD^-½z)_v / Σ_v ‖z_v‖·(D^-½HD^-½‖z‖)_v
//
// is the mean cosine of the ends of hidden edges. Below 4,096 nodes all quarters are hidden in turn, four times.
//
// From r = ¼ on the graph is taken. Where the features tell nothing, r of three deviations is enough. They tell nothing if no
// edge joins two nodes with features, or if all rows are alike. Nor do they if the spectrum of 40 columns or more is hardly
// other than of noise (Marčenko and Pastur 1967).
//
// Else hidden features decide. q is how well other features of the neighbours tell them, over how well the node's own do. With
// halves A and B of the columns of R, T = R_BR_Bᵀ and a(K) = ⟨K, T⟩/‖K‖ off the diagonal,
//
//	q = a(FR_A(FR_A)ᵀ) / a(R_AR_Aᵀ).
//
// Adjacent columns of which no row has two, as of a category, are hidden together. If the rows were in another order, a would
// be 0 with the deviation √2·‖T‖/n. The denominator is at least half of that; up to twice, the features tell nothing. From q =
// 1 on the graph is taken.
type Alignment struct {
	Neighbours        float64 `json:"neighbours"`            // s, 0 where it is not known
	Deviation         float64 `json:"deviation"`             // standard deviation of s over draws of edges
	Known             bool    `json:"known"`                 // false where the features tell nothing
	Communities       float64 `json:"communities"`           // r, or 0 where s is 0.8 or more; ¼ for fewer than 30 nodes
	CommunitiesSpread float64 `json:"communities_deviation"` // as Deviation
	Ratio             float64 `json:"ratio"`                 // q, or 0 where it was not measured
}

// From s = enough, or r = [alignment.Small], on the graph is taken.
const enough = 0.8

// open reports whether s leaves the choice to the communities.
func (a Alignment) open() bool { return a.Neighbours < enough }

// Kind is the kind of model that the measurement is for.
func (a Alignment) Kind() Kind {
	large := a.Communities >= alignment.Small
	if !a.Known {
		large = a.Communities > 3*a.CommunitiesSpread
	}
	if !a.open() || large || a.Ratio >= 1 {
		return UseGraph
	}
	return UseFeatures
}

// alignmentBy goes on measuring until the kind is decided.
func alignmentBy[T kernel.Float](ctx context.Context, on alignment.Parts[T]) (a Alignment, err error) {
	if on.Edges == 0 {
		return Alignment{Known: true}, ctx.Err()
	}
	if a.Neighbours, a.Deviation, a.Known, err = on.Along(ctx); err != nil || !a.open() {
		return a, err
	}
	if a.Communities, a.CommunitiesSpread, err = on.Communities(ctx); err != nil || !a.Known || a.Kind() == UseGraph {
		return a, err
	}
	a.Ratio, a.Known, err = on.Ratio(ctx)
	return a, err
}

// mayHold reports whether there may be neighbour columns among so many: at least twice the rank, and at most half of the nodes.
func (s Settings) mayHold(g *Graph, columns int) bool {
	return s.Structure > 0 || s.Structure == AutoShare && s.Kind != UseFeatures && g.report.Edges > 0 &&
		float64(columns) >= 2*s.aim() && g.Nodes()/2 >= columns
}

// many is the mean number of entries in a row from which on features of d′ columns or more leave no share by their entries. It
// was chosen with words and categories of 12 graphs, as the weight of r² was.
const many = 6

// share is the [Share] of neighbour columns: as it was asked for, or what the features leave.
func (f *fitting) share(first *Part) float64 {
	a, columns := f.report.Alignment, len(first.Scaling.Factors)
	switch {
	case columns == 0:
		return 0
	case f.Structure != AutoShare:
		return float64(f.Structure)
	case f.scratch != "" || !f.mayHold(f.g, f.total):
		return 0
	}
	told, free, found := f.entries/many, 1-float64(columns)/float64(f.total), 1.0
	if a != nil && !a.Known && a.Ratio == 0 {
		free = 1 // of noise, as it shows before any features are hidden
	}
	if f.Scaling.Rank > 0 {
		told *= min(1, first.Scaling.EffectiveRank/spectral.Rule(f.Scaling).Bound(first.Scaling.Power))
	}
	left := 1 - told/(1+free)
	if a != nil && a.open() {
		if alike := max(enough*free, 3*a.Communities*a.Communities); alike > 0 {
			left = max(left, 1-a.Neighbours/alike)
		}
		if sure := 3 * a.CommunitiesSpread; a.Communities < sure {
			found = max(0, a.Neighbours/enough, a.Communities/sure)
		}
	}
	return found * min(0.5, max(0, left))
}

// roleShare is the share of the columns of roles: a tenth without features, else a twentieth. Where arcs say no more than
// edges, shares of half and a tenth cost up to 6 and 3 points of accuracy, and these shares up to 2. Packages that need other
// packages keep more than half of their gain.
func (f *fitting) roleShare() float64 {
	if f.made != nil {
		return 0.1
	}
	return 0.05
}

// An addition is the fit, without features, of a part beside the first.
type addition struct {
	Settings
	graph *Graph
	share float64
	roles bool
}

// ofNeighbours is the fit of neighbour columns, as many as a first part leaves of all. It takes the graph without arcs, the
// weights of the fit, and γ = 0. Its rows are as long as rows of features, in the mean over nodes with an edge.
func (s Settings) ofNeighbours(g *Graph, first, all int) addition {
	s.Dim = min(all-first, s.madeColumns(g.Nodes()), g.Nodes())
	s.Kind, s.Preparation, s.Filter, s.Structure, s.Precision = UseGraph, PrepareAuto, s.filterBeside(), 0, 0
	s.WeightSpan = 0
	s.Scaling = ScalingRule{Norm: s.Scaling.Norm * g.joined()}
	return addition{Settings: s, graph: g.withoutArcs()}
}

// ofRoles is the fit of columns for each role to the double cover, with rows of that length; made is set if the first part's
// features are made, too.
func (s Settings) ofRoles(g *Graph, columns int, made bool) addition {
	s.Dim = columns
	if s.Scaling.Norm *= g.roles.joined(); made {
		s.Scaling.Norm /= g.joined()
	}
	s.Kind, s.Preparation, s.Filter, s.Structure, s.Precision = UseGraph, PrepareAuto, s.filterBeside(), 0, Float64
	return addition{Settings: s, graph: g.roles, roles: true}
}

// others are the parts beside the first: neighbour columns where the features leave a share, and columns of roles where the graph
// keeps arcs, as nothing in arcs tells whether they are worth it.
func (f *fitting) others(first *Part) (more []addition) {
	if share := f.share(first); f.made == nil && share > 0 {
		of := f.ofNeighbours(f.g, f.kept(len(first.Scaling.Factors), f.total, share), f.total)
		of.share = share
		more = append(more, of)
	}
	if f.roles > 0 {
		of := f.ofRoles(f.g, f.roles, f.made != nil)
		of.share = f.roleShare()
		more = append(more, of)
	}
	return more
}
