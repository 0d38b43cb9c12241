package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// ablated are the graphs and tables at hand that a fit takes seconds of.
var ablated = []string{"texas", "cornell", "wisconsin", "chameleon", "cora", "citeseer", "squirrel", "actor", "amazon_photo", "flickr", "tolokers", "pubmed",
	"flights", "flights-city", "flights-country", "packages", "packages-model", "counties-state", "counties-vote", "counties-unemployment",
	"digits", "breast_cancer", "wine", "lastfm", "usa_flights"}

// What each rule of the default is worth: the default with it off, less the default.
func ablationTable() table {
	var whole outcome
	off := func(name string, opts ...coles.Option) method {
		return method{name: name, graphOnly: true, embed: fit(opts...)}
	}
	with := func(name string, change func(s *coles.Settings)) method { return off(name, coles.With(change)) }
	scaling := func(name string, rule coles.ScalingRule) method {
		return with(name, func(s *coles.Settings) { s.Scaling = rule })
	}
	return table{
		Name: "ablation", Title: "Rules of the default", apart: true, tall: true, datasets: ablated,
		about: "Accuracy with 5 and 20 labelled nodes per class, and NMI of k-means, in percent; in all columns but the first less that of the default, and nothing where the vectors are the same. " +
			"Of a rule that no setting switches the alternative that settings have is in its place.",
		rows: []method{
			off("COLES"),
			with("always the graph", func(s *coles.Settings) { s.Kind = coles.UseGraph }),
			{name: "without r", embed: withKind(func(a *coles.Alignment) { a.Communities, a.CommunitiesSpread = 0, 0 })},
			{name: "without q", embed: withKind(func(a *coles.Alignment) { a.Ratio = 0 })},
			with("no structure", func(s *coles.Settings) { s.Structure = 0 }),
			with("half structure", func(s *coles.Settings) { s.Structure = 0.5 }),
			with("weights as they are", func(s *coles.Settings) { s.WeightSpan = 0 }),
			with("no negatives", func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.NegativeSampler{}, 0, 0 }),
			off("2 hops", coles.WithFilter(sgc)),
			off("8 hops", coles.WithFilter(s2gc)),
			scaling("γ = 0", coles.ScalingRule{Norm: defaultNorm}),
			scaling("γ = 1", coles.ScalingRule{Power: 1, Norm: defaultNorm}),
			scaling("rank 20", coles.ScalingRule{Rank: 20, Floor: 20, Norm: defaultNorm}),
			off("32 columns", coles.WithDim(32)),
			with("as stored", func(s *coles.Settings) { s.Preparation = coles.PrepareNone }),
			with("rows of length 1", func(s *coles.Settings) { s.Preparation = coles.PrepareRowL2 }),
		},
		measure: func(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
			start := time.Now()
			y, err := m.embed(ctx, p, 1)
			if errors.Is(err, coles.ErrSetting) { // which the data set has no use for
				return nil, nil
			}
			if err != nil || m.name != "COLES" && mat.Equal(y, whole.vectors) {
				return nil, err
			}
			c := cell{Seeds: 1, Seconds: time.Since(start).Seconds()}
			found, err := judged(ctx, p, y)
			if err != nil {
				return nil, err
			}
			if m.name == "COLES" {
				whole = found
			}
			for k, label := range []string{"5", "20", "NMI"} {
				figure := found.figures[k]
				if m.name != "COLES" {
					figure -= whole.figures[k]
				}
				c.Measures = append(c.Measures, measure{Key: strings.ToLower(label), Label: label, Mean: scalar.Round(100*figure, 1), Plain: true})
			}
			return []cell{c}, nil
		},
	}
}

// An outcome is how good vectors are: accuracy with 5 and 20 labels a class, and NMI.
type outcome struct {
	vectors mat.Matrix
	figures [3]float64
}

func judged(ctx context.Context, p *problem, y mat.Matrix) (found outcome, err error) {
	found.vectors = y
	for k, per := range perClass {
		splits, err := p.splits(per)
		if err != nil {
			return found, err
		}
		result, err := eval.Protocol{}.Classify(ctx, y, p.Labels, splits)
		if err != nil {
			return found, err
		}
		found.figures[k] = stat.Mean(result.Each, nil)
	}
	known := slices.Clone(p.Labels)
	for _, i := range p.Unlabeled {
		known[i] = -1
	}
	clusters, err := eval.Protocol{}.Cluster(ctx, y, known)
	if err == nil {
		found.figures[2] = stat.Mean(clusters.NMI.Each, nil)
	}
	return found, err
}

// withKind is the kind that a measurement is for once it has been changed.
func withKind(change func(a *coles.Alignment)) embedder {
	return func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		a, err := coles.DefaultSettings().Alignment(ctx, p.graph, p.Features)
		if err != nil {
			return nil, err
		}
		before := a.Kind()
		if change(&a); a.Kind() == before { // to set it would be to leave out the share that s and r decide
			return fit()(ctx, p, seed)
		}
		return fit(coles.With(func(s *coles.Settings) { s.Kind = a.Kind() }))(ctx, p, seed)
	}
}
