package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// KNN predicts the label that most of the K nearest training rows have, the
// smallest among equals. Of training rows at the same distance those given
// first are the nearer. It is exact, as KNeighborsClassifier of scikit-learn by
// brute force.
type KNN struct {
	K int // zero means 5
	// Cosine measures the distance of u and v by 1 − u·v/(‖u‖·‖v‖), which is 1
	// for a row of zeros, and not by ‖u − v‖.
	Cosine bool
	// ByDistance has a neighbour at distance r cast 1/r votes and not one. If
	// any are at distance zero, these vote alone.
	ByDistance bool
}

// KNNModel is a [KNN] with its training rows.
type KNNModel struct {
	knn     KNN
	classes []int
	numbers []int // places in classes of the labels of the rows
	rows    *knnRowSet
}

// Fit copies the given rows (brought to length 1 for [KNN].Cosine, which leaves parallel
// ones apart by rounding) of x (n × d), dense or sparse, under the rules of
// [LogisticRegression.Fit], except that one class is enough.
//
// Errors: [ErrParameter] if K is negative or more than there are rows,
// [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow], [ErrLabel], [ErrEmpty],
// and ctx.Err().
func (n KNN) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*KNNModel, error) {
	if n.K == 0 {
		n.K = 5
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkLearning(f, rows, labels); err != nil {
		return nil, err
	}
	if n.K < 0 || n.K > len(rows) {
		return nil, fmt.Errorf("%w: %d neighbours of %d training rows", ErrParameter, n.K, len(rows))
	}
	linear := newModel(rows, labels, 1)
	m := &KNNModel{knn: n, classes: linear.Classes, numbers: linear.numbers(rows, labels)}
	m.rows, err = n.rowSet(f.gather(rows))
	return m, err
}

const (
	knnQueries = 64  // rows asked about by a task
	knnRows    = 512 // training rows they are compared with at a time
)

// Predict returns a label for each of the given rows of x; nil rows means all
// of them. Cost: rows × training rows × d multiplications, for sparse x rows × the
// entries of the training rows; memory for each processor 64 × (512 + d) numbers.
//
// Errors: [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow], and ctx.Err().
func (m *KNNModel) Predict(ctx context.Context, x mat.Matrix, rows []int) ([]int, error) {
	if m == nil || m.rows == nil {
		return nil, fmt.Errorf("%w: the model is empty", ErrShape)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if f.cols != m.rows.cols || (f.sparse == nil) != (m.rows.sparse == nil) {
		return nil, fmt.Errorf("%w: the model has %d features, %s, the matrix %d columns, %s",
			ErrShape, m.rows.cols, m.rows.form(), f.cols, f.form())
	}
	if err := f.checkRows(rows, "given"); err != nil {
		return nil, err
	}
	if rows == nil {
		rows = make([]int, f.rows)
		for i := range rows {
			rows[i] = i
		}
	}
	labels := make([]int, len(rows))
	errs := make([]error, (len(rows)+knnQueries-1)/knnQueries)
	err = parallel.Ranges(ctx, len(rows), knnQueries, func(lo, hi int) {
		errs[lo/knnQueries] = m.predict(ctx, f.gather(rows[lo:hi]), labels[lo:hi])
	})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return labels, nil
}

// predict sets a label for every row of f.
func (m *KNNModel) predict(ctx context.Context, f *features, labels []int) error {
	queries, err := m.knn.rowSet(f)
	if err != nil {
		return err
	}
	s := newKNNSearch(m.knn, m.rows, queries)
	if err := s.run(ctx); err != nil {
		return err
	}
	votes := make([]float64, len(m.classes))
	for q := range labels {
		clear(votes)
		neighbours := s.found[q]
		alone := m.knn.ByDistance && neighbours[0].square == 0
		for _, n := range neighbours {
			switch {
			case alone && n.square > 0:
			case alone || !m.knn.ByDistance:
				votes[m.numbers[n.row]]++
			case m.knn.Cosine:
				votes[m.numbers[n.row]] += 2 / n.square
			default:
				votes[m.numbers[n.row]] += 1 / math.Sqrt(n.square)
			}
		}
		most := 0
		for k, v := range votes {
			if v > votes[most] {
				most = k
			}
		}
		labels[q] = m.classes[most]
	}
	return nil
}

// knnRowSet are rows ready to be compared by the square of their Euclidean
// distance, ‖a‖² + ‖b‖² − 2a·b. For the cosine they have length one, and the
// distance 1 − a·b is half the square; that of a row of zeros is 2 to any.
type knnRowSet struct {
	*features
	squares []float64 // of the lengths, as if one for a row of zeros under the cosine
	nowhere []bool    // rows of zeros under the cosine
}

// rowSet takes over f, which it may change.
func (n KNN) rowSet(f *features) (*knnRowSet, error) {
	c := &knnRowSet{features: f, squares: make([]float64, f.rows), nowhere: make([]bool, f.rows)}
	for i := range f.rows {
		_, values := f.row(i)
		norm := norm2(values)
		switch {
		case n.Cosine && norm == 0:
			c.squares[i], c.nowhere[i] = 1, true
		case n.Cosine:
			for q := range values {
				values[q] /= norm
			}
			c.squares[i] = 1
		default:
			c.squares[i] = norm * norm
		}
		if !(c.squares[i] < math.MaxFloat64/8) {
			return nil, fmt.Errorf("%w: row %d has length %.3g, too large to square", ErrNotFinite, i, norm)
		}
	}
	return c, nil
}

// neighbour is a training row and the square of its distance.
type neighbour struct {
	square float64
	row    int
}

// knnSearch finds the nearest training rows of a few queries. Products tell which
// might be near, at the speed of products but with their rounding; the squares
// of the distances that decide are sums of squares of differences.
type knnSearch struct {
	knn        KNN
	rows       *knnRowSet
	queries    *knnRowSet
	transposed kernel.Matrix[float64] // the queries as columns, if sparse
	found      [][]neighbour          // of each query at most K, the nearest first
	worst      []float64              // what a row must beat
}

func newKNNSearch(n KNN, rows, queries *knnRowSet) *knnSearch {
	s := &knnSearch{knn: n, rows: rows, queries: queries,
		found: make([][]neighbour, queries.rows), worst: make([]float64, queries.rows)}
	for q := range s.worst {
		s.worst[q] = math.Inf(1)
		s.found[q] = make([]neighbour, 0, n.K)
	}
	if queries.sparse != nil {
		s.transposed = kernel.Dense[float64](queries.cols, queries.rows)
		for q := range queries.rows {
			cols, values := queries.row(q)
			for e, j := range cols {
				s.transposed.Data[int(j)*s.transposed.Stride+q] = values[e]
			}
		}
	}
	return s
}

func (s *knnSearch) run(ctx context.Context) error {
	// A sum of d products is within d·2⁻⁵³ of ‖a‖·‖b‖, and so are the squares
	// of their own sums; twice that covers the sum of the differences as well.
	rounding := float64(s.rows.cols+8) * 0x1p-51
	products := kernel.Dense[float64](knnRows, s.queries.rows)
	for lo := 0; lo < s.rows.rows; lo += knnRows {
		part := s.rows.slice(lo, min(lo+knnRows, s.rows.rows))
		block := kernel.Rows(products, 0, part.rows)
		var err error
		if part.sparse != nil {
			err = kernel.SpMM(ctx, block, part.sparse, s.transposed)
		} else {
			err = kernel.Gemm(ctx, false, true, 1, part.dense, s.queries.dense, 0, block)
		}
		if err != nil {
			return err
		}
		for i := range part.rows {
			for q, product := range block.Data[i*block.Stride : i*block.Stride+block.Cols] {
				both := s.rows.squares[lo+i] + s.queries.squares[q]
				if both-2*product-rounding*both-0x1p-1000 < s.worst[q] {
					s.consider(lo+i, q)
				}
			}
		}
	}
	return nil
}

// consider makes row i a neighbour of query q if it is nearer than the worst.
func (s *knnSearch) consider(i, q int) {
	square := s.square(i, q)
	if !(square < s.worst[q]) {
		return
	}
	found := s.found[q]
	if len(found) == s.knn.K {
		found = found[:len(found)-1]
	}
	at := len(found)
	for at > 0 && square < found[at-1].square {
		at--
	}
	found = slices.Insert(found, at, neighbour{square, i})
	if len(found) == s.knn.K {
		s.worst[q] = found[len(found)-1].square
	}
	s.found[q] = found
}

// square is the square of the distance of training row i and query q.
func (s *knnSearch) square(i, q int) float64 {
	if s.rows.nowhere[i] || s.queries.nowhere[q] {
		return 2
	}
	cols, a := s.rows.row(i)
	others, b := s.queries.row(q)
	var sum float64
	if s.rows.sparse == nil {
		for j, v := range a {
			sum += (v - b[j]) * (v - b[j])
		}
		return sum
	}
	for len(cols) > 0 || len(others) > 0 {
		var difference float64
		switch {
		case len(others) == 0 || len(cols) > 0 && cols[0] < others[0]:
			difference = a[0]
			cols, a = cols[1:], a[1:]
		case len(cols) == 0 || others[0] < cols[0]:
			difference = b[0]
			others, b = others[1:], b[1:]
		default:
			difference = a[0] - b[0]
			cols, a, others, b = cols[1:], a[1:], others[1:], b[1:]
		}
		sum += difference * difference
	}
	return sum
}

// form says how f is stored.
func (f *features) form() string {
	if f.sparse != nil {
		return "sparse"
	}
	return "dense"
}
