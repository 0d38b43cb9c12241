package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// DefaultAlphas are candidates for the share α of the neighbours in [Smoothed].
func DefaultAlphas() []float64 { return []float64{0, 0.5, 0.75, 0.9} }

// smoothTolerance is the change of a probability, and smoothSteps the number of steps, after which smoothing ends.
const (
	smoothTolerance = 1e-3
	smoothSteps     = 50

	mostSmoothed = 1 << 27 // probabilities, of 1 GB
)

// A Smoothed is a classifier of the nodes of a graph whose probabilities are smoothed along its edges. With p₀ the
// probabilities of the model alone, n × c, and S = D⁻¹A, they are, to 10⁻³, the limit of
//
//	p ← (1 − α)·p₀ + α·S·p,
//
// where the rows of labelled nodes are held at their classes and those without edges at p₀ (Zhou and others 2004,
// with predictions in the place of zeros).
type Smoothed struct {
	*LinearModel
	Alpha float64 // 0 smooths nothing
	// Found is what cross-validation finds, each part with the α that is best for the others, and Alone the share
	// that is right with α = 0. Found is nil, and Alone 0, where there are too few labels, which smooth nothing.
	Found *Confusion
	Alone float64
}

// LearnSmoothed learns a classifier as [LogisticRegression.Learn] does, and α of several candidates from the same
// cross-validation, in which the nodes that are held out are not held at their classes. It takes that of most right
// predictions, but the first unless they are more than a standard error apart. For n·c above 2²⁷ it takes 0.
//
// Besides Learn it takes up to 50 passes over the edges with c columns for each candidate and part.
//
// Errors: as Learn, [coles.ErrShape] unless there is a row for each node, and [coles.ErrSetting] for candidates
// outside [0, 1) or none.
func (l LogisticRegression) LearnSmoothed(ctx context.Context, g *coles.Graph, x mat.Matrix, labels []int, alphas []float64, seed uint64) (*Smoothed, error) {
	m, rows, err := l.learn(ctx, x, labels)
	if err != nil {
		return nil, err
	}
	s := &Smoothed{LinearModel: m}
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkSmoothing(g, f.Rows(), alphas); err != nil || rows == nil {
		return s, err
	}
	if len(m.Classes) > mostSmoothed/f.Rows() {
		alphas = []float64{0}
	}
	l.Cs = []float64{m.C}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	fold, folds, err := stratify(rows, labels, l.Folds)
	if err != nil {
		return nil, err
	}
	ctx, progress := counted(reporting(ctx, l.Progress), "cross-validate", folds)
	predicted := make([][]int, len(alphas)) // of every row
	for a := range predicted {
		predicted[a] = make([]int, len(rows))
	}
	for part := range folds {
		known := slices.Clone(labels)
		var held []int // numbers among rows
		for q, of := range fold {
			if of == part {
				known[rows[q]] = -1
				held = append(held, q)
			}
		}
		m, err := l.fit(ctx, f, labelled(known), known)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", part, err)
		}
		for a, alpha := range alphas {
			p, err := m.smoothed(ctx, g, f, known, alpha)
			if err != nil {
				return nil, err
			}
			for _, q := range held {
				predicted[a][q] = m.likeliest(p.Row(rows[q]))
			}
		}
		progress.Add()
	}
	return s, s.choose(alphas, predicted, picked(labels, rows), fold, folds)
}

// choose takes α, and counts what is found: each part by the α that the others take.
func (s *Smoothed) choose(alphas []float64, predicted [][]int, actual, fold []int, folds int) (err error) {
	s.Alpha = alphas[convincing(predicted, actual, fold, -1)]
	best := make([]int, len(actual))
	for part := range folds {
		a := convincing(predicted, actual, fold, part)
		for q, of := range fold {
			if of == part {
				best[q] = predicted[a][q]
			}
		}
	}
	if s.Alone, err = Accuracy(predicted[0], actual); err != nil {
		return err
	}
	s.Found, err = NewConfusion(best, actual)
	return err
}

// convincing is the candidate of most right predictions outside a part, or the first where it gains on that no more
// than a standard error: √(b + c) for b rows that one alone has right and c the other.
func convincing(predicted [][]int, actual, fold []int, part int) (best int) {
	most := 0
	for a, labels := range predicted {
		gain, differ := 0, 0
		for q, label := range labels {
			first := predicted[0][q]
			switch {
			case fold[q] == part || (label == actual[q]) == (first == actual[q]):
			case label == actual[q]:
				gain, differ = gain+1, differ+1
			default:
				gain, differ = gain-1, differ+1
			}
		}
		if gain > most && float64(gain) > math.Sqrt(float64(differ)) {
			best, most = a, gain
		}
	}
	return best
}

// Smooth returns the smoothed probabilities of the given nodes, or of all where rows is nil, in the order of Classes:
// x is their features, and labels are the known ones, negative for others. Without a graph, or with α = 0, they are
// those of the model alone.
//
// Errors: as [LinearModel.Probabilities], and [coles.ErrShape] unless there are a row and a label for each node.
func (s *Smoothed) Smooth(ctx context.Context, g *coles.Graph, x mat.Matrix, labels, rows []int) (*mat.Dense, error) {
	if s.Alpha == 0 || g == nil {
		return s.Probabilities(ctx, x, rows)
	}
	f, err := s.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	if len(labels) != f.Rows() {
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), f.Rows())
	}
	if err := checkSmoothing(g, f.Rows(), []float64{s.Alpha}); err != nil {
		return nil, err
	}
	p, err := s.smoothed(ctx, g, f, labels, s.Alpha)
	if err != nil || rows == nil {
		return matrix.ToDense(p), err
	}
	some := kernel.Unset[float64](len(rows), p.Cols)
	for q, i := range rows {
		copy(some.Row(q), p.Row(i))
	}
	return matrix.ToDense(some), nil
}

func (m *LinearModel) smoothed(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], labels []int, alpha float64) (kernel.Matrix[float64], error) {
	first, err := m.probabilities(ctx, f, nil)
	if err != nil || alpha == 0 {
		return first, err
	}
	hold := func(p kernel.Matrix[float64]) {
		for i, label := range labels {
			row := p.Row(i)
			if near, _ := g.Neighbors(i); len(near) == 0 {
				copy(row, first.Row(i))
			}
			if k, ok := slices.BinarySearch(m.Classes, label); ok {
				clear(row)
				row[k] = 1
			}
		}
	}
	s, err := matrix.RowMeans[float64](ctx, g.Raw())
	if err != nil {
		return first, err
	}
	matrix.Scale(s.Val, alpha)
	p, next := kernel.Unset[float64](first.Rows, first.Cols), kernel.Unset[float64](first.Rows, first.Cols)
	copy(p.Data, first.Data)
	hold(p)
	for range smoothSteps {
		if err := kernel.SpMMAdd(ctx, next, s, p, 1-alpha, first); err != nil {
			return p, err
		}
		hold(next)
		change := 0.0
		for q, v := range next.Data {
			change = max(change, math.Abs(v-p.Data[q]))
		}
		if p, next = next, p; change < smoothTolerance {
			break
		}
	}
	return p, nil
}

// likeliest is the class of the largest probability, the first of equal ones.
func (m *LinearModel) likeliest(p []float64) int { return m.Classes[floats.MaxIdx(p)] }

func checkSmoothing(g *coles.Graph, rows int, alphas []float64) error {
	if rows != g.Nodes() {
		return fmt.Errorf("%w: %d rows for %d nodes", coles.ErrShape, rows, g.Nodes())
	}
	for _, a := range alphas {
		if !(a >= 0 && a < 1) {
			return setting.Bad("alpha", a, "0 to 1, without 1")
		}
	}
	if len(alphas) == 0 {
		return setting.Bad("alphas", alphas, "one candidate or more")
	}
	return nil
}
