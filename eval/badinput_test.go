package eval_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/eval"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/testkit"
	"coles/learn"
	"coles/link"
	"coles/near"
	"coles/plane"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// args hold arguments for every function of this package.
type args struct {
	x            mat.Matrix
	labels, rows []int
	pairs        []coles.Edge
	g            *coles.Graph
	k            int
	p            float64
}

// good arguments are taken by all of them.
func good() args {
	const n = 24
	x := testkit.Normal(n, 5, 1, 61)
	pairs := []coles.Edge{{U: 0, V: 1}, {U: 2, V: 3}, {U: 1, V: 1}}
	g := testkit.Must(coles.NewGraph(n, append(testkit.Ring(n, 1), coles.Edge{U: 0, V: 5})))
	return args{x, testkit.RandomLabels(n, 3, 61), testkit.UpTo(n / 2), pairs, g, 2, 0.5}
}

// A door is a function of this package, whose result goes to wantFinite.
type door func(ctx context.Context, in args) (any, error)

// learningDoors learn from a matrix, or reduce it.
var learningDoors = map[string]door{
	"Classify": func(ctx context.Context, in args) (any, error) {
		return eval.Protocol{Regression: learn.LogisticRegression{C: in.p}}.Classify(ctx, in.x, in.labels, []dataset.Split{{Train: in.rows}})
	},
	"LogisticRegression": func(ctx context.Context, in args) (any, error) {
		m, err := learn.LogisticRegression{Cs: []float64{in.p, 1}, Folds: in.k}.Fit(ctx, in.x, in.rows, in.labels)
		if err != nil {
			return nil, err
		}
		predicted, err := m.Predict(ctx, in.x, nil)
		if err != nil {
			return nil, err
		}
		scores, err := m.Scores(ctx, in.x, in.rows)
		if err != nil {
			return nil, err
		}
		probabilities, err := (&learn.Predictor{Linear: m}).Predict(ctx, nil, in.x, learn.Labels{}, in.rows)
		return []any{m.Coef, m.Intercept, predicted, scores, probabilities}, err
	},
	"learn.Fit": func(ctx context.Context, in args) (any, error) {
		p, err := learn.Fit(ctx, in.g, in.x, learn.Labels{Classes: in.labels}, learn.Options{Cs: []float64{in.p}})
		if err != nil {
			return nil, err
		}
		return p.Predict(ctx, in.g, in.x, learn.Labels{Classes: in.labels}, in.rows)
	},
	"PCA":  func(ctx context.Context, in args) (any, error) { return plane.PCA(ctx, in.x, in.k) },
	"TSNE": func(ctx context.Context, in args) (any, error) { return plane.TSNE{Seed: 1}.Places(ctx, in.x) },
	"Induce": func(ctx context.Context, in args) (any, error) {
		part, err := eval.Induce(ctx, in.g, in.x, in.rows)
		if err != nil {
			return nil, err
		}
		return []any{part.Features, part.Graph.Degrees()}, nil
	},
	"ChooseModel": func(ctx context.Context, in args) (any, error) {
		c, err := learn.ChooseModel(ctx, in.g, in.x, learn.Labels{Classes: in.labels}, learn.Options{}, coles.WithDim(1))
		if err != nil {
			return nil, err
		}
		return []any{c.Model.Embedding(), c.Alignment, c.Tried, c.Error, c.Score}, nil
	},
}

// rowDoors look at the rows of a matrix.
var rowDoors = map[string]door{
	"KMeans": func(ctx context.Context, in args) (any, error) {
		m, err := cluster.KMeans{Clusters: in.k, Starts: 2}.Fit(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return []any{m.Centres, m.Inertia}, nil
	},
	"Cluster": func(ctx context.Context, in args) (any, error) {
		return eval.Protocol{Runs: 2, KMeans: cluster.KMeans{Clusters: in.k}}.Cluster(ctx, in.x, in.labels)
	},
	"Cluster, as it is": func(ctx context.Context, in args) (any, error) {
		return eval.Protocol{Runs: 2, KMeans: cluster.KMeans{Clusters: in.k, Tolerance: in.p}, RawRows: true}.Cluster(ctx, in.x, in.labels)
	},
	"ClusterCount": func(ctx context.Context, in args) (any, error) {
		_, silhouettes, err := cluster.Count(ctx, in.x, in.k, cluster.KMeans{Starts: 2})
		return silhouettes, err
	},
	"Silhouette": func(ctx context.Context, in args) (any, error) { return cluster.Silhouette(ctx, in.x, in.labels) },
	"Index.Rows": func(ctx context.Context, in args) (any, error) {
		return nearestRows(ctx, in.x, in.rows, in.k, near.Cosine)
	},
	"Index.Rows, dot": func(ctx context.Context, in args) (any, error) {
		return nearestRows(ctx, in.x, in.rows, in.k, near.DotProduct)
	},
	"Index.Vectors": func(ctx context.Context, in args) (any, error) {
		return nearestVectors(ctx, in.x, in.x, in.k, near.Cosine)
	},
	"RecommendLinks": func(ctx context.Context, in args) (any, error) {
		return recommended(ctx, in.g, in.x, in.rows, near.Cosine, in.k)
	},
	"RecommendLinks, all": func(ctx context.Context, in args) (any, error) {
		return recommended(ctx, in.g, in.x, nil, near.DotProduct, in.k)
	},
}

// contextDoors read a graph, and take a context.
var contextDoors = map[string]door{
	"HoldOutLinks": func(ctx context.Context, in args) (any, error) {
		links, err := link.HoldOut(ctx, in.g, in.p/10, 1)
		if err != nil {
			return nil, err
		}
		return links.Train.Degrees(), nil
	},
}

// otherDoors take no context.
var otherDoors = map[string]door{
	"NodeHomophily":     func(_ context.Context, in args) (any, error) { return eval.NodeHomophily(in.g, in.labels) },
	"EdgeHomophily":     func(_ context.Context, in args) (any, error) { return eval.EdgeHomophily(in.g, in.labels) },
	"ExpectedHomophily": func(_ context.Context, in args) (any, error) { return eval.ExpectedHomophily(in.labels) },
	"Accuracy":          func(_ context.Context, in args) (any, error) { return eval.Accuracy(in.labels, in.rows) },
	"NMI":               func(_ context.Context, in args) (any, error) { return eval.NMI(in.labels, in.rows) },
}

// wantFinite looks through a result for a number that is none.
func wantFinite(t *testing.T, result any) {
	t.Helper()
	switch r := result.(type) {
	case mat.Matrix:
		if most := testkit.Must(testkit.Must(matrix.Read(context.Background(), r)).Largest(context.Background())); !matrix.Finite(most) {
			t.Errorf("an entry of the result is %v", most)
		}
	case []any:
		for _, part := range r {
			wantFinite(t, part)
		}
	default: // JSON has no other numbers
		if _, err := json.Marshal(result); err != nil {
			t.Error(err)
		}
	}
}

// tryAll opens doors: each gives an error with a name, or numbers that are numbers.
func tryAll(t *testing.T, ctx context.Context, doors map[string]door, in args) {
	t.Helper()
	for name, open := range doors {
		result, err := open(ctx, in)
		switch {
		case err == nil:
			wantFinite(t, result)
		case !testkit.IsNamed(err, learn.ErrSplit, learn.ErrConvergence):
			t.Errorf("error %v", err)
		}
		if t.Failed() {
			t.Fatalf("%s, of %+v", name, in)
		}
	}
}

func TestBadMatricesAreRefused(t *testing.T) {
	in := good()
	doors := make(map[string]func(x mat.Matrix) error)
	for name, open := range learningDoors {
		if err := testkit.Err(open(context.Background(), in)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		doors[name] = func(x mat.Matrix) error {
			bad := in
			bad.x = x
			return testkit.Err(open(context.Background(), bad))
		}
	}
	testkit.RefuseMatrices(t, 24, 5, doors)
	// With two rows too few, the labels, the graph or the rows are refused.
	for _, name := range []string{"Classify", "LogisticRegression", "learn.Fit", "Induce", "ChooseModel"} {
		testkit.WantError(t, doors[name](in.x.(*mat.Dense).Slice(0, 22, 0, 5)), coles.ErrShape)
	}
}

// A SymCSR is read as it is, not as a dense copy.
func TestSymmetricMatricesStaySparse(t *testing.T) {
	w := good().g.Positive()
	if f := testkit.Must(given.Read(context.Background(), w)); f.Sparse != inside.Entries(w) {
		t.Error("it is copied")
	}
	dense := testkit.DenseOf(w.ToCSR())
	testkit.WantClose(t, "the components", testkit.Must(plane.PCA(context.Background(), w, 3)), testkit.Must(plane.PCA(context.Background(), dense, 3)), 1e-12)
}

// Matrices, labels and counts at the ends of their ranges.
func TestExtremes(t *testing.T) {
	const n, d = 24, 5
	plain := good().x.(*mat.Dense)
	filled := func(value func(i, j int) float64) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(i, j int, _ float64) float64 { return value(i, j) }, x)
		return x
	}
	scaled := func(c float64) *mat.Dense { return filled(func(i, j int) float64 { return c * plain.At(i, j) }) }
	sign := func(i, j int) float64 { return float64(1 - 2*((i*j)%2)) }
	for name, x := range map[string]mat.Matrix{
		"no entries":                 sparse.NewCSR(n, d, make([]int, n+1), nil, nil),
		"zeros":                      filled(func(int, int) float64 { return 0 }),
		"constant":                   filled(func(int, int) float64 { return 1 }),
		"rank one":                   filled(func(i, j int) float64 { return float64(1+i) * float64(1+j) }),
		"rows twice":                 filled(func(i, j int) float64 { return plain.At(i/2, j) }),
		"columns twice":              filled(func(i, j int) float64 { return plain.At(i, j/2) }),
		"one column":                 plain.Slice(0, n, 0, 1),
		"the largest":                filled(func(int, int) float64 { return math.MaxFloat64 }),
		"the largest, both signs":    filled(func(i, j int) float64 { return math.MaxFloat64 * sign(i, j) }),
		"one the largest":            filled(func(i, j int) float64 { return max(plain.At(i, j), math.MaxFloat64*float64(1-min(i+j, 1))) }),
		"the smallest, both signs":   filled(func(i, j int) float64 { return 5e-324 * sign(i, j) }),
		"1e150":                      scaled(1e150),
		"1e200":                      scaled(1e200),
		"1e307":                      scaled(1e307),
		"1e-160":                     scaled(1e-160),
		"1e-200":                     scaled(1e-200),
		"1e-310, which has few bits": scaled(1e-310),
	} {
		t.Run(name, func(t *testing.T) {
			in := good()
			in.x = x
			tryAll(t, context.Background(), learningDoors, in)
			tryAll(t, context.Background(), rowDoors, in)
		})
	}
	for name, change := range map[string]func(in *args){
		"one row":         func(in *args) { in.x, in.labels, in.k = plain.Slice(0, 1, 0, d), in.labels[:1], 1 },
		"no labels":       func(in *args) { in.labels = nil },
		"the smallest":    func(in *args) { in.labels[3] = math.MinInt },
		"the largest":     func(in *args) { in.labels[3] = math.MaxInt },
		"one class":       func(in *args) { clear(in.labels) },
		"all differ":      func(in *args) { copy(in.labels, testkit.UpTo(n)) },
		"k = 0":           func(in *args) { in.k = 0 },
		"k < 0":           func(in *args) { in.k = -1 },
		"k > d":           func(in *args) { in.k = d + 1 },
		"k > n":           func(in *args) { in.k = n + 1 },
		"the largest k":   func(in *args) { in.k = math.MaxInt },
		"no rows":         func(in *args) { in.rows = nil },
		"a row far away":  func(in *args) { in.rows[1] = math.MaxInt },
		"a pair far away": func(in *args) { in.pairs[1].V = math.MinInt },
		"no pairs":        func(in *args) { in.pairs = nil },
		"no edges":        func(in *args) { in.g = testkit.Must(coles.NewGraph(n, nil)) },
		"every edge":      func(in *args) { in.g = testkit.Must(coles.NewGraph(n, testkit.RandomEdges(testkit.Random(1), n, 1))) },
		"p = 0":           func(in *args) { in.p = 0 },
		"p < 0":           func(in *args) { in.p = -1 },
		"p is NaN":        func(in *args) { in.p = math.NaN() },
		"the largest p":   func(in *args) { in.p = math.MaxFloat64 },
		"the smallest p":  func(in *args) { in.p = 5e-324 },
	} {
		t.Run(name, func(t *testing.T) {
			for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors, otherDoors} {
				in := good()
				change(&in)
				tryAll(t, context.Background(), doors, in)
			}
		})
	}
}

// nearestRows searches an index made for it.
func nearestRows(ctx context.Context, x mat.Matrix, rows []int, k int, by near.Similarity) ([][]near.Match, error) {
	index, err := near.NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Rows(ctx, rows, k)
}

func nearestVectors(ctx context.Context, x, queries mat.Matrix, k int, by near.Similarity) ([][]near.Match, error) {
	index, err := near.NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Vectors(ctx, queries, k)
}

func recommended(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int, by near.Similarity, k int) ([][]near.Match, error) {
	index, err := near.NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.RecommendLinks(ctx, g, nodes, k, nil)
}
