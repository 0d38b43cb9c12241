package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"
)

// decode reads a body that is one value of JSON, of known fields.
func decode(r *http.Request, to any) error {
	text, err := io.ReadAll(r.Body)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure{http.StatusRequestTimeout, fmt.Errorf("body: it has not come within %v", patience)}
	case err != nil:
		return fmt.Errorf("body: %w", err)
	case !utf8.Valid(text): // which the decoder would mend
		return errors.New("body: not UTF-8")
	}
	body := json.NewDecoder(bytes.NewReader(text))
	body.DisallowUnknownFields()
	body.UseNumber()
	if err := body.Decode(to); err != nil {
		if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
			err = fmt.Errorf("byte %d: %q cannot be a JSON %s", kind.Offset, kind.Field, kind.Value)
		} else if strings.HasSuffix(err.Error(), "exceeded max depth") {
			err = errors.New("more than 10,000 lists or objects inside one another")
		}
		return fmt.Errorf("body: %w", err)
	}
	if body.Decode(&struct{}{}) != io.EOF {
		return errors.New("body: more than one value")
	}
	return unambiguous(text)
}

// unambiguous refuses what a decoder takes in silence: a key twice in an object, of which it takes the last, and halves
// of characters, for which it puts U+FFFD. The text is JSON; a decoder of tokens takes as long as all the rest of a write.
func unambiguous(text []byte) error {
	var open []map[string]bool // keys of the objects, nil for the lists, that have not ended
	for k := 0; k < len(text); k++ {
		switch text[k] {
		case '{':
			open = append(open, map[string]bool{})
		case '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			from := k
			for k++; text[k] != '"'; k++ {
				if text[k] == '\\' {
					k++
				}
			}
			word := text[from+1 : k]
			if bytes.IndexByte(word, '\\') >= 0 {
				var plain string
				json.Unmarshal(text[from:k+1], &plain)
				word = []byte(plain)
			}
			if bytes.ContainsRune(word, utf8.RuneError) {
				return fmt.Errorf("body: byte %d: %q has half a character, or what stands for one", from, word)
			}
			if rest := bytes.TrimLeft(text[k+1:], " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
				continue
			}
			keys := open[len(open)-1]
			if keys[string(word)] {
				return fmt.Errorf("body: byte %d: the key %q is there twice", from, word)
			}
			keys[string(word)] = true
		}
	}
	return nil
}
