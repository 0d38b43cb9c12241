package distributed

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
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

// solve finds P and the direction of degrees from the sums of all blocks, on one worker.
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
	fit := inside.Linear(set).Resolved(found.Known)
	t, volume := along, found.Volume
	if fit.Uniform {
		t = rows
	}
	negatives := fit.AddNegatives(t, fit.Length(n, volume))
	for i := range d {
		negatives(i, m.Data[i*d+i:(i+1)*d])
	}
	fit.Shared(m)
	var degree []float64
	if volume > 0 {
		unit := slices.Clone(along)
		matrix.Scale(unit, 1/math.Sqrt(volume))
		degree = fit.DegreeDirection(unit, linear.Gain(fit.Filter)*math.Sqrt(found.Squares), f.Plan.rounding())
	}
	r, err := linear.Solve(ctx, m, fit.Vectors(degree), set.Seed, 0)
	if err != nil {
		return solution{}, fmt.Errorf("distributed: solve: %w", err)
	}
	noise := linear.NoiseOf(r, fit.Zero(found.Squares, 1+math.Abs(fit.Coef)), set.Truncate)
	out := solution{Columns: d, Lambda: r.Values, Determined: noise.Determined(r.Values), Zero: noise.Zero}
	for j := range r.Values {
		out.Directions = append(out.Directions, r.Vectors.Row(j)...)
	}
	out.Directions = append(out.Directions, degree...)
	for lo := 0; lo < len(out.Directions); lo += d {
		mean := 0.0
		for j, v := range out.Directions[lo : lo+d] {
			mean += v * rows[j] / n
		}
		out.Mean = append(out.Mean, mean)
	}
	return out, nil
}

// A solution is the small problem solved: the directions V of the columns, P and perhaps below it
// the direction of degrees.
type solution struct {
	Columns    int
	Lambda     []float64
	Directions []float64
	Mean       []float64 // of the columns of FXVᵀ
	Determined int       // see [spectral.Noise.Determined]
	Zero       float64   // eigenvalues up to it are rounding
}

func (s solution) check() error {
	rows, pairs := len(s.Mean), len(s.Lambda)
	if err := checkPanel(len(s.Directions), s.Columns); err != nil || len(s.Directions) != rows*s.Columns || rows < pairs || rows > pairs+1 || s.Determined < 0 || s.Determined > pairs {
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
