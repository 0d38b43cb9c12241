package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"coles"
	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/gnn"
	"coles/lab/baselines"
	"coles/plane"

	"gonum.org/v1/gonum/mat"
)

// An embedder turns a data set into one row per node without its labels.
type embedder func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error)

// A method is a row of a table: an embedder, or what is trained on labels.
type method struct {
	name      string
	varied    *setting // in an ablation
	graphOnly bool     // needs no features
	choosesC  bool     // is classified with C by cross-validation, whatever the column
	asIs      bool     // is clustered without scaling its rows
	seeded    bool     // depends on the seed; others are measured once
	// choose finds a setting for a data set, without labels, and the embedder with it; nil for a
	// method that has the same everywhere.
	choose func(ctx context.Context, p *problem) (setting, embedder, error)
	embed  embedder
	// settings are the settings of a network trained without labels, for a data set; nil for other methods.
	settings func(dataset string) gnn.Settings
	// classify trains on the labels of each split and is the accuracies, in percent, in place of
	// embed.
	classify func(ctx context.Context, p *problem, splits []dataset.Split, seed uint64) ([]float64, error)
	// learn learns a task of the large table; a transductive one has to be of all nodes.
	learn        func(ctx context.Context, t *task) (*learned, error)
	transductive bool
}

// The filters of the paper's tables: S²GC is in the authors' form.
var (
	s2gc = coles.S2GCSum(8)
	sgc  = coles.SGC(2)
)

// closedMethods train nothing: they do not depend on a seed.
var closedMethods = []method{
	{name: "Raw", embed: raw},
	{name: "SGC", embed: filtered(sgc)},
	{name: "S2GC", embed: filtered(s2gc)},
	{name: "S2GC (same features)", embed: smoothed(s2gc)},
	{name: "PCA-S2GC", embed: pca},
	{name: "RP-S2GC", embed: randomProjection},
	{name: "COLES-SGC", embed: fit(coles.With(func(s *coles.Settings) { s.Kind, s.Filter = coles.UseGraph, sgc }))},
	{name: "COLES-S2GC", embed: fit()},
	{name: "COLES-S2GC (C chosen)", embed: fit(), choosesC: true},
	{name: "LPP", embed: fit(coles.With(func(s *coles.Settings) {
		s.Kind = coles.UseGraph
		s.Negatives, s.Kappa, s.Eta = coles.NegativeSampler{}, 0, 0
	}))},
	{name: "COLES without features", embed: withoutFeatures(), graphOnly: true},
	{name: "Eigenmaps", embed: eigenmaps, graphOnly: true},
}

// trainedMethods train a network without labels, once for every seed. Each has one setting for all
// data sets.
var trainedMethods = []method{
	trained("COLES-Linear (Adam)", gnn.WithSettings(gnn.LinearSettings())),
	trained("COLES-GCN"),
	trained("COLES-GCN (Stiefel)", gnn.WithSettings(gnn.StiefelSettings())),
	trained("COLES-GCN (+Aug)", gnn.WithSettings(gnn.AugmentedSettings())),
	powerMean("COLES-S2GC (geometric)", 0),
	powerMean("COLES-S2GC (arithmetic)", 1),
	powerMean("COLES-S2GC (harmonic)", -1),
	powerMean("COLES-S2GC (quadratic)", 2),
	sampledNCE("GCN+SampledNCE", gnn.GCN, coles.PrepareRowL2),
	sampledNCE("GCN+SampledNCE (row sums)", gnn.GCN, coles.PrepareRowL1),
	sampledNCE("SAGE+SampledNCE", gnn.SAGE, coles.PrepareRowL1),
}

// allMethods are the methods of the accuracy tables.
func allMethods() []method {
	return slices.Concat(closedMethods, trainedMethods, rivalMethods, supervisedMethods)
}

// title is the name of a row.
func (m method) title() string { return cell{Method: m.name, Varied: m.varied}.rowName() }

// seeds counts the measurements of a method.
func (m method) seeds(o options) int {
	if m.seeded {
		return o.seeds
	}
	return 1
}

func (m method) String() string { return m.name }

// pick finds methods by name. It passes over names that there are not.
func pick(among []method, names ...string) []method {
	var found []method
	for _, name := range names {
		if at := slices.IndexFunc(among, func(m method) bool { return plain(m.name) == plain(name) }); at >= 0 {
			found = append(found, among[at])
		}
	}
	return found
}

// plain reduces a name to lower-case letters and digits; ² is 2.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '²':
			return '2'
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func raw(_ context.Context, p *problem, _ uint64) (mat.Matrix, error) { return p.Features, nil }

func filtered(f coles.Filter) embedder {
	return func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
		return f.Apply(ctx, coles.Normalize(p.graph), p.Features)
	}
}

// smoothed filters with what COLES has apart from P: prepared features and the scale of the rows.
func smoothed(f coles.Filter) embedder {
	return func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
		x, err := cli.Prepared(ctx, coles.PrepareAuto, p.Features)
		if err != nil {
			return nil, err
		}
		fx, err := f.Apply(ctx, coles.Normalize(p.graph), x)
		if err != nil {
			return nil, err
		}
		return toNorm(ctx, fx)
	}
}

// reducedDim is the number of columns the paper's baselines keep: 512, and 256 of Pubmed's 500.
func reducedDim(p *problem) int {
	n, d := p.Features.Dims()
	dim := 512
	if d <= dim {
		dim = 256
	}
	return min(dim, n, d)
}

func pca(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
	fx, err := s2gc.Apply(ctx, coles.Normalize(p.graph), p.Features)
	if err != nil {
		return nil, err
	}
	return plane.PCA(ctx, fx, reducedDim(p))
}

// projectionSeed is where the random projection comes from.
const projectionSeed = 1

func randomProjection(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
	// Projecting first is the same product, F(XR) = (FX)R, over fewer columns.
	dim := reducedDim(p)
	xr, err := baselines.RandomProjection(ctx, p.Features, dim, projectionSeed)
	if err != nil {
		return nil, err
	}
	// The paper does not state how it scales R. Entries of variance 1 are within a deviation of five
	// of its six figures, entries of variance 1/dim of three.
	xr.Scale(math.Sqrt(float64(dim)), xr)
	return s2gc.Apply(ctx, coles.Normalize(p.graph), xr)
}

// fit is COLES at its default setting but for the options given.
func fit(opts ...coles.Option) embedder {
	return func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
		m, err := coles.Fit(ctx, p.graph, p.Features, opts...)
		if err != nil {
			return nil, err
		}
		return m.Embedding(), nil
	}
}

// fitFor is COLES with the settings for a purpose but for the options given.
func fitFor(purpose func(nodes, features int) coles.Settings, opts ...coles.Option) embedder {
	return func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		_, d := p.Features.Dims()
		s := coles.WithSettings(purpose(p.Nodes(), d))
		return fit(append([]coles.Option{s}, opts...)...)(ctx, p, seed)
	}
}

// withoutFeatures is COLES of the graph alone.
func withoutFeatures(opts ...coles.Option) embedder {
	return func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		return fit(opts...)(ctx, &problem{Dataset: new(dataset.Dataset), graph: p.graph}, seed)
	}
}

// eigenmaps is the paper's problem with a free embedding, its columns weighted by the power of their eigenvalues at which the
// effective rank is 40. Those of a graph fall slower than those of its features, and no power up to 3 tells them apart. The
// vectors that are constant on components, of eigenvalue 1, are left out.
func eigenmaps(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
	d := coles.DefaultSettings()
	dw, err := coles.Contrast(ctx, p.graph, d.Negatives, d.Kappa, d.Eta, d.Seed)
	if err != nil {
		return nil, err
	}
	_, components := p.graph.Components()
	all, lambda, err := coles.Eigenmaps(ctx, dw, min(128+components, p.Nodes()))
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(lambda, func(v float64) bool { return v < 1-1e-9 })
	last := min(first+128, len(lambda))
	y, lambda := mat.DenseCopyOf(all.Slice(0, p.Nodes(), first, last)), lambda[first:last]
	scaling, lo, hi := new(coles.Scaling), 0.0, 400.0
	for range 30 {
		rule := coles.ScalingRule{Power: (lo + hi) / 2, Norm: defaultNorm}
		if scaling, err = rule.Fit(ctx, y, lambda); err != nil {
			return nil, err
		}
		if scaling.EffectiveRank > 40 {
			lo = rule.Power
		} else {
			hi = rule.Power
		}
	}
	return scaling.Apply(ctx, y)
}

// trained is a network trained without labels.
func trained(name string, opts ...gnn.Option) method {
	return method{name: name, seeded: true, embed: func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		m, err := gnn.Train(ctx, p.graph, p.Features, append(opts[:len(opts):len(opts)], gnn.With(func(s *gnn.Settings) { s.Seed = seed }))...)
		if err != nil {
			return nil, err
		}
		return m.Embedding(), nil
	}}
}

// powerMean is the linear encoder with a generalised mean of that order.
func powerMean(name string, order float64) method {
	return trained(name, gnn.WithSettings(gnn.LinearSettings()), gnn.With(func(s *gnn.Settings) { s.Objective, s.FreshNegatives = gnn.PowerMean(order, 5), true }))
}

// sampledNCE is the paper's rival: two layers of one kind, for 20 epochs, on prepared features times 5. Trained for long it
// falls to the paper's figures.
func sampledNCE(name string, layer func(width int) gnn.Layer, p coles.Preparation) method {
	return trained(name, gnn.With(func(s *gnn.Settings) { s.Network = gnn.Network{layer(512), gnn.ReLU(), layer(gnn.AutoWidth)} }), gnn.With(func(s *gnn.Settings) {
		s.Objective = gnn.SampledNCE(5, 1)
		s.FreshNegatives = true
		s.Preparation, s.FeatureScale = p, 5
		s.Epochs = 20
	}))
}
