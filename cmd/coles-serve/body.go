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

	"github.com/go-json-experiment/json/jsontext"
)

// decode reads a body that is one value of JSON, of known fields.
func decode(r *http.Request, to any) error {
	text, err := io.ReadAll(r.Body)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure{http.StatusRequestTimeout, fmt.Errorf("body: it has not come within %v", patience)}
	case err != nil:
		return fmt.Errorf("body: %w", err)
	case bytes.ContainsRune(text, utf8.RuneError): // which the decoder would mend
		return errors.New("body: not UTF-8, or has U+FFFD, which stands for what was not")
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
	// A decoder of encoding/json takes in silence a key that is twice in an object, and puts U+FFFD for halves of characters.
	if _, err := jsontext.NewDecoder(bytes.NewReader(text)).ReadValue(); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}
