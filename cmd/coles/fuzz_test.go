package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"coles/dataset"
)

// Whatever bytes come, word2vec's text is read or refused with a place; what
// is read is written and read again alike.
func FuzzWord2Vec(f *testing.F) {
	for _, seed := range []string{"2 2\nann 1 2\nbob -3e7 4\n", "1 1\n\na 1e999\n", "9 1\n", "1 1\r\n\"#,\" 0x1p-2\r\n", "-1 2\n", "1 1\n\xff 1\n"} {
		f.Add([]byte(seed))
	}
	read := func(text []byte) (*dataset.Dataset, error) {
		s := &source{path: standard, stdin: bytes.NewReader(text)}
		defer s.close()
		return readWord2Vec(context.Background(), s, nil)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := read(text)
		if err != nil {
			var parse *dataset.ParseError
			if !errors.As(err, &parse) && !bytes.HasPrefix(text, []byte(gzipMagic)) {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		var first, second strings.Builder
		if err := writeWord2Vec(&first, d); err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		again, err := read([]byte(first.String()))
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if err := writeWord2Vec(&second, again); err != nil || first.String() != second.String() {
			t.Fatalf("written twice it is %q and %q (%v)", first.String(), second.String(), err)
		}
	})
}
