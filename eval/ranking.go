package eval

import (
	"fmt"
	"slices"
)

// AUC is the area under the receiver operating characteristic of scores: the
// chance that a positive drawn at random has a larger score than a negative
// drawn at random, a tie counting half,
//
//	AUC = (1/PN)·Σ_p Σ_n ([s_p > s_n] + ½·[s_p = s_n]),
//
// from 0 to 1, and ½ for scores that tell nothing (Hanley and McNeil 1982). It
// equals scikit-learn's roc_auc_score and takes O((P + N) log(P + N)).
//
// Errors: [ErrEmpty] unless there are scores of both kinds, [ErrNotFinite].
func AUC(positive, negative []float64) (float64, error) {
	r, err := newRanking(positive, negative)
	if err != nil {
		return 0, err
	}
	// In halves, so that they are whole numbers: exact up to 2⁵³ of them.
	halves, above := 0.0, 0
	for r.next() {
		halves += float64(r.negatives) * float64(2*above+r.positives)
		above += r.positives
	}
	return halves / 2 / float64(len(positive)) / float64(len(negative)), nil
}

// AveragePrecision is the mean, over the positives, of the precision among all
// that score no less than it,
//
//	AP = Σ_t (R_t − R_{t−1})·P_t,
//
// over the distinct scores t, descending, where P_t and R_t are the precision
// and the recall of what scores t or more. Equal scores are one step and nothing
// is interpolated: it is scikit-learn's average_precision_score. Unlike [AUC] it
// depends on how many negatives there are to a positive. It takes
// O((P + N) log(P + N)).
//
// Errors: those of [AUC].
func AveragePrecision(positive, negative []float64) (float64, error) {
	r, err := newRanking(positive, negative)
	if err != nil {
		return 0, err
	}
	sum, found, seen := 0.0, 0, 0
	for r.next() {
		found += r.positives
		seen += r.positives + r.negatives
		sum += float64(r.positives) * float64(found) / float64(seen)
	}
	return sum / float64(len(positive)), nil
}

// HitsAt is the share of the positives that score more than the k-th largest
// score of the negatives, 0 to 1: hits@k as the Open Graph Benchmark defines it
// for links (Hu et al. 2020). A tie is no hit. It takes O(P + N log N).
//
// Errors: those of [AUC], and [ErrParameter] for k outside 1 … the number of negatives.
func HitsAt(positive, negative []float64, k int) (float64, error) {
	if err := checkScores(positive, negative); err != nil {
		return 0, err
	}
	if k < 1 || k > len(negative) {
		return 0, fmt.Errorf("%w: hits at %d among %d negatives", ErrParameter, k, len(negative))
	}
	sorted := slices.Clone(negative)
	slices.Sort(sorted)
	bar, hits := sorted[len(sorted)-k], 0
	for _, s := range positive {
		if s > bar {
			hits++
		}
	}
	return float64(hits) / float64(len(positive)), nil
}

// A ranking goes through scores from the largest down, equal ones together.
type ranking struct {
	positive, negative   []float64 // those still to come, ascending
	positives, negatives int       // how many there are of the present score
}

func newRanking(positive, negative []float64) (*ranking, error) {
	if err := checkScores(positive, negative); err != nil {
		return nil, err
	}
	r := &ranking{positive: slices.Clone(positive), negative: slices.Clone(negative)}
	slices.Sort(r.positive)
	slices.Sort(r.negative)
	return r, nil
}

func checkScores(positive, negative []float64) error {
	if err := checkSample(positive); err != nil {
		return fmt.Errorf("scores of positives: %w", err)
	}
	if err := checkSample(negative); err != nil {
		return fmt.Errorf("scores of negatives: %w", err)
	}
	return nil
}

// next goes to the next score; there may be none.
func (r *ranking) next() bool {
	p, n := len(r.positive), len(r.negative)
	if p == 0 && n == 0 {
		return false
	}
	var score float64
	if n == 0 || p > 0 && r.positive[p-1] >= r.negative[n-1] {
		score = r.positive[p-1]
	} else {
		score = r.negative[n-1]
	}
	for p > 0 && r.positive[p-1] == score {
		p--
	}
	for n > 0 && r.negative[n-1] == score {
		n--
	}
	r.positives, r.negatives = len(r.positive)-p, len(r.negative)-n
	r.positive, r.negative = r.positive[:p], r.negative[:n]
	return true
}
