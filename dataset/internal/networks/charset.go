package networks

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"coles"

	"golang.org/x/text/encoding/charmap"
)

// utf8 is text that is UTF-8 or else ISO-8859-1.
func (b *builder) utf8(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	b.latin = true
	decoded, _ := charmap.ISO8859_1.NewDecoder().Bytes(raw) // it has all bytes
	return string(decoded)
}

// charsets are the encodings that XML may name, besides UTF-8.
var charsets = map[string]*charmap.Charmap{
	"us-ascii": charmap.ISO8859_1, "ascii": charmap.ISO8859_1,
	"iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1, "latin-1": charmap.ISO8859_1,
	"iso-8859-15":  charmap.ISO8859_15,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
}

// charset reads XML that names its encoding.
func charset(label string, r io.Reader) (io.Reader, error) {
	if c := charsets[strings.ToLower(label)]; c != nil {
		return c.NewDecoder().Reader(r), nil
	}
	return nil, fmt.Errorf("%w: the encoding %q is not read; want UTF-8 or ISO-8859-1", coles.ErrFormat, label)
}
