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

// A target holds labels of one kind. The opinion of a row has a column for each class, or one for a number.
type target interface {
	columns() int
	entries(f *matrix.Matrix[float64]) int // of a row, weighted by the time of a regression
	labelled() []int
	enough() error             // names what cross-validation lacks
	without(rows []int) target // the target with these labels unknown
	split(how Options) (parts, error)
	// near is the opinion that the surrounding labels have of some rows.
	near(ctx context.Context, g *coles.Graph, rows []int) (kernel.Matrix[float64], error)
	// learn fits a regression to all labels. The parts, if there are any, choose its penalty.
	learn(ctx context.Context, f *matrix.Matrix[float64], how Options, of parts) (*Predictor, error)
	// outside is the opinion that a regression on some rows, with one C, has of other rows.
	outside(ctx context.Context, f *matrix.Matrix[float64], c float64, from, rows []int) (kernel.Matrix[float64], error)
	// weigh learns weights from some rows of a trial. Its search begins at a guess.
	weigh(ctx context.Context, of *trial, rows []int, guess Weights) (Weights, error)
	// link turns a sum of opinions into probabilities, or a value.
	link(z []float64)
	// hit measures how right the prediction of row i is. A score is start + Σ hit/total.
	hit(i int, row []float64) float64
	worth(rows []int) (start, total float64)
	// measure stores the results of a trial in a predictor.
	measure(p *Predictor, found *trial) error
}

// parts divide rows for cross-validation.
type parts struct {
	rows, fold []int // in the order drawn, and the part of each
	count      int
	rest       []int // rows in no part: every model learns from them
}

// shuffled returns rows in an order that the seed draws.
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

// stratify assigns each of rows to one of k folds, so that every fold has its share of each class, as scikit-learn's
// StratifiedKFold without shuffling. The rows are sorted by class, with classes in the order of their first row. Fold j is
// due as many rows of a class as every k-th sorted row from the j-th on has. It takes them in the order given.
func stratify(rows, labels []int, k int) (fold []int, folds int, err error) {
	of := make(map[int][]int) // the places of the rows of a class
	var order []int           // classes by first row
	largest := 0
	for p, i := range rows {
		class := labels[i]
		if of[class] == nil {
			order = append(order, class)
		}
		of[class] = append(of[class], p)
		largest = max(largest, len(of[class]))
	}
	if k = cmp.Or(k, min(5, largest)); k < 2 || k > largest {
		return nil, 0, setting.Bad("Folds", k, "2 to %d, the rows of the largest class", largest)
	}
	fold = make([]int, len(rows))
	sorted := 0
	for _, class := range order {
		due := make([]int, len(of[class]))
		for q := range due {
			due[q] = (sorted + q) % k
		}
		slices.Sort(due)
		for q, p := range of[class] {
			fold[p] = due[q]
		}
		sorted += len(due)
	}
	return fold, k, nil
}

// of returns the places of the rows inside and outside a part.
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

// A trial holds opinions of the rows of each part, learnt from the other parts, and their weights.
type trial struct {
	parts
	target target
	said   opinions
	all    Weights   // by all rows
	by     []Weights // by the rows outside each part
}

// hear is the opinion that surroundings have of rows that are held out.
func hear(ctx context.Context, g *coles.Graph, t target, of parts) (said kernel.Matrix[float64], err error) {
	if g == nil {
		return said, nil
	}
	return of.each(t, func(others target, _, rows []int) (kernel.Matrix[float64], error) { return others.near(ctx, g, rows) })
}

// each collects the opinions of the rows of each part by the labels of the other parts.
func (p parts) each(t target, say func(others target, from, rows []int) (kernel.Matrix[float64], error)) (all kernel.Matrix[float64], err error) {
	all = kernel.Unset[float64](len(p.rows), t.columns())
	for part := range p.count {
		inside, outside := p.of(part)
		rows := picked(p.rows, inside)
		said, err := say(t.without(rows), outside, rows)
		if err != nil {
			return all, fmt.Errorf("fold %d: %w", part, err)
		}
		for r, q := range inside {
			copy(all.Row(q), said.Row(r))
		}
	}
	return all, nil
}

// try cross-validates a regression on vectors, with one C, beside the opinion of the surroundings.
func try(ctx context.Context, t target, of parts, near kernel.Matrix[float64], f *matrix.Matrix[float64], c float64) (*trial, error) {
	ctx, progress := parallel.Stage(ctx, "cross-validate", of.count)
	vectors, err := of.each(t, func(_ target, from, rows []int) (kernel.Matrix[float64], error) {
		said, err := t.outside(ctx, f, c, from, rows)
		progress.Add()
		return said, err
	})
	if err != nil {
		return nil, err
	}
	found := &trial{parts: of, target: t, said: opinions{vectors, near}}
	return found, found.weigh(ctx)
}

// weigh learns the weights from all rows, and from the rows outside each part.
func (t *trial) weigh(ctx context.Context) (err error) {
	t.all, t.by = Weights{Vectors: 1}, make([]Weights, t.count)
	for part := -1; part < t.count; part++ {
		var rows []int
		for q, of := range t.fold {
			if of != part {
				rows = append(rows, q)
			}
		}
		to := &t.all
		if part >= 0 {
			to = &t.by[part]
		}
		if *to, err = t.target.weigh(ctx, t, rows, t.all); err != nil {
			return err
		}
	}
	return nil
}

// nested is the prediction of each row with the weights of the other parts.
func (t *trial) nested() kernel.Matrix[float64] {
	all := kernel.Unset[float64](len(t.rows), t.target.columns())
	for q, part := range t.fold {
		t.say(t.by[part], q, all.Row(q))
	}
	return all
}

// say combines the opinions of a row by weights.
func (t *trial) say(by Weights, q int, to []float64) {
	by.mix(t.said, q, to)
	t.target.link(to)
}

// hits measure how right the predictions of the rows are, with the weights of the other parts.
func (t *trial) hits() []float64 {
	hits, said := make([]float64, len(t.rows)), t.nested()
	for q, i := range t.rows {
		hits[q] = t.target.hit(i, said.Row(q))
	}
	return hits
}

// gain is the excess of the hits of one over those of other outside a part. Its standard error, where both are equally good,
// is √Σδ² for rows whose hits differ by δ.
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

// apart is the difference of two embeddings, in standard errors, beyond which the better one is taken in any case.
const apart = 2
