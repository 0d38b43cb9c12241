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

// Alignment measures s, r and q on a graph with features X (n × d), prepared as [Fit] with these settings does. None depends
// on the numbering of nodes: s begins with random combinations of columns, and r with hashes of features and neighbours. s
// takes some 30 products of X and of Xᵀ with 8 columns. r takes 9 hops of 34 columns in float64, or 144 hops. q applies F to
// 32 columns four times. Errors: as [Fit].
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
	a, err := alignmentBy(ctx, alignment.Parts[T]{
		Source: source, X: x, Graph: g.adj, Degrees: g.degree, Edges: g.report.Edges, Seed: s.Seed, Room: room,
		Filter: s.filterFor(x.Cols()).coef,
		Walk: func(ctx context.Context) (*kernel.CSR[T], error) {
			w, err := matrix.Normalized(ctx, g.adj, true)
			if err != nil {
				return nil, err
			}
			return matrix.ConvertIn[T](ctx, w)
		},
	})
	if err != nil {
		err = fmt.Errorf("coles: alignment: %w", err)
	}
	return a, err
}

// String explains the choice, and says if chance may have made it.
func (a Alignment) String() string {
	name := map[bool]string{true: "graph model", false: "feature model"}[a.Kind() == UseGraph]
	if a == (Alignment{Known: true}) {
		return "the graph has no edges: " + name
	}
	why := fmt.Sprintf("neighbours weigh %.2g times as much as a node's own features", a.Neighbours)
	switch {
	case a.open() && !a.Known:
		why = "features hardly tell anything"
	case a.Neighbours < 0.05:
		why = "neighbours are no more alike than other nodes"
	}
	why += fmt.Sprintf(" (s = %.2f ± %.2f)", a.Neighbours, a.Deviation)
	if a.Ratio > 0 {
		why += fmt.Sprintf(", hidden features follow %.2g times as well from neighbours' as from a node's own (q)", a.Ratio)
	}
	near := math.Abs(a.Neighbours-enough) < a.Deviation
	switch {
	case a.open() && a.CommunitiesSpread == 0 && a.Communities > 0:
		why += ", there are too few nodes to see communities"
	case a.open() && !a.Known:
		has := map[bool]string{true: "communities", false: "no communities"}[a.Kind() == UseGraph]
		why += fmt.Sprintf(", the graph has %s (r = %.2f ± %.2f)", has, a.Communities, a.CommunitiesSpread)
	case a.open():
		size := map[bool]string{true: "large", false: "small"}[a.Communities >= alignment.Small]
		why += fmt.Sprintf(", communities are %s (r = %.2f ± %.2f)", size, a.Communities, a.CommunitiesSpread)
		near = a.Communities < alignment.Small && near || math.Abs(a.Communities-alignment.Small) < a.CommunitiesSpread
	}
	if near && a.Known {
		name += ", by less than the error"
	}
	return why + ": " + name
}
