package learn

import (
	"cmp"
	"slices"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/floats"
)

// measure counts the right predictions, and takes the threshold.
func (t *groups) measure(p *Predictor, of *trial) (err error) {
	said := of.nested()
	if p.Several {
		return t.measureSets(p, of, said)
	}
	found, actual, alone, row := make([]int, len(of.rows)), picked(t.labels, of.rows), 0, make([]float64, t.columns())
	for q := range found {
		found[q] = t.classes[floats.MaxIdx(p.balanced(said.Row(q)))]
		if of.say(Weights{Vectors: 1}, q, row); t.classes[floats.MaxIdx(p.balanced(row))] == actual[q] {
			alone++
		}
	}
	p.Alone = share(alone, len(actual))
	if len(t.classes) > mostConfused {
		return nil
	}
	p.Confusion, err = NewConfusion(found, actual)
	return err
}

// measureSets takes the threshold, and measures predicted sets, each part with the weights and threshold of the others.
func (t *groups) measureSets(p *Predictor, of *trial, said kernel.Matrix[float64]) error {
	p.Threshold = t.threshold(of, said, -1)
	n := len(of.rows)
	predicted, known, actual := make([][]int, n), make([][]int, n), make([][]int, n)
	thresholds := make([]float64, of.count)
	for part := range thresholds {
		thresholds[part] = t.threshold(of, said, part)
	}
	for q, part := range of.fold {
		row := said.Row(q)
		actual[q] = t.places[of.rows[q]]
		predicted[q], known[q] = reaching(row, thresholds[part]), likeliest(row, len(actual[q]))
	}
	s := &SetScores{Rows: n}
	var err, err2 error
	s.Micro, s.Macro, err = SetF1(predicted, actual)
	s.MicroKnown, s.MacroKnown, err2 = SetF1(known, actual)
	p.Scores = s
	return cmp.Or(err, err2)
}

// threshold is the least probability of a predicted class, chosen for the largest F1 over all pairs of a class and a row
// outside a part. It lies half way to the next probability.
func (t *groups) threshold(of *trial, said kernel.Matrix[float64], part int) (to float64) {
	type pair struct {
		p  float64
		is bool
	}
	var pairs []pair
	size := 0
	for q, i := range of.rows {
		if of.fold[q] == part {
			continue
		}
		size += len(t.places[i])
		for k, v := range said.Row(q) {
			_, is := slices.BinarySearch(t.places[i], k)
			pairs = append(pairs, pair{v, is})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(b.p, a.p) })
	pairs = append(pairs, pair{})
	right, best := 0, 0.0
	for n, of := range pairs[:len(pairs)-1] {
		if of.is {
			right++
		}
		if f1 := 2 * float64(right) / float64(n+1+size); f1 > best && of.p > pairs[n+1].p {
			best, to = f1, (of.p+pairs[n+1].p)/2
		}
	}
	return to
}
