package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// KMeans divides the rows of a matrix into clusters of small inertia: the sum of the squared distances of the rows to
// the mean of their cluster. It takes Lloyd's steps (1982) from centres drawn by greedy k-means++ (Arthur and
// Vassilvitskii 2007; of 2 + ⌊log k⌋ candidates the best), and keeps the best of several starts. Defaults, stop and the treatment of empty clusters are scikit-learn's; the
// random numbers are not.
type KMeans struct {
	Clusters      int // k
	Starts        int // how many starts the best is taken of; zero means 10
	MaxIterations int // of a start; zero means 300
	// Tolerance ends a start when the squared movements of the centres add up to this share of the
	// mean variance of the columns; zero means 1e-4.
	Tolerance float64
	Seed      uint64 // of all starts

	Progress coles.Progress // called at the beginning of "cluster" and after each start; may be nil
}

// KMeansModel is a fitted KMeans.
type KMeansModel struct {
	Centres    *mat.Dense // k × d
	Of         []int      // the number, from 0, of each row's cluster
	Inertia    float64    // Σ‖xᵢ − c‖² with c the centre of row i
	Iterations int        // of the best start
	Converged  bool       // whether that ended before MaxIterations
}

const (
	// maxStarts bounds what is kept of starts.
	maxStarts = 1 << 20

	// startsAtOnce starts are held in memory.
	startsAtOnce = 10

	// singlePrecision is the number of entries of a dense matrix from which on distances are
	// computed in float32, for half the memory and time, as in coles.Fit.
	singlePrecision = 1 << 21
)

// Fit clusters the rows of x (n × d). A cluster that becomes empty is given the row farthest from
// its centre; only where there are fewer distinct rows than k does it stay empty.
//
// Every iteration takes at most O(ndk) operations as products of matrices: rows that bounds show to
// be nearest to the same centre as before are passed over, which changes no label. Every start takes
// first O(ndk·log k) to draw centres. A dense x is copied, centred on its mean, in float64 or, from 2²¹ entries on, in
// float32: rounding errors of 10⁻⁷ then decide near ties. A sparse one is copied and not centred:
// distances below 10⁻⁸ of the length of the rows are lost. Each start takes 12·(4 + log k)·n bytes,
// and 8·k·d for every 2048 rows or 4·k, the more of both; up to ten are in memory at a time.
//
// Errors: [coles.ErrSetting] for k outside 1..n, a setting below zero or more than 2²⁰ starts,
// [coles.ErrShape], [coles.ErrIndex], [coles.ErrNotFinite], and ctx's.
func (k KMeans) Fit(ctx context.Context, x mat.Matrix) (*KMeansModel, error) {
	k, err := k.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if k.Clusters < 1 || k.Clusters > f.Rows() {
		return nil, setting.Bad("Clusters", k.Clusters, "1 to %d, the number of rows", f.Rows())
	}
	models, err := k.fits(parallel.Reporting(ctx, k.Progress), f, k.Clusters)
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

func (k KMeans) withDefaults() (KMeans, error) {
	switch {
	case k.Starts < 0 || k.Starts > maxStarts:
		return k, setting.Bad("Starts", k.Starts, "0 to %d", maxStarts)
	case k.MaxIterations < 0:
		return k, setting.Bad("MaxIterations", k.MaxIterations, "0 or more")
	case !(k.Tolerance >= 0) || math.IsInf(k.Tolerance, 1):
		return k, setting.Bad("Tolerance", k.Tolerance, "0 or more and finite")
	}
	k.Starts, k.MaxIterations, k.Tolerance = cmp.Or(k.Starts, 10), cmp.Or(k.MaxIterations, 300), cmp.Or(k.Tolerance, 1e-4)
	return k, nil
}

// fits are the models of Clusters … most clusters, each as [KMeans.Fit] finds it. For as many candidates, the centres of fewer
// clusters are the first of those drawn for more.
func (k KMeans) fits(ctx context.Context, f *matrix.Matrix[float64], most int) ([]*KMeansModel, error) {
	if single(f) {
		return fits[float32](ctx, k, f, most)
	}
	return fits[float64](ctx, k, f, most)
}

func single(f *matrix.Matrix[float64]) bool {
	return f.Sparse == nil && f.Rows()*f.Cols() >= singlePrecision
}

func fits[T kernel.Float](ctx context.Context, k KMeans, f *matrix.Matrix[float64], most int) ([]*KMeansModel, error) {
	p, err := newPoints[T](ctx, f)
	if err != nil {
		return nil, err
	}
	models, drawn := make([]*KMeansModel, most-k.Clusters+1), make([][]int, k.Starts)
	progress := parallel.Counted(ctx, "cluster", len(models)*k.Starts)
	for q := len(models) - 1; q >= 0; q-- {
		k := k
		k.Clusters += q
		if k.Clusters == most || trials(k.Clusters) != trials(k.Clusters+1) {
			if err := parallel.Try(ctx, k.Starts, func(s int) (err error) {
				rng := stream.New()
				rng.Reseed(k.Seed, uint64(s))
				drawn[s], err = newSeeding(p, k.Clusters).draw(ctx, k.Clusters, rng.Rand)
				return err
			}); err != nil {
				return nil, err
			}
		}
		if models[q], err = bestStart(ctx, k, f, p, drawn, progress); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// bestStart is the start with the least inertia, the first of equals.
func bestStart[T kernel.Float](ctx context.Context, k KMeans, f *matrix.Matrix[float64], p *points[T], drawn [][]int, progress *parallel.Count) (best *KMeansModel, err error) {
	for drawn := range slices.Chunk(drawn, startsAtOnce) {
		models := make([]*KMeansModel, len(drawn))
		if err := parallel.Try(ctx, len(drawn), func(s int) error {
			l := newLloyd(p, k)
			l.from(drawn[s][:k.Clusters])
			if err := l.descend(ctx); err != nil {
				return err
			}
			progress.Add()
			models[s] = l.model()
			return models[s].judge(ctx, f)
		}); err != nil {
			return nil, err
		}
		for _, m := range models {
			if best == nil || m.Inertia < best.Inertia {
				best = m
			}
		}
	}
	return best, nil
}

// judge sets the inertia of a model for the rows it was fitted on.
func (m *KMeansModel) judge(ctx context.Context, f *matrix.Matrix[float64]) error {
	squares := squaresOf(kernel.Matrix[float64](m.Centres.RawMatrix()))
	sum, err := parallel.Sum(ctx, f.Rows(), 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			c := m.Of[i]
			sum[0] += squaredDistance(f, i, m.Centres.RawRowView(c), squares[c])
		}
	})
	if err != nil {
		return err
	}
	if m.Inertia = sum[0]; !matrix.Finite(m.Inertia) {
		return fmt.Errorf("%w: the sum of squared distances overflows", coles.ErrNotFinite)
	}
	return nil
}

// squaresOf returns ‖row‖² of each row.
func squaresOf(m kernel.Matrix[float64]) []float64 {
	squares := make([]float64, m.Rows)
	for i := range squares {
		squares[i] = given.Dot(m.Row(i), m.Row(i))
	}
	return squares
}

// squaredDistance is the squared distance of row i to a centre, whose squared length is given.
func squaredDistance(f *matrix.Matrix[float64], i int, centre []float64, square float64) float64 {
	cols, vals := f.Row(i)
	if cols == nil {
		sum := 0.0
		for j, v := range vals {
			sum += (v - centre[j]) * (v - centre[j])
		}
		return sum
	}
	sum := square
	for q, j := range cols {
		v := vals[q]
		sum += v * (v - 2*centre[j])
	}
	return max(0, sum)
}
