// Package nearest finds the rows of a matrix that are most similar to others, exactly.
//
// Dense rows are compared as products of matrices in float32, block by block. Where rounding there
// could hide a row from the best k, its score is computed in float64, so that the result is the
// same as from all scores in float64. Of sparse rows only those that share a column are compared.
package nearest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// A Measure is what a score says of a query u and a row v.
type Measure int

const (
	Dot      Measure = iota // u·v
	Cosine                  // their cosine, 0 where one is zero
	Distance                // −‖u − v‖²
)

// A Match is a row found by a search.
type Match struct {
	Row   int     // its number
	Score float64 // its similarity to the query
}

// An Index is rows that are prepared for searches. It does not change.
type Index struct {
	x                 *matrix.Matrix[float64]
	by                Measure
	lengths           []float64
	longest, shortest float64

	columns *kernel.CSR[float64] // of sparse rows: their transpose
	blocks  *blocks              // of dense rows
}

// New prepares the rows of x, which must not change, for searches.
//
// Besides x it takes 4·n·d bytes, or where x is sparse a copy of its entries.
//
// Errors: [matrix.ErrNotFinite] for lengths that overflow, and ctx's.
func New(ctx context.Context, x *matrix.Matrix[float64], by Measure) (*Index, error) {
	lengths, err := matrix.Lengths(ctx, x)
	if err != nil {
		return nil, err
	}
	index := &Index{x: x, by: by, lengths: lengths}
	index.longest, index.shortest = extremes(lengths)
	if x.Sparse != nil {
		index.columns = x.Flip()
		return index, ctx.Err()
	}
	index.blocks, err = newBlocks(ctx, x, lengths)
	return index, err
}

// Group lays rows near to each other side by side, for searches for few queries. Where a few columns have most of the squares
// of the rows, a search then looks at a part of the rows; elsewhere Group does nothing. It takes the time of a hundred
// searches without it, and 4·n·d bytes. Searches that go on meanwhile are a caller's bug.
func (index *Index) Group() {
	if index.blocks != nil && index.blocks.head > 0 && index.blocks.lines == nil {
		index.blocks.lines = newLines(index.Cols(), index.blocks.head, index.lengths, index.unit)
	}
}

// Rows is the number of rows.
func (index *Index) Rows() int { return index.x.Rows() }

// Cols is the width of the rows.
func (index *Index) Cols() int { return index.x.Cols() }

// Near finds, for every query, the k rows of the largest score, best first and the lower row first
// among equal ones.
//
// The cost is O(n·d) for each query, or the number of entries in its columns where the rows are
// sparse.
//
// Errors: [matrix.ErrNotFinite] for products that could overflow, [matrix.ErrTooLarge], and ctx's.
func (index *Index) Near(ctx context.Context, queries *matrix.Matrix[float64], k int) ([][]Match, error) {
	return index.near(ctx, &search{queries: queries, k: k})
}

// NearRows is Near for rows of the index, nil for all of them. A row does not find itself. All dense rows are compared at half
// the cost: two of them once, for both.
func (index *Index) NearRows(ctx context.Context, rows []int, k int) ([][]Match, error) {
	if rows == nil {
		return index.near(ctx, &search{queries: index.x, self: matrix.UpTo(index.Rows()), k: k})
	}
	queries, err := index.x.Gather(ctx, rows)
	if err != nil {
		return nil, err
	}
	return index.near(ctx, &search{queries: queries, self: rows, k: k})
}

// A search is for the rows of an index that are near to queries.
type search struct {
	*Index
	queries      *matrix.Matrix[float64]
	queryLengths []float64
	self         []int                     // the row that each query is and does not find; may be nil
	joined       func(row, other int) bool // rows that these do not find either; nil but for [Index.Apart]
	k            int
	found        [][]Match
}

func (index *Index) near(ctx context.Context, s *search) ([][]Match, error) {
	queries := s.queries
	if err := matrix.CheckSize(queries.Rows(), max(s.k, index.Cols())); err != nil {
		return nil, err
	}
	s.Index, s.k, s.found = index, min(s.k, index.Rows()), make([][]Match, queries.Rows())
	if s.k < 1 {
		return s.found, ctx.Err()
	}
	var err error
	if s.queryLengths, err = matrix.Lengths(ctx, queries); err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	longest, _ := extremes(s.queryLengths)
	if s.by == Distance {
		longest = 4 * max(longest, index.longest)
	}
	if s.by != Cosine && math.IsInf(index.longest*longest, 0) {
		return nil, fmt.Errorf("%w: products of rows of length %v and %v could overflow", matrix.ErrNotFinite, index.longest, longest)
	}
	switch {
	case index.x.Sparse != nil:
		err = s.lookAtColumns(ctx)
	case queries == index.x: // all rows are asked about
		err = s.lookAtPairs(ctx)
	default:
		err = s.lookAtBlocks(ctx)
	}
	return s.found, err
}

// extremes is the largest number, and the smallest one above zero, if any.
func extremes(lengths []float64) (longest, shortest float64) {
	shortest = 1
	for _, l := range lengths {
		longest = max(longest, l)
		if l > 0 {
			shortest = min(shortest, l)
		}
	}
	return longest, shortest
}

// lookAtColumns adds up the products of every query with the rows that share a column with it.
func (s *search) lookAtColumns(ctx context.Context) error {
	n, queries := s.Rows(), s.queries
	progress := parallel.Counted(ctx, "compare rows", parallel.Pieces(queries.Rows(), 16))
	return parallel.Ranges(ctx, queries.Rows(), 16, func(first, last int) {
		defer progress.Add()
		sums, release := kernel.Scratch[float64](1, n)
		defer release()
		for i := first; i < last && ctx.Err() == nil; i++ {
			clear(sums.Data)
			b := Best{make([]Match, 0, s.k)}
			scale := 1.0
			if s.by == Cosine && s.queryLengths[i] > 0 {
				scale = s.queryLengths[i]
			}
			cols, vals := queries.Row(i)
			for q, v := range vals {
				rows, with := s.columns.Row(matrix.Column(cols, q))
				for p, row := range rows {
					sums.Data[row] += v / scale * with[p]
				}
			}
			for row, sum := range sums.Data {
				if s.joined != nil && (sum <= 0 || s.joined(s.self[i], row)) {
					continue
				}
				if s.self == nil || s.self[i] != row {
					b.Add(Match{row, s.score(sum, i, row)})
				}
			}
			s.found[i] = b.Ranked()
		}
	})
}

// score is the score of a row whose product with a query, at length 1 for the cosine, is sum.
func (s *search) score(sum float64, query, row int) float64 {
	switch length := s.lengths[row]; {
	case s.by == Cosine && length > 0:
		return sum / length
	case s.by == Distance:
		return distance(sum, s.queryLengths[query], length)
	}
	return sum
}

// distance is −‖u − v‖² of two rows of these lengths whose product is sum.
func distance(sum, u, v float64) float64 { return 2*sum - u*u - v*v }

// Best is the best matches among those added so far, as many as matches has room for: once full, a
// heap with the worst of them first.
type Best struct{ matches []Match }

// NewBest has room for k matches.
func NewBest(k int) *Best { return &Best{make([]Match, 0, k)} }

// Clear forgets the matches.
func (b *Best) Clear() { b.matches = b.matches[:0] }

// Matches are the matches in no order that means anything.
func (b *Best) Matches() []Match { return b.matches }

// Ranked sorts the matches, the best first. They are there until Clear, before which none can be added.
func (b *Best) Ranked() []Match {
	slices.SortFunc(b.matches, compareMatches)
	return b.matches
}

func (b *Best) full() bool { return len(b.matches) == cap(b.matches) }

// compareMatches puts better scores first, and of equal ones the lower row.
func compareMatches(m, other Match) int {
	return cmp.Or(cmp.Compare(other.Score, m.Score), m.Row-other.Row)
}

// Add takes a match of another row; it reports whether there is something new to compare with.
func (b *Best) Add(m Match) bool {
	if b.full() {
		if worst := b.matches[0]; m.Score < worst.Score || compareMatches(m, worst) >= 0 { // most are worse by their scores
			return false
		}
		b.matches[0] = m
		b.sink(0)
		return true
	}
	b.matches = append(b.matches, m)
	if !b.full() {
		return false
	}
	for i := len(b.matches)/2 - 1; i >= 0; i-- {
		b.sink(i)
	}
	return true
}

// sink moves match i down to where no worse one is below it.
func (b *Best) sink(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.matches); child++ {
			if compareMatches(b.matches[child], b.matches[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.matches[i], b.matches[worst] = b.matches[worst], b.matches[i]
		i = worst
	}
}
