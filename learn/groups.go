package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
)

// groups are the classes of rows, one a row or several.
type groups struct {
	places  [][]int // places of the classes of each row, ascending; nil where none is known
	classes []int   // ascending
	labels  []int   // the class of each row, nil where it may have several
}

// placed returns the places of each row's classes among the given classes, and leaves out other classes.
func placed(sets [][]int, classes []int) [][]int {
	p := make([][]int, len(sets))
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

// groupsOf checks the classes of each row.
func groupsOf(l Labels) (*groups, error) {
	sets := l.sets()
	t := &groups{classes: contingency.Distinct(slices.Concat(sets...))}
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

// entries counts the stored entries of a row. One of a sparse row takes as long as some eight of a dense row.
func (t *groups) entries(f *matrix.Matrix[float64]) int {
	if f.Sparse != nil {
		return 8 * f.NNZ() / f.Rows()
	}
	return f.Cols()
}

func (t *groups) labelled() (rows []int) {
	for i, set := range t.places {
		if set != nil {
			rows = append(rows, i)
		}
	}
	return rows
}

// enough demands two classes of two rows each or, where rows have several classes, two classes and two rows.
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

// split draws parts with their share of each class, or parts of equal size, from as many rows as fit in memory.
func (t *groups) split(how Options) (parts, error) {
	rows := t.labelled()
	if t.labels == nil {
		return evenly(rows, 5, how.Seed), nil
	}
	p := parts{rows: shuffled(rows, how.Seed)}
	most := min(len(rows), mostSpread/len(t.classes))
	p.rows, p.rest = p.rows[:most], p.rows[most:]
	var err error
	p.fold, p.count, err = stratify(p.rows, t.labels, 0)
	return p, err
}

// regress fits a model for each C to some rows, in any order. With one class a row it leaves out classes without a row.
func (t *groups) regress(ctx context.Context, f *matrix.Matrix[float64], p penalty, rows []int) ([]*LinearModel, error) {
	rows, classes := slices.Sorted(slices.Values(rows)), t.classes
	if t.labels != nil {
		if classes = contingency.Distinct(picked(t.labels, rows)); len(classes) < 2 {
			return nil, fmt.Errorf("%w: %d training rows of the classes %d, which takes two", ErrSplit, len(rows), classes)
		}
	}
	problems := classes
	if t.labels != nil && len(classes) == 2 {
		problems = classes[1:]
	}
	signs := make([][]float64, len(problems))
	for q, class := range problems {
		k, _ := slices.BinarySearch(t.classes, class)
		for _, i := range rows {
			sign := -1.0
			if slices.Contains(t.places[i], k) {
				sign = 1
			}
			signs[q] = append(signs[q], sign)
		}
	}
	return p.separate(ctx, f, rows, classes, signs)
}

// opinion is a model's opinion of some rows. The model may lack a class that has one label.
func (t *groups) opinion(ctx context.Context, f *matrix.Matrix[float64], m *LinearModel, rows []int) (kernel.Matrix[float64], error) {
	p, err := m.opinion(ctx, f, rows, t.labels == nil)
	if err != nil || len(m.Classes) == len(t.classes) {
		return p, err
	}
	wide := kernel.Unset[float64](p.Rows, len(t.classes))
	for q := range wide.Data {
		wide.Data[q] = math.Inf(-1)
	}
	for k, class := range m.Classes {
		column, _ := slices.BinarySearch(t.classes, class)
		for i := range p.Rows {
			wide.Row(i)[column] = p.Row(i)[k]
		}
	}
	return wide, nil
}

// The prior of a node is the mean of all labels. It has a tenth of the mean mass that reaches nodes or, with several classes
// a row, all of that mass.
const onePrior, severalPrior = 0.1, 1.0

// near is the log ratio of two shares of each class: among the labels that reach a row, and among all labels. Where rows have
// several classes it is the log ratio of their odds.
func (t *groups) near(ctx context.Context, g *coles.Graph, rows []int) (kernel.Matrix[float64], error) {
	c := len(t.classes)
	y, of := kernel.Dense[float64](len(t.places), c+1), make([]float64, c+1)
	for i, set := range t.places {
		for _, k := range set {
			y.Row(i)[k], y.Row(i)[c] = 1, 1
		}
		floats.Add(of, y.Row(i))
	}
	prior := float64(severalPrior)
	if t.labels != nil {
		prior = onePrior
	}
	return surroundings(ctx, g, y, rows, func(f, to []float64, mean float64) {
		m := prior * mean
		for k := range to {
			all := of[k] / of[c]
			share := (f[k] + m*all) / (f[c] + m)
			switch {
			case all == 0 || mean == 0:
			case t.labels != nil:
				to[k] = math.Log(share / all)
			case all < 1:
				to[k] = math.Log(share/all) - math.Log((1-share)/(1-all))
			}
		}
	})
}

func (t *groups) weigh(ctx context.Context, of *trial, rows []int, guess Weights) (Weights, error) {
	if t.labels != nil { // a class that no other part has cannot be found
		rows = slices.DeleteFunc(rows, func(q int) bool { return math.IsInf(of.said[0].Row(q)[t.places[of.rows[q]][0]], -1) })
	}
	return weigh(ctx, rows, of.said, func(q int) []int { return t.places[of.rows[q]] }, t.labels == nil, guess)
}

func (t *groups) link(z []float64) { chances(z, t.labels == nil) }

// chances turns sums of opinions into probabilities.
func chances(z []float64, several bool) {
	if !several {
		softmax(z)
		return
	}
	for k, v := range z {
		z[k] = math.Exp(logSigmoid(v))
	}
}

// hit counts the classes of row i among its likeliest classes, of which it takes as many as the row has.
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

func (t *groups) learn(ctx context.Context, f *matrix.Matrix[float64], how Options, of parts) (p *Predictor, err error) {
	p = &Predictor{Several: t.labels == nil}
	l, rows := LogisticRegression{Cs: how.Cs}, t.labelled()
	switch {
	case p.Several && how.Balanced:
		return nil, errBalanced
	case p.Several && of.count == 0:
		return nil, t.enough()
	case of.count == 0:
		l.Cs = nil
	case p.Several && len(l.Cs) == 0:
		l.Cs = []float64{1. / 32, 1. / 8, 1. / 2, 2, 8}
	case len(l.Cs) == 0:
		l.Cs = DefaultCs()
	}
	if p.Linear, err = l.fit(ctx, f, t, rows, how.Seed); err != nil {
		return nil, err
	}
	if how.Balanced {
		_, all := t.worth(rows)
		p.Balance = make([]float64, len(t.classes))
		for _, i := range rows {
			p.Balance[t.places[i][0]]++
		}
		for k, size := range p.Balance {
			p.Balance[k] = all / size
		}
	}
	return p, nil
}

// outside takes the C chosen on all rows: another search in every part would take five times as long.
func (t *groups) outside(ctx context.Context, f *matrix.Matrix[float64], c float64, from, rows []int) (kernel.Matrix[float64], error) {
	m, err := t.regress(ctx, f, penalty{[]float64{c}, true, true}, from)
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	return t.opinion(ctx, f, m[0], rows)
}

// choose is the candidate nearest to the weighted geometric mean of all candidates. One that predicts h held-out rows rightly
// weighs e^(h/2).
func (t *groups) choose(ctx context.Context, f *matrix.Matrix[float64], cs []float64, folds int, rows []int, seed uint64) (float64, error) {
	if len(cs) == 1 {
		return cs[0], nil
	}
	of := parts{rows: rows}
	var err error
	if t.labels == nil {
		of = evenly(rows, cmp.Or(folds, 5), seed)
	} else if of.fold, of.count, err = stratify(rows, t.labels, folds); err != nil {
		return 0, err
	}
	ctx, progress := parallel.Stage(ctx, "choose C", of.count)
	hits := make([][]float64, of.count)
	err = parallel.Try(ctx, of.count, func(part int) error {
		inside, outside := of.of(part)
		held, right := picked(of.rows, inside), make([]float64, len(inside))
		models, err := t.regress(ctx, f, penalty{cs, true, true}, outside)
		for _, m := range models {
			if err = m.eachRow(ctx, f, held, func(q int, scores []float64) { right[q] = t.found(m, held[q], scores) }); err != nil {
				break
			}
			hits[part] = append(hits[part], floats.Sum(right))
		}
		progress.Add()
		if err != nil {
			return fmt.Errorf("fold %d: %w", part, err)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	sum := make([]float64, len(cs))
	for _, h := range hits {
		floats.Add(sum, h)
	}
	most := slices.Max(sum)
	var mean, weight float64 // of log C
	for j, c := range cs {
		w := math.Exp((sum[j] - most) / 2)
		mean += w * math.Log(c)
		weight += w
	}
	mean /= weight
	return slices.MinFunc(cs, func(a, b float64) int {
		return cmp.Compare(math.Abs(math.Log(a)-mean), math.Abs(math.Log(b)-mean))
	}), nil
}

// found measures how right the scores of row i are. The model may lack classes.
func (t *groups) found(m *LinearModel, i int, scores []float64) float64 {
	if t.labels == nil {
		return t.hit(i, scores)
	}
	if m.decide(scores) == t.labels[i] {
		return 1
	}
	return 0
}
