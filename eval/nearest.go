package eval

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Similarity says how two rows of an embedding are compared.
type Similarity int

const (
	// Cosine is u·v/(‖u‖·‖v‖), and 0 where a row is zero.
	Cosine Similarity = iota
	// DotProduct is u·v: long rows are near to many.
	DotProduct
)

var similarityNames = []string{"cosine", "dot"}

// String is the name that UnmarshalText reads.
func (s Similarity) String() string { return setting.Name(s, similarityNames) }

// MarshalText gives the name that UnmarshalText reads.
func (s Similarity) MarshalText() ([]byte, error) { return setting.Marshal(s, similarityNames) }

// UnmarshalText reads "cosine" or "dot".
func (s *Similarity) UnmarshalText(text []byte) error {
	return setting.Unmarshal(s, text, similarityNames)
}

func (s Similarity) check() error {
	_, err := s.MarshalText()
	return err
}

// A Match is a row found by a search.
type Match struct {
	Row   int
	Score float64 // its similarity to the query
}

// NearestRows finds, for each of the given rows of x (n × d), the k other rows most similar to it,
// best first, the lower row first among equal scores.
//
// It is exact: the result is that of comparing all scores in float64. Dense rows are compared as
// products of matrices in float32, and their scores computed in float64 where rounding could hide a
// row from the best k. The cost is O(nd) for each row, or for sparse x the number of entries in its
// columns, and k log k to rank. The memory is the result, a copy of the given rows, 8·n bytes for
// each processor and some megabytes.
//
// Errors: [coles.ErrSetting] for k outside 1 … n − 1 or an unknown similarity, [coles.ErrShape]
// also for no rows given, [coles.ErrIndex], [coles.ErrNotFinite] also for products that could
// overflow, and ctx's.
func NearestRows(ctx context.Context, x mat.Matrix, rows []int, k int, by Similarity) ([][]Match, error) {
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: no rows to search for", coles.ErrShape)
	}
	if err := checkRows(rows, f.Rows(), "given"); err != nil {
		return nil, err
	}
	queries, err := f.Gather(ctx, rows)
	if err != nil {
		return nil, err
	}
	return search(ctx, f, queries, rows, k, f.Rows()-1, by)
}

// NearestTo finds, for each row of queries (q × d), the k rows of x (n × d) most similar to it, as
// [NearestRows] does for rows of x itself.
//
// Errors: [coles.ErrSetting] for k outside 1 … n or an unknown similarity, [coles.ErrShape] also
// for widths that differ, [coles.ErrIndex], [coles.ErrNotFinite] also for products that could
// overflow, and ctx's.
func NearestTo(ctx context.Context, x, queries mat.Matrix, k int, by Similarity) ([][]Match, error) {
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	q, err := read(ctx, queries)
	if err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	if q.Cols() != f.Cols() {
		return nil, fmt.Errorf("%w: queries of %d columns for a matrix of %d", coles.ErrShape, q.Cols(), f.Cols())
	}
	return search(ctx, f, q, nil, k, f.Rows(), by)
}

// search finds at most most rows of f for each query.
func search(ctx context.Context, f, queries *matrix.Matrix[float64], self []int, k, most int, by Similarity) ([][]Match, error) {
	if k < 1 || k > most {
		return nil, fmt.Errorf("%w: the nearest %d of %d rows", coles.ErrSetting, k, most)
	}
	if err := by.check(); err != nil {
		return nil, err
	}
	found, err := nearest.Rows(ctx, f, queries, self, k, by == Cosine)
	if err != nil {
		return nil, err
	}
	all := make([][]Match, len(found))
	for q, matches := range found {
		all[q] = make([]Match, len(matches))
		for r, m := range matches {
			all[q][r] = Match(m)
		}
	}
	return all, nil
}
