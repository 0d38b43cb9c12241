package eval

import (
	"context"
	"math"
	"math/rand/v2"

	"coles/dataset"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// A Worth is what rows are worth where a share of the labels is known: F1 of several classes a row, or R² and the mean
// absolute error of numbers; the others are nil.
type Worth struct {
	Known                   float64
	Micro, Macro, R2, Error *Measurements
}

// Shares measures by several classes a row, or by numbers, of which a tenth and then a half are known, of numbers a quarter.
// The known ones are drawn by the seed, for so many splits. Errors: as [Protocol.ClassifySets] and [Protocol.Regress].
func (p Protocol) Shares(ctx context.Context, x mat.Matrix, of learn.Labels, splits int, seed uint64) (all []Worth, err error) {
	shares, labelled := []float64{0.1, 0.5}, []int(nil)
	if of.Values != nil {
		shares = []float64{0.25}
	}
	for i := range max(len(of.Values), len(of.Sets)) {
		if of.Values != nil && !math.IsNaN(of.Values[i]) || of.Sets != nil && of.Sets[i] != nil {
			labelled = append(labelled, i)
		}
	}
	for _, share := range shares {
		rng, known := rand.New(rand.NewPCG(seed, 0)), int(share*float64(len(labelled)))
		var drawn []dataset.Split
		for range splits {
			rows := make([]int, len(labelled))
			for k, at := range rng.Perm(len(labelled)) {
				rows[k] = labelled[at]
			}
			drawn = append(drawn, dataset.Split{Train: rows[:known], Test: rows[known:]})
		}
		s := Worth{Known: share}
		if of.Values != nil {
			s.R2, s.Error, err = p.Regress(ctx, x, of.Values, drawn)
		} else {
			s.Micro, s.Macro, err = p.ClassifySets(ctx, x, of.Sets, drawn)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
