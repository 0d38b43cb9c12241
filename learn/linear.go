package learn

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// scoreRows rows are scored at a time, so that the memory for scores does not grow with the matrix.
const scoreRows = 512

// LinearModel is a fitted [LogisticRegression] for c classes of d features.
type LinearModel struct {
	// Classes are the distinct labels of the training rows, ascending. No other is ever predicted.
	Classes []int
	// Coef is c × d. With two classes, of which a row has one, it is 1 × d: a positive score speaks for Classes[1].
	Coef      *mat.Dense
	Intercept []float64 // one for each row of Coef
	C         float64   // the given weight of the loss, or the chosen candidate
}

// problems is the number of two-class problems for a number of classes.
func problems(classes int) int {
	if classes == 2 {
		return 1 // the second would be the first with its sign changed
	}
	return classes
}

// positive is the class for which a positive score of problem k speaks.
func (m *LinearModel) positive(k int) int {
	if len(m.Intercept) == 1 {
		return m.Classes[1]
	}
	return m.Classes[k]
}

// decide returns the predicted class given the scores of one row: the largest score, the first of
// equals.
func (m *LinearModel) decide(scores []float64) int {
	if len(scores) > 1 {
		return m.Classes[floats.MaxIdx(scores)]
	}
	if scores[0] > 0 {
		return m.Classes[1]
	}
	return m.Classes[0]
}

// Scores returns w·x + b for the given rows of x, nil meaning all, with a column for each row of Coef. It takes
// rows × d × classes multiplications, or entries × classes for sparse x.
//
// Errors: [coles.ErrShape], [coles.ErrIndex], [coles.ErrNotFinite] also for a score that overflows,
// and ctx's.
func (m *LinearModel) Scores(ctx context.Context, x mat.Matrix, rows []int) (*mat.Dense, error) {
	f, err := m.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	scores, err := m.opinion(ctx, f, rows, true)
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(scores), nil
}

// opinion is the scores where a row may have several classes. Else it is the logarithms of probabilities, as of
// scikit-learn's predict_proba for one-vs-rest,
//
//	σ(sₖ) / Σⱼ σ(sⱼ)  of class k,  or with two classes  1 − σ(s) and σ(s).
func (m *LinearModel) opinion(ctx context.Context, f *matrix.Matrix[float64], rows []int, plain bool) (kernel.Matrix[float64], error) {
	n := given.Count(rows, f.Rows())
	if plain {
		p := kernel.Unset[float64](n, len(m.Intercept))
		return p, m.eachRow(ctx, f, rows, func(q int, scores []float64) { copy(p.Row(q), scores) })
	}
	p := kernel.Unset[float64](n, len(m.Classes))
	return p, m.eachRow(ctx, f, rows, func(q int, scores []float64) { m.logProbabilities(p.Row(q), scores) })
}

// logProbabilities sets the logarithm of the probability of each class, given the scores of one
// row. No score is so small that all of them would vanish.
func (m *LinearModel) logProbabilities(to, scores []float64) {
	if len(scores) == 1 {
		to[0], to[1] = logSigmoid(-scores[0]), logSigmoid(scores[0])
		return
	}
	largest := math.Inf(-1)
	for k, s := range scores {
		to[k] = logSigmoid(s)
		largest = max(largest, to[k])
	}
	sum := 0.0
	for _, v := range to {
		sum += math.Exp(v - largest)
	}
	total := largest + math.Log(sum)
	for k := range to {
		to[k] -= total
	}
}

// logSigmoid is log(1/(1 + e⁻ˢ)).
func logSigmoid(s float64) float64 { return min(s, 0) - math.Log1p(math.Exp(-math.Abs(s))) }

// Predict returns a label for each of the given rows of x; nil rows means all. It is the class of
// the largest score, the smallest label among equals; with two classes, Classes[1] exactly if the
// score is positive. Cost and errors are as for [LinearModel.Scores], without its memory.
func (m *LinearModel) Predict(ctx context.Context, x mat.Matrix, rows []int) ([]int, error) {
	f, err := m.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	labels := make([]int, given.Count(rows, f.Rows()))
	err = m.eachRow(ctx, f, rows, func(q int, scores []float64) { labels[q] = m.decide(scores) })
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// check refuses a model whose parts do not fit together: a caller may have made it by hand.
func (m *LinearModel) check() error {
	if m == nil {
		m = &LinearModel{}
	}
	if m.Coef == nil || m.Coef.IsEmpty() || m.Coef.RawMatrix().Rows != len(m.Intercept) ||
		len(m.Classes) < 2 || len(m.Intercept) != problems(len(m.Classes)) && len(m.Intercept) != len(m.Classes) {
		return fmt.Errorf("%w: the model has %d classes, %d intercepts and coefficients that do not match",
			coles.ErrShape, len(m.Classes), len(m.Intercept))
	}
	return nil
}

// input checks the model and the data against it.
func (m *LinearModel) input(ctx context.Context, x mat.Matrix, rows []int) (*matrix.Matrix[float64], error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if _, d := m.Coef.Dims(); d != f.Cols() {
		return nil, fmt.Errorf("%w: the model has %d features, the matrix %d columns", coles.ErrShape, d, f.Cols())
	}
	return f, given.CheckRows(rows, f.Rows(), "given")
}

// eachRow scores the given rows, nil meaning all, in blocks. It calls do, for several rows at once,
// with the place of a row among those given, and scores that are do's until it returns.
func (m *LinearModel) eachRow(ctx context.Context, f *matrix.Matrix[float64], rows []int, do func(q int, scores []float64)) error {
	coef, err := kernel.Transposed(ctx, kernel.Matrix[float64](m.Coef.RawMatrix()))
	if err != nil {
		return err
	}
	n := given.Count(rows, f.Rows())
	return parallel.Try(ctx, parallel.Pieces(n, scoreRows), func(b int) error {
		lo, hi := b*scoreRows, min((b+1)*scoreRows, n)
		var block *matrix.Matrix[float64]
		if rows == nil {
			block = f.Slice(lo, hi)
		} else {
			var err error // of this part
			if block, err = f.Gather(ctx, rows[lo:hi]); err != nil {
				return err
			}
		}
		scores, release := kernel.Scratch[float64](hi-lo, coef.Cols)
		defer release()
		if err := block.Times(ctx, scores, coef); err != nil {
			return err
		}
		for i := range scores.Rows {
			row := scores.Row(i)
			matrix.AddScaled(row, 1, m.Intercept)
			if !matrix.Finite(matrix.Magnitude(row)) {
				return fmt.Errorf("%w: a score of row %d of those given overflows", coles.ErrNotFinite, lo+i)
			}
			do(lo+i, row)
		}
		return nil
	})
}
