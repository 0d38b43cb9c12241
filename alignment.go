package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// An Alignment answers, without labels, whether neighbours tell more of a node than its features. [Kind] "auto" obeys.
//
// Let R be the rows of X, prepared, of length 1 and freed of what 1 and √degree explain; u_k and λ_k, k ≤ 3, its leading left
// singular vectors and squared singular values; A the m edges between the n nodes with features, D their degrees; and
// z_k = u_k − (1ᵀDu_k/1ᵀD1)·1. Then
//
//	s = max(2m/n, 2.5) · Σ_k λ_k·(z_kᵀAz_k / z_kᵀDz_k) / Σ_k λ_k
//
// is the mean number of neighbours times how alike they are (Newman 2003) along what the features mostly vary in. It depends
// on XXᵀ alone, on no basis. From s = 0.8 on the graph is taken.
//
// Below, the size r of the graph's communities decides. One edge in four is hidden, by a hash of the seed and the pair. Let D
// be the degrees + 1, A the edges left, H the hidden ones and P = D^-½(4/3·A + I)D^-½. The rows z_v of (I + P)P⁸S, S 32
// columns of random signs, or 14 from 131,072 nodes on, are freed of D^½ under the same power, brought to length 1, centred,
// and freed of the degrees again. Then
//
//	r = Σ_v z_v·(D^-½HD^-½z)_v / Σ_v ‖z_v‖·(D^-½HD^-½‖z‖)_v
//
// is the mean cosine of the ends of hidden edges. Below 4,096 nodes all quarters are hidden in turn, four times.
//
// From r = ¼ on the graph is taken. Where the features tell nothing, r of three deviations is enough. They tell nothing if no
// edge joins nodes that have some, if all rows are alike, or if 40 columns or more hardly have another spectrum than noise
// (Marčenko and Pastur 1967).
//
// Else hidden features decide: q is how well they follow from others of the neighbours, over how well from the node's own.
// With halves A and B of the columns of R, T = R_BR_Bᵀ and a(K) = ⟨K, T⟩/‖K‖ off the diagonal,
//
//	q = a(FR_A(FR_A)ᵀ) / a(R_AR_Aᵀ).
//
// Neighbouring columns of which no row has two, as of a category, are hidden together. If the rows were in another order, a
// would be 0 with the deviation √2·‖T‖/n. The denominator is at least half of that; up to twice, the features tell nothing.
// From q = 1 on the graph is taken.
type Alignment struct {
	Neighbours        float64 `json:"neighbours"`            // s, 0 where it is not known
	Deviation         float64 `json:"deviation"`             // of s over which edges there are: one standard deviation
	Known             bool    `json:"known"`                 // false where the features tell nothing
	Communities       float64 `json:"communities"`           // r, or 0 where s is 0.8 or more; ¼ for fewer than 30 nodes
	CommunitiesSpread float64 `json:"communities_deviation"` // as Deviation
	Ratio             float64 `json:"ratio"`                 // q, or 0 where it was not measured
}

// Alignment measures s, r and q on a graph with features X (n × d), prepared as [Fit] with these settings does. None depends
// on the numbering of nodes: s begins with random combinations of columns, and r goes by hashes of nodes' features and their
// neighbours'. s takes some 30 products of X and of Xᵀ with 8 columns, or d/32 with 32 where d ≤ 400, r 9 hops of 34
// columns in float64, or 144, and q four times F with 32 columns. Errors: as [Fit].
func (s Settings) Alignment(ctx context.Context, g *Graph, x mat.Matrix) (Alignment, error) {
	if err := s.Check(); err != nil {
		return Alignment{}, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	g, _, err := g.weighed(ctx, s.WeightSpan)
	if err != nil {
		return Alignment{}, err
	}
	source, how, err := s.Preparation.learn(ctx, "fit", g, x)
	if err != nil {
		return Alignment{}, err
	}
	return inPrecision(&s.Precision, source, how,
		func() (Alignment, error) { return alignmentOf[float32](ctx, s, g, source, how) },
		func() (Alignment, error) { return alignmentOf[float64](ctx, s, g, source, how) })
}

func alignmentOf[T kernel.Float](ctx context.Context, s Settings, g *Graph, source *matrix.Source, how *Preparer) (Alignment, error) {
	x, err := prepared[T](ctx, how, source)
	if err != nil {
		return Alignment{}, err
	}
	return align(ctx, s, g, how, source, x, nil)
}

// align measures s, r and q on features before and after their preparation.
func align[T kernel.Float](ctx context.Context, s Settings, g *Graph, how *Preparer, source *matrix.Source, x *matrix.Matrix[T], room []T) (Alignment, error) {
	source, err := how.fitted.Keep(ctx, source)
	if err != nil {
		return Alignment{}, err
	}
	found, err := alignment.Parts[T]{
		Source: source, X: x, Graph: g.adj, Degrees: g.degree, Edges: g.report.Edges, Seed: s.Seed, Room: room,
		Filter: s.filterFor(x.Cols()).coef,
		Walk: func(ctx context.Context) (*kernel.CSR[T], error) {
			w, err := matrix.Normalized(ctx, g.adj, true)
			if err != nil {
				return nil, err
			}
			return matrix.ConvertIn[T](ctx, w)
		},
	}.Measure(ctx)
	if err != nil {
		err = fmt.Errorf("coles: alignment: %w", err)
	}
	return Alignment(found), err
}

// Kind is the kind of model that the measurement is for.
func (a Alignment) Kind() Kind {
	if alignment.Estimate(a).Graph() {
		return UseGraph
	}
	return UseFeatures
}

// String explains the choice, and says where it may be by chance.
func (a Alignment) String() string {
	name := map[bool]string{true: "graph model", false: "feature model"}[a.Kind() == UseGraph]
	if a == (Alignment{Known: true}) {
		return "the graph has no edges: " + name
	}
	why := fmt.Sprintf("neighbours weigh %.2g times as much as a node's own features", a.Neighbours)
	switch {
	case !a.Known:
		why = "features hardly tell anything"
	case a.Neighbours < 0.05:
		why = "neighbours are no more alike than other nodes"
	}
	why += fmt.Sprintf(" (s = %.2f ± %.2f)", a.Neighbours, a.Deviation)
	if a.Ratio > 0 {
		why += fmt.Sprintf(", hidden features follow %.2g times as well from neighbours' as from a node's own (q)", a.Ratio)
	}
	near := math.Abs(a.Neighbours-alignment.Enough) < a.Deviation
	switch {
	case alignment.Estimate(a).Open() && a.CommunitiesSpread == 0 && a.Communities > 0:
		why += ", there are too few nodes to see communities"
	case alignment.Estimate(a).Open() && !a.Known:
		has := map[bool]string{true: "communities", false: "two sides"}[a.Communities > 0]
		if math.Abs(a.Communities) <= 3*a.CommunitiesSpread {
			has = "no communities"
		}
		why += fmt.Sprintf(", the graph has %s (r = %.2f ± %.2f)", has, a.Communities, a.CommunitiesSpread)
	case alignment.Estimate(a).Open():
		size := map[bool]string{true: "large", false: "small"}[a.Communities >= alignment.Small]
		why += fmt.Sprintf(", communities are %s (r = %.2f ± %.2f)", size, a.Communities, a.CommunitiesSpread)
		near = a.Communities < alignment.Small && near || math.Abs(a.Communities-alignment.Small) < a.CommunitiesSpread
	}
	if near && a.Known {
		name += ", by less than the error"
	}
	return why + ": " + name
}

// inPrecision does what is to be done to features in float32 or in float64: where the precision is
// automatic, in float64 again if float32 does not do. It resolves the precision.
func inPrecision[R any](p *Precision, x *matrix.Source, how *Preparer, single, double func() (R, error)) (R, error) {
	auto := *p == 0
	if *p = p.resolve(x.Rows(), x.Cols(), how.plain()); *p == Float32 {
		r, err := single()
		if !auto || !tooCoarse(err) {
			return r, err
		}
		*p = Float64
	}
	return double()
}
