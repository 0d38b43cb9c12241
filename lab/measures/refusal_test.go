package measures

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// A refusal is the error of a call, and the one that it has to wrap.
type refusal struct{ got, want error }

func TestRefusals(t *testing.T) {
	const most = math.MaxFloat64
	nan, inf := math.NaN(), math.Inf(1)
	onePair := []coles.Edge{{U: 0, V: 1}}
	x, huge := testkit.Normal(6, 3, 1, 1), testkit.Normal(6, 3, 1e200, 1)
	empty := testkit.Must(coles.NewGraph(3, nil))
	path := testkit.Must(coles.NewGraph(3, onePair))
	triangle := testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1)))
	links := func(positive, negative []coles.Edge, by near.Similarity, k int) error {
		return testkit.Err(PredictLinks(background, x, positive, negative, by, k))
	}
	scores := func(x mat.Matrix, pairs ...coles.Edge) error { return testkit.Err(PairScores(background, x, pairs)) }
	density := func(sample, grid []float64, h float64) error {
		return testkit.Err(ParzenDensity(background, sample, grid, h))
	}
	divergence := func(x, y []float64, points int) error {
		return testkit.Err(JensenShannonOfSamples(background, x, y, points, 0))
	}
	compare := func(p PairedTest, a, b []float64) error { return testkit.Err(p.Compare(a, b)) }
	dw := testkit.Must(coles.Contrast(background, testkit.RandomGraph(3, 6, 0.5), coles.ExpectedUniformNegatives(), 1, 1, 0))
	contrast := func(y mat.Matrix) error { return testkit.Err(BlockContrast(background, dw, y)) }
	alignment := func(positive, negative []float64) error {
		_, _, err := AlignmentAndUniformity(positive, negative)
		return err
	}
	good, numbers, one := []float64{0, 1, 3}, []float64{1, 2}, []float64{1}
	for name, c := range map[string]refusal{
		"compare, lengths":                   {compare(PairedTest{}, numbers, one), coles.ErrShape},
		"compare, one":                       {compare(PairedTest{}, one, one), coles.ErrShape},
		"compare, NaN":                       {compare(PairedTest{}, numbers, []float64{1, nan}), coles.ErrNotFinite},
		"compare, infinity":                  {compare(PairedTest{}, []float64{1, inf}, numbers), coles.ErrNotFinite},
		"compare, a difference overflows":    {compare(PairedTest{}, []float64{1e308, 0}, []float64{-1e308, 0}), coles.ErrNotFinite},
		"compare, a square overflows":        {compare(PairedTest{}, []float64{1e200, 0}, []float64{-1e200, 0}), coles.ErrNotFinite},
		"compare, negative level":            {compare(PairedTest{Level: -1}, numbers, numbers), coles.ErrSetting},
		"compare, level 1":                   {compare(PairedTest{Level: 1}, numbers, numbers), coles.ErrSetting},
		"compare, level NaN":                 {compare(PairedTest{Level: nan}, numbers, numbers), coles.ErrSetting},
		"compare, no training nodes":         {compare(PairedTest{Test: 5}, numbers, numbers), coles.ErrSetting},
		"compare, no test nodes":             {compare(PairedTest{Train: 5}, numbers, numbers), coles.ErrSetting},
		"positive pairs, no edges":           {testkit.Err(PositivePairs(empty)), coles.ErrShape},
		"negative pairs, none":               {testkit.Err(NegativePairs(background, path, 0, 1)), coles.ErrSetting},
		"negative pairs, complete":           {testkit.Err(NegativePairs(background, triangle, 3, 1)), coles.ErrDense},
		"negative pairs, one node":           {testkit.Err(NegativePairs(background, testkit.Must(coles.NewGraph(1, nil)), 3, 1)), coles.ErrDense},
		"negative pairs, too many":           {testkit.Err(NegativePairs(background, path, math.MaxInt, 1)), coles.ErrSetting},
		"scores, no pairs":                   {scores(x), coles.ErrShape},
		"scores, row too large":              {scores(x, coles.Edge{U: 0, V: 6}), coles.ErrIndex},
		"scores, negative row":               {scores(x, coles.Edge{U: math.MinInt, V: 2}), coles.ErrIndex},
		"scores, overflow":                   {scores(huge, onePair...), coles.ErrNotFinite},
		"links, no positives":                {links(nil, onePair, near.Cosine, 1), coles.ErrShape},
		"links, no negatives":                {links(onePair, nil, near.Cosine, 1), coles.ErrShape},
		"links, row outside":                 {links([]coles.Edge{{U: 0, V: 6}}, onePair, near.Cosine, 1), coles.ErrIndex},
		"links, no such similarity":          {links(onePair, onePair, -1, 1), coles.ErrSetting},
		"links, hits at zero":                {links(onePair, onePair, near.Cosine, 0), coles.ErrSetting},
		"links, hits at more than negatives": {links(onePair, onePair, near.Cosine, 2), coles.ErrSetting},
		"density, no sample":                 {density(nil, good, 0), coles.ErrShape},
		"density, no sample, h given":        {density(nil, good, 1), coles.ErrShape},
		"density, no grid":                   {density(good, nil, 0), coles.ErrShape},
		"density, NaN":                       {density([]float64{0, nan}, good, 1), coles.ErrNotFinite},
		"density, infinite point":            {density(good, []float64{inf}, 1), coles.ErrNotFinite},
		"density, one number":                {density(one, good, 0), coles.ErrSetting},
		"density, equal numbers":             {density([]float64{0.1, 0.1, 0.1}, good, 0), coles.ErrSetting},
		"density, deviation overflows":       {density([]float64{-most, most}, good, 0), coles.ErrSetting},
		"density, negative bandwidth":        {density(good, good, -1), coles.ErrSetting},
		"density, NaN as bandwidth":          {density(good, good, nan), coles.ErrSetting},
		"density, infinite bandwidth":        {density(good, good, inf), coles.ErrSetting},
		"density, subnormal bandwidth":       {density(good, good, 5e-324), coles.ErrSetting},
		"grid, one point":                    {testkit.Err(DensityGrid(1, 1, good)), coles.ErrSetting},
		"grid, too many points":              {testkit.Err(DensityGrid(math.MaxInt, 1, good)), coles.ErrSetting},
		"grid, no sample":                    {testkit.Err(DensityGrid(9, 1)), coles.ErrShape},
		"grid, beyond all numbers":           {testkit.Err(DensityGrid(9, 1, []float64{-most, most})), coles.ErrNotFinite},
		"grid, the largest bandwidth":        {testkit.Err(DensityGrid(9, most, good)), coles.ErrNotFinite},
		"divergence, no sample":              {divergence(nil, good, 100), coles.ErrShape},
		"divergence, NaN":                    {divergence(good, []float64{nan, 1}, 100), coles.ErrNotFinite},
		"divergence, no spread":              {divergence(good, []float64{1, 1}, 100), coles.ErrSetting},
		"divergence, coarse grid":            {divergence(good, []float64{1, 1 + 1e-9}, 100), coles.ErrSetting},
		"divergence, one point":              {divergence(good, good, 1), coles.ErrSetting},
		"distance, no sample":                {testkit.Err(Wasserstein(good, nil)), coles.ErrShape},
		"distance, NaN":                      {testkit.Err(Wasserstein([]float64{nan}, good)), coles.ErrNotFinite},
		"distance, overflow":                 {testkit.Err(Wasserstein([]float64{-most}, []float64{most})), coles.ErrNotFinite},
		"contrast, rows":                     {contrast(testkit.Normal(5, 2, 1, 1)), coles.ErrShape},
		"contrast, NaN":                      {contrast(mat.NewDense(6, 1, []float64{0, 0, nan, 0, 0, 0})), coles.ErrNotFinite},
		"contrast, overflow":                 {contrast(huge), coles.ErrNotFinite},
		"alignment, no scores":               {alignment(nil, one), coles.ErrShape},
		"alignment, no others":               {alignment(one, nil), coles.ErrShape},
		"alignment, infinity":                {alignment(one, []float64{inf}), coles.ErrNotFinite},
		"bound, infinity":                    {testkit.Err(LipschitzBound(background, mat.NewDense(1, 1, []float64{inf}))), coles.ErrNotFinite},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, c.got, c.want) })
	}
}

// A given holds arguments for every function of this package.
type given struct {
	x             mat.Matrix
	pairs, others []coles.Edge
	g             *coles.Graph
	a, b          []float64
	k             int
	p             float64
}

// doors are the functions of this package that read a matrix, a graph or samples.
var doors = map[string]func(ctx context.Context, in given) (any, error){
	"PairScores": func(ctx context.Context, in given) (any, error) {
		return PairScores(ctx, in.x, in.pairs)
	},
	"PredictLinks": func(ctx context.Context, in given) (any, error) {
		return PredictLinks(ctx, in.x, in.pairs, in.others, near.Cosine, in.k)
	},
	"PredictLinks, dot": func(ctx context.Context, in given) (any, error) {
		return PredictLinks(ctx, in.x, in.pairs, in.others, near.DotProduct, in.k)
	},
	"LipschitzBound": func(ctx context.Context, in given) (any, error) { return LipschitzBound(ctx, in.x) },
	"NegativePairs":  func(ctx context.Context, in given) (any, error) { return NegativePairs(ctx, in.g, min(in.k, 1000), 1) },
	"ParzenDensity":  func(ctx context.Context, in given) (any, error) { return ParzenDensity(ctx, in.a, in.b, in.p) },
	"JensenShannonOfSamples": func(ctx context.Context, in given) (any, error) {
		return JensenShannonOfSamples(ctx, in.a, in.b, 64, in.p)
	},
	"PositivePairs": func(_ context.Context, in given) (any, error) { return PositivePairs(in.g) },
	"Compare":       func(_ context.Context, in given) (any, error) { return PairedTest{Level: in.p}.Compare(in.a, in.b) },
	"Compare, corrected": func(_ context.Context, in given) (any, error) {
		return PairedTest{Train: 1, Test: in.k}.Compare(in.a, in.b)
	},
	"DensityGrid":        func(_ context.Context, in given) (any, error) { return DensityGrid(min(in.k, 100), in.p, in.a, in.b) },
	"SilvermanBandwidth": func(_ context.Context, in given) (any, error) { return SilvermanBandwidth(in.a) },
	"Wasserstein":        func(_ context.Context, in given) (any, error) { return Wasserstein(in.a, in.b) },
}

// good arguments are taken by all doors.
func good() given {
	g := testkit.Must(coles.NewGraph(24, append(testkit.Ring(24, 1), coles.Edge{U: 0, V: 5})))
	pairs := []coles.Edge{{U: 0, V: 1}, {U: 2, V: 3}, {U: 1, V: 1}}
	return given{testkit.Normal(24, 5, 1, 61), pairs, pairs, g, []float64{1, 2, 4}, []float64{2, 1, 3}, 2, 0.5}
}

func TestBadMatricesAreRefused(t *testing.T) {
	of := make(map[string]func(x mat.Matrix) error)
	for _, name := range []string{"PairScores", "PredictLinks", "PredictLinks, dot", "LipschitzBound"} {
		of[name] = func(x mat.Matrix) error {
			bad := good()
			bad.x = x
			return testkit.Err(doors[name](background, bad))
		}
	}
	testkit.RefuseMatrices(t, 24, 5, of)
}

// Whatever the numbers are: an error with a name, or numbers that are numbers.
func TestExtremes(t *testing.T) {
	plain := testkit.Normal(24, 5, 1, 61)
	scaled := func(c float64) func(*given) {
		return func(in *given) {
			x := mat.DenseCopyOf(plain)
			x.Scale(c, x)
			in.x = x
		}
	}
	for name, change := range map[string]func(in *given){
		"good":          func(*given) {},
		"1e200":         scaled(1e200),
		"1e307":         scaled(1e307),
		"1e-200":        scaled(1e-200),
		"zeros":         scaled(0),
		"k = 0":         func(in *given) { in.k = 0 },
		"k < 0":         func(in *given) { in.k = -1 },
		"the largest k": func(in *given) { in.k = math.MaxInt },
		"no edges":      func(in *given) { in.g = testkit.Must(coles.NewGraph(24, nil)) },
		"every edge": func(in *given) {
			in.g = testkit.Must(coles.NewGraph(24, testkit.RandomEdges(testkit.Random(1), 24, 1)))
		},
		"no samples":        func(in *given) { in.a, in.b = nil, nil },
		"constant samples":  func(in *given) { in.a, in.b = []float64{2, 2, 2}, []float64{1, 1, 1} },
		"the largest ones":  func(in *given) { in.a[0], in.b[1] = math.MaxFloat64, -math.MaxFloat64 },
		"the smallest ones": func(in *given) { in.a, in.b = []float64{5e-324, 0, 0}, []float64{0, 5e-324, 5e-324} },
		"p = 0":             func(in *given) { in.p = 0 },
		"p < 0":             func(in *given) { in.p = -1 },
		"p is NaN":          func(in *given) { in.p = math.NaN() },
		"the largest p":     func(in *given) { in.p = math.MaxFloat64 },
		"the smallest p":    func(in *given) { in.p = 5e-324 },
	} {
		for door, open := range doors {
			in := good()
			change(&in)
			result, err := open(background, in)
			if err == nil {
				_, err = json.Marshal(result) // which has no numbers but finite ones
			} else if testkit.IsNamed(err) {
				err = nil
			}
			if err != nil {
				t.Errorf("%s, %s: %v", door, name, err)
			}
		}
	}
}

// Every function that takes a context stops at once if it has ended, and otherwise in time.
func TestContexts(t *testing.T) {
	over, cancel := context.WithCancel(background)
	cancel()
	const n = 100_000
	edges := make([]coles.Edge, 6*n)
	for q := range edges {
		edges[q] = coles.Edge{U: q % n, V: (q*7919 + q/n + 13) % n}
	}
	sample := testkit.Normal(1, n, 1, 3).RawRowView(0)
	large := given{testkit.Normal(n, 64, 1, 1), edges, edges, testkit.Must(coles.NewGraph(n, edges)), sample, sample, 7, 0.5}
	for _, name := range []string{"PairScores", "PredictLinks", "PredictLinks, dot", "LipschitzBound", "NegativePairs", "ParzenDensity", "JensenShannonOfSamples"} {
		if err := testkit.Err(doors[name](over, good())); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		if testing.Short() {
			continue
		}
		open := doors[name]
		if name == "NegativePairs" {
			open = func(ctx context.Context, in given) (any, error) { return NegativePairs(ctx, in.g, 3*n, 1) }
		}
		t.Run(name, func(t *testing.T) {
			testkit.Stops(t, func(ctx context.Context) error { return testkit.Err(open(ctx, large)) })
		})
	}
}
