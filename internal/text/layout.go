// Package text reads files of lines and fields: bytes in, fields with line and column out.
package text

import (
	"bytes"
	"regexp"
)

// A Layout describes how a text file is laid out: what its format says, and what its first lines show.
type Layout struct {
	Separator  byte // of fields; a space is any run of spaces and tabs; 0: the first data line shows it
	Unquoted   bool // a quote is a character like others
	Multiline  bool // a field in quotes may hold line ends
	NoComments bool // lines that start with # or % are data

	Header  []string // the names of the columns; nil for none
	First   int      // the number of the line with the header or, where there is none, of the first data line
	Guessed bool     // by its looks that line is the header, or is none
}

// separators are tried in this order on the first data line; the last, any run of spaces, fits
// every line.
var separators = []byte{'\t', ',', ';', ' '}

// separator is the one of a line.
func separator(line []byte) byte {
	for _, sep := range separators {
		if separates(line, sep) {
			return sep
		}
	}
	return ' '
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

// decimalCommas are lines all of whose commas stand in numbers such as 0,5: fields between semicolons,
// or numbers between spaces. Taken for separators they would make other fields.
var decimalCommas = regexp.MustCompile(`^(?:[^,;]+(?:;(?:[^,;]*|` + decimal + `))+| *\d+(?: +(?:\d+|` + decimal + `))+ *)$`)

const decimal = ` *[+-]?\d+,\d+(?:[eE][+-]?\d+)? *`
