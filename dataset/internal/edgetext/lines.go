package edgetext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/internal/text"
)

// An edgeReader collects the edges of lines.
type edgeReader struct {
	*text.Reader
	*edgeFiles
	some    bool      // there is a line
	above   bool      // the first line is a header because of what is below
	columns []int     // fields of the ids and, if there is one, the weight
	chosen  bool      // by the caller: lines may have other fields
	named   bool      // the weight is one by its name or the caller's word
	width   int       // fields of the first line
	kinds   [2]string // what the ids of each column begin with, if they are of two kinds
	types   []int     // fields of the kinds of the ids, where each line says them
	found   []string  // what the ids of two kinds begin with, or of the kinds in these
	kindAt  int       // the field of the kind of an edge, −1 for none
	asked   bool      // the caller says whether there is one
	skips   bool      // edges that have no two nodes
	nothing skipped   // of them, those with an end that says nothing
	unknown skipped   // and those with one that is no node
	objects bool      // lines are JSON, and the header is of members
	corner  bool      // a matrix has names before its rows
	first   [2]string // the ids on the first line
	firstAt int
	id      []byte // storage of one
	hashes  [512]uint32
	looked  byte // what nobody needs, so that it is read
}

// skipped counts lines that are left out.
type skipped struct {
	lines int
	id    string // of the first
}

func (s *skipped) skip(id string) {
	if s.lines++; s.lines == 1 {
		s.id = strings.Clone(id)
	}
}

// readRows takes in the edges on all lines from the current one on.
func (e *edgeReader) readRows() {
	if e.types != nil || e.kindAt >= 0 {
		for e.Next() {
			e.take()
		}
		return
	}
	form := text.Plain{Fields: e.width, Columns: e.columns, Names: e.kinds[0] != "", Marks: e.Marks}
	if e.chosen {
		form.Fields = 0
	}
	e.Blocks(form, e.takePlain, e.take)
}

// noRow is in the place of the row of an end that is no node.
const noRow = 1<<64 - 1

// takePlain takes in the edges on lines lo to hi of a block's plain ones.
func (e *edgeReader) takePlain(b *text.Block, lo, hi int) error {
	ends, before := b.Keys[2*lo:2*hi], e.unknown.lines
	for part := range slices.Chunk(ends, len(e.hashes)) {
		e.look(b, part)
		direct := e.nodes.direct
		for k, end := range part {
			// Most are numbers that are known. Their rows are read without waiting for one another.
			if end < uint64(len(direct)) && direct[end] > 0 {
				part[k] = uint64(direct[end] - 1)
				continue
			}
			var i int
			var err error
			if text.IsName(end) {
				i, err = e.nodes.numberOfName(e.hashes[k], e.nameOf(b, k, end))
			} else {
				i, err = e.nodes.numberOf(end)
			}
			if e.skips && errors.Is(err, coles.ErrIDs) {
				e.unknown.skip(e.nodes.refused)
				part[k], direct = noRow, e.nodes.direct
				continue
			}
			if err != nil {
				return err
			}
			part[k], direct = uint64(i), e.nodes.direct
		}
	}
	weights := b.Numbers
	if len(weights) > 0 {
		weights = weights[lo:hi]
	}
	if e.unknown.lines > before {
		ends, weights = e.withoutUnknown(ends, weights, before)
	}
	return e.edges.AddRows(ends, weights)
}

// withoutUnknown are the edges whose ends are nodes, in the place of all. It counts the others, beyond some.
func (e *edgeReader) withoutUnknown(ends []uint64, weights []float64, before int) ([]uint64, []float64) {
	to := 0
	for k := range len(ends) / 2 {
		if ends[2*k] == noRow || ends[2*k+1] == noRow {
			continue
		}
		ends[2*to], ends[2*to+1] = ends[2*k], ends[2*k+1]
		if len(weights) > 0 {
			weights[to] = weights[k]
		}
		to++
	}
	e.unknown.lines = before + len(ends)/2 - to
	return ends[:2*to], weights[:min(to, len(weights))]
}

// look hashes the names among the ends, and reads what they will be compared with.
func (e *edgeReader) look(b *text.Block, ends []uint64) {
	named := false
	for k, end := range ends {
		if text.IsName(end) {
			named, e.hashes[k] = true, e.nodes.rows.Hash(e.nameOf(b, k, end))
		}
	}
	if named {
		e.looked = e.nodes.rows.Look(e.hashes[:len(ends)], e.nodes.ids)
	}
}

// nameOf is the id that an end has, valid until the next.
func (e *edgeReader) nameOf(b *text.Block, side int, end uint64) string {
	name := b.Name(end)
	if kind := e.kinds[side%2]; kind != "" {
		e.id = append(append(e.id[:0], kind...), name...)
		name = e.id
	}
	return unsafe.String(unsafe.SliceData(name), len(name))
}

// take takes in the edge of the current line.
func (e *edgeReader) take() {
	if most := max(slices.Max(e.columns), e.kindAt); e.chosen && len(e.Fields) <= most {
		e.Fault(-1, "%w: %s, and column %d is asked for", coles.ErrFormat, setting.Count(len(e.Fields), "fields"), most+1)
	} else if !e.chosen && len(e.Fields) != e.width {
		e.uneven(e.width, len(e.Fields))
	}
	if e.Err != nil {
		return
	}
	for _, k := range e.columns[:2] {
		switch {
		case !e.IsMark(k):
		case e.skips:
			e.nothing.skip(e.Fields[k])
			return
		default:
			err := fmt.Errorf("%w: an empty node id", coles.ErrFormat)
			advice := []parse.Advice{unknownAdvice}
			if e.Fields[k] != "" {
				err = fmt.Errorf("%w: %q stands for nothing and is no node", coles.ErrFormat, e.Fields[k])
				advice = append(advice, marksAdvice)
			}
			e.Fail(e.At(k, place.Advise(err, advice...)))
			return
		}
	}
	if e.edges.Count == 0 {
		e.first, e.firstAt = [2]string{e.Fields[e.columns[0]], e.Fields[e.columns[1]]}, e.Line
	}
	i, j := int32(e.end(0)), int32(e.end(1))
	if e.skips && errors.Is(e.Err, coles.ErrIDs) {
		e.unknown.skip(e.nodes.refused)
		e.Err = nil
		return
	}
	var weight []float64
	if len(e.columns) == 3 {
		weight = []float64{e.Number(e.columns[2])}
	}
	if err := e.edges.Add(i, j, weight...); err != nil {
		e.Fail(err)
	}
	if e.kindAt >= 0 {
		e.takeKind(i, j, weight)
	}
}

// end is the row of the node at an end of the current line's edge.
func (e *edgeReader) end(side int) int {
	k, kind := e.columns[side], e.kinds[side]
	if e.types != nil {
		kind = e.kind(e.types[side])
	}
	e.Fields[k] = kind + e.Fields[k]
	return e.nodes.named(e.Reader, k)
}

// kind is what an id of the kind in a field begins with.
func (e *edgeReader) kind(field int) string {
	kind := strings.ReplaceAll(e.Fields[field], ":", " ") + ":"
	if e.IsMark(field) {
		e.Fault(field, "%w: a node without a kind", coles.ErrFormat)
	}
	if !slices.Contains(e.found, kind) {
		e.found = append(e.found, strings.Clone(kind))
	}
	return kind
}

// uneven is the fault of a line that has another number of fields than the first: of the first if all others are alike.
func (e *edgeReader) uneven(first, others int) {
	top, lines := e.Fields[0], 0
	if e.edges.Count == 1 {
		top = e.first[0]
	}
	_, alike := text.Integer(top)
	for ahead := e.Ahead(); ahead.Next(); lines++ {
		alike = alike && len(ahead.Fields) == others
	}
	if alike && lines > 0 && e.edges.Count <= 1 && e.Guessed && e.Header == nil {
		err := fmt.Errorf("%w: the first line has %s, others have %d: it may be the numbers of nodes and edges", coles.ErrFormat, setting.Count(first, "fields"), others)
		e.Fail(e.At(-1, place.Advise(err, place.Header)))
		return
	}
	e.Fault(-1, "%w: %s, the first line has %d; a node and all its neighbours on a line are of the format adjacency, a basket or a recipe of the format baskets", coles.ErrFormat, setting.Count(others, "fields"), first)
}
