// Package strict reads JSON that has to say what it means: settings.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Unmarshal is json.Unmarshal that refuses members v does not have. Errors of the
// text wrap bad; those of a type that reads itself have wrapped what they should.
func Unmarshal(text []byte, v any, bad error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("something follows the value")
	}
	if errors.Is(err, bad) {
		return err
	}
	return fmt.Errorf("%w: %w", bad, err)
}
