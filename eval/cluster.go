package eval

import (
	"cmp"
	"context"
	"fmt"

	"coles"
	"coles/internal/contingency"
	"coles/internal/given"
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
	// Accuracy is the share of rows whose cluster stands for their label, under the one-to-one map of clusters to labels
	// that makes it largest. A row in a cluster that stands for no label is a mistake.
	Accuracy Measurements
	NMI      Measurements // see [NMI]
	// F1 is the mean, over the labels that occur, of F1 = 2·TP/(2·TP + FP + FN), when each cluster predicts the label it
	// stands for. Of several best maps it is always the same one. A label without a cluster counts 0.
	F1 Measurements
}

// String gives the three, such as "accuracy 73.3 ± 0.1 %, NMI 57.5 ± 0.2 %, F1 69.3 ± 0.3 %".
func (c Clustering) String() string {
	return fmt.Sprintf("accuracy %v, NMI %v, F1 %v", c.Accuracy, c.NMI, c.F1)
}

// Cluster measures how well clusters of the rows of x (n × d) agree with their labels. It scales the rows to unit
// length, clusters them by [cluster.KMeans] in several runs and compares each run with the labels. Zero rows stay
// zero. A row with a label below zero, which is unknown, is clustered but not compared. To get the clusters
// themselves, use [cluster.KMeans.Fit].
//
// It takes the time of the runs, one after the other, and memory for a copy of x more than [cluster.KMeans.Fit]. Let m be the
// smaller and M the larger number of clusters and labels. To compare a run takes O(n log n + m²M) time and m·M numbers.
//
// Errors: as KMeans.Fit; [coles.ErrShape] unless there is one label for each row, and some label is known;
// [coles.ErrSetting] for runs below zero or above 2²⁰; [coles.ErrTooLarge] for m·M above 2²⁴; [coles.ErrNotFinite]
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
		measured, err := measure(m.Each)
		if err != nil {
			return nil, err
		}
		*m = *measured
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
