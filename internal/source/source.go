// Package source reads bytes that nobody vouches for: its errors name the byte, and what is packed
// unpacks within a budget.
package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"coles"
)

// An Error is a fault at a byte of the input.
type Error struct {
	Offset int64
	Err    error
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
	Off int64
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

// Byte takes one byte.
func (s *Reader) Byte() (byte, error) {
	c, err := s.r.ReadByte()
	if err != nil {
		return 0, s.fail(err)
	}
	s.Off++
	return c, nil
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

// Cause turns the errors of the standard decoders into those of package coles and leaves all others
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

// FreeBinary and FreeText are the bytes that any packed input may expand to, whatever its size: small
// archives may hold long runs of ones, whose memory is their size, but a line of four bytes is an
// edge of forty. Only tests change them.
var FreeBinary, FreeText int64 = 256 << 20, 32 << 20

// Budget is how many bytes a packed input of the given size may expand to. Real graphs shrink by a
// factor of two to ten, because their indices are close to random; a bomb reaches a thousand.
func Budget(free, packed int64) int64 { return free + 64*packed }

var magic = []byte{0x1f, 0x8b}

// IsGzip reports whether a file begins as gzip does.
func IsGzip(r io.ReaderAt) bool {
	head := make([]byte, len(magic))
	_, err := r.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, magic)
}

// Unpack reads a file, unpacked if it is gzipped, within the [Budget] of its size. It owns the file
// from here on.
func Unpack(f fs.File, free int64) (io.ReadCloser, error) {
	r, err := unpack(f, free)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &file{r, f}, nil
}

type file struct {
	io.Reader
	io.Closer
}

func unpack(f fs.File, free int64) (io.Reader, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%w: a folder, not a file", coles.ErrFormat)
	}
	return Unpacked(bufio.NewReaderSize(f, Chunk), free, info.Size())
}

// Unpacked returns r, or what is gzipped in it, within the [Budget] of size, or of the bytes that have
// arrived if they are more: size is 0 for a pipe.
func Unpacked(r *bufio.Reader, free, size int64) (*bufio.Reader, error) {
	begin, err := r.Peek(len(magic))
	if err != nil && err != io.EOF {
		return nil, At(0, "%w", err)
	}
	if !bytes.Equal(begin, magic) {
		return r, nil
	}
	b := &bounded{packed: r, free: free, size: size}
	if b.z, err = gzip.NewReader(arriving{b}); err != nil {
		return nil, At(0, "%w", Cause(err))
	}
	return bufio.NewReaderSize(b, r.Size()), nil
}

// bounded unpacks within a budget and then fails, unlike io.LimitReader, which would pretend that the
// stream ends there.
type bounded struct {
	z              *gzip.Reader
	packed         io.Reader
	free, size     int64
	arrived, given int64 // bytes packed and unpacked
}

func (b *bounded) Read(p []byte) (int, error) {
	k, err := b.z.Read(p)
	b.given += int64(k)
	if limit := Budget(b.free, max(b.size, b.arrived)); b.given > limit {
		return 0, fmt.Errorf("unpacks to more than %d bytes: %w", limit, coles.ErrTooLarge)
	}
	if err != nil && err != io.EOF {
		err = Cause(err)
	}
	return k, err
}

// arriving reads the packed bytes and counts them.
type arriving struct{ *bounded }

func (a arriving) Read(p []byte) (int, error) {
	k, err := a.packed.Read(p)
	a.arrived += int64(k)
	return k, err
}
