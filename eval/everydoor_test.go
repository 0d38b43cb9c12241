package eval

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"coles"
	"coles/dataset"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A given is what hostile callers bring: a matrix, labels for its rows, and a
// dimension or a number of clusters or neighbours.
type given struct {
	x      mat.Matrix
	labels []int
	k      int
}

// A door takes such things. What it returns is looked at by wantFinite.
type door struct {
	name string
	open func(ctx context.Context, in given) (any, error)
}

// fitted is a door to a classifier: it learns from all rows and is asked about
// all of them.
func fitted[P Predictor](name string, fit func(ctx context.Context, in given) (P, error)) door {
	return door{name, func(ctx context.Context, in given) (any, error) {
		m, err := fit(ctx, in)
		if err != nil {
			return nil, err
		}
		predicted, err := m.Predict(ctx, in.x, nil)
		return []any{m, predicted}, err
	}}
}

// halfSplit trains on the rows before the middle and tests on the others.
func halfSplit(labels []int) []dataset.Split { return []dataset.Split{{Train: upTo(len(labels) / 2)}} }

var doorPairs = []coles.Edge{{U: 0, V: 1}, {U: 2, V: 3}, {U: 1, V: 1}}

// tinyMLP is a perceptron that takes no time.
var tinyMLP = MLP{Hidden: []int{4}, Dropout: 0.2, Rate: 0.01, Epochs: 3}

// matrixDoors are those that read a matrix.
var matrixDoors = []door{
	{"Classify", func(ctx context.Context, in given) (any, error) {
		return Classify(ctx, in.x, in.labels, halfSplit(in.labels))
	}},
	{"LabelRates", func(ctx context.Context, in given) (any, error) {
		return LabelRates(ctx, in.x, in.labels, []int{1, 2}, 2, 1)
	}},
	fitted("LogisticRegression", func(ctx context.Context, in given) (*LinearModel, error) {
		return LogisticRegression{}.Fit(ctx, in.x, upTo(len(in.labels)), in.labels)
	}),
	fitted("KNN", func(ctx context.Context, in given) (*KNNModel, error) {
		return KNN{K: 2, ByDistance: true}.Fit(ctx, in.x, upTo(len(in.labels)), in.labels)
	}),
	fitted("KNN, cosine", func(ctx context.Context, in given) (*KNNModel, error) {
		return KNN{K: 2, Cosine: true, ByDistance: true}.Fit(ctx, in.x, upTo(len(in.labels)), in.labels)
	}),
	fitted("MLP", func(ctx context.Context, in given) (*MLPModel, error) {
		return tinyMLP.Fit(ctx, in.x, upTo(len(in.labels)), nil, in.labels)
	}),
	{"KMeans", func(ctx context.Context, in given) (any, error) {
		m, err := KMeans{Clusters: in.k, Starts: 2}.Fit(ctx, in.x)
		if err != nil {
			return nil, err
		}
		predicted, err := m.Predict(ctx, in.x)
		return []any{*m, predicted}, err
	}},
	{"Cluster", func(ctx context.Context, in given) (any, error) {
		return Cluster(ctx, in.x, in.labels, WithRuns(2), WithKMeans(KMeans{Clusters: in.k}))
	}},
	{"Cluster, as it is", func(ctx context.Context, in given) (any, error) {
		return Cluster(ctx, in.x, in.labels, WithRuns(2), WithKMeans(KMeans{Clusters: in.k}), WithoutUnitRows())
	}},
	{"Silhouette", func(ctx context.Context, in given) (any, error) { return Silhouette(ctx, in.x, in.labels) }},
	{"PCA", func(ctx context.Context, in given) (any, error) { return PCA(ctx, in.x, in.k) }},
	{"RandomProjection", func(ctx context.Context, in given) (any, error) { return RandomProjection(ctx, in.x, in.k, 1) }},
	{"SpectralFeatures", func(ctx context.Context, in given) (any, error) { return SpectralFeatures(ctx, in.x, in.k) }},
	{"NearestRows", func(ctx context.Context, in given) (any, error) {
		return NearestRows(ctx, in.x, []int{0, 1}, in.k, Cosine)
	}},
	{"NearestRows, dot", func(ctx context.Context, in given) (any, error) {
		return NearestRows(ctx, in.x, []int{0, 1}, in.k, DotProduct)
	}},
	{"NearestTo", func(ctx context.Context, in given) (any, error) { return NearestTo(ctx, in.x, in.x, in.k, Cosine) }},
	{"PredictLinks", func(ctx context.Context, in given) (any, error) {
		return PredictLinks(ctx, in.x, &HeldOutLinks{Positive: doorPairs, Negative: doorPairs}, Cosine, 1)
	}},
	{"PredictLinks, dot", func(ctx context.Context, in given) (any, error) {
		return PredictLinks(ctx, in.x, &HeldOutLinks{Positive: doorPairs, Negative: doorPairs}, DotProduct, 1)
	}},
	{"PairScores", func(ctx context.Context, in given) (any, error) { return PairScores(ctx, in.x, doorPairs) }},
	{"MeanSeparation", func(ctx context.Context, in given) (any, error) {
		return MeanSeparation(ctx, in.x, []Triple{{0, 1, 2}, {3, 3, 3}})
	}},
	{"Alignment", func(ctx context.Context, in given) (any, error) { return Alignment(ctx, in.x, doorPairs, 2) }},
	{"ContrastAlignment", func(ctx context.Context, in given) (any, error) { return ContrastAlignment(ctx, in.x, doorPairs) }},
	{"ContrastUniformity", func(ctx context.Context, in given) (any, error) { return ContrastUniformity(ctx, in.x, doorPairs, 2) }},
	{"Uniformity", func(ctx context.Context, in given) (any, error) { return Uniformity(ctx, in.x, 2) }},
	{"EffectiveRank", func(ctx context.Context, in given) (any, error) { return EffectiveRank(ctx, in.x) }},
	{"LipschitzConstant", func(ctx context.Context, in given) (any, error) { return LipschitzConstant(ctx, in.x) }},
	{"Induce", func(ctx context.Context, in given) (any, error) {
		part, err := Induce(ctx, graphOf(24, nil), in.x, []int{0})
		if err != nil {
			return nil, err
		}
		return part.Features, nil
	}},
	{"EmbedInductive", func(ctx context.Context, in given) (any, error) {
		g := graphOf(24, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}})
		return EmbedInductive(ctx, g, in.x, []int{0, 1, 2}, coles.WithDim(min(max(in.k, 1), 2)))
	}},
}

// wantFinite looks through a result for a number that is none.
func wantFinite(t *testing.T, result any) {
	t.Helper()
	switch r := result.(type) {
	case mat.Matrix:
		if v := reflect.ValueOf(r); v.Kind() == reflect.Pointer && v.IsNil() {
			return
		}
		rows, cols := r.Dims()
		for i := range rows {
			for j := range cols {
				wantFinite(t, r.At(i, j))
			}
		}
		return
	case float64:
		if math.IsNaN(r) || math.IsInf(r, 0) {
			t.Errorf("a number of the result is %v", r)
		}
		return
	}
	switch v := reflect.ValueOf(result); v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			wantFinite(t, v.Elem().Interface())
		}
	case reflect.Slice:
		for i := range v.Len() {
			wantFinite(t, v.Index(i).Interface())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				wantFinite(t, v.Field(i).Interface())
			}
		}
	}
}

// A matrix of somebody else's that cannot be read.
type brokenMatrix struct{ rows, cols int }

func (m brokenMatrix) Dims() (r, c int)  { return m.rows, m.cols }
func (brokenMatrix) At(i, j int) float64 { panic("disk on fire") }
func (m brokenMatrix) T() mat.Matrix     { return m }

// A refusal is an error that some doors give; the others give finite numbers.
type refusal struct {
	err error
	by  []string
}

func by(err error, doors ...string) refusal { return refusal{err, doors} }

// try opens a door: it gives the error of the last refusal that names it, or
// else numbers that are numbers, and never panics.
func try(t *testing.T, name string, refusals []refusal, open func() (any, error)) {
	t.Helper()
	var want error
	for _, r := range refusals {
		if slices.Contains(r.by, name) {
			want = r.err
		}
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	result, err := open()
	switch {
	case !errors.Is(err, want) || want == nil && err != nil:
		t.Errorf("error %v, want %v", err, want)
	case err == nil:
		wantFinite(t, result)
	}
}

func graphOf(n int, edges []coles.Edge, opts ...coles.GraphOption) *coles.Graph {
	g, err := coles.NewGraph(n, edges, opts...)
	if err != nil {
		panic(err)
	}
	return g
}

// The table of matrices, labels and dimensions for every door.
func TestMatrixDoors(t *testing.T) {
	const n, d = 24, 5
	labels := randomLabels(n, 3, 61)
	dense := normal(n, d, 1, 61)
	positive := func(_, _ int, v float64) float64 { return math.Abs(v) } // similarities add up to none below zero
	dense.Apply(positive, dense)
	with := func(change func(x *mat.Dense)) *mat.Dense {
		x := mat.DenseCopyOf(dense)
		change(x)
		return x
	}
	scaled := func(c float64) *mat.Dense { return with(func(x *mat.Dense) { x.Scale(c, x) }) }
	filled := func(c float64) *mat.Dense {
		return with(func(x *mat.Dense) { x.Apply(func(int, int, float64) float64 { return c }, x) })
	}
	set := func(v float64) *mat.Dense { return with(func(x *mat.Dense) { x.Set(5, 3, v) }) }
	signs := func(c float64) *mat.Dense {
		signed := normal(n, d, 1, 61)
		signed.Apply(func(_, _ int, v float64) float64 { return math.Copysign(c, v) }, signed)
		return signed
	}
	var all []string
	for _, door := range matrixDoors {
		all = append(all, door.name)
	}
	logistic := []string{"Classify", "LabelRates", "LogisticRegression"}
	twoClasses := append(slices.Clone(logistic), "MLP")
	labelled := append(slices.Clone(twoClasses), "KNN", "KNN, cosine", "Cluster", "Cluster, as it is")
	paired := []string{"PredictLinks", "PredictLinks, dot", "PairScores", "MeanSeparation", "Alignment", "ContrastAlignment", "ContrastUniformity"}
	squared := append(append(slices.Clone(logistic), paired[1:]...), "KNN", "MLP", "KMeans", "Cluster, as it is", "NearestRows, dot", "Uniformity")
	measured := append(slices.Clone(squared), "Cluster", "NearestRows", "NearestTo", "PredictLinks", "RandomProjection")
	clustered, projected := []string{"KMeans", "Cluster", "Cluster, as it is"}, []string{"PCA", "RandomProjection", "SpectralFeatures"}
	near := []string{"NearestRows", "NearestRows, dot", "NearestTo"}

	shape := []refusal{by(ErrShape, all...)}
	notFinite := []refusal{by(ErrNotFinite, all...)}
	otherRows := []refusal{by(ErrShape, labelled...), by(ErrShape, "Silhouette", "Induce", "EmbedInductive")}
	lowRank := []refusal{by(ErrDimension, "SpectralFeatures")}
	badK := []refusal{by(ErrClusters, clustered...), by(ErrDimension, projected...), by(ErrParameter, near...)}
	for _, c := range []struct {
		name string
		in   given
		want []refusal
	}{
		{"plain", given{dense, labels, 2}, nil},
		{"sparse", given{toCSR(dense), labels, 2}, nil},
		{"sparse without entries", given{sparse.NewCSR(n, d, make([]int, n+1), nil, nil), labels, 2}, lowRank},
		{"nil", given{nil, labels, 2}, []refusal{by(ErrShape, slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "Induce" })...)}},
		{"a nil *mat.Dense", given{(*mat.Dense)(nil), labels, 2}, shape},
		{"a nil *sparse.CSR", given{(*sparse.CSR)(nil), labels, 2}, shape},
		{"a nil *coles.Dense32", given{(*coles.Dense32)(nil), labels, 2}, shape},
		{"an empty *mat.Dense", given{new(mat.Dense), labels, 2}, shape},
		{"an empty *sparse.CSR", given{new(sparse.CSR), labels, 2}, shape},
		{"an empty *coles.Dense32", given{new(coles.Dense32), labels, 2}, shape},
		{"a matrix that panics", given{brokenMatrix{n, d}, labels, 2}, shape},
		{"the largest matrix", given{brokenMatrix{math.MaxInt, math.MaxInt}, labels, 2}, shape},
		{"a matrix of less than no rows", given{brokenMatrix{-1, d}, labels, 2}, shape},
		{"NaN", given{set(math.NaN()), labels, 2}, notFinite},
		{"+Inf", given{set(math.Inf(1)), labels, 2}, notFinite},
		{"-Inf, sparse", given{toCSR(set(math.Inf(-1))), labels, 2}, notFinite},
		{"a column out of range", given{sparse.NewCSR(n, d, append(make([]int, n), 1), []int{33}, []float64{1}), labels, 2}, []refusal{by(ErrCorrupt, all...)}},
		{"a row too few", given{dense.Slice(0, n-1, 0, d), labels, 2}, otherRows},
		{"a row too many", given{mat.NewDense(n+1, d, slices.Repeat([]float64{1, 2, 3, 4, 6}, n+1)), labels, 1}, otherRows},
		{"one row", given{dense.Slice(0, 1, 0, d), labels[:1], 1}, []refusal{
			by(ErrOneClass, twoClasses...), by(ErrEmpty, "Classify", "LabelRates", "Uniformity"), by(ErrParameter, "KNN", "KNN, cosine"), by(ErrClusters, "Silhouette"),
			by(ErrRow, paired...), by(ErrRow, "NearestRows", "NearestRows, dot"), by(ErrShape, "Induce", "EmbedInductive")}},
		{"one column", given{dense.Slice(0, n, 0, 1), labels, 1}, nil},
		{"zeros", given{mat.NewDense(n, d, nil), labels, 2}, lowRank},
		{"constant", given{filled(1), labels, 2}, lowRank},
		{"rank one", given{with(func(x *mat.Dense) { x.Outer(1, dense.ColView(0), dense.RowView(0)) }), labels, 2}, lowRank},
		{"rows twice", given{with(func(x *mat.Dense) { x.Slice(12, 24, 0, d).(*mat.Dense).Copy(x.Slice(0, 12, 0, d)) }), labels, 2}, nil},
		{"columns twice", given{with(func(x *mat.Dense) { x.Slice(0, n, 2, 4).(*mat.Dense).Copy(x.Slice(0, n, 0, 2)) }), labels, 2}, nil},
		{"of 1e150", given{scaled(1e150), labels, 2}, []refusal{by(ErrNotFinite, logistic...), by(ErrNotFinite, "MLP")}},
		{"of 1e200", given{scaled(1e200), labels, 2}, []refusal{by(ErrNotFinite, squared...)}},
		{"of 1e307", given{scaled(1e307), labels, 2}, []refusal{by(ErrNotFinite, squared...)}},
		{"the largest", given{filled(math.MaxFloat64), labels, 2}, []refusal{
			by(ErrNotFinite, slices.DeleteFunc(slices.Clone(measured), func(s string) bool { return s == "Alignment" })...), by(ErrDimension, "SpectralFeatures")}},
		{"the largest, of both signs", given{signs(math.MaxFloat64), labels, 2}, []refusal{by(ErrNotFinite, measured...), by(ErrNotFinite, "PCA"), by(ErrParameter, "SpectralFeatures")}},
		{"one the largest", given{set(math.MaxFloat64), labels, 2}, []refusal{by(ErrNotFinite, logistic...),
			by(ErrNotFinite, "KNN", "MLP", "KMeans", "Cluster, as it is", "RandomProjection", "NearestRows, dot", "Uniformity"), by(coles.ErrNotFinite, "EmbedInductive"), by(ErrDimension, "SpectralFeatures")}},
		{"of 1e-160", given{scaled(1e-160), labels, 2}, nil},
		{"of 1e-200", given{scaled(1e-200), labels, 2}, nil},
		{"of 1e-310", given{scaled(1e-310), labels, 2}, []refusal{by(ErrNotFinite, "SpectralFeatures")}}, // which is of 1e310
		{"the smallest", given{filled(5e-324), labels, 2}, lowRank},
		{"the smallest, of both signs", given{signs(5e-324), labels, 2}, []refusal{by(ErrParameter, "SpectralFeatures")}},
		{"k = 0", given{dense, labels, 0}, []refusal{by(ErrClusters, "KMeans"), by(ErrDimension, projected...), by(ErrParameter, near...)}},
		{"k < 0", given{dense, labels, -1}, badK},
		{"k > d", given{dense, labels, d + 1}, []refusal{by(ErrDimension, "PCA", "SpectralFeatures")}},
		{"k = n", given{dense, labels, n}, []refusal{by(ErrDimension, "PCA", "SpectralFeatures"), by(ErrParameter, "NearestRows", "NearestRows, dot")}},
		{"k > n", given{dense, labels, n + 1}, []refusal{by(ErrClusters, clustered...), by(ErrDimension, "PCA", "SpectralFeatures"), by(ErrParameter, near...)}},
		{"k > 2²⁰", given{dense, labels, 1<<20 + 1}, badK},
		{"the largest k", given{dense, labels, math.MaxInt}, badK},
		{"no labels", given{dense, nil, 2}, []refusal{by(ErrShape, labelled...), by(ErrShape, "Silhouette")}},
		{"labels of some", given{dense, slices.Repeat([]int{-1, 0}, n/2), 2}, []refusal{by(ErrLabel, labelled...), by(ErrOneClass, "LabelRates")}},
		{"the smallest labels", given{dense, slices.Repeat([]int{math.MinInt}, n), 2}, []refusal{by(ErrLabel, labelled...), by(ErrEmpty, "LabelRates"), by(ErrClusters, "Silhouette")}},
		{"the largest labels", given{dense, slices.Repeat([]int{math.MaxInt, 0}, n/2), 2}, []refusal{by(dataset.ErrIndex, "LabelRates")}},
		{"labels of one class", given{dense, make([]int, n), 2}, []refusal{by(ErrOneClass, twoClasses...), by(ErrClusters, "Silhouette")}},
		{"labels that all differ", given{dense, upTo(n), 2}, []refusal{by(ErrEmpty, "LabelRates"), by(ErrClusters, "Silhouette")}},
	} {
		for _, door := range matrixDoors {
			t.Run(c.name+", "+door.name, func(t *testing.T) {
				try(t, door.name, c.want, func() (any, error) { return door.open(background, c.in) })
			})
		}
	}
}
