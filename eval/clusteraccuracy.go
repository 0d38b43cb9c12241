package eval

import "fmt"

// maxAssignment bounds the table that an assignment is found in to 128 MB.
const maxAssignment = 1 << 24

// ClusterMap gives each cluster the class it stands for: the one-to-one map of
// clusters to labels under which most things keep their label. Where there are
// more clusters than classes, some stand for none and are not in the map; where
// there are fewer, some classes have none. Of several best maps it is always the
// same one.
//
// With m the fewer and M the more of clusters and classes, it takes
// O(n log n + m²M) time and m·M numbers of memory.
//
// Errors: [ErrShape] if the lengths differ or m·M is more than 2²⁴, [ErrEmpty]
// if they are zero.
func ClusterMap(clusters, labels []int) (map[int]int, error) {
	t, err := newContingency(labels, clusters)
	if err != nil {
		return nil, err
	}
	cluster, err := t.assign()
	if err != nil {
		return nil, err
	}
	class := make(map[int]int)
	for row, col := range cluster {
		if col >= 0 {
			class[t.cols[col]] = t.rows[row]
		}
	}
	return class, nil
}

// ClusterAccuracy is the share, 0 to 1, of things whose cluster stands for their
// label under the best one-to-one map, that of [ClusterMap]; time, memory and
// errors are its own. A thing in a cluster that stands for no class is a mistake.
func ClusterAccuracy(clusters, labels []int) (float64, error) {
	accuracy, _, err := clusterScores(clusters, labels)
	return accuracy, err
}

// ClusterMacroF1 is the mean, over the classes of labels, of F1 = 2·TP/(2·TP + FP
// + FN), when each cluster predicts the class it stands for in [ClusterMap];
// time, memory and errors are its own. A class without a cluster counts 0.
func ClusterMacroF1(clusters, labels []int) (float64, error) {
	_, f1, err := clusterScores(clusters, labels)
	return f1, err
}

// clusterScores is accuracy and macro F1 under one map.
func clusterScores(clusters, labels []int) (accuracy, f1 float64, err error) {
	t, err := newContingency(labels, clusters)
	if err != nil {
		return 0, 0, err
	}
	cluster, err := t.assign()
	if err != nil {
		return 0, 0, err
	}
	right := 0
	for _, e := range t.cells {
		if cluster[e.row] == e.col {
			right += e.count
		}
	}
	sum := t.sumF1(func(row, col int) bool { return cluster[row] == col })
	return float64(right) / float64(t.n), sum / float64(len(t.rows)), nil
}

// assign is the column for each row that keeps most together, −1 for none.
func (t *contingency) assign() ([]int, error) {
	r, c := len(t.rows), len(t.cols)
	if r > maxAssignment/c {
		return nil, fmt.Errorf("%w: a map between %d and %d labels", ErrShape, c, r)
	}
	weight := make([]int, r*c)
	for _, e := range t.cells {
		weight[e.row*c+e.col] = e.count
	}
	return assign(weight, r, c), nil
}
