package dataset

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
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
	sep     byte
	fields  int    // of a line, 0 for any number
	roles   []role // of the first fields
	named   bool   // integers are names, too
	longest int    // bytes of a line
}

type role byte

const (
	unused role = iota
	firstEnd
	secondEnd
	weightOf
)

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

// plainInteger reads the decimal at p, without sign or leading zeros, and returns where it ends.
func plainInteger(line []byte, p int) (v uint64, end int, ok bool) {
	const most = 18 // digits that cannot overflow
	for end = p; end < len(line) && end-p < most && line[end]-'0' <= 9; end++ {
		v = 10*v + uint64(line[end]-'0')
	}
	return v, end, end > p && (line[p] != '0' || end == p+1)
}

// edge reads the plain line from lo to hi, and reports whether it is one.
func (f edgeForm) edge(b *textBlock, lo, hi int) bool {
	if hi-lo > f.longest {
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

// read fills a block with what is left of a line and whole lines of the stream, and returns the line
// that is begun. At the end of the stream it is whole, too.
func (b *textBlock) read(r io.Reader, rest []byte, longest int) (begun []byte, err error) {
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
		case err == io.EOF || len(b.text) > longest && whole == 0: // the parser says what is wrong
			return nil, err
		case err != nil || whole > 0:
			begun = slices.Clone(b.text[whole:])
			b.text = b.text[:whole]
			return begun, err
		}
	}
}
