package eval

import (
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

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
	scores := func(x mat.Matrix, pairs ...coles.Edge) error { return testkit.Err(PairScores(background, x, pairs)) }
	hold := func(g *coles.Graph, share float64) error { return testkit.Err(HoldOutLinks(background, g, share, 1)) }
	density := func(sample, grid []float64, h float64) error {
		return testkit.Err(ParzenDensity(background, sample, grid, h))
	}
	divergence := func(x, y []float64, points int) error {
		return testkit.Err(JensenShannonOfSamples(background, x, y, points, 0))
	}
	good, one := []float64{0, 1, 3}, []float64{1}
	for name, c := range map[string]struct{ got, want error }{
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
		"nearest, negative row":              {rows(x, 1, Cosine, math.MinInt), coles.ErrIndex},
		"nearest, no matches":                {rows(x, 0, Cosine, 0), coles.ErrSetting},
		"nearest, more than the others":      {rows(x, 6, Cosine, 0), coles.ErrSetting},
		"nearest, no such similarity":        {rows(x, 1, 2, 0), coles.ErrSetting},
		"nearest, products overflow":         {rows(huge, 1, DotProduct, 0), coles.ErrNotFinite},
		"nearest, lengths overflow":          {rows(mat.NewDense(2, 2, []float64{most, most, 1, 1}), 1, Cosine, 0), coles.ErrNotFinite},
		"nearest, queries of other columns":  {to(normal(1, 2, 1, 1), 1), coles.ErrShape},
		"nearest, more than there are":       {to(x, 7), coles.ErrSetting},
		"positive pairs, no edges":           {testkit.Err(PositivePairs(empty)), coles.ErrShape},
		"negative pairs, none":               {testkit.Err(NegativePairs(background, path, 0, 1)), coles.ErrSetting},
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
		"hold out, none":                     {hold(path, 0), coles.ErrSetting},
		"hold out, all":                      {hold(path, 1), coles.ErrSetting},
		"hold out, NaN":                      {hold(path, nan), coles.ErrSetting},
		"hold out, no edges":                 {hold(empty, 0.1), coles.ErrShape},
		"hold out, complete":                 {hold(triangle, 0.1), coles.ErrDense},
		"area, no positives":                 {testkit.Err(AUC(nil, one)), coles.ErrShape},
		"average precision, no negatives":    {testkit.Err(AveragePrecision(one, nil)), coles.ErrShape},
		"hits, NaN":                          {testkit.Err(HitsAt([]float64{nan}, one, 1)), coles.ErrNotFinite},
		"hits, infinity":                     {testkit.Err(HitsAt(one, []float64{-inf}, 1)), coles.ErrNotFinite},
		"hits at none":                       {testkit.Err(HitsAt(one, one, 0)), coles.ErrSetting},
		"hits at more than negatives":        {testkit.Err(HitsAt(one, one, 2)), coles.ErrSetting},
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
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, c.got, c.want) })
	}
}
