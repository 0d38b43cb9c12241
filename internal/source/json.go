package source

import (
	"encoding/json"
	"errors"
	"io"

	"coles"
)

// Unread is a value passed over. To encoding/json a key that differs in case is the same, and it goes
// to the first field of the kind unless another has its very name: to one of this type, which stands
// before.
type Unread struct{}

// UnmarshalJSON takes anything.
func (Unread) UnmarshalJSON([]byte) error { return nil }

// JSON puts an error of decoding at the byte reached.
func JSON(reached int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return At(reached, "%w: the JSON value is not closed", coles.ErrChecksum)
	case errors.As(err, &syntax), errors.As(err, &kind):
		return At(reached, "%w: %v", coles.ErrFormat, err)
	}
	return At(reached, "%w", err)
}
