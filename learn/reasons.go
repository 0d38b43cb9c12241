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
	Parts     []Reason // largest magnitudes first
	Rest      float64  // what is left of the score: the parts that are not listed, and what the fit is off by
}

// RowReasons says which training rows speak for a class of each of some rows of x, nil for all; nil classes are the predicted ones. At
// its optimum a logistic regression is a sum over its training rows,
//
//	w = C Σᵢ yᵢ σ(−yᵢsᵢ) xᵢ,   so that   w·x = Σᵢ C yᵢ σ(−yᵢsᵢ) xᵢ·x,
//
// with yᵢ = ±1 and the score sᵢ of row i: a row speaks the louder the nearer it is and the less sure the model is of
// its label. The model has learnt from the labels that are not negative. The most parts of the largest magnitude are
// listed. It takes d multiplications a training row and row. Errors: as [LinearModel.Scores].
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
	pull := make([][]float64, len(m.Intercept)) // C·yᵢσ(−yᵢsᵢ) of each problem
	scores, err := m.opinion(ctx, f, learnt, true)
	if err != nil {
		return nil, err
	}
	for k := range pull {
		for q, i := range learnt {
			y := -1.0
			if labels[i] == m.positive(k) {
				y = 1
			}
			pull[k] = append(pull[k], m.C*y*math.Exp(logSigmoid(-y*scores.Row(q)[k])))
		}
	}
	train, err := f.Gather(ctx, learnt)
	if err != nil {
		return nil, err
	}
	return m.reasons(ctx, f, rows, classes, most, func(ctx context.Context, i, k int) ([]Reason, error) {
		one, err := f.Gather(ctx, []int{i})
		if err != nil {
			return nil, err
		}
		wide := make([]float64, f.Cols())
		one.AddRow(wide, 0, 1)
		products, err := matrix.TimesVector(ctx, train, wide)
		if err != nil {
			return nil, err
		}
		parts := make([]Reason, len(learnt))
		for q, i := range learnt {
			parts[q] = Reason{i, pull[k][q] * products[q]}
		}
		return parts, nil
	})
}

// ColumnReasons says which columns of the features x (n × d) speak for a class of each of some rows of y, the
// vectors that a model makes of them on a graph, with rows and classes as in [LinearModel.RowReasons]: with z a row of FX, prepared,
//
//	w·y = Σₖ zₖ (Vᵀ diag(factors) w)ₖ,
//
// so that a column speaks by the values of the node and of all within the filter's reach. What the columns of other parts
// say is in the rest. For nil of, y are the features themselves. It takes K products with W, and one with X, a row. Errors: as [LinearModel.Scores] and [coles.Model.Embed]; [coles.ErrShape] for a
// model without features.
func (m *LinearModel) ColumnReasons(ctx context.Context, of *coles.Model, g *coles.Graph, x, y mat.Matrix, rows, classes []int, most int) ([]Reasons, error) {
	f, err := m.input(ctx, y, rows)
	if err != nil {
		return nil, err
	}
	if of == nil {
		return m.reasons(ctx, f, rows, classes, most, func(_ context.Context, i, k int) (parts []Reason, _ error) {
			cols, values := f.Row(i)
			for p, v := range values {
				j := matrix.Column(cols, p)
				parts = append(parts, Reason{int(j), v * m.Coef.At(k, int(j))})
			}
			return parts, nil
		})
	}
	parts := of.Parts()
	first, columns, energy := parts[0], of.Report().Dim, 1.0
	for _, p := range parts {
		energy *= 1 - p.Share
	}
	v, factors := first.Directions, first.Scaling.Factors
	if r, d := v.Dims(); x == nil || columns != f.Cols() || len(factors) != r {
		return nil, fmt.Errorf("%w: %d columns of vectors are not the %d × %d directions of a model of features", coles.ErrShape, f.Cols(), r, d)
	}
	kept := first.Preparer.Kept()
	prepared, err := inside.View(ctx, first.Preparer, x)
	if err != nil {
		return nil, err
	}
	wide, err := given.Read(ctx, prepared)
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
	return m.reasons(ctx, f, rows, classes, most, func(ctx context.Context, i, k int) ([]Reason, error) {
		at := mat.NewDense(wide.Rows(), 1, nil)
		at.Set(i, 0, 1)
		reach, err := filter.Apply(ctx, w, at)
		if err != nil {
			return nil, err
		}
		z, err := matrix.TransposeTimes(ctx, wide, reach.RawMatrix().Data)
		if err != nil {
			return nil, err
		}
		parts := make([]Reason, len(z))
		for j := range z {
			parts[j] = Reason{j, z[j] * weights.At(k, j)}
			if kept != nil {
				parts[j].Of = int(kept[j])
			}
		}
		return parts, nil
	})
}

// Reasons has rows explained by the parts of the problem of their class.
func (m *LinearModel) reasons(ctx context.Context, f *matrix.Matrix[float64], rows, classes []int, most int, explain func(ctx context.Context, i, k int) ([]Reason, error)) ([]Reasons, error) {
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
		parts, err := explain(ctx, i, problem[q])
		if err != nil {
			return err
		}
		if m.positive(problem[q]) != r.Class {
			r.Score, r.Intercept = -r.Score, -r.Intercept
			for j := range parts {
				parts[j].Part = -parts[j].Part
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
