package published

import (
	"encoding/json"
	"fmt"

	"coles"
)

// members visits the members of an object, or of a list.
func members(d *json.Decoder, open json.Delim, visit func() error) error {
	first, err := d.Token()
	if err != nil {
		return err
	}
	if first != open {
		return fmt.Errorf("%w: %v where %v is expected", coles.ErrFormat, first, open)
	}
	for d.More() {
		if err := visit(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// skip passes a value over.
func skip(d *json.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
