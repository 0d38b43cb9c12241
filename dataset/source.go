package dataset

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// budget is how many bytes a compressed input of the given size may expand
// to beside what it may for nothing. Real graphs shrink by a factor of two to ten, because
// their indices are close to random; a bomb reaches a thousand.
func budget(free, compressed int64) int64 { return free + 64*compressed }

// What any compressed input may expand to: small archives may hold long runs of ones, whose
// memory is their size, but a line of four bytes is an edge of forty.
const freeBinary, freeText = 256 << 20, 32 << 20

// source is a reader of a binary format that knows where it is, so that its
// errors can say so.
type source struct {
	r    io.Reader
	file string
	off  int64
}

// full fills buf or fails at the offset reached.
func (s *source) full(buf []byte) error {
	k, err := io.ReadFull(s.r, buf)
	s.off += int64(k)
	if err != nil {
		return s.fail(err)
	}
	return nil
}

// end demands that nothing follows; for a member of a zip archive this is
// also what makes the checksum be compared.
func (s *source) end() error {
	var one [1]byte
	switch k, err := io.ReadFull(s.r, one[:]); {
	case k > 0:
		return atByte(s.file, s.off, "%w: bytes after the end", ErrFormat)
	case err != io.EOF:
		return s.fail(err)
	}
	return nil
}

// fail places an error of the underlying reader.
func (s *source) fail(err error) error {
	return atByte(s.file, s.off, "%w", cause(err))
}

// cause turns the errors of the standard decoders into the sentinels of this
// package and leaves all others (a disk that fails) as they are.
func cause(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: %v", ErrChecksum, err)
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm),
		errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return fmt.Errorf("%w: %v", ErrFormat, err)
	}
	return err
}

// chunk is how much is read at a time while an array grows.
const chunk = 64 << 10

// checkReader refuses a reader or a file system that is not there.
func checkReader(r any, file string) error {
	if r == nil {
		return inFile(file, "%w: no reader", ErrMissing)
	}
	return nil
}

func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, chunk) }
