package eval

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A refusal is the error of a call, and the one that it has to wrap.
type refusal struct{ got, want error }

func wantRefusals(t *testing.T, refusals map[string]refusal) {
	t.Helper()
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, c.got, c.want) })
	}
}

// What learning from rows refuses, by name: regressions, their models, protocols and baselines.
func TestLearningRefuses(t *testing.T) {
	const most = math.MaxInt
	nan, inf := math.NaN(), math.Inf(1)
	x, labels, six := normal(6, 3, 1, 51), []int{0, 1, 0, 1, 0, 1}, upTo(6)
	huge, long := normal(6, 3, 1e308, 92), normal(6, 3, 1e200, 1)
	g := testkit.RandomGraph(128, 6, 0.5)
	fit := func(l LogisticRegression, rows []int, labels ...int) error {
		return testkit.Err(l.Fit(background, x, rows, labels))
	}
	folds := func(k int, cs ...float64) LogisticRegression { return LogisticRegression{Cs: cs, Folds: k} }
	two := mat.NewDense(1, 3, []float64{1, 2, 3})
	good := LinearModel{Classes: []int{0, 1}, Coef: two, Intercept: []float64{0}}
	predict := func(m LinearModel, x mat.Matrix, rows ...int) error {
		_, first := m.Predict(background, x, rows)
		_, second := m.Scores(background, x, rows)
		return all{first, second}
	}
	classify := func(p Protocol, labels []int, splits ...dataset.Split) error {
		return testkit.Err(p.Classify(background, x, labels, splits))
	}
	split := dataset.Split{Train: []int{0, 1}}
	reduce := func(x mat.Matrix, k int) error { return testkit.Err(PCA(background, x, k)) }
	induce := func(x mat.Matrix, nodes ...int) error {
		return testkit.Err(Induce(background, g, x, nodes))
	}
	average := func(x ...float64) error {
		_, _, err := meanStd(x)
		return err
	}
	one := []float64{1}
	none := new(mat.Dense)
	wantRefusals(t, map[string]refusal{
		"negative C":                    {fit(LogisticRegression{C: -1}, six, labels...), coles.ErrSetting},
		"infinite C":                    {fit(LogisticRegression{C: inf}, six, labels...), coles.ErrSetting},
		"the largest C":                 {fit(LogisticRegression{C: math.MaxFloat64}, six, labels...), coles.ErrNotFinite},
		"a candidate of zero":           {fit(folds(3, 1, 0), six, labels...), coles.ErrSetting},
		"one fold":                      {fit(folds(1, 1, 2), six, labels...), coles.ErrSetting},
		"more folds than rows":          {fit(folds(4, 1, 2), six, labels...), coles.ErrSetting},
		"one row a class to fold":       {fit(folds(0, 1, 2), six[:2], labels...), coles.ErrSetting},
		"a fold of a whole class":       {fit(folds(2, 1, 2), []int{0, 2, 1}, labels...), ErrSplit},
		"too few labels":                {fit(LogisticRegression{}, six, labels[:5]...), coles.ErrShape},
		"rows too long":                 {testkit.Err(LogisticRegression{}.Fit(background, long, six, labels)), coles.ErrNotFinite},
		"features too large":            {testkit.Err(LogisticRegression{}.Fit(background, normal(100, 2, 1e6, 31), upTo(100), randomLabels(100, 3, 31))), ErrConvergence},
		"row too large":                 {fit(LogisticRegression{}, []int{0, 1, 6}, labels...), coles.ErrIndex},
		"negative row":                  {fit(LogisticRegression{}, []int{0, 1, -1}, labels...), coles.ErrIndex},
		"negative label":                {fit(LogisticRegression{}, six[:4], 0, 1, -1, 1, 0, 0), coles.ErrIndex},
		"no rows":                       {fit(LogisticRegression{}, nil, labels...), coles.ErrShape},
		"one class":                     {fit(LogisticRegression{}, []int{0, 2}, labels...), ErrSplit},
		"model, zero":                   {predict(LinearModel{}, x), coles.ErrShape},
		"model, no intercept":           {predict(LinearModel{Classes: []int{0, 1}, Coef: two}, x), coles.ErrShape},
		"model, no classes":             {predict(LinearModel{Coef: two, Intercept: one}, x), coles.ErrShape},
		"model, another width":          {predict(good, normal(3, 4, 1, 1)), coles.ErrShape},
		"model, no such row":            {predict(good, x, 6), coles.ErrIndex},
		"model, a coefficient NaN":      {predict(LinearModel{[]int{0, 1}, mat.NewDense(1, 3, []float64{nan, 0, 0}), one, 1}, x), coles.ErrNotFinite},
		"model, an infinite offset":     {predict(LinearModel{Classes: []int{0, 1}, Coef: two, Intercept: []float64{inf}}, x), coles.ErrNotFinite},
		"classify, no splits":           {classify(Protocol{}, labels), coles.ErrShape},
		"classify, too few labels":      {classify(Protocol{}, labels[:5], split), coles.ErrShape},
		"classify, negative C":          {classify(Protocol{Regression: LogisticRegression{C: -1}}, labels, split), coles.ErrSetting},
		"baselines, no dimension":       {reduce(x, 0), coles.ErrSetting},
		"components, the most":          {reduce(x, most), coles.ErrSetting},
		"components, overflow":          {reduce(huge, 1), coles.ErrNotFinite},
		"components, more than columns": {reduce(x, 4), coles.ErrSetting},
		"t-SNE of no rows":              {testkit.Err(TSNE{Seed: 1}.Places(background, none)), coles.ErrShape},
		"induce, no nodes":              {induce(x), coles.ErrShape},
		"induce, node outside":          {induce(x, 0, 6), coles.ErrIndex},
		"induce, node twice":            {induce(x, 3, 1, 3), coles.ErrIDs},
		"induce, rows":                  {induce(normal(5, 2, 1, 1), 0), coles.ErrShape},
		"induce, rows of float32":       {induce(testkit.SingleOf(normal(5, 2, 1, 1)), 0), coles.ErrShape},
		"average of nothing":            {average(), coles.ErrShape},
		"average with NaN":              {average(1, nan), coles.ErrNotFinite},
		"average with infinity":         {average(inf, 1), coles.ErrNotFinite},
		"average, squares overflow":     {average(1e200, -1e200), coles.ErrNotFinite},
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
	x, huge := normal(6, 3, 1, 1), normal(6, 3, 1e200, 1)
	extreme := mat.NewDense(3, 1, []float64{most, most, -most})
	labels := []int{0, 1, 0, 1, 0, 1}
	empty := testkit.Must(coles.NewGraph(3, nil))
	path := testkit.Must(coles.NewGraph(3, onePair))
	many := upTo(1 << 13)
	two := KMeans{Clusters: 2}

	fit := func(k KMeans, x mat.Matrix) error { return testkit.Err(k.Fit(background, x)) }
	predict := func(centres ...float64) error {
		m := &KMeansModel{Centres: mat.NewDense(len(centres)/3, 3, centres)}
		return testkit.Err(m.Predict(background, x))
	}
	cluster := func(p Protocol, labels ...int) error { return testkit.Err(p.Cluster(background, x, labels)) }
	count := func(x mat.Matrix, most int, means KMeans) error {
		_, _, err := ClusterCount(background, x, most, means)
		return err
	}
	predictions := func(predicted, actual []int) error {
		return all{testkit.Err(Accuracy(predicted, actual)), testkit.Err(MacroF1(predicted, actual))}
	}
	silhouette := func(x mat.Matrix, c ...int) error { return testkit.Err(Silhouette(background, x, c)) }
	rows := func(x mat.Matrix, k int, by Similarity, rows ...int) error {
		return testkit.Err(nearestRows(background, x, rows, k, by))
	}
	to := func(queries mat.Matrix, k int) error {
		return testkit.Err(nearestVectors(background, x, queries, k, Cosine))
	}
	recommend := func(x mat.Matrix, by Similarity, k int, nodes ...int) error {
		return testkit.Err(recommended(background, testkit.Must(coles.NewGraph(6, nil)), x, nodes, by, k))
	}
	hold := func(g *coles.Graph, share float64) error { return testkit.Err(HoldOutLinks(background, g, share, 1)) }
	wantRefusals(t, map[string]refusal{
		"k-means, no clusters":              {fit(KMeans{}, x), coles.ErrSetting},
		"k-means, more clusters than rows":  {fit(KMeans{Clusters: 7}, x), coles.ErrSetting},
		"k-means, negative starts":          {fit(KMeans{Clusters: 2, Starts: -1}, x), coles.ErrSetting},
		"k-means, too many starts":          {fit(KMeans{Clusters: 2, Starts: math.MaxInt}, x), coles.ErrSetting},
		"k-means, negative iterations":      {fit(KMeans{Clusters: 2, MaxIterations: -1}, x), coles.ErrSetting},
		"k-means, negative tolerance":       {fit(KMeans{Clusters: 2, Tolerance: -1}, x), coles.ErrSetting},
		"k-means, NaN as tolerance":         {fit(KMeans{Clusters: 2, Tolerance: nan}, x), coles.ErrSetting},
		"k-means, squares overflow":         {fit(two, huge), coles.ErrNotFinite},
		"k-means, sums overflow":            {fit(two, extreme), coles.ErrNotFinite},
		"k-means, other columns":            {testkit.Err(testkit.Must(two.Fit(background, x)).Predict(background, normal(3, 2, 1, 1))), coles.ErrShape},
		"k-means, no centres":               {testkit.Err((&KMeansModel{Centres: new(mat.Dense)}).Predict(background, x)), coles.ErrShape},
		"k-means, NaN in the centres":       {predict(nan, 0, 0), coles.ErrNotFinite},
		"cluster, negative runs":            {cluster(Protocol{Runs: -1}, labels...), coles.ErrSetting},
		"cluster, too many runs":            {cluster(Protocol{Runs: math.MaxInt}, labels...), coles.ErrSetting},
		"cluster, negative clusters":        {cluster(Protocol{KMeans: KMeans{Clusters: -1}}, labels...), coles.ErrSetting},
		"cluster, negative starts":          {cluster(Protocol{KMeans: KMeans{Starts: -1}}, labels...), coles.ErrSetting},
		"cluster, a label too few":          {cluster(Protocol{}, labels[:5]...), coles.ErrShape},
		"cluster, no label":                 {cluster(Protocol{}, -1, -1, -1, -1, -1, -2), coles.ErrShape},
		"silhouette, a cluster too few":     {silhouette(x, 1, 2), coles.ErrShape},
		"silhouette, one cluster":           {silhouette(x, 1, 1, 1, 1, 1, 1), coles.ErrSetting},
		"silhouette, all rows alone":        {silhouette(x, 1, 2, 3, 4, 5, 6), coles.ErrSetting},
		"cluster count, up to one":          {count(x, 1, KMeans{}), coles.ErrSetting},
		"cluster count, as many as rows":    {count(x, 6, KMeans{}), coles.ErrSetting},
		"cluster count, equal rows":         {count(mat.NewDense(6, 2, nil), 3, KMeans{}), coles.ErrSetting},
		"cluster count, negative starts":    {count(x, 3, KMeans{Starts: -1}), coles.ErrSetting},
		"cluster count, NaN":                {count(normal(6, 2, nan, 75), 3, KMeans{}), coles.ErrNotFinite},
		"predictions of two lengths":        {predictions([]int{1}, []int{1, 2}), coles.ErrShape},
		"no predictions":                    {predictions(nil, nil), coles.ErrShape},
		"labels of two lengths":             {testkit.Err(NMI([]int{1}, []int{1, 2})), coles.ErrShape},
		"no labels":                         {testkit.Err(NMI(nil, nil)), coles.ErrShape},
		"accuracy of two lengths":           {testkit.Err(ClusterAccuracy([]int{1}, nil)), coles.ErrShape},
		"a map of many":                     {testkit.Err(ClusterMacroF1(many, many)), coles.ErrTooLarge},
		"modularity, a cluster too few":     {testkit.Err(Modularity(path, labels[:2])), coles.ErrShape},
		"modularity, no edges":              {testkit.Err(Modularity(empty, labels[:3])), coles.ErrShape},
		"node homophily, no edges":          {testkit.Err(NodeHomophily(empty, labels[:3])), coles.ErrShape},
		"node homophily, a label too many":  {testkit.Err(NodeHomophily(path, labels[:4])), coles.ErrShape},
		"edge homophily, a negative label":  {testkit.Err(EdgeHomophily(path, []int{0, 1, -1})), coles.ErrIndex},
		"expected homophily, no labels":     {testkit.Err(ExpectedHomophily(nil)), coles.ErrShape},
		"expected homophily, negative":      {testkit.Err(ExpectedHomophily([]int{1, -2})), coles.ErrIndex},
		"nearest, no rows":                  {rows(x, 1, Cosine), coles.ErrShape},
		"nearest, row outside":              {rows(x, 1, Cosine, 6), coles.ErrIndex},
		"nearest, no matches":               {rows(x, 0, Cosine, 0), coles.ErrSetting},
		"nearest, more than the others":     {rows(x, 6, Cosine, 0), coles.ErrSetting},
		"nearest, no such similarity":       {rows(x, 1, 2, 0), coles.ErrSetting},
		"nearest, products overflow":        {rows(huge, 1, DotProduct, 0), coles.ErrNotFinite},
		"nearest, lengths overflow":         {rows(mat.NewDense(2, 2, []float64{most, most, 1, 1}), 1, Cosine, 0), coles.ErrNotFinite},
		"nearest, queries of other columns": {to(normal(1, 2, 1, 1), 1), coles.ErrShape},
		"nearest, more than there are":      {to(x, 7), coles.ErrSetting},
		"recommend, none":                   {recommend(x, Cosine, 0), coles.ErrSetting},
		"recommend, no such similarity":     {recommend(x, 2, 1), coles.ErrSetting},
		"recommend, a node outside":         {recommend(x, Cosine, 1, 6), coles.ErrIndex},
		"recommend, no nodes":               {recommend(x, Cosine, 1, []int{}...), coles.ErrShape},
		"recommend, rows too few":           {recommend(normal(5, 2, 1, 1), Cosine, 1), coles.ErrShape},
		"recommend, products overflow":      {recommend(huge, DotProduct, 1), coles.ErrNotFinite},
		"hold out, none":                    {hold(path, 0), coles.ErrSetting},
		"hold out, all":                     {hold(path, 1), coles.ErrSetting},
		"hold out, NaN":                     {hold(path, nan), coles.ErrSetting},
		"hold out, no edges":                {hold(empty, 0.1), coles.ErrShape},
		"hold out, of a tree":               {hold(path, 0.1), coles.ErrSetting},
		"hold out, two of a cycle":          {hold(testkit.Must(coles.NewGraph(12, testkit.Ring(12, 1))), 0.2), coles.ErrSetting},
	})
}
