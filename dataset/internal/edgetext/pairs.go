package edgetext

import (
	"fmt"
	"io"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/npy"
	"coles/internal/source"
)

// Pairs reads the edges of NumPy's m × 2 whole numbers, in either order of its elements. The numbers
// are rows: of those that opts name or, where they name none, of one more than the largest, which may be
// 2²⁰ and 64 times the edges.
func Pairs(r io.Reader, o parse.Options) (*Files, error) {
	opts := options{o}
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("dataset: pairs: %w", err)
	}
	file := source.Binary(r, "pairs")
	d, err := opts.collect(func(l *edgeFiles) (*Files, error) {
		l.edgesFile = file
		if err := l.nameNodes(opts.Nodes, opts.Rows, false); err != nil {
			return nil, err
		}
		if err := l.readPairs(source.NewReader(r)); err != nil {
			return nil, err
		}
		return l.dataset(opts)
	})
	return d, place.In(file, err)
}

func (l *edgeFiles) readPairs(s *source.Reader) error {
	h, err := npy.ReadHeader(s, npy.MaxStream)
	if err != nil {
		return err
	}
	if len(h.Shape) != 2 || h.Shape[1] != 2 || h.Count == 0 {
		return source.At(0, "an array of shape %v where edges are expected, m × 2: %w", h.Shape, coles.ErrShape)
	}
	known, m := l.nodes.count(), h.Shape[0]
	limit := int64(known)
	if known == 0 {
		limit = min(bounds.Dim, bounds.Empty+64*int64(m))
	}
	var first []int32 // the first ends, where all come before the second ones
	var ends []uint64
	rows := int64(known)
	if err := npy.EachInts(s, h, func(values []int64, at int64, before int) error {
		ends = ends[:0]
		for k, v := range values {
			if v < 0 || v >= limit {
				return source.At(at+int64(k*h.Size), "edge %d: %w", (before+k)/2, outside(v, limit, known))
			}
			rows = max(rows, v+1)
			switch {
			case !h.Fortran:
				ends = append(ends, uint64(v))
			case before+k < m:
				first = append(first, int32(v))
			default:
				ends = append(ends, uint64(first[before+k-m]), uint64(v))
			}
		}
		return l.edges.AddRows(ends, nil)
	}); err != nil {
		return err
	}
	if known == 0 {
		l.nodes.span = int(rows)
	}
	return nil
}

// outside is the error of a number that is no row.
func outside(v, limit int64, known int) error {
	if v >= 0 && known == 0 {
		return fmt.Errorf("node %d: %w (at most %d for so many edges)", v, coles.ErrTooLarge, limit-1)
	}
	return fmt.Errorf("node %d of 0 to %d: %w", v, limit-1, coles.ErrIndex)
}
