// Package source reads bytes that nobody vouches for: its errors name the byte, and what is packed
// unpacks within a budget.
package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"coles"
)

// An Error is a fault at a byte of the input.
type Error struct {
	Offset int64 // of the byte
	Err    error // the cause
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// At is an [Error].
func At(offset int64, format string, args ...any) error {
	return &Error{offset, fmt.Errorf(format, args...)}
}

// Chunk is how many bytes are read or written at a time.
const Chunk = 64 << 10

// A Reader counts the bytes that Full, Byte and Skip take.
type Reader struct {
	r   *bufio.Reader
	Off int64 // bytes taken so far
}

// NewReader reads from r, with a buffer unless r is one.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, Chunk)} }

// Full fills buf, or fails at the byte reached.
func (s *Reader) Full(buf []byte) error {
	k, err := io.ReadFull(s.r, buf)
	s.Off += int64(k)
	if err != nil {
		return s.fail(err)
	}
	return nil
}

// Until takes the bytes up to the next c, and c, fewer than [Chunk] of them. They are valid until the
// next call.
func (s *Reader) Until(c byte) ([]byte, error) {
	part, err := s.r.ReadSlice(c)
	s.Off += int64(len(part))
	switch {
	case err == bufio.ErrBufferFull:
		return nil, At(s.Off-int64(len(part)), "no %q in %d bytes: %w", c, len(part), coles.ErrTooLarge)
	case err != nil:
		return nil, s.fail(err)
	}
	return part[:len(part)-1], nil
}

// Skip takes the next byte if it is c.
func (s *Reader) Skip(c byte) {
	if next, err := s.r.Peek(1); err == nil && next[0] == c {
		s.r.Discard(1)
		s.Off++
	}
}

// End demands that nothing follows. A member of a zip archive compares its checksum here.
func (s *Reader) End() error {
	switch _, err := s.r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return At(s.Off, "%w: bytes after the end", coles.ErrFormat)
	default:
		return s.fail(err)
	}
}

func (s *Reader) fail(err error) error { return At(s.Off, "%w", Cause(err)) }

// Cause turns the errors of the standard decoders into errors of package coles, and leaves all others
// (a disk that fails) as they are.
func Cause(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends here", coles.ErrChecksum)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: %v", coles.ErrChecksum, err)
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm),
		errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return fmt.Errorf("%w: %v", coles.ErrFormat, err)
	}
	return err
}

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

// Words are the texts and numbers of a list, as text.
func Words(list []byte) ([]string, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(list, &values); err != nil {
		return nil, err
	}
	words := make([]string, len(values))
	for k, v := range values {
		switch c := v[0]; {
		case c == '"':
			json.Unmarshal(v, &words[k]) // the whole is sound
		case c == '-' || '0' <= c && c <= '9':
			words[k] = string(v)
		default:
			return nil, fmt.Errorf("%s is neither text nor a number", v)
		}
	}
	return words, nil
}
