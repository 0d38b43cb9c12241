package rivals

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/gnn"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// CorrectAndSmooth corrects a classifier's predictions for the nodes of a graph by the known labels of others
// (Huang, He, Singh, Lim and Benson, ICLR 2021). From probabilities Y (n × C) it first takes the
// error of the training nodes, E₀ = labels − Y and 0 for the others, to neighbours,
//
//	E ← clip(Correct·AD⁻¹·E + (1 − Correct)·E₀, −1, 1),
//
// multiplies each row so that its absolute sum is the mean one of E₀, but for rows for which that
// were a thousandfold or more, and adds it to Y. Then it smoothes G₀, the labels of training nodes and
// that Y of the others,
//
//	G ← clip(Smooth·D^-½AD^-½·G + (1 − Smooth)·G₀, 0, 1),
//
// each for Steps steps. It trains nothing.
type CorrectAndSmooth struct {
	Correct float64 // share of AD⁻¹·E in each step, 0 to 1
	Smooth  float64 // share of D^-½AD^-½·G in each step, 0 to 1
	Steps   int     // of both
}

// DefaultCorrectAndSmooth is the authors' setting for ogbn-arxiv behind [SoftmaxRegression].
func DefaultCorrectAndSmooth() CorrectAndSmooth {
	return CorrectAndSmooth{Correct: 0.87, Smooth: 0.81, Steps: 50}
}

// SoftmaxRegression is the linear classifier that stands before [CorrectAndSmooth] in the authors' "plain linear",
// for [gnn.TrainClassifier]: XΘ + 1·b, Adam(0.01), 1,000 epochs, each one step on all labelled nodes,
// and the parameters that were best for the validation nodes, by their accuracy; here it is by their
// loss. Features of ogbn-arxiv have standardised columns, features of every other graph stay as stored:
// rare words would become the largest numbers. It trains (d+1)·C numbers, 5,160 on ogbn-arxiv.
func SoftmaxRegression(dataset string) gnn.Settings {
	s := labelled(0.01, 1000, gnn.Linear(gnn.AutoWidth))
	s.Preparation, s.BatchSize = standardizedOn(dataset, "ogbn-arxiv"), oneStep
	return s
}

// largestScale is the factor of an error that is too large to be used.
const largestScale = 1000

// Apply corrects and smooths the scores of a classifier before the softmax (n × C, one row for every node of the
// graph), such as [gnn.Classifier.Scores]. It returns one row for every node, in which the largest entry is the
// class. The class of training node train[k] is classes[k], a column of scores. It takes 2·Steps·2m·C multiplications
// for m edges, and 6·8·n·C bytes.
//
// Errors: [coles.ErrSetting] for numbers that are not from 0 to 1 or steps below 0, [coles.ErrShape],
// [coles.ErrIndex], [coles.ErrNotFinite], and ctx's.
func (c CorrectAndSmooth) Apply(ctx context.Context, g *coles.Graph, scores mat.Matrix, train, classes []int) (*mat.Dense, error) {
	source, err := c.check(ctx, g, scores, train, classes)
	if err != nil {
		return nil, fmt.Errorf("rivals: correct and smooth: %w", err)
	}
	y, err := softmaxRows(ctx, source)
	if err != nil {
		return nil, err
	}
	// The error, and the mean absolute sum of its rows.
	first := kernel.Dense[float64](y.Rows, y.Cols)
	mean := 0.0
	for k, i := range train {
		wrong := first.Row(i)
		for j, v := range y.Row(i) {
			wrong[j] = -v
		}
		wrong[classes[k]]++
		mean += absolute(wrong) / float64(len(train))
	}
	means, err := matrix.RowMeans[float64](ctx, inside.Adjacency(g))
	if err != nil {
		return nil, err
	}
	change, err := c.spread(ctx, means.Transpose(), first, c.Correct, -1) // A is symmetric: (D⁻¹A)ᵀ = AD⁻¹
	if err != nil {
		return nil, err
	}
	if err := parallel.EachRow(ctx, y.Rows, func(i int) {
		scale := mean / absolute(change.Row(i))
		if !(scale <= largestScale) {
			scale = 1
		}
		matrix.AddScaled(y.Row(i), scale, change.Row(i))
	}); err != nil {
		return nil, err
	}
	for k, i := range train {
		clear(y.Row(i))
		y.Row(i)[classes[k]] = 1
	}
	w, err := matrix.Normalized(ctx, inside.Adjacency(g), false)
	if err != nil {
		return nil, err
	}
	smooth, err := c.spread(ctx, w, y, c.Smooth, 0)
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(smooth), nil
}

func (c CorrectAndSmooth) check(ctx context.Context, g *coles.Graph, scores mat.Matrix, train, classes []int) (*matrix.Source, error) {
	for _, share := range []float64{c.Correct, c.Smooth} {
		if !(share >= 0 && share <= 1) || c.Steps < 0 {
			return nil, fmt.Errorf("%w: %+v", coles.ErrSetting, c)
		}
	}
	source, err := matrix.Read(ctx, scores)
	if err != nil {
		return nil, err
	}
	n, cols := source.Dims()
	if n != g.Nodes() || cols == 0 || len(train) == 0 || len(train) != len(classes) {
		return nil, fmt.Errorf("%w: scores of %d × %d for %d nodes, %d training nodes of %d classes",
			coles.ErrShape, n, cols, g.Nodes(), len(train), len(classes))
	}
	for k, i := range train {
		if i < 0 || i >= n || classes[k] < 0 || classes[k] >= cols {
			return nil, fmt.Errorf("%w: training node %d of %d, class %d of %d", coles.ErrIndex, i, n, classes[k], cols)
		}
	}
	return source, nil
}

// spread is share·S·E + (1 − share)·E₀, kept from low to 1, from E = E₀ on, for a number of steps.
func (c CorrectAndSmooth) spread(ctx context.Context, s *kernel.CSR[float64], first kernel.Matrix[float64], share, low float64) (kernel.Matrix[float64], error) {
	e, next := kernel.Dense[float64](first.Rows, first.Cols), kernel.Dense[float64](first.Rows, first.Cols)
	kernel.Copy(e, first)
	for range c.Steps {
		if err := kernel.SpMM(ctx, next, s, e); err != nil {
			return e, err
		}
		if err := parallel.EachRow(ctx, next.Rows, func(i int) {
			row, from := next.Row(i), first.Row(i)
			for j, v := range row {
				row[j] = min(max(share*v+(1-share)*from[j], low), 1)
			}
		}); err != nil {
			return e, err
		}
		e, next = next, e
	}
	return e, ctx.Err()
}

// softmaxRows is the softmax of each row.
func softmaxRows(ctx context.Context, source *matrix.Source) (kernel.Matrix[float64], error) {
	n, cols := source.Dims()
	y := kernel.Dense[float64](n, cols)
	return y, parallel.Rows(ctx, n, func(lo, hi int) {
		source.Each(lo, hi, func(i int, at []int32, vals []float64) {
			row := y.Row(i)
			for q, v := range vals {
				row[matrix.Column(at, q)] = v
			}
			most, sum := math.Inf(-1), 0.0
			for _, v := range row {
				most = max(most, v)
			}
			for j, v := range row {
				row[j] = math.Exp(v - most)
				sum += row[j]
			}
			matrix.Scale(row, 1/sum)
		})
	})
}

// absolute is the sum of the absolute values.
func absolute(row []float64) (sum float64) {
	for _, v := range row {
		sum += math.Abs(v)
	}
	return sum
}
