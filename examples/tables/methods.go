package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"coles"
	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// A method turns a data set into one row per node without its labels, or (one
// that is trained on labels) into accuracies on given splits.
type method struct {
	name     string
	features bool // needs features
	asIs     bool // is clustered without scaling its rows
	// choose finds a setting for a data set, without labels, and the method with
	// it; nil for one that has the same everywhere.
	choose func(ctx context.Context, p *problem) (setting, method, error)
	// One of these: in closed form, trained from a seed, or trained on labels.
	embed    func(ctx context.Context, p *problem) (mat.Matrix, error)
	train    func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error)
	classify func(ctx context.Context, p *problem, splits []dataset.Split, seed uint64) ([]float64, error)
}

// The filters of the paper's tables: S²GC is in the authors' form.
var (
	s2gc = coles.S2GCSum(8)
	sgc  = coles.SGC(2)
)

// closedMethods train nothing: they do not depend on a seed.
var closedMethods = []method{
	{name: "Raw", features: true, embed: func(_ context.Context, p *problem) (mat.Matrix, error) { return p.Features, nil }},
	{name: "SGC", features: true, embed: func(ctx context.Context, p *problem) (mat.Matrix, error) { return filter(ctx, p, sgc, p.Features) }},
	{name: "S2GC", features: true, embed: func(ctx context.Context, p *problem) (mat.Matrix, error) { return filter(ctx, p, s2gc, p.Features) }},
	{name: "S2GC (same features)", features: true, embed: sameFeatures},
	{name: "PCA-S2GC", features: true, embed: pca},
	{name: "RP-S2GC", features: true, embed: randomProjection},
	{name: "COLES-SGC", features: true, embed: fit(coles.WithFilter(sgc))},
	{name: "COLES-S2GC", features: true, embed: fit()},
	{name: "LPP", features: true, embed: fit(coles.WithKappa(0))},
	{name: "Eigenmaps", embed: eigenmaps},
}

// seeds is how often a method is measured: once where every seed gives the same.
func (m method) seeds(o options) int {
	if m.embed != nil {
		return 1
	}
	return o.seeds
}

// embedded is the embedding of a method that has one.
func (m method) embedded(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
	if m.embed != nil {
		return m.embed(ctx, p)
	}
	return m.train(ctx, p, seed)
}

func allMethods() []method { return slices.Concat(closedMethods, trainedMethods) }

// embedders are those of closedMethods with these names.
func embedders(names ...string) []method {
	var named []method
	for _, m := range closedMethods {
		if slices.Contains(names, m.name) {
			named = append(named, m)
		}
	}
	return named
}

// methodNames are the names of methods, each once.
func methodNames(methods []method) []string {
	var names []string
	for _, m := range methods {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// findMethods looks up a comma-separated list among methods.
func findMethods(among []method, list string) ([]method, error) {
	var found []method
	for _, name := range fields(list) {
		at := slices.IndexFunc(among, func(m method) bool { return plain(m.name) == plain(name) })
		if at < 0 {
			return nil, fmt.Errorf("-methods: %q is none of %s", name, strings.Join(methodNames(among), ", "))
		}
		found = append(found, among[at])
	}
	return found, nil
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

func filter(ctx context.Context, p *problem, f coles.Filter, x mat.Matrix) (*mat.Dense, error) {
	return f.Apply(ctx, coles.Normalize(p.graph, coles.SelfLoops), x)
}

// sameFeatures is S²GC with what COLES has beside P: prepared features and the
// scale of the rows.
func sameFeatures(ctx context.Context, p *problem) (mat.Matrix, error) {
	prepare, err := coles.FitPreparation(ctx, p.Features, coles.PrepareAuto)
	if err != nil {
		return nil, err
	}
	x, err := prepare.Apply(ctx, p.Features)
	if err != nil {
		return nil, err
	}
	fx, err := filter(ctx, p, s2gc, x)
	if err != nil {
		return nil, err
	}
	_, d := fx.Dims()
	even := make([]float64, d)
	for j := range even {
		even[j] = 1
	}
	s, err := coles.SpectralScaling(ctx, fx, even, coles.WithPower(0))
	if err != nil {
		return nil, err
	}
	return s.Apply(ctx, fx)
}

// reducedDim is the number of columns the paper's baselines keep: 512, and 256
// of Pubmed's 500.
func reducedDim(p *problem) int {
	n, d := p.Features.Dims()
	dim := 512
	if d <= dim {
		dim = 256
	}
	return min(dim, n, d)
}

func pca(ctx context.Context, p *problem) (mat.Matrix, error) {
	fx, err := filter(ctx, p, s2gc, p.Features)
	if err != nil {
		return nil, err
	}
	return eval.PCA(ctx, fx, reducedDim(p))
}

// projectionSeed is where the random projection comes from.
const projectionSeed = 1

func randomProjection(ctx context.Context, p *problem) (mat.Matrix, error) {
	// Projecting first is the same product, F(XR) = (FX)R, over fewer columns.
	dim := reducedDim(p)
	xr, err := eval.RandomProjection(ctx, p.Features, dim, projectionSeed)
	if err != nil {
		return nil, err
	}
	// The paper does not say how it scales R. Entries of variance 1 are within
	// a deviation of five of its six figures, entries of variance 1/dim of three.
	xr.Scale(math.Sqrt(float64(dim)), xr)
	return filter(ctx, p, s2gc, xr)
}

// fit is COLES at its default setting but for the options given.
func fit(opts ...coles.Option) func(context.Context, *problem) (mat.Matrix, error) {
	return func(ctx context.Context, p *problem) (mat.Matrix, error) {
		m, err := coles.Fit(ctx, p.graph, p.Features, opts...)
		if err != nil {
			return nil, err
		}
		return m.Embedding(), nil
	}
}

// eigenmaps embeds the graph alone.
func eigenmaps(ctx context.Context, p *problem) (mat.Matrix, error) {
	m, err := coles.Fit(ctx, p.graph, nil)
	if err != nil {
		return nil, err
	}
	return m.Embedding(), nil
}
