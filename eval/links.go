package eval

import (
	"context"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// LinkPrediction is the outcome of [PredictLinks], each from 0 to 1.
type LinkPrediction struct {
	AUC              float64 // see [AUC]
	AveragePrecision float64 // see [AveragePrecision]
	Hits             float64 // see [HitsAt]
}

// PredictLinks measures how well the similarity of rows of x (n × d), an
// embedding of links.Train, tells the edges held out from pairs without an edge.
// k is that of hits@k. No classifier is trained: an embedding has learned of
// links what its similarities say.
//
// It takes O(d) a pair, and for [Cosine] O(nd) and a copy of x.
//
// Errors: [ErrParameter] for k outside 1 … the number of negatives or an unknown
// similarity, [ErrEmpty] for links without pairs of a kind, those of [PairScores].
func PredictLinks(ctx context.Context, x mat.Matrix, links *HeldOutLinks, by Similarity, k int) (*LinkPrediction, error) {
	if err := by.check(); err != nil {
		return nil, err
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if by == Cosine {
		if f, err = f.unit(ctx); err != nil {
			return nil, err
		}
	}
	if links == nil {
		links = &HeldOutLinks{}
	}
	var scores [2][]float64
	for s, pairs := range [][]coles.Edge{links.Positive, links.Negative} {
		if scores[s], err = f.eachPair(ctx, pairs, f.dot); err != nil {
			return nil, err
		}
	}
	p := new(LinkPrediction)
	if p.AUC, err = AUC(scores[0], scores[1]); err != nil {
		return nil, err
	}
	if p.AveragePrecision, err = AveragePrecision(scores[0], scores[1]); err != nil {
		return nil, err
	}
	p.Hits, err = HitsAt(scores[0], scores[1], k)
	return p, err
}
