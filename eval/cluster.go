package eval

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Clustering is the outcome of [Cluster], all in percent.
type Clustering struct {
	Accuracy Measurements // by the best one-to-one map of clusters to labels; see [ClusterAccuracy]
	NMI      Measurements // see [NMI]
	F1       Measurements // macro F1 under that map; see [ClusterMacroF1]
}

// A ClusterOption changes what [Cluster] does.
type ClusterOption func(*clusterOptions)

type clusterOptions struct {
	kmeans KMeans
	runs   int
	asIs   bool
}

// WithKMeans sets how a run clusters. Zero Clusters means as many as there are distinct labels;
// each run has another seed, derived from Seed.
func WithKMeans(k KMeans) ClusterOption { return func(o *clusterOptions) { o.kmeans = k } }

// WithRuns sets how many runs there are; without it 10.
func WithRuns(runs int) ClusterOption { return func(o *clusterOptions) { o.runs = runs } }

// WithoutUnitRows clusters the rows as they are, not scaled to unit length: for raw features, and
// for what [SpectralGraph] and [SpectralFeatures] return.
func WithoutUnitRows() ClusterOption { return func(o *clusterOptions) { o.asIs = true } }

// Cluster measures how well clusters of the rows of x (n × d) agree with their labels: it scales
// the rows to unit length, clusters them by [KMeans] in several runs and compares each with the
// labels. It is the protocol of the paper's clustering table (section 6 there). Zero rows stay
// zero.
//
// It takes the time of the runs, one after the other, and memory for a copy of x more than
// [KMeans.Fit].
//
// Errors: those of KMeans.Fit, [coles.ErrShape] unless there is one label for each row,
// [coles.ErrIndex] for a negative one, [coles.ErrSetting] for runs outside 1 … 2²⁰,
// [coles.ErrNotFinite] also for a row whose length overflows.
func Cluster(ctx context.Context, x mat.Matrix, labels []int, opts ...ClusterOption) (*Clustering, error) {
	o := clusterOptions{runs: 10}
	for _, opt := range opts {
		opt(&o)
	}
	if o.runs < 1 || o.runs > maxStarts {
		return nil, fmt.Errorf("%w: %d runs", coles.ErrSetting, o.runs)
	}
	k, err := o.kmeans.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(labels) != f.Rows() {
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), f.Rows())
	}
	if err := checkLabels(nil, labels); err != nil {
		return nil, err
	}
	if !o.asIs {
		if f, _, err = matrix.Unit(ctx, f); err != nil {
			return nil, err
		}
	}
	if k.Clusters == 0 {
		k.Clusters = len(distinct(labels))
	}
	result, seed := &Clustering{}, k.Seed
	for run := range o.runs {
		k.Seed = stream.Seed(seed, uint64(run))
		m, err := k.fit(ctx, f)
		if err != nil {
			return nil, err
		}
		if err := result.add(m.Labels, labels); err != nil {
			return nil, err
		}
	}
	for _, m := range []*Measurements{&result.Accuracy, &result.NMI, &result.F1} {
		if m.Mean, m.Std, err = MeanStd(m.Each); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// add judges one run.
func (c *Clustering) add(clusters, labels []int) error {
	accuracy, f1, err := clusterScores(clusters, labels)
	if err != nil {
		return err
	}
	nmi, err := NMI(clusters, labels)
	if err != nil {
		return err
	}
	c.Accuracy.Each = append(c.Accuracy.Each, 100*accuracy)
	c.NMI.Each = append(c.NMI.Each, 100*nmi)
	c.F1.Each = append(c.F1.Each, 100*f1)
	return nil
}

// Modularity says how much more weight the clusters of a graph's nodes hold inside than a random
// graph of the same degrees would leave there (Newman 2006):
//
//	Q = (1/2m) Σ_ij (A_ij − k_i·k_j/(2m))·[c_i = c_j],
//
// with k the sums of the weights of a node's edges and 2m theirs. It is 0 for a single cluster,
// below 1, and at least −½. Self loops do not count. The cost is O(n + m).
//
// Errors: [coles.ErrShape] unless there is one cluster for each node, and for a graph without
// edges.
func Modularity(g *coles.Graph, clusters []int) (float64, error) {
	if len(clusters) != g.Nodes() {
		return 0, fmt.Errorf("%w: %d clusters for %d nodes", coles.ErrShape, len(clusters), g.Nodes())
	}
	if err := checkEdges(g); err != nil {
		return 0, err
	}
	number := numbersOf(distinct(clusters))
	volume := make([]float64, len(number))
	all, inside := 0.0, 0.0
	for i, degree := range g.Degrees() {
		volume[number[clusters[i]]] += degree
		all += degree
		near, weights := g.Raw().Row(i)
		for q, j := range near {
			if int(j) != i && clusters[j] == clusters[i] {
				inside += weights[q]
			}
		}
	}
	q := inside / all
	for _, v := range volume {
		q -= (v / all) * (v / all)
	}
	return q, nil
}

// silhouetteRows is how many rows are compared with as many others at a time.
const silhouetteRows = 256

// Silhouette is the mean silhouette of the rows of x (n × d) under a clustering (Rousseeuw 1987),
// −1 to 1: with a the mean Euclidean distance of a row to the others of its cluster and b the
// least, over the other clusters, of its mean distance to their rows,
//
//	(b − a) / max(a, b),
//
// and 0 for a row alone in its cluster. With k clusters it takes O(n²d) operations as products of
// matrices and, for each processor, 512 rows and 256·(256 + k) numbers of memory: never n².
//
// Errors: [coles.ErrShape] unless there is one cluster for each row, [coles.ErrSetting] unless
// there are at least two clusters, and fewer than rows, [coles.ErrIndex], [coles.ErrNotFinite] also
// for distances that overflow, and ctx's.
func Silhouette(ctx context.Context, x mat.Matrix, clusters []int) (float64, error) {
	f, _, err := readTame(ctx, x) // silhouettes have no unit
	if err != nil {
		return 0, err
	}
	n := f.Rows()
	if len(clusters) != n {
		return 0, fmt.Errorf("%w: %d clusters for %d rows", coles.ErrShape, len(clusters), n)
	}
	number := numbersOf(distinct(clusters))
	if k := len(number); k < 2 || k >= n {
		return 0, fmt.Errorf("%w: the silhouette of %d rows in %d clusters", coles.ErrSetting, n, k)
	}
	s := &silhouettes{f: f, cluster: make([]int, n), size: make([]int, len(number))}
	for i, c := range clusters {
		s.cluster[i] = number[c]
		s.size[number[c]]++
	}
	if s.mean, err = meanRow(ctx, f); err != nil {
		return 0, err
	}
	sums := make([]float64, (n+silhouetteRows-1)/silhouetteRows)
	err = parallel.Ranges(ctx, n, silhouetteRows, func(lo, hi int) {
		sums[lo/silhouetteRows], _ = s.ofBlock(ctx, lo, hi) // its error is ctx's, which Ranges returns
	})
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, sum := range sums {
		total += sum
	}
	if math.IsNaN(total) {
		return 0, fmt.Errorf("%w: distances between rows overflow", coles.ErrNotFinite)
	}
	return total / float64(n), nil
}

// silhouettes is a clustering of the rows of f into clusters numbered from 0.
type silhouettes struct {
	f       *matrix.Matrix[float64]
	mean    []float64
	cluster []int
	size    []int
}

// ofBlock is the sum of the silhouettes of the rows [lo, hi).
func (s *silhouettes) ofBlock(ctx context.Context, lo, hi int) (float64, error) {
	a, err := centred(ctx, s.f, lo, hi, s.mean)
	if err != nil {
		return 0, err
	}
	squares := squaresOf(a)
	toCluster := kernel.Dense[float64](a.Rows, len(s.size))
	products := kernel.Dense[float64](a.Rows, silhouetteRows)
	for first := 0; first < s.f.Rows(); first += silhouetteRows {
		b, err := centred(ctx, s.f, first, min(s.f.Rows(), first+silhouetteRows), s.mean)
		if err != nil {
			return 0, err
		}
		tile := kernel.View(products, 0, 0, a.Rows, b.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, a, b, 0, tile); err != nil {
			return 0, err
		}
		others := squaresOf(b)
		for i := range a.Rows {
			sums := rowOf(toCluster, i)
			for j, product := range tile.Data[i*tile.Stride:][:b.Rows] {
				sums[s.cluster[first+j]] += distance(rowOf(a, i), rowOf(b, j), squares[i], others[j], product)
			}
		}
	}
	sum := 0.0
	for i := range a.Rows {
		sum += s.of(s.cluster[lo+i], rowOf(toCluster, i))
	}
	return sum, nil
}

// distance is that of two rows, given their squared lengths and their product.
func distance(u, v []float64, square, other, product float64) float64 {
	// Where rows are nearer to each other than to the mean, their products cancel: the distance is
	// taken of the differences.
	const near = 1e-2
	r := square + other - 2*product
	if r < near*(square+other) {
		r = 0
		for j, a := range u {
			r += (a - v[j]) * (a - v[j])
		}
	}
	return math.Sqrt(r)
}

// squaresOf is ‖row‖² of each row of a matrix without padding.
func squaresOf(m kernel.Matrix[float64]) []float64 {
	squares := make([]float64, m.Rows)
	for i := range squares {
		squares[i] = dot(rowOf(m, i), rowOf(m, i))
	}
	return squares
}

// of is the silhouette of a row in cluster own, given the sums of its distances to the rows of each
// cluster.
func (s *silhouettes) of(own int, sums []float64) float64 {
	if s.size[own] == 1 {
		return 0
	}
	a, b := sums[own]/float64(s.size[own]-1), math.Inf(1)
	for c, sum := range sums {
		if c != own {
			b = min(b, sum/float64(s.size[c]))
		}
	}
	if a == 0 && b == 0 {
		return 0 // all are in one place
	}
	return (b - a) / max(a, b)
}
