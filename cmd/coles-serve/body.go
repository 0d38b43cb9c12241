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
	again := json.NewDecoder(bytes.NewReader(text))
	again.UseNumber()
	return unambiguous(again)
}

// unambiguous refuses what a decoder takes in silence: a key twice in an object, of which it takes the last, and halves
// of characters, for which it puts U+FFFD. The text is JSON.
func unambiguous(text *json.Decoder) error {
	token, _ := text.Token()
	word, _ := token.(string)
	if strings.ContainsRune(word, utf8.RuneError) {
		return fmt.Errorf("body: %q has half a character, or what stands for one", word)
	}
	if _, opens := token.(json.Delim); !opens {
		return nil
	}
	for keys := map[json.Token]bool{}; text.More(); {
		if token == json.Delim('{') {
			key, _ := text.Token()
			if keys[key] || strings.ContainsRune(key.(string), utf8.RuneError) {
				return fmt.Errorf("body: the key %q is there twice, or has half a character", key)
			}
			keys[key] = true
		}
		if err := unambiguous(text); err != nil {
			return err
		}
	}
	text.Token() // which closes it
	return nil
}
