package eval

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Clustering is the outcome of [Cluster], all in percent.
type Clustering struct {
	Accuracy Measurements // by the best one-to-one map of clusters to classes; see [ClusterAccuracy]
	NMI      Measurements // see [NMI]
	F1       Measurements // macro F1 under that map; see [ClusterMacroF1]
}

// Measurements are a number of each of several runs.
type Measurements struct {
	Each []float64
	Mean float64
	Std  float64 // population standard deviation, as NumPy's
}

// A ClusterOption changes what [Cluster] does; a nil one changes nothing.
type ClusterOption func(*clusterOptions)

type clusterOptions struct {
	kmeans KMeans
	runs   int
	asIs   bool
}

// WithKMeans sets how a run clusters. Zero Clusters means as many as there are
// distinct labels; each run has a seed of its own derived from Seed.
func WithKMeans(k KMeans) ClusterOption {
	return func(o *clusterOptions) { o.kmeans = k }
}

// WithRuns sets how many runs there are; without it 10.
func WithRuns(runs int) ClusterOption {
	return func(o *clusterOptions) { o.runs = runs }
}

// WithoutUnitRows clusters the rows as they are, not scaled to unit length: for
// raw features, and for what [SpectralGraph] and [SpectralFeatures] return.
func WithoutUnitRows() ClusterOption {
	return func(o *clusterOptions) { o.asIs = true }
}

// Cluster measures how well clusters of the rows of x (n × d) agree with their
// labels: it scales the rows to unit length, clusters them by [KMeans] in several
// runs and compares each with the labels. It is the protocol of the paper's
// clustering table (section 6 there). Zero rows stay zero.
//
// It takes the time of the runs, one after the other, and a copy of x beside the
// memory of [KMeans.Fit].
//
// Errors: those of KMeans.Fit, [ErrShape] unless there is one label for each row,
// [ErrLabel] for a negative one, [ErrParameter] for runs outside 1 … 2²⁰,
// [ErrNotFinite] also for a row whose length overflows.
func Cluster(ctx context.Context, x mat.Matrix, labels []int, opts ...ClusterOption) (*Clustering, error) {
	o := clusterOptions{runs: 10}
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	if o.runs < 1 || o.runs > maxStarts {
		return nil, fmt.Errorf("%w: %d runs", ErrParameter, o.runs)
	}
	k, err := o.kmeans.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(labels) != f.rows {
		return nil, fmt.Errorf("%w: %d labels for %d rows", ErrShape, len(labels), f.rows)
	}
	if err := checkEachLabel(labels); err != nil {
		return nil, err
	}
	if !o.asIs {
		if f, err = f.unit(ctx); err != nil {
			return nil, err
		}
	}
	if k.Clusters == 0 {
		k.Clusters = len(distinct(labels))
	}
	result := &Clustering{}
	seed := k.Seed
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

// scaledRows is a copy of f with row i multiplied by scale(i).
func (f *features) scaledRows(scale func(i int) float64) *features {
	g := &features{rows: f.rows, cols: f.cols}
	if f.sparse != nil {
		s := *f.sparse
		s.Val = append([]float64(nil), s.Val...)
		g.sparse = &s
	} else {
		g.dense = kernel.Dense[float64](f.rows, f.cols)
		kernel.Copy(g.dense, f.dense)
	}
	for i := range g.rows {
		c := scale(i)
		_, values := g.row(i)
		for q := range values {
			values[q] *= c
		}
	}
	return g
}
