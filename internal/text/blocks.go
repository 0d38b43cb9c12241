package text

import (
	"bufio"
	"bytes"
	"io"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"coles/internal/source"
)

// blockBytes of a file are parsed at a time by one processor.
const blockBytes = 256 << 10

// Plain describes lines of two keys and perhaps a number, all fields of which are used as they stand, without
// quotes or spaces around them.
type Plain struct {
	Fields  int   // of a line, 0 for any number
	Columns []int // the fields of the keys and, if there is one, the number
	Names   bool  // integers are names, too
	Marks   Marks // of keys that say nothing, which make a line not plain
}

// A Block is a piece of a file that ends with a line, and what stands on its plain lines.
type Block struct {
	Keys    []uint64  // two a line: an integer, or a name by its place
	Numbers []float64 // one a line, where lines have one

	text   []byte
	lines  int
	others []span
	parsed sync.WaitGroup
}

// A span of lines that are not plain.
type span struct {
	plain, line int // before them
	lo, hi      int // their place in the text
}

// A name is told from an integer, which has at most 18 digits, by its highest bit.
const nameBit = 1 << 63

// IsName reports whether a key is a name.
func IsName(key uint64) bool { return key&nameBit != 0 }

// Name is the name that a key is.
func (b *Block) Name(key uint64) []byte {
	lo := int(key &^ nameBit >> 32)
	return b.text[lo : lo+int(uint32(key))]
}

// Blocks visits all lines that are left, in their order. It hands the plain lines lo to hi of a block to plain, and
// calls line where the first line, or one that is not plain, is the current one. Where plain fails, line is called
// for every line of the block, to fail at its place. Blocks are read and handed out by the caller, one after the
// other, and parsed between by all processors.
func (t *Reader) Blocks(form Plain, plain func(b *Block, lo, hi int) error, line func()) {
	if !t.Next() {
		return
	}
	line()
	if t.form != bare || t.Separator == ':' {
		for t.Next() {
			line()
		}
		return
	}
	parser := parser{Plain: form, sep: t.Separator, roles: make([]int, slices.Max(form.Columns)+1)}
	for k, column := range form.Columns {
		parser.roles[column] = k + 1
	}
	stream := t.stream
	t.stream = bufio.NewReaderSize(nil, stream.Size())
	ring := make([]Block, runtime.GOMAXPROCS(0)+2)
	var rest []byte // the beginning of a line
	var failed error
	read, taken := 0, 0
	for (failed == nil || taken < read) && t.Err == nil {
		if failed == nil && read-taken < len(ring) {
			b := &ring[read%len(ring)]
			if rest, failed = b.read(stream, rest); len(b.text) > 0 {
				b.parsed.Add(1)
				go func() {
					defer b.parsed.Done()
					parser.parse(b)
				}()
				read++
			}
			continue
		}
		b := &ring[taken%len(ring)]
		b.parsed.Wait()
		t.take(b, plain, line)
		taken++
	}
	for ; taken < read; taken++ { // of which no goroutine may stay
		ring[taken%len(ring)].parsed.Wait()
	}
	if failed != nil && failed != io.EOF {
		t.Line++
		t.Fault(-1, "%w", source.Cause(failed))
	}
}

// take hands out a block in the order of its lines.
func (t *Reader) take(b *Block, plain func(b *Block, lo, hi int) error, line func()) {
	before, taken := t.Line, 0
	for _, o := range append(b.others, span{plain: len(b.Keys) / 2, line: b.lines}) {
		if err := plain(b, taken, o.plain); err != nil { // which line that was the long way says
			t.Line = before
			t.each(bytes.NewReader(b.text), line)
			t.Fail(err)
			return
		}
		t.Line, taken = before+o.line, o.plain
		if o.hi > o.lo {
			t.each(bytes.NewReader(b.text[o.lo:o.hi]), line)
		}
	}
	t.Line = before + b.lines
}

// each goes to the lines of a part of the file, one by one.
func (t *Reader) each(part io.Reader, line func()) {
	for t.stream.Reset(part); t.Next(); {
		line()
	}
}

// read fills a block with what is left of a line and whole lines of the stream, and returns the line
// that is begun. At the end of the stream it is whole, too.
func (b *Block) read(r io.Reader, rest []byte) (begun []byte, err error) {
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
		case err == io.EOF || len(b.text) > MaxLine && whole == 0: // the lines say what is wrong
			return nil, err
		case err != nil || whole > 0:
			begun = slices.Clone(b.text[whole:])
			b.text = b.text[:whole]
			return begun, err
		}
	}
}

// A parser parses plain lines.
type parser struct {
	Plain
	sep   byte
	roles []int // of the first fields: their place in Columns, from 1, or 0
}

// parse parses all lines of a block.
func (p parser) parse(b *Block) {
	b.Keys, b.Numbers, b.others, b.lines = b.Keys[:0], b.Numbers[:0], b.others[:0], 0
	pairs := p.Fields == 2 && len(p.roles) == 2 && p.roles[0] == 1 && !p.Names && p.Marks == nil
	for lo := 0; lo < len(b.text); b.lines++ {
		if pairs {
			if hi := b.pair(lo, p.sep); hi > 0 {
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
		if end > lo && (b.text[lo] == '%' || b.text[lo] == byteOrderMark[0] || !p.line(b, lo, end)) {
			before := len(b.Keys) / 2
			if k := len(b.others) - 1; k >= 0 && b.others[k].hi == lo && b.others[k].plain == before {
				b.others[k].hi = hi
			} else {
				b.others = append(b.others, span{before, b.lines, lo, hi})
			}
		}
		lo = hi
	}
}

// pair reads a line at lo of nothing but two integers, and returns where it ends, 0 for any other.
func (b *Block) pair(lo int, sep byte) int {
	u, p, ok := integer(b.text, lo)
	if !ok || p == len(b.text) || b.text[p] != sep {
		return 0
	}
	v, p, ok := integer(b.text, p+1)
	if !ok || p == len(b.text) || b.text[p] != '\n' {
		return 0
	}
	b.Keys = append(b.Keys, u, v)
	return p + 1
}

// maxDigits of a decimal cannot overflow.
const maxDigits = 18

// Integer is the value of a decimal of at most 18 digits, without sign or leading zeros.
func Integer(s string) (v uint64, ok bool) {
	v, end, ok := integer([]byte(s), 0)
	return v, ok && end == len(s)
}

// integer reads such a decimal at p, and returns where it ends.
func integer(line []byte, p int) (v uint64, end int, ok bool) {
	for end = p; end < len(line) && end-p < maxDigits && line[end]-'0' <= 9; end++ {
		v = 10*v + uint64(line[end]-'0')
	}
	return v, end, end > p && (line[p] != '0' || end == p+1)
}

// What the bytes of a field are, but for digits.
const (
	other    = 1 << iota // no digit
	special              // not on a plain line
	nonASCII             // to be checked
)

var kinds = func() (kinds [256]byte) {
	for c := range kinds {
		switch {
		case c == '"' || c == '\r' || c == '\t' || c == '#':
			kinds[c] = other | special
		case c >= utf8.RuneSelf:
			kinds[c] = other | nonASCII
		case c < '0' || c > '9':
			kinds[c] = other
		}
	}
	return kinds
}()

// line parses the plain line from lo to hi, and reports whether it is one.
func (p parser) line(b *Block, lo, hi int) bool {
	if hi-lo > MaxLine {
		return false
	}
	var keys [2]uint64
	var value float64
	field, seen := 0, byte(0)
	for at := lo; ; at++ {
		start, digits, kind := at, uint64(0), byte(0)
		for ; at < hi && b.text[at] != p.sep; at++ {
			c := b.text[at]
			kind |= kinds[c]
			digits = 10*digits + uint64(c-'0')
		}
		if start == at || kind&special != 0 || b.text[start] == ' ' || b.text[at-1] == ' ' {
			return false
		}
		if field < len(p.roles) {
			switch role := p.roles[field]; role {
			case 1, 2: // keys
				if p.Names || kind != 0 || at-start > maxDigits || b.text[start] == '0' && at-start > 1 {
					digits = nameBit | uint64(start)<<32 | uint64(at-start)
				}
				if (kind != 0 || p.Marks != nil) && isMark(p.Marks, b.text[start:at]) {
					return false
				}
				keys[role-1] = digits
			case 3:
				v, err := parseFloat(string(b.text[start:at]))
				if err != nil || v-v != 0 {
					return false
				}
				value = v
			}
		}
		field, seen = field+1, seen|kind
		if at == hi {
			break
		}
	}
	if p.Fields > 0 && field != p.Fields || field < len(p.roles) || seen&nonASCII != 0 && !utf8.Valid(b.text[lo:hi]) {
		return false
	}
	b.Keys = append(b.Keys, keys[0], keys[1])
	if len(p.Columns) == 3 {
		b.Numbers = append(b.Numbers, value)
	}
	return true
}
