package learn

import (
	"cmp"
	"math"
	"slices"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/floats"
)

// measure takes the temperature or the threshold, and counts what is found.
func (t *groups) measure(p *Predictor, of trial) (err error) {
	if p.Several {
		return t.measureSets(p, of)
	}
	best := of.best(-1)
	p.Temperature = temperature(of.held[best], of.hits[best])
	predict := func(a, q int) int {
		row := slices.Clone(of.held[a].Row(q))
		p.temper(row)
		return t.classes[floats.MaxIdx(row)]
	}
	found, actual, alone := make([]int, len(of.rows)), picked(t.labels, of.rows), 0
	of.nested(func(q, _, a int) {
		if found[q] = predict(a, q); predict(0, q) == actual[q] {
			alone++
		}
	})
	p.Alone = share(alone, len(actual))
	p.Confusion, err = NewConfusion(found, actual)
	return err
}

// temperature is that with which the mean of the largest probabilities is the share of hits, (h + 1)/(n + 2), from 1/64
// to 64: Laplace's rule, so that a few that are all right promise nothing for certain.
func temperature(p kernel.Matrix[float64], hits []float64) float64 {
	right := 1 + floats.Sum(hits)
	low, high := -6.0, 6.0 // log₂ T
	for range 20 {
		middle := (low + high) / 2
		t, sum := math.Exp2(middle), 0.0
		for i := range p.Rows {
			row := p.Row(i)
			largest, all := floats.Max(row), 0.0
			for _, v := range row {
				all += math.Pow(v/largest, 1/t)
			}
			sum += 1 / all
		}
		if sum/float64(p.Rows) > right/float64(len(hits)+2) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp2((low + high) / 2)
}

// measureSets takes the threshold, and says what α and it are worth.
func (t *groups) measureSets(p *Predictor, of trial) error {
	p.Threshold = t.threshold(of, of.best(-1), -1)
	n := len(of.rows)
	predicted, known, actual := make([][]int, n), make([][]int, n), make([][]int, n)
	thresholds := make(map[int]float64)
	of.nested(func(q, part, a int) {
		if _, found := thresholds[part]; !found {
			thresholds[part] = t.threshold(of, a, part)
		}
		row := of.held[a].Row(q)
		actual[q] = t.places[of.rows[q]]
		predicted[q], known[q] = reaching(row, thresholds[part]), likeliest(row, len(actual[q]))
	})
	s := &SetScores{Rows: n}
	var err, err2 error
	s.Micro, s.Macro, err = SetF1(predicted, actual)
	s.MicroKnown, s.MacroKnown, err2 = SetF1(known, actual)
	p.Scores = s
	return cmp.Or(err, err2)
}

// threshold is the probability from which on F1 of all pairs of a class and a row outside a part is largest, half way to
// the next one.
func (t *groups) threshold(of trial, a, part int) (to float64) {
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
		for k, v := range of.held[a].Row(q) {
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
