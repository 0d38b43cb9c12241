package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Reason is the part that a row or a column has in a score.
type Reason struct {
	Of   int     // the row, or the column
	Part float64 // above 0 it speaks for the class
}

// Reasons are the parts that make up the score of a row for a class of a [LinearModel].
type Reasons struct {
	Class     int
	Score     float64  // w·x + b of the class
	Intercept float64  // b
	Parts     []Reason // largest magnitudes first, none of 0
	Rest      float64  // the rest of the score: unlisted parts, and the error of the fit
}

// RowReasons says which training rows speak for a class of each of some rows of x, nil for all. nil classes stand for the
// predicted ones. At its optimum a logistic regression is a sum over its training rows,
//
//	w = C Σᵢ yᵢ σ(−yᵢsᵢ) xᵢ,   so that   w·x = Σᵢ C yᵢ σ(−yᵢsᵢ) xᵢ·x,
//
// with yᵢ = ±1 and the score sᵢ of row i: a row speaks the louder the nearer it is and the less sure the model is of its
// label. The training rows are those whose label is not negative. Parts of the largest magnitude are listed, at most as many
// as most says. It takes d multiplications a training row and row. Errors: as [LinearModel.Scores].
func (m *LinearModel) RowReasons(ctx context.Context, x mat.Matrix, labels, rows, classes []int, most int) ([]Reasons, error) {
	f, err := m.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	if len(labels) != f.Rows() {
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), f.Rows())
	}
	var learnt []int
	for i, l := range labels {
		if l >= 0 {
			learnt = append(learnt, i)
		}
	}
	scores, err := m.opinion(ctx, f, learnt, true)
	if err != nil {
		return nil, err
	}
	pull := mat.NewDense(len(m.Intercept), max(len(learnt), 1), nil) // C·yᵢσ(−yᵢsᵢ) of each problem
	pull.Apply(func(k, q int, _ float64) float64 {
		y := -1.0
		if labels[learnt[q]] == m.positive(k) {
			y = 1
		}
		return m.C * y * math.Exp(logSigmoid(-y*scores.Row(q)[k]))
	}, pull)
	train, err := f.Gather(ctx, learnt)
	if err != nil {
		return nil, err
	}
	return m.reasons(ctx, f, rows, classes, most, pull, learnt, func(ctx context.Context, i int) ([]float64, error) {
		return matrix.TimesVector(ctx, train, wide(f, i))
	})
}

// wide is row i with its zeros.
func wide(f *matrix.Matrix[float64], i int) []float64 {
	row := make([]float64, f.Cols())
	f.AddRow(row, i, 1)
	return row
}

// ColumnReasons says which columns of the features x (n × d) speak for a class of each of some rows of y. These are the
// vectors that a model makes of x on a graph; rows and classes are as in [LinearModel.RowReasons]. With z a row of FX,
// prepared,
//
//	w·y = Σₖ zₖ (Vᵀ diag(factors) w)ₖ,
//
// so that a column speaks by the values of the node and of all within the filter's reach. The columns of other parts count to
// the rest. Without a model y are the features themselves. It takes K products with W, and one with X, a row.
//
// Errors: as [LinearModel.Scores] and [coles.Model.Embed]; [coles.ErrShape] for a model without features.
func (m *LinearModel) ColumnReasons(ctx context.Context, of *coles.Model, g *coles.Graph, x, y mat.Matrix, rows, classes []int, most int) ([]Reasons, error) {
	f, err := m.input(ctx, y, rows)
	if err != nil {
		return nil, err
	}
	if of == nil {
		return m.reasons(ctx, f, rows, classes, most, m.Coef, nil, func(_ context.Context, i int) ([]float64, error) { return wide(f, i), nil })
	}
	parts := of.Parts()
	first, energy := parts[0], 1.0
	for _, p := range parts {
		energy *= 1 - p.Share
	}
	v, factors := first.Directions, first.Scaling.Factors
	if r, d := v.Dims(); x == nil || of.Report().Dim != f.Cols() || len(factors) != r {
		return nil, fmt.Errorf("%w: %d columns of vectors are not the %d × %d directions of a model of features", coles.ErrShape, f.Cols(), r, d)
	}
	prepared, err := inside.View(ctx, first.Preparer, x)
	if err != nil {
		return nil, err
	}
	z, err := given.Read(ctx, prepared)
	if err != nil {
		return nil, err
	}
	weighed, err := inside.Weighed(ctx, &first, g)
	if err != nil {
		return nil, err
	}
	w, filter := coles.Normalize(weighed), coles.Polynomial(inside.Linear(first.Settings).Filter...)
	scaled := mat.NewDense(len(m.Intercept), len(factors), nil)
	scaled.Apply(func(_, j int, c float64) float64 { return c * factors[j] * math.Sqrt(energy) }, m.Coef.Slice(0, len(m.Intercept), 0, len(factors)))
	var weights mat.Dense // of the columns, for each problem
	weights.Mul(scaled, v)
	var columns []int // of x; nil for all
	for _, j := range first.Preparer.Kept() {
		columns = append(columns, int(j))
	}
	return m.reasons(ctx, f, rows, classes, most, &weights, columns, func(ctx context.Context, i int) ([]float64, error) {
		at := mat.NewDense(z.Rows(), 1, nil)
		at.Set(i, 0, 1)
		reach, err := filter.Apply(ctx, w, at)
		if err != nil {
			return nil, err
		}
		return matrix.TransposeTimes(ctx, z, reach.RawMatrix().Data)
	})
}

// reasons explains rows by parts. explain gives the terms of a row, each with its weight for the problem of a class. of are
// the numbers of the parts, nil if these are their places.
func (m *LinearModel) reasons(ctx context.Context, f *matrix.Matrix[float64], rows, classes []int, most int, weights mat.Matrix, of []int, explain func(ctx context.Context, i int) ([]float64, error)) ([]Reasons, error) {
	all := make([]Reasons, given.Count(rows, f.Rows()))
	if classes != nil && len(classes) != len(all) {
		return nil, fmt.Errorf("%w: %d classes for %d rows", coles.ErrShape, len(classes), len(all))
	}
	for _, class := range classes {
		if !slices.Contains(m.Classes, class) {
			return nil, fmt.Errorf("%w: class %d of a model that does not know it", coles.ErrIndex, class)
		}
	}
	problem := make([]int, len(all))
	err := m.eachRow(ctx, f, rows, func(q int, scores []float64) {
		class, k := m.decide(scores), 0
		if classes != nil {
			class = classes[q]
		}
		if len(scores) > 1 {
			k = slices.Index(m.Classes, class)
		}
		problem[q], all[q] = k, Reasons{Class: class, Score: scores[k], Intercept: m.Intercept[k]}
	})
	if err != nil {
		return nil, err
	}
	return all, parallel.Try(ctx, parallel.Pieces(len(all), 1), func(q int) error {
		r, i := &all[q], q
		if rows != nil {
			i = rows[q]
		}
		terms, err := explain(ctx, i)
		if err != nil {
			return err
		}
		sign := 1.0
		if m.positive(problem[q]) != r.Class {
			sign, r.Score, r.Intercept = -1, -r.Score, -r.Intercept
		}
		var parts []Reason
		for j, v := range terms {
			part := Reason{j, sign * v * weights.At(problem[q], j)}
			if of != nil {
				part.Of = of[j]
			}
			if part.Part != 0 {
				parts = append(parts, part)
			}
		}
		slices.SortFunc(parts, func(a, b Reason) int {
			return cmp.Or(cmp.Compare(math.Abs(b.Part), math.Abs(a.Part)), cmp.Compare(a.Of, b.Of))
		})
		r.Parts = slices.Clone(parts[:min(len(parts), most)])
		r.Rest = r.Score - r.Intercept
		for _, p := range r.Parts {
			r.Rest -= p.Part
		}
		return nil
	})
}
