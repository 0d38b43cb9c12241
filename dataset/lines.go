package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/internal/source"
)

// maxLine bounds a line of a text file: a million features of sixteen characters.
const maxLine = 16 << 20

// separators are tried in this order on the first data line; the last, any run of spaces, fits
// every line.
var separators = []byte{'\t', ',', ';', ' '}

// decimalCommas are lines all of whose commas stand in numbers such as 0,5: fields between semicolons,
// or numbers between spaces. Taken for separators they would make other fields.
var decimalCommas = regexp.MustCompile(`^(?:[^,;]+(?:;(?:[^,;]*|` + decimal + `))+| *\d+(?: +(?:\d+|` + decimal + `))+ *)$`)

// byteOrderMark begins some files of UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

const decimal = ` *[+-]?\d+,\d+(?:[eE][+-]?\d+)? *`

// lines reads a text file of fields: separated by tabs, commas, semicolons or spaces, which the
// first data line decides; lines that start with # or % and empty ones are skipped. A field in
// double quotes may hold the separator, a leading # and, doubled, a quote.
type lines struct {
	faults
	r    *bufio.Reader
	file string
	sep  byte // 0 until the first data line
	bare bool // a quote is a character like others
	line int
	text []byte   // the current line, without its end; until the next is read
	more int      // lines after it that its last field goes on over
	long []byte   // storage of a line longer than the reader's buffer
	cols []string // its fields
	at   []int    // byte at which each field starts, from 0
	held bool     // next is to stay at the current line once more

	whole      string // the current line and those that belong to it
	multiline  bool   // a field in quotes may hold line ends
	noComments bool   // lines that start with # or % are data

	header   []string // the fields of the line that was taken for a header
	headerAt int      // its number
	guessed  bool     // by its looks
	unsure   int      // the number of the line that by its looks is none
}

// newLines reads a format with one separator, and then without quotes, or, for 0, with any.
func newLines(r io.Reader, file string, sep byte) *lines {
	return &lines{r: bufio.NewReaderSize(r, source.Chunk), file: file, sep: sep, bare: sep != 0}
}

// fault is a fault at field k of the current line; k < 0 means the line.
func (t *lines) fault(k int, format string, args ...any) { t.advised(Advice{}, k, format, args...) }

// advised is a fault with advice, which may be none.
func (t *lines) advised(a Advice, k int, format string, args ...any) {
	e := &ParseError{File: t.file, Line: t.line, Err: fmt.Errorf(format, args...)}
	if a.Field != "" {
		e.Advice = []Advice{a}
	}
	if k >= 0 && t.line == t.unsure {
		e.Advice = append(e.Advice, headerAdvice)
	}
	if k >= 0 && k < len(t.at) {
		e.Column = t.at[k] + 1
	}
	t.fail(e)
}

// next goes to the next data line and reports whether there is one and no fault.
func (t *lines) next() bool {
	if t.held {
		t.held = false
		return t.err == nil
	}
	return t.nextLine() && t.split()
}

// nextLine goes to the next data line and leaves it whole.
func (t *lines) nextLine() bool {
	t.line, t.more = t.line+t.more, 0
	for t.readLine() {
		if t.line == 1 {
			t.text = bytes.TrimPrefix(t.text, byteOrderMark)
		}
		first := 0
		for first < len(t.text) && (t.text[first] == ' ' || t.text[first] == '\t') {
			first++
		}
		if first == len(t.text) || !t.noComments && (t.text[first] == '#' || t.text[first] == '%') {
			continue
		}
		if t.sep == 0 {
			for _, t.sep = range separators {
				if separates(t.text, t.sep) {
					break
				}
			}
			if t.sep == ',' && decimalCommas.Match(t.text) {
				t.fault(-1, "%w: decimal commas, such as 0,5; write 0.5", coles.ErrFormat)
				return false
			}
		}
		return true
	}
	return false
}

// separates reports whether a byte stands in a line outside of quoted fields.
func separates(line []byte, sep byte) bool {
	quoted := false
	for i, c := range line {
		switch {
		// A quote opens at the beginning of a field, and doubled it goes on.
		case c == '"' && (quoted || i == 0 || line[i-1] == '"' || bytes.IndexByte(separators, line[i-1]) >= 0):
			quoted = !quoted
		case c == sep && !quoted:
			return true
		}
	}
	return false
}

// readLine sets text to the next line, of any length up to maxLine, and reports whether there is
// one and no fault.
func (t *lines) readLine() bool {
	if t.err != nil {
		return false
	}
	t.line++
	t.long = t.long[:0]
	for {
		part, err := t.r.ReadSlice('\n')
		t.text = part
		if len(t.long) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			t.long = append(t.long, part...)
			t.text = t.long
		}
		switch {
		case len(t.text) > maxLine:
			t.fault(-1, "a line of more than %d bytes: %w", maxLine, coles.ErrTooLarge)
			return false
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(t.text) == 0:
			return false
		case err != nil && err != io.EOF:
			t.fault(-1, "%w", source.Cause(err))
			return false
		}
		t.text = bytes.TrimSuffix(bytes.TrimSuffix(t.text, []byte("\n")), []byte("\r"))
		return true
	}
}

// begin returns the current line as a string. The fields are slices of it, so that a caller keeps a
// field by cloning it.
func (t *lines) begin() string {
	if !utf8.Valid(t.text) {
		t.fault(-1, "%w: not UTF-8 text", coles.ErrFormat)
		return ""
	}
	if bytes.IndexByte(t.text, '\r') >= 0 { // others end a line there
		t.fault(-1, "%w: a carriage return without a line feed", coles.ErrFormat)
		return ""
	}
	return string(t.text)
}

// split cuts the line into fields and reports whether it could.
func (t *lines) split() bool {
	t.cols, t.at = t.cols[:0], t.at[:0]
	t.whole = t.begin()
	for p := 0; t.err == nil; p++ {
		for p < len(t.whole) && (t.whole[p] == ' ' || t.whole[p] == '\t' && t.sep == ' ') {
			p++
		}
		if t.sep == ' ' && p == len(t.whole) {
			break
		}
		t.at = append(t.at, p)
		var field string
		if field, p = t.field(p); t.err == nil {
			t.cols = append(t.cols, field)
		}
		if p == len(t.whole) {
			break
		}
	}
	return t.err == nil
}

// field reads the field that starts at p and returns it with the place of the separator that
// follows.
func (t *lines) field(p int) (string, int) {
	line := t.whole
	if !t.bare && p < len(line) && line[p] == '"' {
		return t.quotedField(p)
	}
	end := p + strings.IndexByte(line[p:], t.sep)
	if t.sep == ' ' {
		end = p + strings.IndexAny(line[p:], " \t")
	}
	if end < p {
		end = len(line)
	}
	return strings.TrimRight(line[p:end], " "), end
}

func (t *lines) quotedField(p int) (string, int) {
	var b strings.Builder
	for q := p + 1; ; q++ {
		k := strings.IndexByte(t.whole[q:], '"')
		for k < 0 && t.extend() {
			k = strings.IndexByte(t.whole[q:], '"')
		}
		line := t.whole
		if k < 0 {
			t.fault(len(t.at)-1, "%w: a quote that does not close", coles.ErrFormat)
			return "", len(line)
		}
		b.WriteString(line[q : q+k])
		if q += k; q+1 < len(line) && line[q+1] == '"' {
			b.WriteByte('"')
			q++
			continue
		}
		end := q + 1
		for t.sep != ' ' && end < len(line) && line[end] == ' ' {
			end++
		}
		if end < len(line) && line[end] != t.sep && !(t.sep == ' ' && line[end] == '\t') {
			t.fault(len(t.at)-1, "%w: text after a closing quote", coles.ErrFormat)
		}
		return b.String(), end
	}
}

// fields demands that the line has so many.
func (t *lines) fields(want int) {
	if len(t.cols) != want {
		t.fault(-1, "%w: %d fields, want %d", coles.ErrFormat, len(t.cols), want)
	}
}

// number is field k as a finite number.
func (t *lines) number(k int) float64 {
	if t.err != nil {
		return 0
	}
	return t.parse(k, t.cols[k])
}

func (t *lines) parse(k int, field string) float64 {
	v, err := strconv.ParseFloat(field, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		t.fault(k, "%q: %w", field, coles.ErrNotFinite)
	} else if err != nil {
		t.fault(k, "%w: %q is not a number", coles.ErrFormat, field)
	}
	return v
}

// size is field k as a number of things, at most so many.
func (t *lines) size(k int, most int64) int {
	if t.err != nil {
		return 0
	}
	v, err := strconv.Atoi(t.cols[k])
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && int64(v) > most:
		t.fault(k, "%s: %w (at most %d)", t.cols[k], coles.ErrTooLarge, most)
	case err != nil || v < 0:
		t.fault(k, "%w: %q is not a size", coles.ErrFormat, t.cols[k])
	}
	return v
}

// index is field k as one of n things, which the file counts from first on, counted from 0.
func (t *lines) index(k, first, n int) int {
	if t.err != nil {
		return 0
	}
	v, err := strconv.Atoi(t.cols[k])
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (v < first || v-first >= n):
		t.fault(k, "%s of %d to %d: %w", t.cols[k], first, n-1+first, coles.ErrIndex)
	case err != nil:
		t.fault(k, "%w: %q is not a whole number", coles.ErrFormat, t.cols[k])
	}
	return v - first
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
