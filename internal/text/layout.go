// Package text reads files of lines and fields: bytes in, fields with line and column out.
package text

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// A Layout describes how a text file is laid out: what its format says, and what its first lines show.
type Layout struct {
	Separator byte // of fields; a space is any run of spaces and tabs, a colon is two; 0: the first lines show it
	Unquoted  bool // a quote is a character like others
	Multiline bool // a field in quotes may hold line ends
	Commas    bool // a file called .csv: blanks are no separators where all lines have a comma
	Edges     bool // of an edge a line, perhaps as NetworkX and Python write them: (u, v) or u v {'weight': 2}

	Marks Marks // of fields that say nothing

	// Before the first line with fields, lines that start with # or % are comments. Behind it they are data but, of
	// edges, where a blank comes next.
	Skipped int    // lines of comments before it
	Comment []byte // the last of them

	Header  []string // the names of the columns; nil for none
	First   int      // the number of the line with the header or, where there is none, of the first data line
	Guessed bool     // by its looks that line is the header, or is none
}

// A form is what stands around the fields of an edge.
type form byte

const (
	bare       form = iota
	bracketed       // (u, v) or [u, v], perhaps with a comma behind
	attributed      // u v {'weight': 2, …}
)

// separators in the order of choice; the last, any run of spaces, fits every line.
var separators = []byte{'\t', ',', ';', '|', ' '}

// lookedAt are the lines that show a layout.
const lookedAt = 100

// look finds out what the first lines show: the form of all, and the separator by which all have as many fields, two or more.
// The first line may be a header of one field less. If no separator fits all, the first one in the first line is taken.
func (t *Reader) look() {
	t.Separator = ' '             // which fits every line
	t.Text = slices.Clone(t.Text) // which looking ahead would overwrite
	lines := [][]byte{t.Text}
	for ahead := t.Ahead(); len(lines) < lookedAt && ahead.NextLine(); {
		lines = append(lines, slices.Clone(ahead.Text))
	}
	if t.Edges {
		t.form = formOf(lines)
	}
	for k := range lines {
		lines[k], _ = t.bare(lines[k])
	}
	for _, sep := range append(separators[:len(separators):len(separators)], ':') { // MovieLens writes 1::1193::5
		fields := count(lines[len(lines)-1], sep)
		same := func(line []byte) bool { return count(line, sep) == fields }
		if sep == ' ' && t.Commas && !slices.ContainsFunc(lines, func(line []byte) bool { return count(line, ',') < 2 }) {
			t.Separator = ','
			return
		}
		few := len(lines) > 2 && count(lines[0], sep) == fields-1
		if fields > 1 && (few || same(lines[0])) && !slices.ContainsFunc(lines[1:], func(line []byte) bool { return !same(line) }) {
			t.Separator = sep
			return
		}
	}
	for _, t.Separator = range separators {
		if count(lines[0], t.Separator) > 1 {
			return
		}
	}
}

// formOf is the form that all lines have.
func formOf(lines [][]byte) form {
	of := func(has string, ends *regexp.Regexp) bool {
		return !slices.ContainsFunc(lines, func(line []byte) bool { return !bytes.ContainsAny(line, has) || !ends.Match(line) })
	}
	switch {
	case of("([", inBrackets):
		return bracketed
	case of("{", beforeAttributes):
		return attributed
	}
	return bare
}

var (
	inBrackets       = regexp.MustCompile(`^\s*(\([^()]*\)|\[[^\[\]]*\])\s*,?\s*$`)
	beforeAttributes = regexp.MustCompile(`^[^{]*[\s,;|]\{.*\}\s*$`)
	weightOf         = regexp.MustCompile(`['"]weight['"]\s*:\s*([^,}\s]+)`)
)

// bare is a line of edges without a comment behind its fields and without the form around them: a bracket becomes a space.
// Other lines are whole.
func (t *Reader) bare(line []byte) (fields []byte, commented bool) {
	if !t.Edges {
		return line, false
	}
	for p := bytes.IndexByte(line, '#'); p >= 0 && !commented; {
		if commented = startsComment(line, p); commented {
			line = line[:p]
		} else if k := bytes.IndexByte(line[p+1:], '#'); k >= 0 {
			p += 1 + k
		} else {
			break
		}
	}
	p := -1
	switch t.form {
	case bracketed:
		if p = bytes.IndexAny(line, "(["); p >= 0 {
			line = bytes.TrimRight(bytes.TrimRight(line, " \t,"), ")]")
			line = append(bytes.Repeat([]byte{' '}, p+1), line[p+1:]...)
		}
	case attributed:
		if p = bytes.IndexByte(line, '{'); p >= 0 {
			line = line[:p]
		}
		line = bytes.TrimRight(line, " \t,;|")
	}
	return bytes.TrimRight(line, " "), commented
}

// startsComment reports whether a comment starts with the # at p: a blank is before it and one behind, outside of quotes.
func startsComment(line []byte, p int) bool {
	return p > 0 && isBlank(line[p-1]) && (p+1 == len(line) || isBlank(line[p+1])) && bytes.Count(line[:p], []byte{'"'})%2 == 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// count is the number of fields of a line.
func count(line []byte, sep byte) int {
	line = bytes.Trim(line, " ")
	fields, quoted := 1, false
	for i, c := range line {
		switch {
		// A quote opens at the beginning of a field, and doubled it goes on.
		case c == '"' && (quoted || i == 0 || line[i-1] == '"' || bytes.IndexByte(separators, line[i-1]) >= 0):
			quoted = !quoted
		case quoted:
		case sep == ':' && c == sep && (i == 0 || line[i-1] != sep):
		case sep != ' ' && c == sep, sep == ' ' && isBlank(c) && i > 0 && !isBlank(line[i-1]):
			fields++
		}
	}
	return fields
}

// decimalCommas are lines all of whose commas stand in numbers such as 0,5: fields between semicolons,
// or numbers between spaces. Taken for separators they would make other fields.
var decimalCommas = regexp.MustCompile(`^(?:[^,;]+(?:;(?:[^,;]*|` + decimal + `))+| *\d+(?: +(?:\d+|` + decimal + `))+ *)$`)

const decimal = ` *[+-]?\d+,\d+(?:[eE][+-]?\d+)? *`

// CommentNames are the fields of the last comment before the data, if they are as many as those of the current line.
func (t *Reader) CommentNames() []string {
	line := strings.TrimSpace(strings.TrimLeft(string(t.Comment), "#%"))
	if line == "" || count([]byte(line), t.Separator) != len(t.Fields) {
		return nil
	}
	if t.Separator == ' ' {
		return strings.Fields(line)
	}
	return strings.Split(line, string(t.Separator))
}

// CommentIsAlike reports whether the last comment before the data may be data: there is no blank behind its first
// character, and it has as many fields as the current line.
func (t *Reader) CommentIsAlike() bool {
	return len(t.Comment) > 1 && !isBlank(t.Comment[1]) && t.Comment[1] != t.Comment[0] && len(t.Fields) > 1 && count(t.Comment, t.Separator) == len(t.Fields)
}
