package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLine bounds a line of a text file: a million features of sixteen
// characters.
const maxLine = 16 << 20

// separators are tried in this order on the first data line; the last, any run
// of spaces, fits every line.
var separators = []byte{'\t', ',', ';', ' '}

// table reads a text file of fields: separated by tabs, commas, semicolons or
// spaces, which the first data line decides; lines that start with # or % and
// empty ones are skipped. A field in double quotes may hold the separator, a
// leading # and, doubled, a quote.
type table struct {
	r    *bufio.Reader
	file string
	sep  byte // 0 until the first data line
	line int
	text []byte   // the current line, without its end; until the next is read
	long []byte   // storage of a line longer than the reader's buffer
	cols []string // its fields
	at   []int    // byte at which each field starts, from 0
	skip bool     // the current line has been handed back by unread

	guessed   []string // the fields of the line that was taken for a header
	guessedAt int      // its number
}

func newTable(r io.Reader, file string) *table {
	return &table{r: buffered(r), file: file}
}

// fault places an error at field k of the current line; k < 0 means the line.
func (t *table) fault(k int, format string, args ...any) error {
	e := &ParseError{File: t.file, Line: t.line, Err: fmt.Errorf(format, args...)}
	if k >= 0 && k < len(t.at) {
		e.Column = t.at[k] + 1
	}
	return e
}

// next goes to the next data line; io.EOF, bare, says that there is none.
func (t *table) next() error {
	if t.skip {
		t.skip = false
		return nil
	}
	if err := t.nextLine(); err != nil {
		return err
	}
	return t.split()
}

// nextLine goes to the next data line and leaves it whole.
func (t *table) nextLine() error {
	for {
		t.line++
		if err := t.readLine(); err != nil {
			return err
		}
		if t.line == 1 {
			t.text = bytes.TrimPrefix(t.text, []byte("\xef\xbb\xbf")) // byte order mark
		}
		first := 0
		for first < len(t.text) && (t.text[first] == ' ' || t.text[first] == '\t') {
			first++
		}
		if first == len(t.text) || t.text[first] == '#' || t.text[first] == '%' {
			continue
		}
		if t.sep == 0 {
			for _, t.sep = range separators {
				if separates(t.text, t.sep) {
					break
				}
			}
		}
		return nil
	}
}

// separates tells whether a byte stands in a line outside of quoted fields.
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

// unread makes the next call of next return the current line again.
func (t *table) unread() { t.skip = true }

// readLine sets text to one line of any length up to maxLine.
func (t *table) readLine() error {
	t.long = t.long[:0]
	for {
		part, err := t.r.ReadSlice('\n')
		t.text = part
		if len(t.long) > 0 || errors.Is(err, bufio.ErrBufferFull) {
			t.long = append(t.long, part...)
			t.text = t.long
		}
		if len(t.text) > maxLine {
			return t.fault(-1, "a line of more than %d bytes: %w", maxLine, ErrTooLarge)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(t.text) == 0:
			return io.EOF
		case err != nil && err != io.EOF:
			return t.fault(-1, "%w", cause(err))
		}
		t.text = bytes.TrimSuffix(bytes.TrimSuffix(t.text, []byte("\n")), []byte("\r"))
		return nil
	}
}

// split cuts the line into fields. One string is made of the line and the
// fields are slices of it, so that a caller keeps a field by cloning it.
func (t *table) split() error {
	t.cols, t.at = t.cols[:0], t.at[:0]
	if !utf8.Valid(t.text) {
		return t.fault(-1, "%w: not UTF-8 text", ErrFormat)
	}
	line := string(t.text)
	p := 0
	for {
		for p < len(line) && (line[p] == ' ' || line[p] == '\t' && t.sep == ' ') {
			p++
		}
		if t.sep == ' ' && p == len(line) {
			return nil
		}
		t.at = append(t.at, p)
		field, after, err := t.field(line, p)
		if err != nil {
			return err
		}
		t.cols = append(t.cols, field)
		if after == len(line) {
			return nil
		}
		p = after + 1
	}
}

// field reads the field that starts at p and returns it with the place of the
// separator that follows.
func (t *table) field(line string, p int) (string, int, error) {
	if p < len(line) && line[p] == '"' {
		return t.quotedField(line, p)
	}
	end := p + strings.IndexByte(line[p:], t.sep)
	if t.sep == ' ' {
		end = p + strings.IndexAny(line[p:], " \t")
	}
	if end < p {
		end = len(line)
	}
	return strings.TrimRight(line[p:end], " "), end, nil
}

func (t *table) quotedField(line string, p int) (string, int, error) {
	var b strings.Builder
	for q := p + 1; ; q++ {
		k := strings.IndexByte(line[q:], '"')
		if k < 0 {
			return "", 0, t.fault(len(t.at)-1, "%w: a quote that does not close", ErrFormat)
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
			return "", 0, t.fault(len(t.at)-1, "%w: text after a closing quote", ErrFormat)
		}
		return b.String(), end, nil
	}
}

// number parses field k as a finite number.
func (t *table) number(k int) (float64, error) { return t.parse(k, t.cols[k]) }

func (t *table) parse(k int, field string) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return 0, t.fault(k, "%q: %w", field, ErrNotFinite)
	}
	if err != nil {
		return 0, t.fault(k, "%w: %q is not a number", ErrFormat, field)
	}
	return v, nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// missingValues are what tables hold, in lower case, where there is no number.
var missingValues = map[string]bool{"": true, "na": true, "n/a": true, "null": true, "none": true, "nil": true, "?": true, "-": true}

// isValue tells whether a field stands where a number should: a line of such fields is no
// header, and its reader says where the first is that is none.
func isValue(s string) bool { return isNumber(s) || missingValues[strings.ToLower(s)] }
