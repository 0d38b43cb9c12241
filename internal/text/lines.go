package text

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/internal/setting"
	"coles/internal/source"
)

// MaxLine bounds a line: a million features of sixteen characters.
const MaxLine = 16 << 20

// maxOpen bounds a field in quotes that goes on over several lines: what stands behind a quote that does not
// close is not searched for ever.
const maxOpen = 256 << 10

// byteOrderMark begins some files of UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// An Error reports where in a text reading stopped, and why.
type Error struct {
	Line, Column int  // from 1, the column in bytes; 0 when the whole line is meant
	MaybeHeader  bool // the line is taken for data by its looks
	Err          error
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err) }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// A Reader reads a text file of fields. Empty lines, and comments, are skipped, and lines may end in carriage returns
// alone if all do. A field in double quotes may hold the separator, a leading # and, doubled, a quote.
type Reader struct {
	Layout
	Err    error    // the first fault, which ends the reading
	Line   int      // the number of the current line, from 1
	Text   []byte   // it, without its end, until the next is read
	Fields []string // slices of it: a caller keeps a field by cloning it

	Commented   int // lines behind the first with a comment
	CommentedAt int // the number of the first of them

	stream *bufio.Reader
	opened bool   // how its lines end is known
	began  bool   // a line with fields was there
	form   form   // of the lines of edges
	picked []int  // the fields of a line that count, in their order; nil for all
	width  int    // of a line before they are picked
	quoted []bool // whether each field stood in quotes
	long   []byte // storage of a line longer than the stream's buffer
	whole  string // the current line and those after it that its last field goes on over
	more   int    // the number of these
	at     []int  // byte at which each field starts, from 0
	held   bool   // Next is to stay at the current line once more
}

// NewReader reads a stream with a layout, of which it finds out what is missing.
func NewReader(r io.Reader, layout Layout) *Reader {
	return &Reader{Layout: layout, stream: bufio.NewReaderSize(r, source.Chunk)}
}

// Fail ends the reading with an error, unless it has ended.
func (t *Reader) Fail(err error) {
	if t.Err == nil {
		t.Err = err
	}
}

// Fault ends the reading with a fault in field k of the current line; k < 0 means the line.
func (t *Reader) Fault(k int, format string, args ...any) {
	t.Fail(t.At(k, fmt.Errorf(format, args...)))
}

// At places a fault in field k of the current line.
func (t *Reader) At(k int, err error) *Error {
	e := &Error{Line: t.Line, Err: err, MaybeHeader: k >= 0 && t.Guessed && t.Header == nil && t.Line == t.First}
	if k >= 0 && k < len(t.at) {
		e.Column = t.at[k] + 1
	}
	return e
}

// Start goes to the first data line after the header, where Next stays then, and reports whether there is one and no fault.
// isHeader says whether the first line is a header; guess is set if it goes by the looks of the line. R writes no name above
// the names of rows: that column gets "".
func (t *Reader) Start(guess bool, isHeader func() bool) bool {
	t.held = t.Next()
	t.First, t.Guessed = t.Line, guess
	if t.held && isHeader() {
		t.Header, t.held = slices.Clone(t.Fields), false
		if t.held = t.Next(); len(t.Fields) == len(t.Header)+1 && !IsIDName(t.Header[0]) {
			t.Header = slices.Insert(t.Header, 0, "")
		}
	}
	return t.held
}

// Next goes to the next data line and reports whether there is one and no fault.
func (t *Reader) Next() bool {
	if t.held {
		t.held = false
		return t.Err == nil
	}
	return t.NextLine() && t.Split()
}

// NextLine goes to the next data line and leaves it whole.
func (t *Reader) NextLine() bool {
	t.Line, t.more = t.Line+t.more, 0
	for t.ReadLine() {
		t.Text = bytes.TrimPrefix(t.Text, byteOrderMark) // of any file that was put behind another
		data := bytes.TrimLeft(t.Text, " \t")
		if len(data) == 0 || t.isComment(data) {
			continue
		}
		if sep, ok := bytes.CutPrefix(data, []byte("sep=")); ok && len(sep) == 1 && !t.began && t.Separator == 0 { // of Excel
			t.Separator = sep[0]
			continue
		}
		t.began = true
		if t.Separator == 0 {
			t.look()
			if t.Separator == ',' && decimalCommas.Match(t.Text) {
				t.Fault(-1, "%w: decimal commas, such as 0,5; write 0.5", coles.ErrFormat)
				return false
			}
		}
		return true
	}
	return false
}

// isComment reports whether a line is a comment, and counts it.
func (t *Reader) isComment(line []byte) bool {
	switch {
	case line[0] != '#' && line[0] != '%':
		return false
	case !t.began:
		t.Skipped, t.Comment = t.Skipped+1, append(t.Comment[:0], line...)
		return true
	case t.Edges && (len(line) == 1 || isBlank(line[1])):
		t.comment()
		return true
	}
	return false
}

// comment counts the current line as one with a comment.
func (t *Reader) comment() {
	if t.Commented++; t.Commented == 1 {
		t.CommentedAt = t.Line
	}
}

// ReadLine goes to the next line, of any length up to MaxLine, and reports whether there is one and no fault.
func (t *Reader) ReadLine() bool {
	if t.Err != nil {
		return false
	}
	if !t.opened {
		t.open()
	}
	t.Line++
	t.long = t.long[:0]
	for {
		part, err := t.stream.ReadSlice('\n')
		t.Text = part
		if len(t.long) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			t.long = append(t.long, part...)
			t.Text = t.long
		}
		switch {
		case len(t.Text) > MaxLine:
			t.Fault(-1, "a line of more than %d bytes: %w", MaxLine, coles.ErrTooLarge)
			return false
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(t.Text) == 0:
			return false
		case err != nil && err != io.EOF:
			t.Fault(-1, "%w", source.Cause(err))
			return false
		}
		t.Text = bytes.TrimSuffix(bytes.TrimSuffix(t.Text, []byte("\n")), []byte("\r"))
		return true
	}
}

// open finds out how lines end.
func (t *Reader) open() {
	t.opened = true
	head, _ := t.stream.Peek(t.stream.Size())
	if k := bytes.IndexByte(head, '\r'); k >= 0 && k < len(head)-1 && bytes.IndexByte(head, '\n') < 0 {
		t.stream = bufio.NewReaderSize(lineFeeds{t.stream}, t.stream.Size())
	}
}

// lineFeeds has them in the place of carriage returns.
type lineFeeds struct{ io.Reader }

func (r lineFeeds) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for k, c := range p[:n] {
		if c == '\r' {
			p[k] = '\n'
		}
	}
	return n, err
}

// Checked is the current line as text, "" after a fault.
func (t *Reader) Checked() string {
	if !utf8.Valid(t.Text) {
		t.Fault(-1, "%w: not UTF-8 text", coles.ErrFormat)
		return ""
	}
	if bytes.IndexByte(t.Text, '\r') >= 0 { // others end a line there
		t.Fault(-1, "%w: a carriage return without a line feed", coles.ErrFormat)
		return ""
	}
	return string(t.Text)
}

// Split cuts the line into fields and reports whether it could.
func (t *Reader) Split() bool {
	t.Fields, t.at, t.quoted = t.Fields[:0], t.at[:0], t.quoted[:0]
	line, commented := t.bare(t.Text)
	if commented {
		t.comment()
	}
	attributes := t.Text[len(line):]
	t.Text = line
	t.whole = t.Checked()
	for p := 0; t.Err == nil; p++ {
		for p < len(t.whole) && (t.whole[p] == ' ' || t.whole[p] == '\t' && t.Separator == ' ') {
			p++
		}
		if t.Separator == ' ' && p == len(t.whole) {
			break
		}
		t.at = append(t.at, p)
		var field string
		if field, p = t.field(p); t.Err == nil {
			t.Fields = append(t.Fields, field)
		}
		if p == len(t.whole) {
			break
		}
		if t.Separator == ':' {
			p++
		}
	}
	if t.form == attributed && t.Err == nil {
		weight := "1"
		if found := weightOf.FindSubmatch(attributes); found != nil {
			weight = string(found[1])
		}
		t.Fields, t.at, t.quoted = append(t.Fields, weight), append(t.at, len(line)), append(t.quoted, false)
	}
	if t.picked != nil && t.Err == nil {
		t.pick()
	}
	return t.Err == nil
}

// Give has the current line consist of these fields, none in quotes.
func (t *Reader) Give(fields []string) {
	t.Fields, t.at, t.quoted = fields, nil, make([]bool, len(fields))
}

// Pick has the header and all lines from the current one on consist of these fields, in this order.
func (t *Reader) Pick(columns []int) {
	t.picked, t.width = columns, len(t.Fields)
	t.Header = Picked(t.Header, columns)
	t.pick()
}

func (t *Reader) pick() {
	if len(t.Fields) != t.width {
		t.Fault(-1, "%w: %s, the lines before have %d", coles.ErrFormat, setting.Count(len(t.Fields), "fields"), t.width)
		return
	}
	t.Fields, t.at, t.quoted = Picked(t.Fields, t.picked), Picked(t.at, t.picked), Picked(t.quoted, t.picked)
}

// Picked are the values at some places, zero where a place is below 0; nil of nil.
func Picked[T any](of []T, places []int) []T {
	if of == nil {
		return nil
	}
	to := make([]T, len(places))
	for i, k := range places {
		if k >= 0 {
			to[i] = of[k]
		}
	}
	return to
}

// field reads the field that starts at p and returns it with the place of the separator that
// follows.
func (t *Reader) field(p int) (string, int) {
	line := t.whole
	quoted := !t.Unquoted && p < len(line) && line[p] == '"'
	if t.quoted = append(t.quoted, quoted); quoted {
		return t.quotedField(p)
	}
	end := p + strings.IndexByte(line[p:], t.Separator)
	switch t.Separator {
	case ' ':
		end = p + strings.IndexAny(line[p:], " \t")
	case ':':
		end = p + strings.Index(line[p:], "::")
	}
	if end < p {
		end = len(line)
	}
	return strings.TrimRight(line[p:end], " "), end
}

func (t *Reader) quotedField(p int) (string, int) {
	var b strings.Builder
	for q := p + 1; ; q++ {
		k := strings.IndexByte(t.whole[q:], '"')
		for k < 0 && t.extend() {
			k = strings.IndexByte(t.whole[q:], '"')
		}
		line := t.whole
		if k < 0 {
			t.Fault(len(t.at)-1, "%w: a quote that does not close", coles.ErrFormat)
			return "", len(line)
		}
		b.WriteString(line[q : q+k])
		if q += k; q+1 < len(line) && line[q+1] == '"' {
			b.WriteByte('"')
			q++
			continue
		}
		end := q + 1
		for t.Separator != ' ' && end < len(line) && line[end] == ' ' {
			end++
		}
		if end < len(line) && (line[end] != t.Separator || t.Separator == ':' && !strings.HasPrefix(line[end:], "::")) && !(t.Separator == ' ' && line[end] == '\t') {
			t.Fault(len(t.at)-1, "%w: text after a closing quote", coles.ErrFormat)
		}
		return b.String(), end
	}
}

// extend reads one more line behind a quote that is open, and reports whether it could. Places stay on
// the first line.
func (t *Reader) extend() bool {
	line, first := t.whole, t.Line
	t.Line += t.more
	joined := t.Multiline && len(line) < maxOpen && t.ReadLine()
	if joined {
		t.whole = line + "\n" + t.Checked()
		t.more = t.Line - first
	}
	t.Line = first
	return joined && t.Err == nil
}

// StartsWith reports whether the stream starts with a byte, perhaps behind a byte order mark.
func (t *Reader) StartsWith(c byte) bool {
	head, _ := t.stream.Peek(len(byteOrderMark) + 1)
	return bytes.HasPrefix(bytes.TrimPrefix(head, byteOrderMark), []byte{c})
}

// Ahead reads the whole lines among the next 64 kB, while this reader stays where it is.
func (t *Reader) Ahead() *Reader {
	head, err := t.stream.Peek(t.stream.Size()) // however the bytes come
	if err != io.EOF {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	ahead := NewReader(bytes.NewReader(head), t.Layout)
	ahead.opened, ahead.began, ahead.form = true, t.began, t.form
	return ahead
}

// Rest is the stream after the current line.
func (t *Reader) Rest() io.Reader { return t.stream }
