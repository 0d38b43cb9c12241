package edgetext

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/internal/npy"
	"coles/internal/source"
	"coles/internal/text"
)

// forms read edges in formats of their own.
var forms = map[string]func(l *edgeFiles, r io.Reader, opts options) error{
	"adjacency": (*edgeFiles).readNeighbours, "baskets": (*edgeFiles).readBaskets, "pairs": (*edgeFiles).readPairs,
}

// readNeighbours reads edges from lines of a node and its neighbours, or from a JSON object of such lists.
func (l *edgeFiles) readNeighbours(r io.Reader, opts options) error {
	t := text.NewReader(r, text.Layout{Edges: true, Marks: opts.MissingMarks})
	if t.StartsWith('{') {
		return EachList(t.Rest(), func(id string, neighbours []string) error {
			u, err := l.nodes.number(id)
			for k := 0; k < len(neighbours) && err == nil; k++ {
				var v int
				if v, err = l.nodes.number(neighbours[k]); err == nil {
					err = l.edges.Add(int32(u), int32(v))
				}
			}
			return err
		})
	}
	var first []string
	lines := 0
	for ; t.Next(); lines++ {
		if lines == 0 {
			first = slices.Clone(t.Fields)
		}
		u := l.nodes.named(t, 0)
		for k := range t.Fields {
			if field := t.Fields[k]; field != "" && strings.IndexByte("[{(", field[0]) >= 0 {
				t.Fault(k, "%w: %q: a line of the format adjacency has ids alone, without brackets", coles.ErrFormat, field)
			} else if k > 0 && field != "" { // behind a separator at the end
				t.Fail(l.edges.Add(int32(u), int32(l.nodes.named(t, k))))
			}
		}
	}
	numbers := len(first) > 1 && !slices.ContainsFunc(first, func(field string) bool { return !text.IsNumber(field) })
	if numbers && first[0] == fmt.Sprint(lines-1) {
		l.say(l.edgesFile, t.First, nil, "%s may be the numbers of nodes and edges, as %d lines follow: so begins a file of the format metis", strings.Join(first, " "), lines-1)
	}
	return t.Err
}

// readBaskets takes in lines of items that come together, each line a node that is joined to its items.
func (l *edgeFiles) readBaskets(r io.Reader, opts options) error {
	t := text.NewReader(r, text.Layout{Edges: true, Commas: isCSV(l.edgesFile), Marks: opts.MissingMarks})
	for n := 1; t.Next(); n++ {
		u, err := l.nodes.number(fmt.Sprint("basket:", n))
		for k := 0; k < len(t.Fields) && err == nil; k++ {
			if strings.HasPrefix(t.Fields[k], "basket:") {
				err = t.At(k, fmt.Errorf("%w: an item is called %q, as a line is", coles.ErrIDs, t.Fields[k]))
			} else if !t.IsMark(k) { // such as behind a separator at the end
				err = l.edges.Add(int32(u), int32(l.nodes.named(t, k)))
			}
		}
		t.Fail(err)
	}
	for _, id := range l.nodes.ids {
		l.Sides = append(l.Sides, !strings.HasPrefix(id, "basket:"))
	}
	return t.Err
}

// EachList calls f with the members of a JSON object, each a list of texts and numbers.
func EachList(r io.Reader, f func(id string, members []string) error) error {
	all, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	bad := func(at int, err error) error {
		return source.At(int64(at), "%w: JSON, want an object of lists, such as {\"ann\": [\"bob\", 7]}: %w", coles.ErrFormat, err)
	}
	lists, err := source.Members(all)
	if err != nil {
		return bad(0, err)
	}
	for _, list := range lists {
		members, err := source.Words(list.Value)
		if err != nil {
			return bad(list.At, err)
		}
		if err := f(list.Name, members); err != nil {
			return err
		}
	}
	return nil
}

// readPairs reads the edges of NumPy's m × 2 whole numbers, in either order of its elements. The numbers
// are rows: of those that opts name or, where they name none, of one more than the largest, which may be
// 2²⁰ and 64 times the edges.
func (l *edgeFiles) readPairs(r io.Reader, opts options) error {
	l.edgesFile = cmp.Or(opts.EdgesName, source.Binary(r, "pairs"))
	s := source.NewReader(r)
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
