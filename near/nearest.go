package near

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/given"
	"coles/internal/nearest"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Similarity is the comparison of two rows of an embedding.
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

// A Match is a row found by a search.
type Match struct {
	Row   int     // of the index
	Score float64 // its similarity to the query
}

// An Index finds the rows of a matrix that are most similar to others. It does not change, and any
// number of goroutines may search it at once.
//
// It is exact, as if all scores were compared in float64. Dense rows are compared in float32, and
// their scores computed in float64 where rounding could hide a row from the best k.
type Index struct {
	// Progress, if set before the first search, is called as "compare rows" proceeds, one call at a time for each search.
	Progress coles.Progress

	rows *nearest.Index
}

// NewIndex prepares the rows of x (n × d) for searches, which takes a few passes over x. The index
// refers to x, which must not change while it is in use. It holds 4·n·d bytes more, 12·n·d where x
// is neither a *mat.Dense nor sparse, and for sparse x a second copy of its entries.
//
// Errors: [coles.ErrSetting] for an unknown similarity, [coles.ErrShape], [coles.ErrIndex],
// [coles.ErrNotFinite] also for rows whose length overflows, and ctx's.
func NewIndex(ctx context.Context, x mat.Matrix, by Similarity) (*Index, error) {
	if _, err := by.MarshalText(); err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	measure := map[Similarity]nearest.Measure{DotProduct: nearest.Dot, Cosine: nearest.Cosine}[by]
	rows, err := nearest.New(ctx, f, measure)
	if err != nil {
		return nil, err
	}
	return &Index{rows: rows}, nil
}

// Prepare makes the index ready for many searches for up to eight rows each, as a service has them. It comes before all
// searches, and takes 4·n·d bytes and as long as a hundred searches. In most embeddings a few columns have most of the
// squares of the rows: a search then takes a tenth of the time, and finds the same. Elsewhere nothing changes.
func (x *Index) Prepare() { x.made().Group() }

// made are the rows of an index that NewIndex has made: any other is a caller's bug.
func (x *Index) made() *nearest.Index {
	if x == nil || x.rows == nil {
		panic("near: an Index that is nil or zero; NewIndex makes one")
	}
	return x.rows
}

// Rows finds the k other rows most similar to each of the given rows of the index, best first, the lower row first among
// equal scores.
//
// A row costs O(nd), or for a sparse index the number of entries in its columns, and k log k to rank. A hundred rows at
// once cost a tenth each; after [Index.Prepare] a single row costs as little. The memory is 20 bytes for each number of
// the given rows, and 16·k for each of them in each of up to 32 parts of the index. Each processor takes 256 kB more or,
// for a sparse index, 8·n bytes.
//
// Errors: [coles.ErrSetting] for k outside 1 … n − 1, [coles.ErrShape] for no rows given,
// [coles.ErrIndex], [coles.ErrNotFinite] for products that could overflow, and ctx's.
func (x *Index) Rows(ctx context.Context, rows []int, k int) ([][]Match, error) {
	n := x.made().Rows()
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: no rows to search for", coles.ErrShape)
	}
	if err := given.CheckRows(rows, n, "given"); err != nil {
		return nil, err
	}
	if err := checkCount(k, n-1); err != nil {
		return nil, err
	}
	return matches(x.rows.NearRows(parallel.Reporting(ctx, x.Progress), rows, k))
}

// Vectors finds the k rows of the index most similar to each row of queries (q × d), in the order of [Index.Rows].
//
// Errors: [coles.ErrSetting] for k outside 1 … n, [coles.ErrShape] also for a width other than the
// index's, [coles.ErrIndex], [coles.ErrNotFinite] also for products that could overflow, and ctx's.
func (x *Index) Vectors(ctx context.Context, queries mat.Matrix, k int) ([][]Match, error) {
	q, err := given.Read(ctx, queries)
	if err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	if q.Cols() != x.made().Cols() {
		return nil, fmt.Errorf("%w: queries of %d columns for an index of %d", coles.ErrShape, q.Cols(), x.rows.Cols())
	}
	if err := checkCount(k, x.rows.Rows()); err != nil {
		return nil, err
	}
	return matches(x.rows.Near(parallel.Reporting(ctx, x.Progress), q, k))
}

func checkCount(k, most int) error {
	if k < 1 || k > most {
		return setting.Bad("k", k, "1 to %d rows", most)
	}
	return nil
}

func matches(found [][]nearest.Match, err error) ([][]Match, error) {
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
