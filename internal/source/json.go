package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"coles"
)

// Unread is a value passed over. To encoding/json a key that differs in case is the same. It goes to the first field
// that fits, unless another has its very name: so a field of this type stands before the others.
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

// A Member is a name and a value of a JSON object, or a value of a list, and where it begins in these.
type Member struct {
	Name  string
	Value json.RawMessage
	At    int
}

// Members are the members of an object, in order. Nothing may be behind it.
func Members(object []byte) (all []Member, err error) {
	if object = bytes.TrimLeft(object, " \t\r\n"); len(object) > 0 && object[0] != '{' {
		return nil, errors.New("not an object")
	}
	return Within(object)
}

// Within are the members of an object, or the values of a list.
func Within(value []byte) (all []Member, err error) {
	decode := json.NewDecoder(bytes.NewReader(value))
	open, err := decode.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return nil, cmp.Or(err, fmt.Errorf("%v, want an object or a list", open))
	}
	for decode.More() {
		var m Member
		if open == json.Delim('{') {
			name, err := decode.Token()
			if err != nil {
				return nil, err
			}
			m.Name = name.(string)
		}
		if err := decode.Decode(&m.Value); err != nil {
			return nil, err
		}
		m.At = int(decode.InputOffset()) - len(m.Value)
		all = append(all, m)
	}
	if _, err := decode.Token(); err != nil { // that closes it
		return nil, err
	}
	if _, err := decode.Token(); err != io.EOF {
		return nil, errors.New("text behind it")
	}
	return all, nil
}
