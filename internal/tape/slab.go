package tape

import "coles/internal/kernel"

const (
	// slabRows rows of a factor with some hundred columns stay in the second
	// cache.
	slabRows = 512

	// slabEntries is the least number of entries that a row of a slab has on
	// average, so that the row of the result, read and written for each slab, is
	// little beside those of the factor.
	slabEntries = 16
)

// slab is a part of a matrix, its columns from first on.
type slab[T kernel.Float] struct {
	matrix *kernel.CSR[T]
	first  int
}

// slabsOf is the transpose of s, cut where it has many entries in a row, as the
// transpose of features has: each row of the other factor is used often, and
// while one slab is worked on those of the factor stay in cache.
func slabsOf[T kernel.Float](s *kernel.CSR[T]) []slab[T] {
	if s.NNZ()*slabRows <= slabEntries*s.Cols*s.Rows {
		return []slab[T]{{s.Transpose(), 0}}
	}
	var slabs []slab[T]
	for first := 0; first < s.Rows; first += slabRows {
		slabs = append(slabs, slab[T]{rowsFrom(s, first, min(s.Rows, first+slabRows)).Transpose(), first})
	}
	return slabs
}

// rowsFrom is the rows lo to hi of s as a matrix of its own, which shares the
// entries with s.
func rowsFrom[T kernel.Float](s *kernel.CSR[T], lo, hi int) *kernel.CSR[T] {
	begin, end := s.Ptr[lo], s.Ptr[hi]
	part := &kernel.CSR[T]{Rows: hi - lo, Cols: s.Cols, Col: s.Col[begin:end], Val: s.Val[begin:end]}
	for _, p := range s.Ptr[lo : hi+1] {
		part.Ptr = append(part.Ptr, p-begin)
	}
	return part
}
