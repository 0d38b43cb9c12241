package distributed

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
)

// gram makes the part of a block in (FX)ᵀW⁺(FX), of which the upper triangle is kept, in (FX)ᵀ√degree
// and in the sum of the rows of FX.
type gram struct {
	worker
	Alone bool // a model of features
}

func (f *gram) ProcessElement(ctx context.Context, number int64, next func(*piece) bool, emit func(int64, piece), sum func(int64, sums)) error {
	h, err := gather(number, next)
	if err != nil {
		return err
	}
	fx := h.block.matrix()
	other := fx // ΔW is the identity in a model of features alone
	if !f.Alone && !h.block.Alone {
		if other, err = h.received(ctx); err != nil {
			return err
		}
		scaleRows(other, inverseRoots(h.block.Degree, 0))
	}
	d := fx.Cols
	m := kernel.Dense[float64](d, d)
	if err := kernel.Gram(ctx, 1, fx, other, m); err != nil {
		return err
	}
	add := make([]float64, 0, d*(d+1)/2+2*d)
	for i := range d {
		add = append(add, m.Data[i*d+i:(i+1)*d]...)
	}
	along, rows := sumsOfRows(fx, h.block.Degree)
	sum(partOf(number, slices.Concat(add, along, rows), nil))
	f.sender(emit)(number, piece{Block: h.block})
	return nil
}

// solve finds P from the sums of all blocks, on one worker.
type solve struct {
	worker
	Plan plan
}

func (f *solve) ProcessElement(ctx context.Context, s sums, found facts, c choice) (solution, error) {
	d, n := f.Plan.Columns, float64(f.Plan.Nodes)
	upper, along, rows := s.Add[:d*(d+1)/2], s.Add[d*(d+1)/2:][:d], s.Add[d*(d+1)/2+d:]
	m := kernel.Dense[float64](d, d)
	for i := range d {
		upper = upper[copy(m.Data[i*d+i:(i+1)*d], upper):]
	}
	set := f.Plan.settings(c)
	fit := inside.Linear(set)
	if fit.Uniform {
		along = rows
	}
	negatives := fit.AddNegatives(along, fit.Length(n, found.Volume))
	for i := range d {
		negatives(i, m.Data[i*d+i:(i+1)*d])
	}
	fit.Shared(m)
	r, err := linear.Solve(ctx, m, fit.Dim, set.Seed, 0)
	if err != nil {
		return solution{}, fmt.Errorf("distributed: solve: %w", err)
	}
	noise := linear.NoiseOf(r, fit.Zero(found.Squares, 1+math.Abs(fit.Coef)), set.Truncate)
	out := solution{Columns: d, Lambda: r.Values, Determined: noise.Determined(r.Values), Zero: noise.Zero}
	for k := range r.Values {
		mean := 0.0
		for j, v := range r.Vectors.Row(k) {
			mean += v * rows[j] / n
		}
		out.Directions, out.Mean = append(out.Directions, r.Vectors.Row(k)...), append(out.Mean, mean)
	}
	return out, nil
}

// A solution is the small problem solved.
type solution struct {
	Columns    int
	Lambda     []float64
	Directions []float64 // V = P, of the columns
	Mean       []float64 // of the columns of FXVᵀ
	Determined int       // see [spectral.Noise.Determined]
	Zero       float64   // eigenvalues up to it are rounding
}

func (s solution) check() error {
	rows, pairs := len(s.Mean), len(s.Lambda)
	if err := checkPanel(len(s.Directions), s.Columns); err != nil || len(s.Directions) != rows*s.Columns || rows != pairs || s.Determined < 0 || s.Determined > pairs {
		return fmt.Errorf("%d eigenvalues, %d determined, %d numbers and %d means of directions among %d", pairs, s.Determined, len(s.Directions), rows, s.Columns)
	}
	return nil
}

// loadedGram is gram of files of a state.
type loadedGram struct{ gram }

func (f *loadedGram) ProcessElement(ctx context.Context, shard stateShard, emit func(int64, piece), sum func(int64, sums)) error {
	pieces, err := shard.pieces(ctx)
	if err != nil {
		return err
	}
	return f.gram.ProcessElement(ctx, shard.File.First, pieces, emit, sum)
}
