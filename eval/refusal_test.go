package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/eval"
	"coles/internal/testkit"
	"coles/learn"
	"coles/link"
	"coles/near"
	"coles/plane"

	"gonum.org/v1/gonum/mat"
)

// What learning from rows refuses, by name: regressions, their models, protocols and baselines.
func TestLearningRefuses(t *testing.T) {
	const most = math.MaxInt
	nan, inf := math.NaN(), math.Inf(1)
	x, labels, six := testkit.Normal(6, 3, 1, 51), []int{0, 1, 0, 1, 0, 1}, testkit.UpTo(6)
	huge, long := testkit.Normal(6, 3, 1e308, 92), testkit.Normal(6, 3, 1e200, 1)
	g := testkit.RandomGraph(128, 6, 0.5)
	fit := func(l learn.LogisticRegression, rows []int, labels ...int) error {
		return testkit.Err(l.Fit(context.Background(), x, rows, labels))
	}
	folds := func(k int, cs ...float64) learn.LogisticRegression { return learn.LogisticRegression{Cs: cs, Folds: k} }
	two := mat.NewDense(1, 3, []float64{1, 2, 3})
	good := learn.LinearModel{Classes: []int{0, 1}, Coef: two, Intercept: []float64{0}}
	predict := func(m learn.LinearModel, x mat.Matrix, rows ...int) error {
		_, first := m.Predict(context.Background(), x, rows)
		_, second := m.Scores(context.Background(), x, rows)
		return all{first, second}
	}
	classify := func(p eval.Protocol, labels []int, splits ...dataset.Split) error {
		return testkit.Err(p.Classify(context.Background(), x, labels, splits))
	}
	split := dataset.Split{Train: []int{0, 1}}
	reduce := func(x mat.Matrix, k int) error { return testkit.Err(plane.PCA(context.Background(), x, k)) }
	induce := func(x mat.Matrix, nodes ...int) error {
		return testkit.Err(eval.Induce(context.Background(), g, x, nodes))
	}
	one := []float64{1}
	none := new(mat.Dense)
	testkit.WantRefusals(t, map[string][2]error{
		"negative C":                    {fit(learn.LogisticRegression{C: -1}, six, labels...), coles.ErrSetting},
		"infinite C":                    {fit(learn.LogisticRegression{C: inf}, six, labels...), coles.ErrSetting},
		"the largest C":                 {fit(learn.LogisticRegression{C: math.MaxFloat64}, six, labels...), coles.ErrNotFinite},
		"a candidate of zero":           {fit(folds(3, 1, 0), six, labels...), coles.ErrSetting},
		"one fold":                      {fit(folds(1, 1, 2), six, labels...), coles.ErrSetting},
		"more folds than rows":          {fit(folds(4, 1, 2), six, labels...), coles.ErrSetting},
		"one row a class to fold":       {fit(folds(0, 1, 2), six[:2], labels...), coles.ErrSetting},
		"a fold of a whole class":       {fit(folds(2, 1, 2), []int{0, 2, 1}, labels...), learn.ErrSplit},
		"too few labels":                {fit(learn.LogisticRegression{}, six, labels[:5]...), coles.ErrShape},
		"rows too long":                 {testkit.Err(learn.LogisticRegression{}.Fit(context.Background(), long, six, labels)), coles.ErrNotFinite},
		"features too large":            {testkit.Err(learn.LogisticRegression{}.Fit(context.Background(), testkit.Normal(100, 2, 1e6, 31), testkit.UpTo(100), testkit.RandomLabels(100, 3, 31))), learn.ErrConvergence},
		"row too large":                 {fit(learn.LogisticRegression{}, []int{0, 1, 6}, labels...), coles.ErrIndex},
		"negative row":                  {fit(learn.LogisticRegression{}, []int{0, 1, -1}, labels...), coles.ErrIndex},
		"negative label":                {fit(learn.LogisticRegression{}, six[:4], 0, 1, -1, 1, 0, 0), coles.ErrIndex},
		"no rows":                       {fit(learn.LogisticRegression{}, nil, labels...), coles.ErrShape},
		"one class":                     {fit(learn.LogisticRegression{}, []int{0, 2}, labels...), learn.ErrSplit},
		"model, zero":                   {predict(learn.LinearModel{}, x), coles.ErrShape},
		"model, no intercept":           {predict(learn.LinearModel{Classes: []int{0, 1}, Coef: two}, x), coles.ErrShape},
		"model, no classes":             {predict(learn.LinearModel{Coef: two, Intercept: one}, x), coles.ErrShape},
		"model, another width":          {predict(good, testkit.Normal(3, 4, 1, 1)), coles.ErrShape},
		"model, no such row":            {predict(good, x, 6), coles.ErrIndex},
		"model, a coefficient NaN":      {predict(learn.LinearModel{Classes: []int{0, 1}, Coef: mat.NewDense(1, 3, []float64{nan, 0, 0}), Intercept: one, C: 1}, x), coles.ErrNotFinite},
		"model, an infinite offset":     {predict(learn.LinearModel{Classes: []int{0, 1}, Coef: two, Intercept: []float64{inf}}, x), coles.ErrNotFinite},
		"classify, no splits":           {classify(eval.Protocol{}, labels), coles.ErrShape},
		"classify, too few labels":      {classify(eval.Protocol{}, labels[:5], split), coles.ErrShape},
		"classify, negative C":          {classify(eval.Protocol{Regression: learn.LogisticRegression{C: -1}}, labels, split), coles.ErrSetting},
		"baselines, no dimension":       {reduce(x, 0), coles.ErrSetting},
		"components, the most":          {reduce(x, most), coles.ErrSetting},
		"components, overflow":          {reduce(huge, 1), coles.ErrNotFinite},
		"components, more than columns": {reduce(x, 4), coles.ErrSetting},
		"t-SNE of no rows":              {testkit.Err(plane.TSNE{Seed: 1}.Places(context.Background(), none)), coles.ErrShape},
		"induce, no nodes":              {induce(x), coles.ErrShape},
		"induce, node outside":          {induce(x, 0, 6), coles.ErrIndex},
		"induce, node twice":            {induce(x, 3, 1, 3), coles.ErrIDs},
		"induce, rows":                  {induce(testkit.Normal(5, 2, 1, 1), 0), coles.ErrShape},
		"induce, rows of float32":       {induce(testkit.SingleOf(testkit.Normal(5, 2, 1, 1)), 0), coles.ErrShape},
	})
}

// all are errors that have to wrap the same one.
type all []error

func (a all) Error() string { return fmt.Sprint([]error(a)) }

func (a all) Is(want error) bool {
	return !slices.ContainsFunc(a, func(err error) bool { return !errors.Is(err, want) })
}

// What clusters, searches, links and homophily refuse, by name.
func TestClustersAndSearchesRefuse(t *testing.T) {
	const most = math.MaxFloat64
	nan := math.NaN()
	onePair := []coles.Edge{{U: 0, V: 1}}
	x, huge := testkit.Normal(6, 3, 1, 1), testkit.Normal(6, 3, 1e200, 1)
	extreme := mat.NewDense(3, 1, []float64{most, most, -most})
	labels := []int{0, 1, 0, 1, 0, 1}
	empty := testkit.Must(coles.NewGraph(3, nil))
	path := testkit.Must(coles.NewGraph(3, onePair))
	two := cluster.KMeans{Clusters: 2}

	fit := func(k cluster.KMeans, x mat.Matrix) error { return testkit.Err(k.Fit(context.Background(), x)) }
	grouped := func(p eval.Protocol, labels ...int) error {
		return testkit.Err(p.Cluster(context.Background(), x, labels))
	}
	count := func(x mat.Matrix, most int, means cluster.KMeans) error {
		_, _, err := cluster.Count(context.Background(), x, most, means)
		return err
	}
	silhouette := func(x mat.Matrix, c ...int) error { return testkit.Err(cluster.Silhouette(context.Background(), x, c)) }
	rows := func(x mat.Matrix, k int, by near.Similarity, rows ...int) error {
		return testkit.Err(nearestRows(context.Background(), x, rows, k, by))
	}
	to := func(queries mat.Matrix, k int) error {
		return testkit.Err(nearestVectors(context.Background(), x, queries, k, near.Cosine))
	}
	recommend := func(x mat.Matrix, by near.Similarity, k int, nodes ...int) error {
		return testkit.Err(recommended(context.Background(), testkit.Must(coles.NewGraph(6, nil)), x, nodes, by, k))
	}
	hold := func(g *coles.Graph, share float64) error {
		return testkit.Err(link.HoldOut(context.Background(), g, share, 1))
	}
	testkit.WantRefusals(t, map[string][2]error{
		"k-means, no clusters":              {fit(cluster.KMeans{}, x), coles.ErrSetting},
		"k-means, more clusters than rows":  {fit(cluster.KMeans{Clusters: 7}, x), coles.ErrSetting},
		"k-means, negative starts":          {fit(cluster.KMeans{Clusters: 2, Starts: -1}, x), coles.ErrSetting},
		"k-means, too many starts":          {fit(cluster.KMeans{Clusters: 2, Starts: math.MaxInt}, x), coles.ErrSetting},
		"k-means, negative iterations":      {fit(cluster.KMeans{Clusters: 2, MaxIterations: -1}, x), coles.ErrSetting},
		"k-means, negative tolerance":       {fit(cluster.KMeans{Clusters: 2, Tolerance: -1}, x), coles.ErrSetting},
		"k-means, NaN as tolerance":         {fit(cluster.KMeans{Clusters: 2, Tolerance: nan}, x), coles.ErrSetting},
		"k-means, squares overflow":         {fit(two, huge), coles.ErrNotFinite},
		"k-means, sums overflow":            {fit(two, extreme), coles.ErrNotFinite},
		"cluster, negative runs":            {grouped(eval.Protocol{Runs: -1}, labels...), coles.ErrSetting},
		"cluster, too many runs":            {grouped(eval.Protocol{Runs: math.MaxInt}, labels...), coles.ErrSetting},
		"cluster, negative clusters":        {grouped(eval.Protocol{KMeans: cluster.KMeans{Clusters: -1}}, labels...), coles.ErrSetting},
		"cluster, negative starts":          {grouped(eval.Protocol{KMeans: cluster.KMeans{Starts: -1}}, labels...), coles.ErrSetting},
		"cluster, a label too few":          {grouped(eval.Protocol{}, labels[:5]...), coles.ErrShape},
		"cluster, no label":                 {grouped(eval.Protocol{}, -1, -1, -1, -1, -1, -2), coles.ErrShape},
		"silhouette, a cluster too few":     {silhouette(x, 1, 2), coles.ErrShape},
		"silhouette, one cluster":           {silhouette(x, 1, 1, 1, 1, 1, 1), coles.ErrSetting},
		"silhouette, all rows alone":        {silhouette(x, 1, 2, 3, 4, 5, 6), coles.ErrSetting},
		"cluster count, up to one":          {count(x, 1, cluster.KMeans{}), coles.ErrSetting},
		"cluster count, as many as rows":    {count(x, 6, cluster.KMeans{}), coles.ErrSetting},
		"cluster count, equal rows":         {count(mat.NewDense(6, 2, nil), 3, cluster.KMeans{}), coles.ErrSetting},
		"cluster count, from more than to":  {count(x, 3, cluster.KMeans{Clusters: 4}), coles.ErrSetting},
		"cluster count, negative starts":    {count(x, 3, cluster.KMeans{Starts: -1}), coles.ErrSetting},
		"cluster count, NaN":                {count(testkit.Normal(6, 2, nan, 75), 3, cluster.KMeans{}), coles.ErrNotFinite},
		"predictions of two lengths":        {testkit.Err(eval.Accuracy([]int{1}, []int{1, 2})), coles.ErrShape},
		"no predictions":                    {testkit.Err(eval.Accuracy(nil, nil)), coles.ErrShape},
		"labels of two lengths":             {testkit.Err(eval.NMI([]int{1}, []int{1, 2})), coles.ErrShape},
		"no labels":                         {testkit.Err(eval.NMI(nil, nil)), coles.ErrShape},
		"node homophily, no edges":          {testkit.Err(eval.NodeHomophily(empty, labels[:3])), coles.ErrShape},
		"node homophily, a label too many":  {testkit.Err(eval.NodeHomophily(path, labels[:4])), coles.ErrShape},
		"edge homophily, a negative label":  {testkit.Err(eval.EdgeHomophily(path, []int{0, 1, -1})), coles.ErrIndex},
		"expected homophily, no labels":     {testkit.Err(eval.ExpectedHomophily(nil)), coles.ErrShape},
		"expected homophily, negative":      {testkit.Err(eval.ExpectedHomophily([]int{1, -2})), coles.ErrIndex},
		"nearest, no rows":                  {rows(x, 1, near.Cosine), coles.ErrShape},
		"nearest, row outside":              {rows(x, 1, near.Cosine, 6), coles.ErrIndex},
		"nearest, no matches":               {rows(x, 0, near.Cosine, 0), coles.ErrSetting},
		"nearest, more than the others":     {rows(x, 6, near.Cosine, 0), coles.ErrSetting},
		"nearest, no such similarity":       {rows(x, 1, 2, 0), coles.ErrSetting},
		"nearest, products overflow":        {rows(huge, 1, near.DotProduct, 0), coles.ErrNotFinite},
		"nearest, lengths overflow":         {rows(mat.NewDense(2, 2, []float64{most, most, 1, 1}), 1, near.Cosine, 0), coles.ErrNotFinite},
		"nearest, queries of other columns": {to(testkit.Normal(1, 2, 1, 1), 1), coles.ErrShape},
		"nearest, more than there are":      {to(x, 7), coles.ErrSetting},
		"recommend, none":                   {recommend(x, near.Cosine, 0), coles.ErrSetting},
		"recommend, no such similarity":     {recommend(x, 2, 1), coles.ErrSetting},
		"recommend, a node outside":         {recommend(x, near.Cosine, 1, 6), coles.ErrIndex},
		"recommend, no nodes":               {recommend(x, near.Cosine, 1, []int{}...), coles.ErrShape},
		"recommend, rows too few":           {recommend(testkit.Normal(5, 2, 1, 1), near.Cosine, 1), coles.ErrShape},
		"recommend, products overflow":      {recommend(huge, near.DotProduct, 1), coles.ErrNotFinite},
		"hold out, none":                    {hold(path, 0), coles.ErrSetting},
		"hold out, all":                     {hold(path, 1), coles.ErrSetting},
		"hold out, NaN":                     {hold(path, nan), coles.ErrSetting},
		"hold out, no edges":                {hold(empty, 0.1), coles.ErrShape},
		"hold out, of a tree":               {hold(path, 0.1), coles.ErrSetting},
		"hold out, two of a cycle":          {hold(testkit.Must(coles.NewGraph(12, testkit.Ring(12, 1))), 0.2), coles.ErrSetting},
	})
}
