package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// A method turns a data set into one row per node, without its labels.
type method struct {
	name     string
	features bool // needs features
	embed    func(ctx context.Context, p *problem) (mat.Matrix, error)
}

// The filters of the paper's tables: S²GC is in the authors' form.
var (
	s2gc = coles.S2GCSum(8)
	sgc  = coles.SGC(2)
)

var methods = []method{
	{"Raw", true, func(_ context.Context, p *problem) (mat.Matrix, error) { return p.Features, nil }},
	{"SGC", true, func(ctx context.Context, p *problem) (mat.Matrix, error) { return filter(ctx, p, sgc, p.Features) }},
	{"S2GC", true, func(ctx context.Context, p *problem) (mat.Matrix, error) { return filter(ctx, p, s2gc, p.Features) }},
	{"S2GC (same features)", true, sameFeatures},
	{"PCA-S2GC", true, pca},
	{"RP-S2GC", true, randomProjection},
	{"COLES-SGC", true, fit(coles.WithFilter(sgc))},
	{"COLES-S2GC", true, fit()},
	{"LPP", true, fit(coles.WithKappa(0))},
	{"Eigenmaps", false, eigenmaps},
}

func methodNames() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// findMethods looks up a comma-separated list; an empty one means all.
func findMethods(list string) ([]method, error) {
	if strings.TrimSpace(list) == "" {
		return methods, nil
	}
	var found []method
next:
	for _, name := range fields(list) {
		for _, m := range methods {
			if plain(m.name) == plain(name) {
				found = append(found, m)
				continue next
			}
		}
		return nil, fmt.Errorf("-methods: %q is none of %s", name, strings.Join(methodNames(), ", "))
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
	prepare, err := coles.FitPreparation(p.Features, coles.PrepareAuto)
	if err != nil {
		return nil, err
	}
	x, err := prepare.Apply(p.Features)
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
	s, err := coles.SpectralScaling(fx, even, coles.WithPower(0))
	if err != nil {
		return nil, err
	}
	return s.Apply(fx)
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
