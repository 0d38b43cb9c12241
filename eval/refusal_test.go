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
	g, path := testkit.RandomGraph(128, 6, 0.5), testkit.Must(coles.NewGraph(7, testkit.Ring(6, 1)))
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
	rates := func(p Protocol, labels []int, perClass ...int) error {
		return testkit.Err(p.LabelRates(background, x, labels, perClass, 3, 1))
	}
	reduce := func(x mat.Matrix, k int) error {
		return all{testkit.Err(PCA(background, x, k)), testkit.Err(RandomProjection(background, x, k, 1))}
	}
	spectral := func(x mat.Matrix, k int) error { return testkit.Err(SpectralFeatures(background, x, k)) }
	induce := func(x mat.Matrix, nodes ...int) error {
		return all{testkit.Err(Induce(background, g, x, nodes)), testkit.Err(EmbedInductive(background, g, x, nodes))}
	}
	average := func(x ...float64) error {
		_, _, err := MeanStd(x)
		return err
	}
	compare := func(p PairedTest, a, b []float64) error { return testkit.Err(p.Compare(a, b)) }
	numbers, one := []float64{1, 2}, []float64{1}
	none := new(mat.Dense)
	wantRefusals(t, map[string]refusal{
		"negative C":                      {fit(LogisticRegression{C: -1}, six, labels...), coles.ErrSetting},
		"infinite C":                      {fit(LogisticRegression{C: inf}, six, labels...), coles.ErrSetting},
		"the largest C":                   {fit(LogisticRegression{C: math.MaxFloat64}, six, labels...), coles.ErrNotFinite},
		"a candidate of zero":             {fit(folds(3, 1, 0), six, labels...), coles.ErrSetting},
		"one fold":                        {fit(folds(1, 1, 2), six, labels...), coles.ErrSetting},
		"more folds than rows":            {fit(folds(4, 1, 2), six, labels...), coles.ErrSetting},
		"one row a class to fold":         {fit(folds(0, 1, 2), six[:2], labels...), coles.ErrSetting},
		"a fold of a whole class":         {fit(folds(2, 1, 2), []int{0, 2, 1}, labels...), ErrSplit},
		"too few labels":                  {fit(LogisticRegression{}, six, labels[:5]...), coles.ErrShape},
		"rows too long":                   {testkit.Err(LogisticRegression{}.Fit(background, long, six, labels)), coles.ErrNotFinite},
		"row too large":                   {fit(LogisticRegression{}, []int{0, 1, 6}, labels...), coles.ErrIndex},
		"negative row":                    {fit(LogisticRegression{}, []int{0, 1, -1}, labels...), coles.ErrIndex},
		"negative label":                  {fit(LogisticRegression{}, six[:4], 0, 1, -1, 1, 0, 0), coles.ErrIndex},
		"no rows":                         {fit(LogisticRegression{}, nil, labels...), coles.ErrShape},
		"one class":                       {fit(LogisticRegression{}, []int{0, 2}, labels...), ErrSplit},
		"model, zero":                     {predict(LinearModel{}, x), coles.ErrShape},
		"model, no intercept":             {predict(LinearModel{Classes: []int{0, 1}, Coef: two}, x), coles.ErrShape},
		"model, no classes":               {predict(LinearModel{Coef: two, Intercept: one}, x), coles.ErrShape},
		"model, another width":            {predict(good, normal(3, 4, 1, 1)), coles.ErrShape},
		"model, no such row":              {predict(good, x, 6), coles.ErrIndex},
		"model, a coefficient NaN":        {predict(LinearModel{[]int{0, 1}, mat.NewDense(1, 3, []float64{nan, 0, 0}), one, 1}, x), coles.ErrNotFinite},
		"model, an infinite offset":       {predict(LinearModel{Classes: []int{0, 1}, Coef: two, Intercept: []float64{inf}}, x), coles.ErrNotFinite},
		"classify, no splits":             {classify(Protocol{}, labels), coles.ErrShape},
		"classify, too few labels":        {classify(Protocol{}, labels[:5], split), coles.ErrShape},
		"classify, negative C":            {classify(Protocol{Regression: LogisticRegression{C: -1}}, labels, split), coles.ErrSetting},
		"label rates, none":               {rates(Protocol{}, labels), coles.ErrShape},
		"label rates, too few labels":     {rates(Protocol{}, labels[:5], 1), coles.ErrShape},
		"label rates, NaN as C":           {rates(Protocol{Regression: LogisticRegression{C: nan}}, labels, 1), coles.ErrSetting},
		"label rates, no labels a class":  {rates(Protocol{}, labels, 0), coles.ErrSetting},
		"label rates, no splits":          {testkit.Err(Protocol{}.LabelRates(background, x, labels, []int{3}, 0, 1)), coles.ErrSetting},
		"baselines, no dimension":         {reduce(x, 0), coles.ErrSetting},
		"baselines, too many":             {reduce(x, most), coles.ErrSetting},
		"baselines, overflow":             {reduce(huge, 1), coles.ErrNotFinite},
		"components, more than columns":   {testkit.Err(PCA(background, x, 4)), coles.ErrSetting},
		"spectral, more than columns":     {spectral(x, 4), coles.ErrSetting},
		"spectral, negative similarities": {spectral(testkit.Product(normal(5, 1, 1, 1), two), 2), coles.ErrNegative},
		"spectral, of rank one":           {spectral(testkit.Product(mat.NewDense(5, 1, []float64{1, 1, 1, 1, 1}), two), 2), coles.ErrSetting},
		"spectral graph, no columns":      {testkit.Err(SpectralGraph(background, path, 0)), coles.ErrSetting},
		"spectral graph, more than nodes": {testkit.Err(SpectralGraph(background, path, 8)), coles.ErrSetting},
		"t-SNE of no rows":                {testkit.Err(TSNE(background, none, 1)), coles.ErrShape},
		"induce, no nodes":                {induce(x), coles.ErrShape},
		"induce, node outside":            {induce(x, 0, 6), coles.ErrIndex},
		"induce, node twice":              {induce(x, 3, 1, 3), coles.ErrIDs},
		"induce, rows":                    {induce(normal(5, 2, 1, 1), 0), coles.ErrShape},
		"induce, rows of float32":         {induce(testkit.SingleOf(normal(5, 2, 1, 1)), 0), coles.ErrShape},
		"average of nothing":              {average(), coles.ErrShape},
		"average with NaN":                {average(1, nan), coles.ErrNotFinite},
		"average with infinity":           {average(inf, 1), coles.ErrNotFinite},
		"average, squares overflow":       {average(1e200, -1e200), coles.ErrNotFinite},
		"compare, lengths":                {compare(PairedTest{}, numbers, one), coles.ErrShape},
		"compare, one":                    {compare(PairedTest{}, one, one), coles.ErrShape},
		"compare, NaN":                    {compare(PairedTest{}, numbers, []float64{1, nan}), coles.ErrNotFinite},
		"compare, infinity":               {compare(PairedTest{}, []float64{1, inf}, numbers), coles.ErrNotFinite},
		"compare, a difference overflows": {compare(PairedTest{}, []float64{1e308, 0}, []float64{-1e308, 0}), coles.ErrNotFinite},
		"compare, a square overflows":     {compare(PairedTest{}, []float64{1e200, 0}, []float64{-1e200, 0}), coles.ErrNotFinite},
		"compare, negative level":         {compare(PairedTest{Level: -1}, numbers, numbers), coles.ErrSetting},
		"compare, level 1":                {compare(PairedTest{Level: 1}, numbers, numbers), coles.ErrSetting},
		"compare, level NaN":              {compare(PairedTest{Level: nan}, numbers, numbers), coles.ErrSetting},
		"compare, no training nodes":      {compare(PairedTest{Test: 5}, numbers, numbers), coles.ErrSetting},
		"compare, no test nodes":          {compare(PairedTest{Train: 5}, numbers, numbers), coles.ErrSetting},
	})
}

// all are errors that have to wrap the same one.
type all []error

func (a all) Error() string { return fmt.Sprint([]error(a)) }

func (a all) Is(want error) bool {
	return !slices.ContainsFunc(a, func(err error) bool { return !errors.Is(err, want) })
}

// What clusters, searches, links, homophily and densities refuse, by name.
func TestClustersAndSearchesRefuse(t *testing.T) {
	const most = math.MaxFloat64
	nan, inf := math.NaN(), math.Inf(1)
	onePair := []coles.Edge{{U: 0, V: 1}}
	x, huge := normal(6, 3, 1, 1), normal(6, 3, 1e200, 1)
	extreme := mat.NewDense(3, 1, []float64{most, most, -most})
	labels := []int{0, 1, 0, 1, 0, 1}
	empty := testkit.Must(coles.NewGraph(3, nil))
	path := testkit.Must(coles.NewGraph(3, onePair))
	triangle := testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1)))
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
		return all{testkit.Err(Accuracy(predicted, actual)), testkit.Err(MicroF1(predicted, actual)), testkit.Err(MacroF1(predicted, actual))}
	}
	silhouette := func(x mat.Matrix, c ...int) error { return testkit.Err(Silhouette(background, x, c)) }
	rows := func(x mat.Matrix, k int, by Similarity, rows ...int) error {
		return testkit.Err(nearestRows(background, x, rows, k, by))
	}
	to := func(queries mat.Matrix, k int) error {
		return testkit.Err(nearestVectors(background, x, queries, k, Cosine))
	}
	links := func(positive, negative []coles.Edge, by Similarity, k int) error {
		return testkit.Err(PredictLinks(background, x, &HeldOutLinks{Positive: positive, Negative: negative}, by, k))
	}
	recommend := func(x mat.Matrix, by Similarity, k int, nodes ...int) error {
		return testkit.Err(RecommendLinks(background, testkit.Must(coles.NewGraph(6, nil)), x, nodes, by, k))
	}
	rank := func(x mat.Matrix, positive ...coles.Edge) error {
		return testkit.Err(RankLinks(background, x, &HeldOutLinks{Train: path, Positive: positive}, Cosine, 1))
	}
	scores := func(x mat.Matrix, pairs ...coles.Edge) error { return testkit.Err(PairScores(background, x, pairs)) }
	hold := func(g *coles.Graph, share float64) error { return testkit.Err(HoldOutLinks(background, g, share, 1)) }
	density := func(sample, grid []float64, h float64) error {
		return testkit.Err(ParzenDensity(background, sample, grid, h))
	}
	divergence := func(x, y []float64, points int) error {
		return testkit.Err(JensenShannonOfSamples(background, x, y, points, 0))
	}
	good, one := []float64{0, 1, 3}, []float64{1}
	wantRefusals(t, map[string]refusal{
		"k-means, no clusters":               {fit(KMeans{}, x), coles.ErrSetting},
		"k-means, more clusters than rows":   {fit(KMeans{Clusters: 7}, x), coles.ErrSetting},
		"k-means, negative starts":           {fit(KMeans{Clusters: 2, Starts: -1}, x), coles.ErrSetting},
		"k-means, too many starts":           {fit(KMeans{Clusters: 2, Starts: math.MaxInt}, x), coles.ErrSetting},
		"k-means, negative iterations":       {fit(KMeans{Clusters: 2, MaxIterations: -1}, x), coles.ErrSetting},
		"k-means, negative tolerance":        {fit(KMeans{Clusters: 2, Tolerance: -1}, x), coles.ErrSetting},
		"k-means, NaN as tolerance":          {fit(KMeans{Clusters: 2, Tolerance: nan}, x), coles.ErrSetting},
		"k-means, squares overflow":          {fit(two, huge), coles.ErrNotFinite},
		"k-means, sums overflow":             {fit(two, extreme), coles.ErrNotFinite},
		"k-means, other columns":             {testkit.Err(testkit.Must(two.Fit(background, x)).Predict(background, normal(3, 2, 1, 1))), coles.ErrShape},
		"k-means, no centres":                {testkit.Err((&KMeansModel{Centres: new(mat.Dense)}).Predict(background, x)), coles.ErrShape},
		"k-means, NaN in the centres":        {predict(nan, 0, 0), coles.ErrNotFinite},
		"cluster, negative runs":             {cluster(Protocol{Runs: -1}, labels...), coles.ErrSetting},
		"cluster, too many runs":             {cluster(Protocol{Runs: math.MaxInt}, labels...), coles.ErrSetting},
		"cluster, negative clusters":         {cluster(Protocol{KMeans: KMeans{Clusters: -1}}, labels...), coles.ErrSetting},
		"cluster, negative starts":           {cluster(Protocol{KMeans: KMeans{Starts: -1}}, labels...), coles.ErrSetting},
		"cluster, a label too few":           {cluster(Protocol{}, labels[:5]...), coles.ErrShape},
		"cluster, no label":                  {cluster(Protocol{}, -1, -1, -1, -1, -1, -2), coles.ErrShape},
		"silhouette, a cluster too few":      {silhouette(x, 1, 2), coles.ErrShape},
		"silhouette, one cluster":            {silhouette(x, 1, 1, 1, 1, 1, 1), coles.ErrSetting},
		"silhouette, all rows alone":         {silhouette(x, 1, 2, 3, 4, 5, 6), coles.ErrSetting},
		"cluster count, up to one":           {count(x, 1, KMeans{}), coles.ErrSetting},
		"cluster count, as many as rows":     {count(x, 6, KMeans{}), coles.ErrSetting},
		"cluster count, equal rows":          {count(mat.NewDense(6, 2, nil), 3, KMeans{}), coles.ErrSetting},
		"cluster count, negative starts":     {count(x, 3, KMeans{Starts: -1}), coles.ErrSetting},
		"cluster count, NaN":                 {count(normal(6, 2, nan, 75), 3, KMeans{}), coles.ErrNotFinite},
		"predictions of two lengths":         {predictions([]int{1}, []int{1, 2}), coles.ErrShape},
		"no predictions":                     {predictions(nil, nil), coles.ErrShape},
		"labels of two lengths":              {testkit.Err(NMI([]int{1}, []int{1, 2})), coles.ErrShape},
		"no labels":                          {testkit.Err(NMI(nil, nil)), coles.ErrShape},
		"accuracy of two lengths":            {testkit.Err(ClusterAccuracy([]int{1}, nil)), coles.ErrShape},
		"a map of many":                      {testkit.Err(ClusterMacroF1(many, many)), coles.ErrTooLarge},
		"modularity, a cluster too few":      {testkit.Err(Modularity(path, labels[:2])), coles.ErrShape},
		"modularity, no edges":               {testkit.Err(Modularity(empty, labels[:3])), coles.ErrShape},
		"node homophily, no edges":           {testkit.Err(NodeHomophily(empty, labels[:3])), coles.ErrShape},
		"node homophily, a label too many":   {testkit.Err(NodeHomophily(path, labels[:4])), coles.ErrShape},
		"edge homophily, a negative label":   {testkit.Err(EdgeHomophily(path, []int{0, 1, -1})), coles.ErrIndex},
		"expected homophily, no labels":      {testkit.Err(ExpectedHomophily(nil)), coles.ErrShape},
		"expected homophily, negative":       {testkit.Err(ExpectedHomophily([]int{1, -2})), coles.ErrIndex},
		"nearest, no rows":                   {rows(x, 1, Cosine), coles.ErrShape},
		"nearest, row outside":               {rows(x, 1, Cosine, 6), coles.ErrIndex},
		"nearest, no matches":                {rows(x, 0, Cosine, 0), coles.ErrSetting},
		"nearest, more than the others":      {rows(x, 6, Cosine, 0), coles.ErrSetting},
		"nearest, no such similarity":        {rows(x, 1, 2, 0), coles.ErrSetting},
		"nearest, products overflow":         {rows(huge, 1, DotProduct, 0), coles.ErrNotFinite},
		"nearest, lengths overflow":          {rows(mat.NewDense(2, 2, []float64{most, most, 1, 1}), 1, Cosine, 0), coles.ErrNotFinite},
		"nearest, queries of other columns":  {to(normal(1, 2, 1, 1), 1), coles.ErrShape},
		"nearest, more than there are":       {to(x, 7), coles.ErrSetting},
		"positive pairs, no edges":           {testkit.Err(PositivePairs(empty)), coles.ErrShape},
		"negative pairs, none":               {testkit.Err(NegativePairs(background, path, 0, 1)), coles.ErrSetting},
		"negative pairs, complete":           {testkit.Err(NegativePairs(background, triangle, 3, 1)), coles.ErrDense},
		"negative pairs, one node":           {testkit.Err(NegativePairs(background, testkit.Must(coles.NewGraph(1, nil)), 3, 1)), coles.ErrDense},
		"negative pairs, too many":           {testkit.Err(NegativePairs(background, path, math.MaxInt, 1)), coles.ErrSetting},
		"scores, no pairs":                   {scores(x), coles.ErrShape},
		"scores, row too large":              {scores(x, coles.Edge{U: 0, V: 6}), coles.ErrIndex},
		"scores, negative row":               {scores(x, coles.Edge{U: math.MinInt, V: 2}), coles.ErrIndex},
		"scores, overflow":                   {scores(huge, onePair...), coles.ErrNotFinite},
		"links, no positives":                {links(nil, onePair, Cosine, 1), coles.ErrShape},
		"links, no negatives":                {links(onePair, nil, Cosine, 1), coles.ErrShape},
		"links, row outside":                 {links([]coles.Edge{{U: 0, V: 6}}, onePair, Cosine, 1), coles.ErrIndex},
		"links, no such similarity":          {links(onePair, onePair, -1, 1), coles.ErrSetting},
		"links, hits at zero":                {links(onePair, onePair, Cosine, 0), coles.ErrSetting},
		"links, hits at more than negatives": {links(onePair, onePair, Cosine, 2), coles.ErrSetting},
		"recommend, none":                    {recommend(x, Cosine, 0), coles.ErrSetting},
		"recommend, no such similarity":      {recommend(x, 2, 1), coles.ErrSetting},
		"recommend, a node outside":          {recommend(x, Cosine, 1, 6), coles.ErrIndex},
		"recommend, no nodes":                {recommend(x, Cosine, 1, []int{}...), coles.ErrShape},
		"recommend, rows too few":            {recommend(normal(5, 2, 1, 1), Cosine, 1), coles.ErrShape},
		"recommend, products overflow":       {recommend(huge, DotProduct, 1), coles.ErrNotFinite},
		"rank, nothing held out":             {rank(x), coles.ErrShape},
		"rank, an edge outside":              {rank(x, coles.Edge{U: 1, V: 9}), coles.ErrIndex},
		"rank, rows too many":                {rank(x, onePair...), coles.ErrShape},
		"hold out, none":                     {hold(path, 0), coles.ErrSetting},
		"hold out, all":                      {hold(path, 1), coles.ErrSetting},
		"hold out, NaN":                      {hold(path, nan), coles.ErrSetting},
		"hold out, no edges":                 {hold(empty, 0.1), coles.ErrShape},
		"hold out, of a tree":                {hold(path, 0.1), coles.ErrSetting},
		"hold out, two of a cycle":           {hold(testkit.Must(coles.NewGraph(12, testkit.Ring(12, 1))), 0.2), coles.ErrSetting},
		"hold out, complete":                 {hold(triangle, 0.1), coles.ErrDense},
		"area, no positives":                 {testkit.Err(AUC(nil, one)), coles.ErrShape},
		"average precision, no negatives":    {testkit.Err(AveragePrecision(one, nil)), coles.ErrShape},
		"hits, NaN":                          {testkit.Err(HitsAt([]float64{nan}, one, 1)), coles.ErrNotFinite},
		"hits, infinity":                     {testkit.Err(HitsAt(one, []float64{-inf}, 1)), coles.ErrNotFinite},
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
	})
}
