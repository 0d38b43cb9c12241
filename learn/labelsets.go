package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// labelSets are the classes of each row, as places in classes, ascending; nil where none is known.
type labelSets struct {
	classes []int
	known   [][]int
}

// readSets checks the settings and what is learnt from.
func (l LogisticRegression) readSets(ctx context.Context, x mat.Matrix, sets [][]int) (*matrix.Matrix[float64], labelSets, error) {
	if err := l.check(); err != nil {
		return nil, labelSets{}, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, labelSets{}, err
	}
	if len(sets) != f.Rows() {
		return nil, labelSets{}, fmt.Errorf("%w: %d sets of classes for %d rows", coles.ErrShape, len(sets), f.Rows())
	}
	s, err := setsOf(sets)
	if err != nil {
		return nil, s, err
	}
	if rows := s.rows(); len(s.classes) < 2 || len(rows) < 2 {
		return nil, s, fmt.Errorf("%w: %d rows of %d classes, which takes two of each", ErrSplit, len(rows), len(s.classes))
	}
	return f, s, nil
}

// setsOf checks the classes of each row.
func setsOf(sets [][]int) (labelSets, error) {
	s := labelSets{contingency.Distinct(slices.Concat(sets...)), make([][]int, len(sets))}
	for i, set := range sets {
		for _, label := range set {
			if label < 0 {
				return s, fmt.Errorf("%w: row %d has the label %d", coles.ErrIndex, i, label)
			}
			k, _ := slices.BinarySearch(s.classes, label)
			s.known[i] = append(s.known[i], k)
		}
		if slices.Sort(s.known[i]); len(contingency.Distinct(set)) < len(set) {
			return s, fmt.Errorf("%w: row %d has a class twice", ErrSplit, i)
		}
	}
	return s, nil
}

// candidates are those for C.
func (l LogisticRegression) candidates() []float64 {
	if len(l.Cs) > 0 {
		return l.Cs
	}
	return []float64{1. / 32, 1. / 8, 1. / 2, 2, 8}
}

// rows are those with a class.
func (s labelSets) rows() (rows []int) {
	for i, set := range s.known {
		if set != nil {
			rows = append(rows, i)
		}
	}
	return rows
}

// fit fits a model for each C to some rows.
func (s labelSets) fit(ctx context.Context, f *matrix.Matrix[float64], p penalty, rows []int) ([]*LinearModel, error) {
	signs := make([][]float64, len(s.classes))
	for k := range signs {
		signs[k] = slices.Repeat([]float64{-1}, len(rows))
	}
	for q, i := range rows {
		for _, k := range s.known[i] {
			signs[k][q] = 1
		}
	}
	return p.separate(ctx, f, rows, s.classes, signs)
}

// marginals are the probabilities of each class by itself.
func (m *LinearModel) marginals(ctx context.Context, f *matrix.Matrix[float64], rows []int) (kernel.Matrix[float64], error) {
	p := kernel.Unset[float64](given.Count(rows, f.Rows()), len(m.Intercept))
	return p, m.eachRow(ctx, f, rows, func(q int, scores []float64) {
		for k, v := range scores {
			p.Row(q)[k] = math.Exp(logSigmoid(v))
		}
	})
}

// hits are how many of the classes of row i are among the likeliest ones, of which there are as many.
func (s labelSets) hits(p []float64, i int) (n int) {
	for _, k := range Likeliest(p, len(s.known[i])) {
		if slices.Contains(s.known[i], k) {
			n++
		}
	}
	return n
}

// rightOnes are how many of as many classes as each row has are right, by α.
func (s labelSets) rightOnes(held []kernel.Matrix[float64], parts setParts) [][]float64 {
	hits := make([][]float64, len(held))
	for a, p := range held {
		for q, i := range parts.rows {
			hits[a] = append(hits[a], float64(s.hits(p.Row(q), i)))
		}
	}
	return hits
}

// setParts are rows in parts for cross-validation.
type setParts struct {
	rows, fold []int // the part of each row
	count      int
}

// splitRows draws parts of equal size.
func splitRows(rows []int, folds int, seed uint64) setParts {
	p := setParts{slices.Clone(rows), make([]int, len(rows)), min(cmp.Or(folds, 5), len(rows))}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { p.rows[i], p.rows[j] = p.rows[j], p.rows[i] })
	for q := range p.fold {
		p.fold[q] = q % p.count
	}
	return p
}

// of are the places of the rows of a part.
func (p setParts) of(part int) (places []int) {
	for q, of := range p.fold {
		if of == part {
			places = append(places, q)
		}
	}
	return places
}

// chooseC is the candidate for C by how many classes each predicts rightly, of as many as each row has, as
// [LogisticRegression] chooses it, and the model of it for the rows outside each part.
func (s labelSets) chooseC(ctx context.Context, f *matrix.Matrix[float64], cs []float64, parts setParts, done func()) (c float64, models []*LinearModel, err error) {
	all, right := make([][]*LinearModel, parts.count), make([]int, len(cs))
	for part := range parts.count {
		var train, held []int
		for q, i := range parts.rows {
			if parts.fold[q] == part {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		if all[part], err = s.fit(ctx, f, penalty{cs, true}, train); err != nil {
			return 0, nil, fmt.Errorf("fold %d: %w", part, err)
		}
		for j, m := range all[part] {
			p, err := m.marginals(ctx, f, held)
			if err != nil {
				return 0, nil, err
			}
			for q, i := range held {
				right[j] += s.hits(p.Row(q), i)
			}
		}
		done()
	}
	best := middle(cs, right)
	for _, of := range all {
		models = append(models, of[best])
	}
	return cs[best], models, nil
}

// heldOut is what each α says of the rows of each part, by the model of the others.
func (s labelSets) heldOut(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], models []*LinearModel, alphas []float64, parts setParts, done func()) ([]kernel.Matrix[float64], error) {
	held := make([]kernel.Matrix[float64], len(alphas))
	for a := range held {
		held[a] = kernel.Unset[float64](len(parts.rows), len(s.classes))
	}
	for part, m := range models {
		first, err := m.marginals(ctx, f, nil)
		if err != nil {
			return nil, err
		}
		known := slices.Clone(s.known)
		for _, q := range parts.of(part) {
			known[parts.rows[q]] = nil
		}
		for a, alpha := range alphas {
			p := first
			if alpha > 0 {
				if p, err = alongEdges(ctx, g, first, alpha, holding(known)); err != nil {
					return nil, err
				}
			}
			for _, q := range parts.of(part) {
				copy(held[a].Row(q), p.Row(parts.rows[q]))
			}
		}
		done()
	}
	return held, nil
}

// threshold is the probability from which on F1 of all pairs of a class and a row outside a part is largest, half way to
// the next one.
func (s labelSets) threshold(p kernel.Matrix[float64], parts setParts, part int) (to float64) {
	type pair struct {
		p  float64
		is bool
	}
	var pairs []pair
	size := 0
	for q, i := range parts.rows {
		if parts.fold[q] == part {
			continue
		}
		size += len(s.known[i])
		for k, v := range p.Row(q) {
			_, is := slices.BinarySearch(s.known[i], k)
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
