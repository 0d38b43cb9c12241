package measures

import (
	"context"
	"slices"
	"sort"

	"coles"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// LinkPrediction is the outcome of [PredictLinks], each from 0 to 1. They equal scikit-learn's roc_auc_score and
// average_precision_score, and hits@k of the Open Graph Benchmark (Hu et al. 2020).
type LinkPrediction struct {
	// AUC is the area under the receiver operating characteristic: the chance that a positive drawn at random has a larger
	// score than a negative drawn at random, a tie counting half,
	//
	//	AUC = (1/PN)·Σ_p Σ_n ([s_p > s_n] + ½·[s_p = s_n]),
	//
	// and ½ for random scores (Hanley and McNeil 1982).
	AUC float64
	// AveragePrecision is the mean, over the positives, of the precision among all that score no less,
	//
	//	AP = Σ_t (R_t − R_{t−1})·P_t,
	//
	// over the distinct scores t, descending. P_t and R_t are the precision and the recall of all that score t or more.
	// Equal scores are one step. Unlike AUC it depends on how many negatives there are to a positive.
	AveragePrecision float64
	// Hits is the share of the positives that score more than the k-th largest score of the negatives. A tie is no hit.
	Hits float64
}

// PredictLinks measures how well the similarity of rows of x (n × d), an embedding of a graph without some
// edges, separates these edges from pairs that no edge joins; k is for hits@k. No classifier is trained:
// the similarities themselves predict links.
//
// It takes O(d) a pair, O(p log p) to rank p of them, and for cosines O(nd) and a copy of x.
//
// Errors: [coles.ErrSetting] for k outside 1 … the number of negatives or an unknown similarity,
// and as [PairScores].
func PredictLinks(ctx context.Context, x mat.Matrix, positive, negative []coles.Edge, by near.Similarity, k int) (*LinkPrediction, error) {
	if _, err := by.MarshalText(); err != nil {
		return nil, err
	}
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	if by == near.Cosine {
		if f, _, err = matrix.Unit(ctx, f); err != nil {
			return nil, err
		}
	}
	var scores [2][]float64 // sorted once for all three
	for s, pairs := range [][]coles.Edge{positive, negative} {
		if scores[s], err = pairScores(ctx, f, pairs); err != nil {
			return nil, err
		}
		slices.Sort(scores[s])
	}
	r := ranking{scores[0], scores[1]}
	hits, err := r.hitsAt(k)
	if err != nil {
		return nil, err
	}
	return &LinkPrediction{r.area(), r.averagePrecision(), hits}, ctx.Err()
}

// A ranking holds the scores of either kind, ascending.
type ranking struct{ positive, negative []float64 }

// each goes through the scores from the largest down, equal ones together, and calls visit with the
// numbers of positives and negatives that have one.
func (r ranking) each(visit func(positives, negatives int)) {
	for p, n := len(r.positive), len(r.negative); p > 0 || n > 0; {
		var score float64
		if n == 0 || p > 0 && r.positive[p-1] >= r.negative[n-1] {
			score = r.positive[p-1]
		} else {
			score = r.negative[n-1]
		}
		before, below := p, n
		for p > 0 && r.positive[p-1] == score {
			p--
		}
		for n > 0 && r.negative[n-1] == score {
			n--
		}
		visit(before-p, below-n)
	}
}

func (r ranking) area() float64 {
	// In halves, so that they are whole numbers: exact up to 2⁵³ of them.
	halves, above := 0.0, 0
	r.each(func(positives, negatives int) {
		halves += float64(negatives) * float64(2*above+positives)
		above += positives
	})
	return halves / 2 / float64(len(r.positive)) / float64(len(r.negative))
}

func (r ranking) averagePrecision() float64 {
	sum, found, seen := 0.0, 0, 0
	r.each(func(positives, negatives int) {
		found += positives
		seen += positives + negatives
		sum += float64(positives) * float64(found) / float64(seen)
	})
	return sum / float64(len(r.positive))
}

func (r ranking) hitsAt(k int) (float64, error) {
	if k < 1 || k > len(r.negative) {
		return 0, setting.Bad("k", k, "1 to %d, the number of negatives", len(r.negative))
	}
	bar := r.negative[len(r.negative)-k]
	misses := sort.Search(len(r.positive), func(p int) bool { return r.positive[p] > bar })
	return float64(len(r.positive)-misses) / float64(len(r.positive)), nil
}
