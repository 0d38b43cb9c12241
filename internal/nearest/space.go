package nearest

import (
	"context"
	"slices"

	"coles/internal/matrix"
)

// wide is the number of columns from which rows are compared by their directions, as is usual for embeddings. The
// more columns, the more rows have the mean among their nearest, and the less the lengths of rows say.
const wide = 100

// A Space is prepared features, to find rows near to others. Rows of zeros say nothing, and are near to none.
type Space struct {
	index *Index
	count int
	rows  []int // of the index, among all
}

// NewSpace prepares rows for searches: by the distance where they are dense and of fewer than wide columns, and
// else by the cosine, if it is above 0.
//
// Errors: as [New].
func NewSpace(ctx context.Context, x *matrix.Matrix[float64]) (*Space, error) {
	lengths, err := matrix.Lengths(ctx, x)
	if err != nil {
		return nil, err
	}
	s := &Space{count: x.Rows()}
	for i, length := range lengths {
		if length > 0 {
			s.rows = append(s.rows, i)
		}
	}
	if len(s.rows) == 0 {
		return s, nil
	}
	if len(s.rows) < s.count {
		if x, err = x.Gather(ctx, s.rows); err != nil {
			return nil, err
		}
	}
	by := Cosine
	if ByDistance(x.Sparse != nil, x.Cols()) {
		by = Distance
	}
	s.index, err = New(ctx, x, by)
	return s, err
}

// ByDistance reports whether a [Space] of rows compares them by the distance.
func ByDistance(sparse bool, columns int) bool { return !sparse && columns < wide }

// All finds the k rows nearest to every row, or fewer.
//
// Errors: as [Index.Near].
func (s *Space) All(ctx context.Context, k int) ([][]Match, error) {
	all := make([][]Match, s.count)
	if len(s.rows) == 0 {
		return all, nil
	}
	found, err := s.index.NearRows(ctx, nil, k)
	for i, matches := range found {
		all[s.rows[i]] = s.kept(matches)
	}
	return all, err
}

// Near finds the k rows nearest to each of others, prepared alike.
//
// Errors: as [Index.Near].
func (s *Space) Near(ctx context.Context, queries *matrix.Matrix[float64], k int) ([][]Match, error) {
	all := make([][]Match, queries.Rows())
	lengths, err := matrix.Lengths(ctx, queries)
	if err != nil || len(s.rows) == 0 {
		return all, err
	}
	found, err := s.index.Near(ctx, queries, k)
	for i, matches := range found {
		if lengths[i] > 0 {
			all[i] = s.kept(matches)
		}
	}
	return all, err
}

// kept are matches by the numbers of all rows, without those of nothing in common.
func (s *Space) kept(matches []Match) []Match {
	if s.index.by == Cosine {
		matches = slices.DeleteFunc(matches, func(m Match) bool { return m.Score <= 0 })
	}
	for q, m := range matches {
		matches[q].Row = s.rows[m.Row]
	}
	return matches
}
