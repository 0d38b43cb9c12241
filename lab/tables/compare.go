package main

import (
	"cmp"
	"math"
	"slices"

	"coles/lab/measures"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// compare sets how much better cells are than reference, in the same column and on the same splits.
// It takes at least two splits.
func compare(cells, reference []cell) error {
	for i, r := range reference {
		if len(r.trials[0]) < 2 {
			continue
		}
		var difference [][]float64
		for s, trial := range cells[i].trials {
			d := slices.Clone(trial)
			floats.Sub(d, r.trials[min(s, len(r.trials)-1)]) // what is not trained has one trial
			difference = append(difference, d)
		}
		found, err := overSeedsAndSplits(difference)
		if err != nil {
			return err
		}
		cells[i].Measures[0].Difference = found
	}
	return nil
}

// overSeedsAndSplits tests whether the mean of differences, by seed and split, is chance. Of one seed it is
// Student's paired test over the splits. Several seeds share the splits, and several splits the
// seeds: with the mean squares of a table of S seeds and P splits without repetition, the mean has
// the variance
//
//	(M_splits + M_seeds − M_rest)/(S·P),
//
// with the degrees of freedom of Satterthwaite (1946); the seeds are left out where they vary less than
// what is left.
func overSeedsAndSplits(difference [][]float64) (*measures.Comparison, error) {
	seeds, splits := float64(len(difference)), float64(len(difference[0]))
	bySplit, bySeed := make([]float64, len(difference[0])), make([]float64, len(difference))
	for s, d := range difference {
		floats.AddScaled(bySplit, 1/seeds, d)
		bySeed[s] = stat.Mean(d, nil)
	}
	c, err := measures.PairedTest{}.Compare(bySplit, make([]float64, len(bySplit)))
	if err != nil || len(difference) == 1 {
		return c, err
	}
	rest := 0.0
	for s, d := range difference {
		for q, v := range d {
			rest += math.Pow(v-bySeed[s]-bySplit[q]+c.Mean, 2) / ((seeds - 1) * (splits - 1))
		}
	}
	ofSplits, ofSeeds := seeds*c.Std*c.Std, splits*stat.Variance(bySeed, nil)
	if ofSeeds <= rest {
		return c, nil
	}
	variance := ofSplits + ofSeeds - rest
	freedom := variance * variance / (ofSplits*ofSplits/(splits-1) + ofSeeds*ofSeeds/(seeds-1) + rest*rest/((seeds-1)*(splits-1)))
	student := distuv.StudentsT{Sigma: math.Sqrt(variance / (seeds * splits)), Nu: max(1, freedom)}
	reach := -student.Quantile(0.025)
	c.Low, c.High = c.Mean-reach, c.Mean+reach
	c.P = 2 * student.CDF(-math.Abs(c.Mean))
	return c, nil
}

// closeBy is the distance, as a share, within which a system is trained as often as asked.
const closeBy = 0.015

// nearly reports whether one of the cells, by the trials that there are, is near the reference.
func nearly(cells, reference []cell) bool {
	for i, r := range reference {
		if math.Abs(meanOf(cells[i].trials)-meanOf(r.trials)) <= closeBy {
			return true
		}
	}
	return false
}

func meanOf(trials [][]float64) float64 { return stat.Mean(slices.Concat(trials...), nil) }

// level is the probability below which a difference is not taken for chance, of all in a table together.
const level = 0.05

// mark says of the differences of a grid whether they are ahead, level or behind, by Holm's method (1979). Of k
// tests, the least probable is held to level/k, the next to level/(k − 1), and so on until one is not below. The
// probability that one of all marks but level is chance is then at most level.
func (g *grid) mark() {
	var all []*measure
	for _, r := range g.Rows {
		for _, m := range r.Figures {
			if m.Difference != nil {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b *measure) int { return cmp.Compare(a.Difference.P, b.Difference.P) })
	for k, m := range all {
		if !(m.Difference.P < level/float64(len(all)-k)) {
			return
		}
		m.Mark = ahead
		if m.Difference.Mean < 0 {
			m.Mark = behind
		}
	}
}

// The marks of a difference; the one of a difference that may be chance is level.
const (
	ahead  = " ▲"
	behind = " ▼"
	equal  = " ≈"
)
