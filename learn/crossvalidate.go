package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
)

// A target is what labels of one kind ask of a model: an opinion of each row in columns, one for each class, or one of
// numbers.
type target interface {
	known
	columns() int
	labelled() []int
	enough() error                    // names what lacks for cross-validation
	without(rows []int) target        // as if these had no label
	split(how Options) (parts, error) // for cross-validation
	// fit learns from some rows, all that are labelled outside a part.
	fit(ctx context.Context, f *matrix.Matrix[float64], part int, rows []int) (opinion, error)
	// hit is how right an opinion of row i is. A score is start + Σ hit/total.
	hit(i int, row []float64) float64
	worth(rows []int) (start, total float64)
	// learn learns from all labels. It returns the parts to cross-validate in, none where that chooses nothing.
	learn(ctx context.Context, f *matrix.Matrix[float64], how Options) (*Predictor, parts, error)
	// measure sets what a trial finds, but for α.
	measure(p *Predictor, found trial) error
}

// parts are rows in parts for cross-validation.
type parts struct {
	rows, fold []int // in the order drawn, and the part of each
	count      int
	rest       []int // rows that are in no part, and learnt from for all
}

// shuffled are rows in an order that the seed draws.
func shuffled(rows []int, seed uint64) []int {
	rows = slices.Clone(rows)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// evenly draws parts of equal size.
func evenly(rows []int, count int, seed uint64) parts {
	p := parts{rows: shuffled(rows, seed), fold: make([]int, len(rows)), count: min(count, len(rows))}
	for q := range p.fold {
		p.fold[q] = q % p.count
	}
	return p
}

// stratify assigns each of rows to one of k folds so that every fold has its share of each class,
// as scikit-learn's StratifiedKFold without shuffling: with the rows sorted by class, classes in
// the order of their first row, fold j is due as many rows of a class as there are among every k-th
// row from the j-th on; it takes them in the order given.
func stratify(rows, labels []int, k int) (fold []int, folds int, err error) {
	count := make(map[int]int)
	var order []int // classes by first row
	largest := 0
	for _, i := range rows {
		if count[labels[i]] == 0 {
			order = append(order, labels[i])
		}
		count[labels[i]]++
		largest = max(largest, count[labels[i]])
	}
	if k = cmp.Or(k, min(5, largest)); k < 2 || k > largest {
		return nil, 0, setting.Bad("Folds", k, "2 to %d, the rows of the largest class", largest)
	}
	due := make(map[int][]int, len(order)) // the folds of the rows of a class, one after another
	sorted := 0
	for _, class := range order {
		for range count[class] {
			due[class] = append(due[class], sorted%k)
			sorted++
		}
		slices.Sort(due[class])
	}
	fold = make([]int, len(rows))
	for p, i := range rows {
		class := labels[i]
		fold[p], due[class] = due[class][0], due[class][1:]
	}
	return fold, k, nil
}

// of are the places of the rows of a part, and the rows outside.
func (p parts) of(part int) (inside, outside []int) {
	for q, of := range p.fold {
		if of == part {
			inside = append(inside, q)
		} else {
			outside = append(outside, p.rows[q])
		}
	}
	return inside, append(outside, p.rest...)
}

// A trial is what each α says of the rows of each part, by a model of the others, and how right that is.
type trial struct {
	parts
	held []kernel.Matrix[float64]
	hits [][]float64
}

// try cross-validates every α. Rows that are held out are not held at their labels.
func try(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], t target, of parts, alphas []float64) (trial, error) {
	ctx, progress := parallel.Stage(ctx, "cross-validate", of.count)
	found := trial{parts: of}
	for range alphas {
		found.held = append(found.held, kernel.Unset[float64](len(of.rows), t.columns()))
		found.hits = append(found.hits, make([]float64, len(of.rows)))
	}
	for part := range of.count {
		inside, outside := of.of(part)
		rows := picked(of.rows, inside)
		others := t.without(rows)
		say, err := others.fit(ctx, f, part, outside)
		if err != nil {
			return found, fmt.Errorf("fold %d: %w", part, err)
		}
		err = smooth(ctx, g, say, others, rows, alphas, func(a int, said kernel.Matrix[float64]) {
			for r, q := range inside {
				copy(found.held[a].Row(q), said.Row(r))
				found.hits[a][q] = t.hit(rows[r], said.Row(r))
			}
		})
		if err != nil {
			return found, err
		}
		progress.Add()
	}
	return found, nil
}

// best is the candidate that the rows outside a part take.
func (t trial) best(part int) int { return convincing(t.hits, t.fold, part) }

// nested calls use for each row with the candidate that the other parts take.
func (t trial) nested(use func(q, part, a int)) {
	for part := range t.count {
		a := t.best(part)
		inside, _ := t.of(part)
		for _, q := range inside {
			use(q, part, a)
		}
	}
}

// gain is how much more one has right than other outside a part, and its standard error where both are equally good:
// √Σδ² for rows whose hits differ by δ.
func gain(one, other []float64, fold []int, part int) (more, deviation float64) {
	squares := 0.0
	for q, of := range fold {
		if of != part {
			d := one[q] - other[q]
			more, squares = more+d, squares+d*d
		}
	}
	return more, math.Sqrt(squares)
}

// enough is how many standard errors two candidates have to be apart for one to be taken whatever speaks for the other.
const enough = 2

// convincing is the candidate of most hits, or the first where it gains on that no more than a standard error. Outside a
// part it takes two: neighbours are right together, of whom some are in that part, and to say what a choice is worth asks
// for more than to make it.
func convincing(hits [][]float64, fold []int, part int) (best int) {
	errors, most := 1.0, 0.0
	if part >= 0 {
		errors = enough
	}
	for a := range hits {
		if more, deviation := gain(hits[a], hits[0], fold, part); more > most && more > errors*deviation {
			best, most = a, more
		}
	}
	return best
}
