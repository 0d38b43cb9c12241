package dataset

import (
	"bufio"
	"bytes"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// blockBytes of a file of edges are parsed at a time by one processor.
const blockBytes = 256 << 10

// A textBlock is a piece of a file that ends with a line, and what stands on its lines.
type textBlock struct {
	text    []byte
	lines   int
	ends    []uint64  // of each edge on a plain line: an integer, or a name by its place
	weights []float64 // of these edges, where they have one
	others  []otherLines
	parsed  sync.WaitGroup
}

// otherLines are some that are not plain.
type otherLines struct {
	edges, line int // before them
	lo, hi      int // their place in the text
}

// A name is told from an integer, which has at most 18 digits, by its highest bit.
const nameBit = 1 << 63

func nameAt(lo, hi int) uint64 { return nameBit | uint64(lo)<<32 | uint64(hi-lo) }

func (b *textBlock) name(end uint64) []byte {
	lo := int(end &^ nameBit >> 32)
	return b.text[lo : lo+int(uint32(end))]
}

// An edgeForm is the form of plain lines: fields that are used as they stand, without quotes or spaces
// around them.
type edgeForm struct {
	sep    byte
	fields int    // of a line, 0 for any number
	roles  []role // of the first fields
	named  bool   // integers are names, too
}

type role byte

const (
	unused role = iota
	firstEnd
	secondEnd
	weightOf
)

// form is the form of most lines.
func (e *edgeReader) form() edgeForm {
	f := edgeForm{sep: e.sep, fields: e.width, named: e.kinds[0] != "", roles: make([]role, slices.Max(e.columns)+1)}
	if e.chosen {
		f.fields = 0
	}
	for k, column := range e.columns {
		f.roles[column] = role(k + 1)
	}
	return f
}

// parse reads all lines of a block.
func (f edgeForm) parse(b *textBlock) {
	b.ends, b.weights, b.others, b.lines = b.ends[:0], b.weights[:0], b.others[:0], 0
	pairs := f.fields == 2 && len(f.roles) == 2 && f.roles[0] == firstEnd && !f.named
	for lo := 0; lo < len(b.text); {
		if pairs {
			if hi := b.pair(lo, f.sep); hi > 0 {
				b.lines++
				lo = hi
				continue
			}
		}
		hi := len(b.text)
		if k := bytes.IndexByte(b.text[lo:], '\n'); k >= 0 {
			hi = lo + k + 1
		}
		end := hi
		if b.text[end-1] == '\n' {
			end--
		}
		if end > lo && b.text[end-1] == '\r' {
			end--
		}
		if end > lo && b.text[lo] != '#' && b.text[lo] != '%' && !f.edge(b, lo, end) {
			edges := len(b.ends) / 2
			if k := len(b.others) - 1; k >= 0 && b.others[k].hi == lo && b.others[k].edges == edges {
				b.others[k].hi = hi
			} else {
				b.others = append(b.others, otherLines{edges, b.lines, lo, hi})
			}
		}
		b.lines++
		lo = hi
	}
}

// pair reads a line at lo of nothing but two integers, and returns where it ends, 0 for any other.
func (b *textBlock) pair(lo int, sep byte) int {
	u, p, ok := plainInteger(b.text, lo)
	if !ok || p == len(b.text) || b.text[p] != sep {
		return 0
	}
	v, p, ok := plainInteger(b.text, p+1)
	if !ok || p == len(b.text) || b.text[p] != '\n' {
		return 0
	}
	b.ends = append(b.ends, u, v)
	return p + 1
}

// edge reads the plain line from lo to hi, and reports whether it is one.
func (f edgeForm) edge(b *textBlock, lo, hi int) bool {
	if hi-lo > maxLine {
		return false
	}
	var ends [2]uint64
	weight, weighted, ascii := 0.0, false, byte(0)
	field := 0
	for at := lo; ; field++ {
		start, value, digits := at, uint64(0), true
		for ; at < hi && b.text[at] != f.sep; at++ {
			c := b.text[at]
			if c == '"' || c == '\r' || c == '\t' {
				return false
			}
			ascii |= c
			digits = digits && c-'0' <= 9
			value = 10*value + uint64(c-'0')
		}
		if start == at || b.text[start] == ' ' || b.text[at-1] == ' ' {
			return false
		}
		if field < len(f.roles) {
			switch of := f.roles[field]; of {
			case firstEnd, secondEnd:
				if !digits || at-start > 18 || b.text[start] == '0' && at-start > 1 || f.named {
					value = nameAt(start, at)
				}
				ends[of-firstEnd] = value
			case weightOf:
				var err error
				if weight, err = strconv.ParseFloat(string(b.text[start:at]), 64); err != nil || weight-weight != 0 {
					return false
				}
				weighted = true
			}
		}
		if at == hi {
			break
		}
		at++
	}
	if f.fields > 0 && field+1 != f.fields || field+1 < len(f.roles) || ascii >= utf8.RuneSelf && !utf8.Valid(b.text[lo:hi]) {
		return false
	}
	b.ends = append(b.ends, ends[0], ends[1])
	if weighted {
		b.weights = append(b.weights, weight)
	}
	return true
}

// readBlocks takes in the edges on all lines that are left. Blocks are read and taken in by the caller,
// one after the other, and parsed between by all processors.
func (e *edgeReader) readBlocks() {
	stream, form := e.r, e.form()
	e.r = bufio.NewReaderSize(nil, stream.Size())
	ring := make([]textBlock, runtime.GOMAXPROCS(0)+2)
	var rest []byte // the beginning of a line
	var failed error
	read, taken := 0, 0
	for (failed == nil || taken < read) && e.err == nil {
		if failed == nil && read-taken < len(ring) {
			b := &ring[read%len(ring)]
			if rest, failed = b.read(stream, rest); len(b.text) > 0 {
				b.parsed.Add(1)
				go func() {
					defer b.parsed.Done()
					form.parse(b)
				}()
				read++
			}
			continue
		}
		b := &ring[taken%len(ring)]
		b.parsed.Wait()
		e.takeBlock(b)
		taken++
	}
	for ; taken < read; taken++ { // of which no goroutine may stay
		ring[taken%len(ring)].parsed.Wait()
	}
	if failed != nil && failed != io.EOF {
		e.takeLines(io.MultiReader(bytes.NewReader(rest), failing{failed}))
	}
}

// read fills a block with what is left of a line and whole lines of the stream, and returns the line
// that is begun. At the end of the stream it is whole, too.
func (b *textBlock) read(r io.Reader, rest []byte) (begun []byte, err error) {
	b.text = append(b.text[:0], rest...)
	for {
		have := len(b.text)
		b.text = slices.Grow(b.text, max(blockBytes-have, have))
		k, err := io.ReadFull(r, b.text[have:max(blockBytes, 2*have)])
		b.text = b.text[:have+k]
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		whole := bytes.LastIndexByte(b.text, '\n') + 1
		switch {
		case err == io.EOF || len(b.text) > maxLine && whole == 0: // the parser says what is wrong
			return nil, err
		case err != nil || whole > 0:
			begun = slices.Clone(b.text[whole:])
			b.text = b.text[:whole]
			return begun, err
		}
	}
}

// failing is a stream that gives nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// takeBlock takes in the edges of a block, in the order of its lines.
func (e *edgeReader) takeBlock(b *textBlock) {
	before, edge := e.line, 0
	for _, o := range append(b.others, otherLines{edges: len(b.ends) / 2, line: b.lines}) {
		if e.takePlain(b, edge, o.edges); e.err != nil { // which line that was the long way says
			e.err, e.line = nil, before
			e.takeLines(bytes.NewReader(b.text))
			return
		}
		e.line, edge = before+o.line, o.edges
		if o.hi > o.lo {
			e.takeLines(bytes.NewReader(b.text[o.lo:o.hi]))
		}
	}
	e.line = before + b.lines
}

// takePlain takes in edges lo to hi of a block.
func (e *edgeReader) takePlain(b *textBlock, lo, hi int) {
	ends := b.ends[2*lo : 2*hi]
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
			if end&nameBit == 0 {
				i, err = e.nodes.numberOf(end)
			} else {
				i, err = e.nodes.numberOfName(e.hashes[k], e.nameOf(b, k, end))
			}
			if err != nil {
				e.fail(err)
				return
			}
			part[k], direct = uint64(i), e.nodes.direct
		}
	}
	weights := b.weights
	if len(weights) > 0 {
		weights = weights[lo:hi]
	}
	e.edges.addRows(ends, weights)
}

// look hashes the names among the ends, and reads what they will be compared with.
func (e *edgeReader) look(b *textBlock, ends []uint64) {
	var read byte
	for k, end := range ends {
		if end&nameBit != 0 {
			e.hashes[k] = e.nodes.rows.Hash(e.nameOf(b, k, end))
			read ^= e.nodes.rows.Look(e.hashes[k], e.nodes.ids)
		}
	}
	e.read = read // so that it is read
}

// nameOf is the id that an end has, valid until the next.
func (e *edgeReader) nameOf(b *textBlock, side int, end uint64) string {
	name := b.name(end)
	if kind := e.kinds[side%2]; kind != "" {
		e.id = append(append(e.id[:0], kind...), name...)
		name = e.id
	}
	return unsafe.String(unsafe.SliceData(name), len(name))
}

// takeLines takes in the lines of a part of the file, one by one.
func (e *edgeReader) takeLines(text io.Reader) {
	for e.r.Reset(text); e.next(); {
		e.take()
	}
}
