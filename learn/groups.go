package learn

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/floats"
)

// groups are the classes of rows: one a row, or several.
type groups struct {
	places
	classes []int // ascending
	labels  []int // the class of each row, nil where it may have several
	penalty penalty
	models  []*LinearModel // of all rows outside each part, where they are fitted already
}

// places are those of the classes of each row, ascending; nil where none is known.
type places [][]int

func (p places) unit([]float64) float64 { return 1 }

func (p places) hold(i int, row []float64) {
	if len(p[i]) > 0 {
		clear(row)
	}
	for _, k := range p[i] {
		row[k] = 1
	}
}

// placed are the places of the classes of each row among those given; others are not known.
func placed(sets [][]int, classes []int) places {
	p := make(places, len(sets))
	for i, set := range sets {
		for _, label := range set {
			if k, ok := slices.BinarySearch(classes, label); ok {
				p[i] = append(p[i], k)
			}
		}
		slices.Sort(p[i])
	}
	return p
}

// groupsOf checks the classes of each row. A regression has C = 1.
func groupsOf(l Labels) (*groups, error) {
	sets := l.sets()
	t := &groups{classes: contingency.Distinct(slices.Concat(sets...)), penalty: penalty{[]float64{1}, l.Sets != nil}}
	if l.Sets == nil {
		t.labels = l.Classes
	}
	t.places = placed(sets, t.classes)
	for i, set := range sets {
		if len(set) > 0 && slices.Min(set) < 0 {
			return nil, fmt.Errorf("%w: row %d has the label %d", coles.ErrIndex, i, slices.Min(set))
		}
		if len(slices.Compact(slices.Clone(t.places[i]))) < len(set) {
			return nil, fmt.Errorf("%w: row %d has a class twice", ErrSplit, i)
		}
	}
	return t, nil
}

func (t *groups) columns() int { return len(t.classes) }

func (t *groups) labelled() (rows []int) {
	for i, set := range t.places {
		if set != nil {
			rows = append(rows, i)
		}
	}
	return rows
}

// enough wants two classes of two rows, or, where rows have several, two of each.
func (t *groups) enough() error {
	rows := t.labelled()
	sizes := make(map[int]int)
	for _, i := range rows {
		for _, k := range t.places[i] {
			sizes[k]++
		}
	}
	s := slices.Sorted(maps.Values(sizes))
	if len(s) < 2 || len(rows) < 2 || t.labels != nil && s[len(s)-2] < 2 { // what is held out may leave one class
		return fmt.Errorf("%w: %d rows of %d classes, which takes two of each", ErrSplit, len(rows), len(s))
	}
	return nil
}

func (t *groups) without(rows []int) target {
	some := *t
	some.places = slices.Clone(t.places)
	for _, i := range rows {
		some.places[i] = nil
	}
	return &some
}

// split draws parts with their share of each class, of so many rows as fit in memory, or parts of equal size.
func (t *groups) split(how Options) (parts, error) {
	rows := t.labelled()
	if t.labels == nil {
		return evenly(rows, 5, how.Seed), nil
	}
	p := parts{rows: shuffled(rows, how.Seed)}
	most := min(len(rows), mostSmoothed/len(t.classes)/len(how.Alphas))
	p.rows, p.rest = p.rows[:most], p.rows[most:]
	var err error
	p.fold, p.count, err = stratify(p.rows, t.labels, 0)
	return p, err
}

func (t *groups) fit(ctx context.Context, f *matrix.Matrix[float64], part int, rows []int) (opinion, error) {
	if t.models != nil {
		return t.opinion(f, t.models[part]), nil
	}
	models, err := t.regress(ctx, f, t.penalty, rows)
	if err != nil {
		return nil, err
	}
	return t.opinion(f, models[0]), nil
}

// regress fits a model for each C to some rows.
func (t *groups) regress(ctx context.Context, f *matrix.Matrix[float64], p penalty, rows []int) ([]*LinearModel, error) {
	if t.labels != nil {
		return p.regress(ctx, f, slices.Sorted(slices.Values(rows)), t.labels)
	}
	signs := make([][]float64, len(t.classes))
	for k := range signs {
		signs[k] = slices.Repeat([]float64{-1}, len(rows))
	}
	for q, i := range rows {
		for _, k := range t.places[i] {
			signs[k][q] = 1
		}
	}
	return p.separate(ctx, f, rows, t.classes, signs)
}

// opinion is that of a model, which may lack a class that has one label.
func (t *groups) opinion(f *matrix.Matrix[float64], m *LinearModel) opinion {
	say := m.opinion(f, t.labels == nil)
	if len(m.Classes) == len(t.classes) {
		return say
	}
	return func(ctx context.Context, rows []int) (kernel.Matrix[float64], error) {
		p, err := say(ctx, rows)
		wide := kernel.Dense[float64](p.Rows, len(t.classes))
		for k, class := range m.Classes {
			column, _ := slices.BinarySearch(t.classes, class)
			for i := range p.Rows {
				wide.Row(i)[column] = p.Row(i)[k]
			}
		}
		return wide, err
	}
}

// hit is how many of the classes of row i are among the likeliest ones, of which there are as many.
func (t *groups) hit(i int, row []float64) (n float64) {
	if t.labels != nil {
		if floats.MaxIdx(row) == t.places[i][0] {
			n = 1
		}
		return n
	}
	for _, k := range likeliest(row, len(t.places[i])) {
		if slices.Contains(t.places[i], k) {
			n++
		}
	}
	return n
}

func (t *groups) worth(rows []int) (start, total float64) {
	for _, i := range rows {
		total += float64(len(t.places[i]))
	}
	return 0, total
}

func (t *groups) learn(ctx context.Context, f *matrix.Matrix[float64], how Options) (*Predictor, parts, error) {
	few := t.enough()
	if t.labels == nil {
		return t.learnSets(ctx, f, how, few)
	}
	l, rows := LogisticRegression{Cs: how.Cs}, t.labelled()
	if len(l.Cs) == 0 {
		l.Cs = DefaultCs()
	}
	if few != nil {
		l.Cs = nil
	}
	if err := checkTraining(f.Rows(), rows, t.labels); err != nil {
		return nil, parts{}, err
	}
	m, err := l.fit(ctx, f, rows, t.labels)
	if err != nil {
		return nil, parts{}, err
	}
	p := &Predictor{Linear: m}
	if how.Balanced {
		_, all := t.worth(rows)
		p.Weights = make([]float64, len(t.classes))
		for _, i := range rows {
			p.Weights[t.places[i][0]]++
		}
		for k, size := range p.Weights {
			p.Weights[k] = all / size
		}
	}
	if few != nil || len(t.classes) > mostConfused {
		return p, parts{}, nil
	}
	t.penalty = penalty{[]float64{m.C}, true} // another search in every part would take five times as long
	of, err := t.split(how)
	return p, of, err
}

func (t *groups) learnSets(ctx context.Context, f *matrix.Matrix[float64], how Options, few error) (*Predictor, parts, error) {
	if few != nil {
		return nil, parts{}, few
	}
	if how.Balanced {
		return nil, parts{}, errBalanced
	}
	cs := how.Cs
	if len(cs) == 0 {
		cs = []float64{1. / 32, 1. / 8, 1. / 2, 2, 8}
	}
	of, err := t.split(how)
	if err != nil {
		return nil, of, err
	}
	c, err := t.choose(ctx, f, cs, of)
	if err != nil {
		return nil, of, err
	}
	all, err := t.regress(ctx, f, penalty{[]float64{c}, true}, of.rows)
	if err != nil {
		return nil, of, err
	}
	return &Predictor{Linear: all[0], Several: true}, of, nil
}

// choose is the candidate for C of several classes a row, and keeps its models of the rows outside each part.
func (t *groups) choose(ctx context.Context, f *matrix.Matrix[float64], cs []float64, of parts) (float64, error) {
	all := make([][]*LinearModel, of.count)
	best, err := chooseC(ctx, cs, of, func(ctx context.Context, part int, inside, outside []int) (right []float64, err error) {
		all[part], err = t.regress(ctx, f, penalty{cs, true}, outside)
		for _, m := range all[part] {
			p, err := m.opinion(f, true)(ctx, inside)
			if err != nil {
				return nil, err
			}
			hits := 0.0
			for q, i := range inside {
				hits += t.hit(i, p.Row(q))
			}
			right = append(right, hits)
		}
		return right, err
	})
	if err != nil {
		return 0, err
	}
	for _, models := range all {
		t.models = append(t.models, models[best])
	}
	return cs[best], nil
}
