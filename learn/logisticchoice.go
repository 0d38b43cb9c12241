package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// choose returns the C of a candidate for all rows.
func (l LogisticRegression) choose(ctx context.Context, f *matrix.Matrix[float64], rows, labels []int) (float64, error) {
	if len(l.Cs) == 1 {
		return l.Cs[0], nil
	}
	fold, folds, err := stratify(rows, labels, l.Folds)
	if err != nil {
		return 0, err
	}
	known, err := spanned(ctx, f, rows)
	if err != nil {
		return 0, err
	}
	actual, all := picked(labels, rows), make([]int, len(rows))
	for i := range all {
		all[i] = i
	}
	best, err := chooseC(ctx, l.Cs, parts{rows: all, fold: fold, count: folds}, func(ctx context.Context, _ int, inside, outside []int) ([]float64, error) {
		if err := checkClasses(outside, actual); err != nil {
			return nil, err
		}
		models, err := penalty{l.Cs, true, true}.regress(ctx, known, outside, actual)
		right := make([]float64, len(models))
		for j, m := range models {
			predicted, err := m.predict(ctx, known, inside)
			if err != nil {
				return nil, err
			}
			for q, i := range inside {
				if predicted[q] == actual[i] {
					right[j]++
				}
			}
		}
		return right, err
	})
	return l.Cs[best], err
}

// chooseC is the place of the candidate nearest to the geometric mean of all, each weighing e^(h/2) for h right predictions
// of all parts, which right counts by models of the rows outside.
func chooseC(ctx context.Context, cs []float64, of parts, right func(ctx context.Context, part int, inside, outside []int) ([]float64, error)) (int, error) {
	ctx, progress := parallel.Stage(ctx, "choose C", of.count)
	hits, sum := make([][]float64, of.count), make([]float64, len(cs))
	err := parallel.Try(ctx, of.count, func(part int) (err error) {
		inside, outside := of.of(part)
		if hits[part], err = right(ctx, part, picked(of.rows, inside), outside); err != nil {
			return fmt.Errorf("fold %d: %w", part, err)
		}
		progress.Add()
		return nil
	})
	if err != nil {
		return 0, err
	}
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
	return slices.Index(cs, slices.MinFunc(cs, func(a, b float64) int {
		return cmp.Compare(math.Abs(math.Log(a)-mean), math.Abs(math.Log(b)-mean))
	})), nil
}

// spanned returns the given rows of x. If x is dense with more columns than there are rows, they come as the factor L of
// their products XXᵀ = LLᵀ, up to rounding: they have the same scores, Xw = Lu with ‖u‖ = ‖w‖, in the span of the rows.
func spanned(ctx context.Context, x *matrix.Matrix[float64], rows []int) (*matrix.Matrix[float64], error) {
	x, err := x.Gather(ctx, rows)
	if err != nil || x.Sparse != nil || x.Rows() >= x.Cols() {
		return x, err
	}
	t := x.Rows()
	products := kernel.Unset[float64](t, t)
	if err := kernel.Gemm(ctx, false, true, 1, x.Dense, x.Dense, 0, products); err != nil {
		return nil, err
	}
	trace := 0.0
	for i := range t {
		trace += products.Row(i)[i]
	}
	for i := range t {
		products.Row(i)[i] += 1e-13*trace + math.SmallestNonzeroFloat64 // rows may depend on one another
	}
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(t, products.Data)) {
		return x, nil
	}
	var l mat.TriDense
	factor.LTo(&l)
	return matrix.Of(kernel.Matrix[float64](mat.DenseCopyOf(&l).RawMatrix())), nil
}
