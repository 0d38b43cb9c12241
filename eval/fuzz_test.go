package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"coles"
	"coles/dataset"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A script is the bytes of a fuzzer, read as choices; past its end it is zeros.
type script struct{ left []byte }

func (s *script) byte() int {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return int(b)
}

// count is mostly small, sometimes absurd.
func (s *script) count() int {
	if b := s.byte(); b < 250 {
		return b%9 - 1
	}
	return []int{math.MaxInt, math.MinInt, math.MaxInt32, 1 << 20, -7, 100}[s.byte()%6]
}

// number is mostly tame, sometimes not.
func (s *script) number() float64 {
	odd := []float64{0, 1, -1, 0.5, 1e-320, 1e-160, 1e-40, 1e30, 1e160, 1e300, 1.7e308, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}
	if b := s.byte(); b > 3 {
		return float64(b-128) / 16
	}
	return odd[s.byte()%len(odd)]
}

func (s *script) numbers() []float64 {
	x := make([]float64, s.byte()%8)
	for i := range x {
		x[i] = s.number()
	}
	return x
}

// matrix has up to 12 rows of one of the types they come in, all times one number.
func (s *script) matrix() mat.Matrix {
	kind, n, d, unit := s.byte(), s.byte()%13, s.byte()%6, 1.0
	if n == 0 || d == 0 {
		return new(mat.Dense)
	}
	if kind&16 > 0 {
		unit = s.number()
	}
	x, single := mat.NewDense(n, d, nil), make([]float32, 0, n*d)
	for i := range n {
		for j := range d {
			v := s.number() * unit
			x.Set(i, j, v)
			single = append(single, float32(v))
		}
	}
	switch kind % 4 {
	case 1:
		return toCSR(x)
	case 2:
		narrow, err := coles.NewDense32(n, d, single)
		if err != nil {
			return nil
		}
		return narrow
	case 3:
		if kind&32 > 0 {
			ptr := make([]int, n+1)
			ptr[n] = 1
			return sparse.NewCSR(n, d, ptr, []int{s.byte() % 8}, []float64{s.number()}) // perhaps out of range
		}
	}
	return x
}

// labels are about as many as x has rows, most of them of a few classes.
func (s *script) labels(n int) []int {
	odd := []int{-1, math.MinInt, math.MaxInt, 1 << 20}
	switch b := s.byte(); {
	case b > 250:
		n++
	case b > 245:
		return nil
	}
	labels, classes := make([]int, n), 1+s.byte()%4
	for i := range labels {
		if b := s.byte(); b > 252 {
			labels[i] = odd[b%len(odd)]
		} else {
			labels[i] = b % classes
		}
	}
	return labels
}

// rows are nil, or up to as many as there are, some perhaps twice or not there.
func (s *script) rows(n int) []int {
	if s.byte() > 240 {
		return nil
	}
	rows := make([]int, 0, n)
	for i := range n {
		switch b := s.byte(); {
		case b > 252:
			rows = append(rows, s.count())
		case b%4 > 0:
			rows = append(rows, i)
		}
	}
	return rows
}

func (s *script) pairs(n int) []coles.Edge {
	pairs := make([]coles.Edge, s.byte()%10)
	for q := range pairs {
		pairs[q] = coles.Edge{U: s.byte() % max(n, 1), V: s.byte() % max(n, 1)}
		if s.byte() > 252 {
			pairs[q].V = s.count()
		}
	}
	return pairs
}

// graph has up to 12 nodes, weighted or not, with self loops or without; nil where
// such a graph cannot be.
func (s *script) graph() *coles.Graph {
	n, kind := s.byte()%13, s.byte()
	pairs, weights := s.pairs(n), []float64(nil)
	var opts []coles.GraphOption
	if kind&1 > 0 {
		for range pairs {
			weights = append(weights, math.Abs(s.number()))
		}
		opts = append(opts, coles.WithEdgeWeights(weights))
	}
	if kind&2 > 0 {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	g, err := coles.NewGraph(n, pairs, opts...)
	if err != nil {
		return nil
	}
	return g
}

// size is how many rows x has.
func size(x mat.Matrix) int {
	if x == nil {
		return 0
	}
	n, _ := x.Dims()
	return n
}

// named are the errors that a door may give.
var named = []error{ErrShape, ErrNotFinite, ErrCorrupt, ErrRow, ErrDuplicate, ErrLabel, ErrEmpty, ErrOneClass, ErrSplit, ErrPenalty, ErrDimension, ErrConvergence,
	ErrDense, ErrParameter, ErrBandwidth, ErrClusters, ErrDistribution, dataset.ErrIndex, dataset.ErrOption, dataset.ErrTooLarge,
	coles.ErrNotFinite, coles.ErrPreparation, coles.ErrDim, coles.ErrEmpty, coles.ErrShape, coles.ErrDense}

// judge wants an error with a name, or numbers that are numbers.
func judge(t *testing.T, door string, result any, err error) {
	t.Helper()
	if err == nil {
		wantFinite(t, result)
	}
	known := err == nil
	for _, name := range named {
		known = known || errors.Is(err, name)
	}
	if !known || t.Failed() {
		t.Fatalf("%s: error %v", door, err)
	}
}

// inTime is a context for what takes milliseconds, and the end of a hang.
func inTime(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(background, 10*time.Second)
	t.Cleanup(func() {
		if ctx.Err() != nil {
			t.Error("it hangs")
		}
		cancel()
	})
	return ctx
}

// Seeds are long enough to reach every choice; the fuzzer finds what is between.
func addScripts(f *testing.F) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 0))
		b := make([]byte, 80+12*seed)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		f.Add(b)
	}
}

// Whatever learns can be asked; nothing panics, hangs, or is no number.
func FuzzClassify(f *testing.F) {
	addScripts(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		x := s.matrix()
		n := size(x)
		labels := s.labels(n)
		train, validation, asked, other := s.rows(n), s.rows(n), s.rows(n), s.matrix()
		strength, folds := s.number(), s.count()
		var cs []float64
		if folds > 1 {
			cs = []float64{1, s.number()}
		}
		learnt := func(door string, m Predictor, err error) {
			judge(t, door, m, err)
			if err != nil {
				return
			}
			predicted, err := m.Predict(ctx, x, asked)
			judge(t, door+", predicted", predicted, err)
			predicted, err = m.Predict(ctx, other, nil)
			judge(t, door+", predicted of others", predicted, err)
		}
		linear, err := LogisticRegression{C: strength, Cs: cs, Folds: folds}.Fit(ctx, x, train, labels)
		learnt("LogisticRegression", linear, err)
		if err == nil {
			scores, err := linear.Scores(ctx, x, asked)
			judge(t, "Scores", scores, err)
		}
		knn, err := KNN{K: s.count(), Cosine: s.byte()%2 > 0, ByDistance: s.byte()%2 > 0}.Fit(ctx, x, train, labels)
		learnt("KNN", knn, err)
		p := MLP{Dropout: float64(s.byte()%5) / 4, Rate: strength, Epochs: s.byte()%5 - 1, Patience: s.byte()%3 - 1}
		for range s.byte() % 3 {
			p.Hidden = append(p.Hidden, s.byte()%6)
		}
		mlp, err := p.Fit(ctx, x, train, validation, labels)
		learnt("MLP", mlp, err)
		splits := []dataset.Split{{Train: train, Val: validation}, {Train: train, Test: asked}}
		result, err := Classify(ctx, x, labels, splits[:s.byte()%3], WithC(strength))
		judge(t, "Classify", result, err)
		result, err = Classify(ctx, x, labels, splits, WithValidatedClassifier(p.Fit))
		judge(t, "Classify by MLP", result, err)
		curve, err := LabelRates(ctx, x, labels, []int{s.count()}, s.byte()%4, 1)
		judge(t, "LabelRates", curve, err)
	})
}

// Clusters, what they are worth, and all that compares two labellings.
func FuzzCluster(f *testing.F) {
	addScripts(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		x := s.matrix()
		n := size(x)
		labels, others := s.labels(n), s.labels(n)
		k := KMeans{Clusters: s.count(), Starts: s.byte()%4 - 1, MaxIterations: s.count(), Tolerance: s.number(), Seed: uint64(s.byte())}
		m, err := k.Fit(ctx, x)
		judge(t, "KMeans", m, err)
		if err == nil {
			again, err := m.Predict(ctx, x)
			judge(t, "Predict", again, err)
			silhouette, err := Silhouette(ctx, x, m.Labels)
			judge(t, "Silhouette of k-means", silhouette, err)
		}
		opts := []ClusterOption{nil, WithKMeans(k), WithRuns(s.byte()%4 - 1), WithoutUnitRows()}
		clustering, err := Cluster(ctx, x, labels, opts[:1+s.byte()%4]...)
		judge(t, "Cluster", clustering, err)
		g := s.graph()
		dim := s.count()
		for door, open := range map[string]func() (any, error){
			"Silhouette":        func() (any, error) { return Silhouette(ctx, x, labels) },
			"Modularity":        func() (any, error) { return Modularity(g, labels) },
			"NodeHomophily":     func() (any, error) { return NodeHomophily(g, labels) },
			"EdgeHomophily":     func() (any, error) { return EdgeHomophily(g, labels) },
			"ExpectedHomophily": func() (any, error) { return ExpectedHomophily(labels) },
			"NMI":               func() (any, error) { return NMI(labels, others) },
			"ARI":               func() (any, error) { return ARI(labels, others) },
			"Accuracy":          func() (any, error) { return Accuracy(labels, others) },
			"MicroF1":           func() (any, error) { return MicroF1(labels, others) },
			"MacroF1":           func() (any, error) { return MacroF1(labels, others) },
			"ConfusionMatrix":   func() (any, error) { return ConfusionMatrix(labels, others) },
			"ClusterAccuracy":   func() (any, error) { return ClusterAccuracy(labels, others) },
			"ClusterMacroF1":    func() (any, error) { return ClusterMacroF1(labels, others) },
			"ClusterMap":        func() (any, error) { return ClusterMap(labels, others) },
			"SpectralFeatures":  func() (any, error) { return SpectralFeatures(ctx, x, dim) },
			"SpectralGraph":     func() (any, error) { return SpectralGraph(ctx, g, dim) },
			"PCA":               func() (any, error) { return PCA(ctx, x, dim) },
			"RandomProjection":  func() (any, error) { return RandomProjection(ctx, x, min(dim, 1000), 1) },
		} {
			result, err := open()
			judge(t, door, result, err)
		}
	})
}

// Search, links, diagnostics of rows, and all that reads samples.
func FuzzRows(f *testing.F) {
	addScripts(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		x := s.matrix()
		n := size(x)
		queries, rows, k, similarity := s.matrix(), s.rows(n), s.count(), Similarity(s.byte()%4-1)
		pairs, others, p := s.pairs(n), s.pairs(n), s.number()
		g, share, drawn := s.graph(), s.number(), min(s.count(), 1000)
		a, b, h, points := s.numbers(), s.numbers(), s.number(), min(s.count(), 1000)
		for door, open := range map[string]func() (any, error){
			"NearestRows":        func() (any, error) { return NearestRows(ctx, x, rows, k, similarity) },
			"NearestTo":          func() (any, error) { return NearestTo(ctx, x, queries, k, similarity) },
			"PairScores":         func() (any, error) { return PairScores(ctx, x, pairs) },
			"Alignment":          func() (any, error) { return Alignment(ctx, x, pairs, p) },
			"ContrastAlignment":  func() (any, error) { return ContrastAlignment(ctx, x, pairs) },
			"ContrastUniformity": func() (any, error) { return ContrastUniformity(ctx, x, pairs, p) },
			"Uniformity":         func() (any, error) { return Uniformity(ctx, x, p) },
			"EffectiveRank":      func() (any, error) { return EffectiveRank(ctx, x) },
			"LipschitzConstant":  func() (any, error) { return LipschitzConstant(ctx, x) },
			"PredictLinks": func() (any, error) {
				return PredictLinks(ctx, x, &HeldOutLinks{Positive: pairs, Negative: others}, similarity, k)
			},
			"MeanSeparation": func() (any, error) {
				triples, err := Triples(ctx, g, drawn, 1)
				if err != nil {
					return nil, err
				}
				return MeanSeparation(ctx, x, triples)
			},
			"NegativePairs": func() (any, error) { return NegativePairs(ctx, g, drawn, 1) },
			"HoldOutLinks": func() (any, error) {
				links, err := HoldOutLinks(ctx, g, share, 1)
				if err != nil {
					return nil, err
				}
				return PredictLinks(ctx, x, links, similarity, k)
			},
			"Induce": func() (any, error) {
				part, err := Induce(ctx, g, x, rows)
				if err != nil {
					return nil, err
				}
				return part.Features, nil
			},
			"EmbedInductive":         func() (any, error) { return EmbedInductive(ctx, g, x, rows, coles.WithDim(1)) },
			"AUC":                    func() (any, error) { return AUC(a, b) },
			"AveragePrecision":       func() (any, error) { return AveragePrecision(a, b) },
			"HitsAt":                 func() (any, error) { return HitsAt(a, b, k) },
			"Compare":                func() (any, error) { return Compare(a, b, WithLevel(p), WithCorrection(k, drawn)) },
			"SignTest":               func() (any, error) { return SignTest(a, b) },
			"MeanStd":                func() (any, error) { m, s, err := MeanStd(a); return []float64{m, s}, err },
			"DensityGrid":            func() (any, error) { return DensityGrid(points, h, a, b) },
			"ParzenDensity":          func() (any, error) { return ParzenDensity(ctx, a, b, h) },
			"JensenShannon":          func() (any, error) { return JensenShannon(a, b) },
			"JensenShannonOfSamples": func() (any, error) { return JensenShannonOfSamples(ctx, a, b, points, h) },
			"ScottBandwidth":         func() (any, error) { return ScottBandwidth(a) },
			"Wasserstein":            func() (any, error) { return Wasserstein(a, b) },
		} {
			result, err := open()
			judge(t, door, result, err)
		}
	})
}
