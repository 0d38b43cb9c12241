package networks

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"coles"

	"golang.org/x/text/encoding/charmap"
)

// utf8Of is text that is UTF-8 or else ISO-8859-1, of which latin is told.
func utf8Of(b []byte, latin *bool) string {
	if utf8.Valid(b) {
		return string(b)
	}
	*latin = true
	decoded, _ := charmap.ISO8859_1.NewDecoder().Bytes(b) // it has all bytes
	return string(decoded)
}

// sayLatin notes text that is not UTF-8.
func (b *builder) sayLatin(latin bool) {
	if latin {
		b.unread("bytes that are not UTF-8, taken for ISO-8859-1")
	}
}

// charset reads XML that names its encoding.
func charset(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii":
		return r, nil
	case "iso-8859-1", "latin1", "latin-1":
		return charmap.ISO8859_1.NewDecoder().Reader(r), nil
	case "iso-8859-15":
		return charmap.ISO8859_15.NewDecoder().Reader(r), nil
	case "windows-1252", "cp1252":
		return charmap.Windows1252.NewDecoder().Reader(r), nil
	}
	return nil, fmt.Errorf("%w: the encoding %q is not read; want UTF-8 or ISO-8859-1", coles.ErrFormat, label)
}
