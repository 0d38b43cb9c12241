package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"coles"
	"coles/internal/source"
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

// unread is a value passed over. To encoding/json a key that differs in case is the same, and it goes
// to the first field of the kind unless another has its very name: to one of this type, which stands
// before.
type unread struct{}

// UnmarshalJSON takes anything.
func (unread) UnmarshalJSON([]byte) error { return nil }

// jsonError puts an error of decoding at the byte reached.
func jsonError(reached int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return source.At(reached, "%w: the JSON value is not closed", coles.ErrChecksum)
	case errors.As(err, &syntax), errors.As(err, &kind):
		return source.At(reached, "%w: %v", coles.ErrFormat, err)
	}
	return source.At(reached, "%w", err)
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
