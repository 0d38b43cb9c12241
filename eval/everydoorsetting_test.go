package eval

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// The table of settings, counts and options, on good data.
func TestSettingDoors(t *testing.T) {
	const n = 12
	x, labels, g := normal(n, 3, 1, 7), slices.Repeat([]int{0, 1}, n/2), graphOf(n, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}})
	nan, inf := math.NaN(), math.Inf(1)
	classify := func(opts ...ClassifyOption) (any, error) {
		return Classify(background, x, labels, halfSplit(labels), opts...)
	}
	cluster := func(opts ...ClusterOption) (any, error) { return Cluster(background, x, labels, opts...) }
	kmeans := func(k KMeans) (any, error) { k.Clusters = 2; return k.Fit(background, x) }
	mlp := func(change func(p *MLP)) (any, error) {
		p := tinyMLP
		change(&p)
		return p.Fit(background, x, upTo(n), nil, labels)
	}
	logistic := func(l LogisticRegression) (any, error) { return l.Fit(background, x, upTo(n), labels) }
	splits := func(s ...dataset.Split) (any, error) { return Classify(background, x, labels, s) }
	links := func(l *HeldOutLinks, by Similarity, k int) (any, error) { return PredictLinks(background, x, l, by, k) }
	held := &HeldOutLinks{Positive: doorPairs, Negative: doorPairs}
	sample := []float64{1, 2, 4}
	for name, c := range map[string]struct {
		want error
		open func() (any, error)
	}{
		"C = 0":               {ErrPenalty, func() (any, error) { return classify(WithC(0)) }},
		"C = NaN":             {ErrPenalty, func() (any, error) { return classify(WithC(nan)) }},
		"the largest C":       {ErrNotFinite, func() (any, error) { return classify(WithC(math.MaxFloat64)) }},
		"the smallest C":      {nil, func() (any, error) { return classify(WithC(5e-324)) }},
		"a nil classifier":    {ErrParameter, func() (any, error) { return classify(WithClassifier[*LinearModel](nil)) }},
		"a nil validated one": {ErrParameter, func() (any, error) { return classify(WithValidatedClassifier[*LinearModel](nil)) }},
		"a classifier of nothing": {ErrParameter, func() (any, error) {
			return classify(WithClassifier(func(context.Context, mat.Matrix, []int, []int) (Predictor, error) { return nil, nil }))
		}},
		"a nil model": {ErrShape, func() (any, error) {
			return classify(WithClassifier(func(context.Context, mat.Matrix, []int, []int) (*MLPModel, error) { return nil, nil }))
		}},
		"no splits":                 {ErrEmpty, func() (any, error) { return splits() }},
		"an empty split":            {ErrEmpty, func() (any, error) { return splits(dataset.Split{}) }},
		"a split of absurd rows":    {ErrRow, func() (any, error) { return splits(dataset.Split{Train: []int{0, 1, math.MinInt}}) }},
		"an absurd validation row":  {ErrRow, func() (any, error) { return splits(dataset.Split{Train: []int{0, 1}, Val: []int{math.MaxInt}}) }},
		"an absurd test row":        {ErrRow, func() (any, error) { return splits(dataset.Split{Train: []int{0, 1}, Test: []int{-1}}) }},
		"a row twice":               {ErrSplit, func() (any, error) { return splits(dataset.Split{Train: []int{0, 1}, Test: []int{2, 2}}) }},
		"no label rates":            {ErrEmpty, func() (any, error) { return LabelRates(background, x, labels, nil, 1, 1) }},
		"a rate of zero":            {dataset.ErrOption, func() (any, error) { return LabelRates(background, x, labels, []int{0}, 1, 1) }},
		"the largest rate":          {nil, func() (any, error) { return LabelRates(background, x, labels, []int{math.MaxInt}, 1, 1) }},
		"the most splits":           {dataset.ErrTooLarge, func() (any, error) { return LabelRates(background, x, labels, []int{1}, math.MaxInt, 1) }},
		"a candidate C of NaN":      {ErrPenalty, func() (any, error) { return logistic(LogisticRegression{Cs: []float64{1, nan}}) }},
		"one fold":                  {ErrParameter, func() (any, error) { return logistic(LogisticRegression{Cs: []float64{1}, Folds: 1}) }},
		"the most folds":            {ErrParameter, func() (any, error) { return logistic(LogisticRegression{Cs: []float64{1}, Folds: math.MaxInt}) }},
		"an infinite C":             {ErrPenalty, func() (any, error) { return logistic(LogisticRegression{C: inf}) }},
		"neighbours below zero":     {ErrParameter, func() (any, error) { return KNN{K: -1}.Fit(background, x, upTo(n), labels) }},
		"the most neighbours":       {ErrParameter, func() (any, error) { return KNN{K: math.MaxInt}.Fit(background, x, upTo(n), labels) }},
		"a width of zero":           {ErrParameter, func() (any, error) { return mlp(func(p *MLP) { p.Hidden = []int{0} }) }},
		"2³¹ weights":               {ErrParameter, func() (any, error) { return mlp(func(p *MLP) { p.Hidden = []int{math.MaxInt32} }) }},
		"a rate of NaN":             {ErrParameter, func() (any, error) { return mlp(func(p *MLP) { p.Rate = nan }) }},
		"the largest learning rate": {ErrConvergence, func() (any, error) { return mlp(func(p *MLP) { p.Rate = math.MaxFloat64 }) }},
		"dropout of NaN":            {ErrParameter, func() (any, error) { return mlp(func(p *MLP) { p.Dropout = nan }) }},
		"epochs below zero":         {ErrParameter, func() (any, error) { return mlp(func(p *MLP) { p.Epochs = -1 }) }},
		"patience below zero":       {ErrParameter, func() (any, error) { return mlp(func(p *MLP) { p.Patience = -1 }) }},
		"a zero MLP":                {ErrParameter, func() (any, error) { return MLP{}.Fit(background, x, upTo(n), nil, labels) }},
		"no runs":                   {ErrParameter, func() (any, error) { return cluster(WithRuns(0)) }},
		"the most runs":             {ErrParameter, func() (any, error) { return cluster(WithRuns(math.MaxInt)) }},
		"starts below zero":         {ErrParameter, func() (any, error) { return kmeans(KMeans{Starts: -1}) }},
		"the most starts":           {ErrParameter, func() (any, error) { return kmeans(KMeans{Starts: math.MaxInt}) }},
		"the most iterations":       {nil, func() (any, error) { return kmeans(KMeans{MaxIterations: math.MaxInt}) }},
		"tolerance of NaN":          {ErrParameter, func() (any, error) { return kmeans(KMeans{Tolerance: nan}) }},
		"the largest tolerance":     {nil, func() (any, error) { return kmeans(KMeans{Tolerance: math.MaxFloat64}) }},
		"a zero KMeans":             {ErrClusters, func() (any, error) { return KMeans{}.Fit(background, x) }},
		"no such similarity":        {ErrParameter, func() (any, error) { return NearestRows(background, x, []int{0}, 1, Similarity(-1)) }},
		"no rows to search for":     {ErrEmpty, func() (any, error) { return NearestRows(background, x, nil, 1, Cosine) }},
		"an absurd row":             {ErrRow, func() (any, error) { return NearestRows(background, x, []int{math.MaxInt}, 1, Cosine) }},
		"nil queries":               {ErrShape, func() (any, error) { return NearestTo(background, x, (*mat.Dense)(nil), 1, Cosine) }},
		"queries of other width":    {ErrShape, func() (any, error) { return NearestTo(background, x, normal(2, 4, 1, 1), 1, Cosine) }},
		"nil links":                 {ErrEmpty, func() (any, error) { return links(nil, Cosine, 1) }},
		"zero links":                {ErrEmpty, func() (any, error) { return links(new(HeldOutLinks), Cosine, 1) }},
		"hits at zero":              {ErrParameter, func() (any, error) { return links(held, DotProduct, 0) }},
		"hits at the most":          {ErrParameter, func() (any, error) { return links(held, DotProduct, math.MaxInt) }},
		"links of absurd rows": {ErrRow, func() (any, error) {
			return links(&HeldOutLinks{Positive: []coles.Edge{{U: math.MinInt, V: math.MaxInt}}, Negative: doorPairs}, Cosine, 1)
		}},
		"an unknown similarity":     {ErrParameter, func() (any, error) { return links(held, 2, 1) }},
		"a share of NaN":            {ErrParameter, func() (any, error) { return HoldOutLinks(background, g, nan, 1) }},
		"a share of one":            {ErrParameter, func() (any, error) { return HoldOutLinks(background, g, 1, 1) }},
		"no nodes":                  {ErrEmpty, func() (any, error) { return Induce(background, g, x, nil) }},
		"a node twice":              {ErrDuplicate, func() (any, error) { return Induce(background, g, x, []int{1, 1}) }},
		"an absurd node":            {ErrRow, func() (any, error) { return EmbedInductive(background, g, x, []int{math.MinInt}) }},
		"no pairs":                  {ErrEmpty, func() (any, error) { return Alignment(background, x, nil, 2) }},
		"no triples":                {ErrEmpty, func() (any, error) { return MeanSeparation(background, x, nil) }},
		"an absurd triple":          {ErrRow, func() (any, error) { return MeanSeparation(background, x, []Triple{{0, 1, math.MaxInt}}) }},
		"alignment alpha of NaN":    {ErrParameter, func() (any, error) { return Alignment(background, x, doorPairs, nan) }},
		"alignment's largest alpha": {ErrNotFinite, func() (any, error) { return Alignment(background, x, doorPairs, math.MaxFloat64) }},
		"p of NaN":                  {ErrParameter, func() (any, error) { return ContrastUniformity(background, x, doorPairs, nan) }},
		"the largest p":             {nil, func() (any, error) { return ContrastUniformity(background, x, doorPairs, math.MaxFloat64) }},
		"the smallest p":            {nil, func() (any, error) { return ContrastUniformity(background, x, doorPairs, -5e-324) }},
		"t = 0":                     {ErrParameter, func() (any, error) { return Uniformity(background, x, 0) }},
		"the largest t":             {nil, func() (any, error) { return Uniformity(background, x, math.MaxFloat64) }},
		"one point":                 {ErrParameter, func() (any, error) { return DensityGrid(1, 1, sample) }},
		"the most points":           {ErrParameter, func() (any, error) { return DensityGrid(math.MaxInt, 1, sample) }},
		"no samples":                {ErrEmpty, func() (any, error) { return DensityGrid(2, 1) }},
		"a negative bandwidth":      {ErrBandwidth, func() (any, error) { return ParzenDensity(background, sample, sample, -1) }},
		"the largest bandwidth":     {ErrNotFinite, func() (any, error) { return DensityGrid(2, math.MaxFloat64, sample) }},
		"the smallest bandwidth":    {ErrBandwidth, func() (any, error) { return ParzenDensity(background, sample, sample, 5e-324) }},
		"level NaN":                 {ErrParameter, func() (any, error) { return Compare(sample, sample, WithLevel(nan)) }},
		"a correction for none":     {ErrParameter, func() (any, error) { return Compare(sample, sample, WithCorrection(0, math.MinInt)) }},
		"the largest correction": {nil, func() (any, error) {
			return Compare(sample, []float64{1, 1, 1}, WithCorrection(1, math.MaxInt), WithLevel(math.Nextafter(1, 0)))
		}},
		"the smallest level": {nil, func() (any, error) { return Compare(sample, []float64{1, 1, 1}, WithLevel(5e-324)) }},
	} {
		t.Run(name, func(t *testing.T) { try(t, name, []refusal{by(c.want, name)}, c.open) })
	}
}

// What nobody has fitted answers with an error, and so does what is put together wrongly.
func TestModelDoors(t *testing.T) {
	x := normal(4, 2, 1, 9)
	two := mat.NewDense(1, 2, []float64{1, 2})
	for name, open := range map[string]func() (any, error){
		"nil LinearModel":          func() (any, error) { return (*LinearModel)(nil).Predict(background, x, nil) },
		"nil LinearModel, scores":  func() (any, error) { return (*LinearModel)(nil).Scores(background, x, nil) },
		"zero LinearModel":         func() (any, error) { return new(LinearModel).Predict(background, x, nil) },
		"zero LinearModel, scores": func() (any, error) { return new(LinearModel).Scores(background, x, nil) },
		"no intercept": func() (any, error) {
			return (&LinearModel{Classes: []int{0, 1}, Coef: two}).Predict(background, x, nil)
		},
		"no classes": func() (any, error) {
			return (&LinearModel{Coef: two, Intercept: []float64{0}}).Scores(background, x, nil)
		},
		"nil KNNModel":                func() (any, error) { return (*KNNModel)(nil).Predict(background, x, nil) },
		"zero KNNModel":               func() (any, error) { return new(KNNModel).Predict(background, x, nil) },
		"nil MLPModel":                func() (any, error) { return (*MLPModel)(nil).Predict(background, x, nil) },
		"zero MLPModel":               func() (any, error) { return new(MLPModel).Predict(background, x, nil) },
		"nil KMeansModel":             func() (any, error) { return (*KMeansModel)(nil).Predict(background, x) },
		"zero KMeansModel":            func() (any, error) { return new(KMeansModel).Predict(background, x) },
		"KMeansModel, empty centres":  func() (any, error) { return (&KMeansModel{Centres: new(mat.Dense)}).Predict(background, x) },
		"KMeansModel of other widths": func() (any, error) { return (&KMeansModel{Centres: mat.NewDense(1, 3, nil)}).Predict(background, x) },
	} {
		t.Run(name, func(t *testing.T) { try(t, name, []refusal{by(ErrShape, name)}, open) })
	}
	for name, open := range map[string]func() (any, error){
		"NaN in the coefficients": func() (any, error) {
			m := &LinearModel{Classes: []int{0, 1}, Coef: mat.NewDense(1, 2, []float64{math.NaN(), 0}), Intercept: []float64{0}}
			return m.Scores(background, x, nil)
		},
		"an infinite intercept": func() (any, error) {
			return (&LinearModel{Classes: []int{0, 1}, Coef: two, Intercept: []float64{math.Inf(1)}}).Predict(background, x, nil)
		},
		"NaN in the centres": func() (any, error) {
			return (&KMeansModel{Centres: mat.NewDense(1, 2, []float64{math.NaN(), 0})}).Predict(background, x)
		},
		"centres that overflow": func() (any, error) {
			return (&KMeansModel{Centres: mat.NewDense(2, 2, []float64{1e308, 0, -1e308, 1})}).Predict(background, x)
		},
	} {
		t.Run(name, func(t *testing.T) { try(t, name, []refusal{by(ErrNotFinite, name)}, open) })
	}
	if text, err := Similarity(7).MarshalText(); !errors.Is(err, ErrParameter) {
		t.Errorf("similarity 7 is written as %q, error %v", text, err)
	}
	if err := new(Similarity).UnmarshalText(nil); !errors.Is(err, ErrParameter) {
		t.Errorf("a similarity of no name: %v", err)
	}
}

// Every door that takes a context says so when it is over.
func TestCancelledDoors(t *testing.T) {
	const n = 24
	x, labels := normal(n, 5, 1, 61), randomLabels(n, 3, 61)
	g := graphOf(n, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}})
	model, err := LogisticRegression{}.Fit(background, x, upTo(n), labels)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(background)
	cancel()
	doors := map[string]func() (any, error){
		"NegativePairs":          func() (any, error) { return NegativePairs(over, g, 3, 1) },
		"Triples":                func() (any, error) { return Triples(over, g, 3, 1) },
		"HoldOutLinks":           func() (any, error) { return HoldOutLinks(over, g, 0.1, 1) },
		"SpectralGraph":          func() (any, error) { return SpectralGraph(over, g, 2) },
		"ParzenDensity":          func() (any, error) { return ParzenDensity(over, []float64{1, 2}, []float64{1}, 0) },
		"JensenShannonOfSamples": func() (any, error) { return JensenShannonOfSamples(over, []float64{1, 2}, []float64{1, 3}, 64, 0) },
		"Scores":                 func() (any, error) { return model.Scores(over, x, nil) },
		"Predict":                func() (any, error) { return model.Predict(over, x, nil) },
	}
	for _, door := range matrixDoors {
		doors[door.name] = func() (any, error) { return door.open(over, given{x, labels, 2}) }
	}
	for name, open := range doors {
		t.Run(name, func(t *testing.T) { try(t, name, []refusal{by(context.Canceled, name)}, open) })
	}
}

// What does not depend on the unit of the rows does not at the ends of the numbers
// either, where their squares vanish or overflow; what depends on it is in that unit.
func TestResultsFollowTheUnit(t *testing.T) {
	const n = 40
	x, labels := normal(n, 4, 1, 63), randomLabels(n, 3, 63)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	all := func(x mat.Matrix) (silhouette float64, clustering *Clustering, components, spectral *mat.Dense) {
		silhouette, err1 := Silhouette(background, x, labels)
		clustering, err2 := Cluster(background, x, labels, WithRuns(2))
		components, err3 := PCA(background, x, 2)
		spectral, err4 := SpectralFeatures(background, x, 2)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		return silhouette, clustering, components, spectral
	}
	silhouette, clustering, components, spectral := all(x)
	for _, exponent := range []int{-1000, -600, 600, 1000} { // of two, so that nothing is rounded
		scaled := new(mat.Dense)
		scaled.Scale(math.Ldexp(1, exponent), x)
		s, c, p, y := all(scaled)
		p.Scale(math.Ldexp(1, -exponent), p)
		y.Scale(math.Ldexp(1, exponent), y)
		if math.Abs(s-silhouette) > 1e-14 || math.Abs(c.NMI.Mean-clustering.NMI.Mean) > 1e-10 {
			t.Errorf("2^%d: silhouette %v, want %v; NMI %v, want %v", exponent, s, silhouette, c.NMI.Mean, clustering.NMI.Mean)
		}
		if !mat.EqualApprox(p, components, 1e-12) || !mat.EqualApprox(y, spectral, 1e-12) {
			t.Errorf("2^%d: components %v, want %v; spectral %v, want %v", exponent, p, components, y, spectral)
		}
	}
}

// M_p tends to the geometric mean as p does to zero.
func TestSmallExponentsAreTheGeometricMean(t *testing.T) {
	x := normal(4, 3, 1, 64)
	pairs := []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 3}}
	want, err := ContrastUniformity(background, x, pairs, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{1e-14, -1e-14, 1e-100, -1e-300} {
		if got, err := ContrastUniformity(background, x, pairs, p); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("p = %v: %v, want %v, error %v", p, got, want, err)
		}
	}
}
