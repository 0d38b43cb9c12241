package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// mostRuns bounds what is kept of runs.
const mostRuns = 1 << 20

// Clustering is the outcome of [Protocol.Cluster].
type Clustering struct {
	Accuracy Measurements // by the best one-to-one map of clusters to labels; see [ClusterAccuracy]
	NMI      Measurements // see [NMI]
	F1       Measurements // macro F1 under that map; see [ClusterMacroF1]
}

// String gives the three, such as "accuracy 73.3 ± 0.1 %, NMI 57.5 ± 0.2 %, F1 69.3 ± 0.3 %".
func (c Clustering) String() string {
	return fmt.Sprintf("accuracy %v, NMI %v, F1 %v", c.Accuracy, c.NMI, c.F1)
}

// Cluster measures how well clusters of the rows of x (n × d) agree with their labels: it scales
// the rows to unit length, clusters them by [cluster.KMeans] in several runs and compares each with the
// labels. Zero rows stay zero. A row with a label below zero, which is unknown, is clustered but
// not compared. To get the clusters themselves, use [cluster.KMeans.Fit].
//
// It takes the time of the runs, one after the other, and memory for a copy of x more than
// [cluster.KMeans.Fit].
//
// Errors: as KMeans.Fit, [coles.ErrShape] unless there is one label for each row, and for
// none that is known, [coles.ErrSetting] for runs below zero or above 2²⁰, [coles.ErrNotFinite]
// also for a row whose length overflows.
func (p Protocol) Cluster(ctx context.Context, x mat.Matrix, labels []int) (*Clustering, error) {
	runs := cmp.Or(p.Runs, 10)
	if runs < 1 || runs > mostRuns {
		return nil, setting.Bad("Runs", runs, "1 to %d, or 0 for the default", mostRuns)
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(labels) != f.Rows() {
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), f.Rows())
	}
	known := knownLabels(labels, labels)
	if len(known) == 0 {
		return nil, fmt.Errorf("%w: no row has a label", coles.ErrShape)
	}
	if !p.RawRows {
		if f, _, err = matrix.Unit(ctx, f); err != nil {
			return nil, err
		}
	}
	k := p.KMeans
	if k.Clusters == 0 {
		k.Clusters = len(contingency.Distinct(known))
	}
	result, seed := &Clustering{}, k.Seed
	k.Progress = nil
	ctx, progress := parallel.Stage(parallel.Reporting(ctx, p.Progress), "cluster", runs)
	for run := range runs {
		k.Seed = stream.Seed(seed, uint64(run))
		m, err := k.Fit(ctx, matrix.SourceOf(f))
		if err != nil {
			return nil, err
		}
		if err := result.add(knownLabels(m.Of, labels), known); err != nil {
			return nil, err
		}
		progress.Add()
	}
	for _, m := range []*Measurements{&result.Accuracy, &result.NMI, &result.F1} {
		if m.Mean, m.Std, err = meanStd(m.Each); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// knownLabels picks the numbers of the rows whose label is known.
func knownLabels(of, labels []int) []int {
	known := make([]int, 0, len(labels))
	for i, l := range labels {
		if l >= 0 {
			known = append(known, of[i])
		}
	}
	return known
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
	c.Accuracy.Each = append(c.Accuracy.Each, accuracy)
	c.NMI.Each = append(c.NMI.Each, nmi)
	c.F1.Each = append(c.F1.Each, f1)
	return nil
}

// Modularity measures how much more weight the clusters of a graph's nodes hold inside than in a random
// graph of the same degrees (Newman 2006):
//
//	Q = (1/2m) Σ_ij (A_ij − k_i·k_j/(2m))·[c_i = c_j],
//
// with k the sums of the weights of a node's edges and 2m their sum. It is 0 for a single cluster,
// below 1, and at least −½. Self loops do not count. It takes O(n + m).
//
// Errors: [coles.ErrShape] unless there is one cluster for each node, and for a graph without
// edges.
func Modularity(g *coles.Graph, clusters []int) (float64, error) {
	if len(clusters) != g.Nodes() {
		return 0, fmt.Errorf("%w: %d clusters for %d nodes", coles.ErrShape, len(clusters), g.Nodes())
	}
	if err := given.CheckEdges(g); err != nil {
		return 0, err
	}
	p := contingency.PartitionOf(clusters)
	volume := make([]float64, len(p.Size))
	all, within := 0.0, 0.0
	degrees := g.Degrees()
	unit := slices.Max(degrees) // in which the sum of any weights is finite
	for i, degree := range degrees {
		volume[p.Part[i]] += degree / unit
		all += degree / unit
		near, weights := inside.Adjacency(g).Row(i)
		for q, j := range near {
			if int(j) != i && clusters[j] == clusters[i] {
				within += weights[q] / unit
			}
		}
	}
	q := within / all
	for _, v := range volume {
		q -= (v / all) * (v / all)
	}
	return q, nil
}
