package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// KMeans divides the rows of a matrix into clusters such that the sum of the
// squared distances of the rows to the mean of their cluster, the inertia, is
// small: Lloyd's steps (1982) from centres drawn by greedy k-means++ (Arthur and
// Vassilvitskii 2007; of 2 + ⌊log k⌋ candidates the best), the best of several
// starts. The defaults, the stop and what becomes of empty clusters are those of
// scikit-learn's KMeans; the random numbers are not.
type KMeans struct {
	Clusters      int     // k
	Starts        int     // how many starts the best is taken of; zero means 10
	MaxIterations int     // of a start; zero means 300
	Tolerance     float64 // a start ends when the squared movements of the centres add up to this share of the mean variance of the columns; zero means 1e-4
	Seed          uint64
}

// KMeansModel is a fitted KMeans.
type KMeansModel struct {
	Centres    *mat.Dense // k × d
	Labels     []int      // the number, from 0, of each row's cluster
	Inertia    float64    // Σ‖xᵢ − c‖² with c the centre of row i
	Iterations int        // of the best start
	Converged  bool       // whether that ended before MaxIterations
}

// maxStarts bounds what is kept of starts, and the runs of [Cluster].
const maxStarts = 1 << 20

// singlePrecision is the number of entries of a dense matrix from which on
// distances are computed in float32, for half the memory and time. It is
// that at which coles.PrecisionAuto changes.
const singlePrecision = 1 << 21

// Fit clusters the rows of x (n × d). A cluster that becomes empty is given the
// row farthest from its centre; only where there are fewer distinct rows than k
// does it stay empty.
//
// Every iteration takes O(ndk) operations as products of matrices, every start
// first O(ndk·log k) to draw centres. Memory: a dense x is copied, centred on its
// mean, in float64 or, from 2²¹ entries on, in float32: near ties are then decided
// by rounding errors of 10⁻⁷. A sparse one is copied as it is and not centred: distances
// below 10⁻⁸ of the length of the rows are lost. Each start takes
// 12·(3 + log k)·n bytes, and 8·k·d for every 2048 rows or 4·k, the more of both.
//
// Errors: [ErrClusters] for k outside 1..n, [ErrParameter] for a setting below
// zero or more than 2²⁰ starts, [ErrShape], [ErrCorrupt], [ErrNotFinite], and ctx.Err().
func (k KMeans) Fit(ctx context.Context, x mat.Matrix) (*KMeansModel, error) {
	k, err := k.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	return k.fit(ctx, f)
}

func (k KMeans) withDefaults() (KMeans, error) {
	if k.Starts < 0 || k.Starts > maxStarts || k.MaxIterations < 0 || !(k.Tolerance >= 0) || math.IsInf(k.Tolerance, 1) {
		return k, fmt.Errorf("%w: %d starts, %d iterations, tolerance %v", ErrParameter, k.Starts, k.MaxIterations, k.Tolerance)
	}
	if k.Starts == 0 {
		k.Starts = 10
	}
	if k.MaxIterations == 0 {
		k.MaxIterations = 300
	}
	if k.Tolerance == 0 {
		k.Tolerance = 1e-4
	}
	return k, nil
}

// fit is Fit with every setting given and x checked.
func (k KMeans) fit(ctx context.Context, f *features) (*KMeansModel, error) {
	if k.Clusters < 1 || k.Clusters > f.rows {
		return nil, fmt.Errorf("%w: %d of %d rows", ErrClusters, k.Clusters, f.rows)
	}
	if f.sparse == nil && f.rows*f.cols >= singlePrecision {
		return bestStart[float32](ctx, k, f)
	}
	return bestStart[float64](ctx, k, f)
}

// bestStart is the start with the least inertia, the first of equals.
func bestStart[T kernel.Float](ctx context.Context, k KMeans, f *features) (*KMeansModel, error) {
	p, err := newPoints[T](ctx, f)
	if err != nil {
		return nil, err
	}
	models, errs := make([]*KMeansModel, k.Starts), make([]error, k.Starts)
	err = parallel.For(ctx, k.Starts, func(s int) {
		models[s], errs[s] = newLloyd(p, k).run(ctx, uint64(s))
		if errs[s] == nil {
			errs[s] = models[s].judge(ctx, f)
		}
	})
	if err != nil {
		return nil, err
	}
	best := models[0]
	for s, m := range models {
		if errs[s] != nil {
			return nil, errs[s]
		}
		if m.Inertia < best.Inertia {
			best = m
		}
	}
	return best, nil
}

// judge sets the inertia of a model for the rows it was fitted on.
func (m *KMeansModel) judge(ctx context.Context, f *features) error {
	const grain = 1024
	centres := kernel.Matrix[float64](m.Centres.RawMatrix())
	squares := squaredNorms(centres)
	parts := make([]float64, (f.rows+grain-1)/grain)
	err := parallel.Ranges(ctx, f.rows, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := m.Labels[i]
			parts[lo/grain] += f.squaredDistanceTo(i, m.Centres.RawRowView(c), squares[c])
		}
	})
	if err != nil {
		return err
	}
	for _, part := range parts {
		m.Inertia += part
	}
	if math.IsInf(m.Inertia, 0) || math.IsNaN(m.Inertia) {
		return fmt.Errorf("%w: the sum of squared distances overflows", ErrNotFinite)
	}
	return nil
}

// squaredDistanceTo is that of row i to a centre, of which the squared norm is
// given.
func (f *features) squaredDistanceTo(i int, centre []float64, square float64) float64 {
	cols, values := f.row(i)
	if f.sparse != nil {
		sum := square
		for q, j := range cols {
			v := values[q]
			sum += v * (v - 2*centre[j])
		}
		return max(0, sum)
	}
	sum := 0.0
	for j, v := range values {
		sum += (v - centre[j]) * (v - centre[j])
	}
	return sum
}

// Predict returns the cluster of the nearest centre, the first of equals, for
// each row of x (n × d), in O(ndk).
//
// Errors: [ErrShape] also for a model without centres, [ErrCorrupt],
// [ErrNotFinite], and ctx.Err().
func (m *KMeansModel) Predict(ctx context.Context, x mat.Matrix) ([]int, error) {
	if m == nil || m.Centres == nil || m.Centres.IsEmpty() {
		return nil, fmt.Errorf("%w: the model has no centres", ErrShape)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if _, d := m.Centres.Dims(); d != f.cols {
		return nil, fmt.Errorf("%w: the centres have %d columns, the matrix %d", ErrShape, d, f.cols)
	}
	labels := make([]int, f.rows)
	err = m.scorer(f).eachBlock(ctx, f.rows, f.slice, func(lo int, scores kernel.Matrix[float64]) {
		for i := range scores.Rows {
			row := scores.Data[i*scores.Stride:][:scores.Cols]
			for c, v := range row {
				if v > row[labels[lo+i]] {
					labels[lo+i] = c
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// scorer scores x by −‖x − c‖² up to what is the same for all centres c. With m
// their mean and c′ = c − m that is 2x·c′ − ‖c′‖² − 2m·c′: it keeps the digits
// where the centres are far from zero and near to each other.
func (m *KMeansModel) scorer(f *features) *scorer {
	k, d := m.Centres.Dims()
	mean := make([]float64, d)
	for c := range k {
		axpy(1/float64(k), m.Centres.RawRowView(c), mean)
	}
	s := &scorer{coef: kernel.Dense[float64](k, d), intercept: make([]float64, k)}
	for c := range k {
		row := s.coef.Data[c*d : (c+1)*d]
		for j, v := range m.Centres.RawRowView(c) {
			row[j] = 2 * (v - mean[j])
		}
		s.intercept[c] = -dot(row, row)/4 - dot(mean, row)
	}
	if f.sparse != nil {
		s.coef = kernel.Matrix[float64](mat.DenseCopyOf(mat.NewDense(k, d, s.coef.Data).T()).RawMatrix())
	}
	return s
}
