package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Smoothing says how [LogisticRegression.LearnSmoothed] and [LogisticRegression.LearnSets] learn.
type Smoothing struct {
	// Alphas are candidates for the share α of the neighbours, from 0 to less than 1 [0, 0.5, 0.75, 0.9].
	Alphas []float64
	// Balanced has rare classes predicted as if all were as frequent. It is for one class a row.
	Balanced bool
	Seed     uint64 // of the parts of cross-validation
}

var errBalanced = setting.Bad("Balanced", true, "false: it is for one class a row")

// candidates are the checked ones for α; without a graph, or where there are more than 2²⁷ probabilities, 0 alone.
func (s Smoothing) candidates(g *coles.Graph, rows, classes int) ([]float64, error) {
	alphas := s.Alphas
	if len(alphas) == 0 {
		alphas = []float64{0, 0.5, 0.75, 0.9}
	}
	if g == nil {
		return []float64{0}, nil
	}
	err := checkSmoothing(g, rows, alphas)
	if classes > mostSmoothed/rows {
		alphas = []float64{0}
	}
	return alphas, err
}

// LearnSmoothed learns a classifier as [LogisticRegression.Learn] does, and α of several candidates from the same
// cross-validation, in which the nodes that are held out are not held at their classes. It takes that of most right
// predictions, but the first unless they are more than a standard error apart, or, for what Found says, two. Without a graph, or for n·c above 2²⁷,
// it takes 0. Of more than 2²⁷/c labelled rows so many are held out, drawn by the seed.
//
// Besides Learn it takes up to 50 passes over the edges with c columns for each candidate and part.
//
// Errors: as Learn, [coles.ErrShape] unless there is a row for each node, and [coles.ErrSetting] for candidates
// outside [0, 1).
func (l LogisticRegression) LearnSmoothed(ctx context.Context, g *coles.Graph, x mat.Matrix, labels []int, how Smoothing) (*Smoothed, error) {
	m, rows, err := l.learn(ctx, x, labels)
	if err != nil {
		return nil, err
	}
	s := &Smoothed{LinearModel: m}
	if how.Balanced {
		s.balance(labels)
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	alphas, err := how.candidates(g, f.Rows(), len(m.Classes))
	if err != nil || rows == nil {
		return s, err
	}
	l.Cs = []float64{m.C}
	parts, err := stratified(rows, labels, l.Folds, how.Seed, mostSmoothed/len(m.Classes)/len(alphas))
	if err != nil {
		return nil, err
	}
	held, err := l.heldOut(parallel.Reporting(ctx, l.Progress), g, f, labels, m.Classes, parts, alphas)
	if err != nil {
		return nil, err
	}
	return s, s.choose(alphas, held, picked(labels, parts.rows), parts.fold, parts.count)
}

// stratified shuffles rows, and puts so many into parts with their share of each class.
func stratified(rows, labels []int, folds int, seed uint64, most int) (p setParts, err error) {
	p.rows = slices.Clone(rows)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(p.rows), func(i, j int) { p.rows[i], p.rows[j] = p.rows[j], p.rows[i] })
	p.rows = p.rows[:min(len(p.rows), most)]
	p.fold, p.count, err = stratify(p.rows, labels, folds)
	return p, err
}

// heldOut is what each α says of the rows of each part, by the others.
func (l LogisticRegression) heldOut(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], labels, classes []int, parts setParts, alphas []float64) ([]kernel.Matrix[float64], error) {
	ctx, progress := parallel.Stage(ctx, "cross-validate", parts.count)
	held := make([]kernel.Matrix[float64], len(alphas))
	for a := range held {
		held[a] = kernel.Dense[float64](len(parts.rows), len(classes))
	}
	for part := range parts.count {
		known, places := slices.Clone(labels), parts.of(part)
		for _, q := range places {
			known[parts.rows[q]] = -1
		}
		one, err := l.fit(ctx, f, labelled(known), known)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", part, err)
		}
		err = one.each(ctx, g, f, known, picked(parts.rows, places), alphas, func(a int, p kernel.Matrix[float64]) {
			for r, q := range places {
				for k, class := range one.Classes {
					column, _ := slices.BinarySearch(classes, class)
					held[a].Row(q)[column] = p.Row(r)[k]
				}
			}
		})
		if err != nil {
			return nil, err
		}
		progress.Add()
	}
	return held, nil
}

// each calls use with the smoothed probabilities of some rows for each α.
func (m *LinearModel) each(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], known, rows []int, alphas []float64, use func(a int, p kernel.Matrix[float64])) error {
	if slices.Max(alphas) == 0 {
		p, err := m.probabilities(ctx, f, rows)
		for a := range alphas {
			use(a, p)
		}
		return err
	}
	first, err := m.probabilities(ctx, f, nil)
	for a, alpha := range alphas {
		if err != nil {
			return err
		}
		p := first
		if alpha > 0 {
			if p, err = alongEdges(ctx, g, first, alpha, holding(m.columns(known))); err != nil {
				return err
			}
		}
		use(a, those(p, rows))
	}
	return err
}

// balance weighs each class by one over its share of the labels.
func (s *Smoothed) balance(labels []int) {
	s.Weights = make([]float64, len(s.Classes))
	for _, k := range s.columns(labels) {
		if k != nil {
			s.Weights[k[0]]++
		}
	}
	all := floats.Sum(s.Weights)
	for k, size := range s.Weights {
		s.Weights[k] = all / size
	}
}

// choose takes α and the temperature, and counts what is found: each part by the α that the others take.
func (s *Smoothed) choose(alphas []float64, held []kernel.Matrix[float64], actual, fold []int, folds int) (err error) {
	predict := func(a, q int) int {
		p := slices.Clone(held[a].Row(q))
		s.temper(p)
		return s.Classes[floats.MaxIdx(p)]
	}
	hits := rightOnes(held, s.Classes, actual)
	best := convincing(hits, fold, -1)
	s.Alpha, s.Temperature = alphas[best], temperature(held[best], hits[best])
	found, alone := make([]int, len(actual)), 0
	for part := range folds {
		a := convincing(hits, fold, part)
		for q, of := range fold {
			if of == part {
				if found[q] = predict(a, q); predict(0, q) == actual[q] {
					alone++
				}
			}
		}
	}
	s.Alone = share(alone, len(actual))
	s.Found, err = NewConfusion(found, actual)
	return err
}

// rightOnes are 1 for each row whose class is the likeliest, by α.
func rightOnes(held []kernel.Matrix[float64], classes, actual []int) [][]float64 {
	hits := make([][]float64, len(held))
	for a, p := range held {
		hits[a] = make([]float64, len(actual))
		for q, label := range actual {
			if classes[floats.MaxIdx(p.Row(q))] == label {
				hits[a][q] = 1
			}
		}
	}
	return hits
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
