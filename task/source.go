package task

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/source"
)

// A Source is a file to read, gzipped or not, or a stream.
type Source struct {
	Path    string                // of the file, or what errors call the stream
	Stream  io.Reader             // nil for the file
	Arrived func(bytes, of int64) // is told how many bytes have come, of 0 where it is not known; may be nil

	taken string        // what it is taken for and why, where nobody has said
	named bool          // the format of a graph can be named by [Files]
	free  int64         // bytes that it may unpack to whatever its size
	read  *bufio.Reader // its content
	stop  func()
}

// open is the unpacked content; see [source.Stream].
func (s *Source) open(ctx context.Context) (_ *bufio.Reader, err error) {
	if s.read == nil {
		if s.read, s.stop, err = source.Stream(ctx, s.Path, s.Stream, max(s.free, source.FreeText), s.Arrived); err != nil {
			s.read, s.stop = nil, nil
		}
	}
	return s.read, s.errAt(err)
}

// Close ends the reading of a source.
func (s *Source) Close() {
	if s != nil && s.stop != nil {
		s.stop()
	}
}

// Peek is how the content begins, of so many bytes unless there are fewer.
func (s *Source) Peek(ctx context.Context, bytes int) ([]byte, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return r.Peek(bytes)
}

// Read reads a source by way of read, and closes it. Errors name it.
func Read[T any](ctx context.Context, s *Source, read func(io.Reader) (T, error)) (v T, err error) {
	defer s.Close()
	r, err := s.open(ctx)
	if err == nil {
		v, err = read(r)
	}
	return v, s.errAt(err)
}

// dataset reads a source in a format.
func (s *Source) dataset(ctx context.Context, f dataset.Format, how parse.Options) (*dataset.Dataset, error) {
	switch {
	case f.IsAt != nil && s.Stream != nil:
		return nil, fmt.Errorf("%w: %s is several files, not a stream", ErrWrongFormat, f.Name)
	case f.IsAt != nil || s.Stream == nil && slices.Contains([]string{"npz", "npy", "csr"}, f.Name) && source.IsPlain(s.Path):
		if s.Arrived != nil {
			s.Arrived(0, 0)
		}
		return f.Open(s.Path, how)
	case f.Binary:
		s.free = source.FreeBinary
	}
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return f.Read(source.Called{Reader: r, As: s.Path}, how)
}

// names reports whether an error names the source.
func (s *Source) names(err error) (where *parse.Error, named bool) {
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == s.Path {
		return nil, true
	}
	named = errors.As(err, &where) && (where.File == s.Path || strings.HasPrefix(where.File, s.Path+"/"))
	return where, named
}

// errAt puts the source's name before an error that lacks it. Behind an error that a wrong guess may have caused it says
// what the source was taken for.
func (s *Source) errAt(err error) error {
	if err == nil {
		return nil
	}
	at, named := s.names(err)
	if !named {
		at = &parse.Error{File: s.Path, Offset: -1, Err: err}
		err = at
	}
	if s.taken != "" && (errors.Is(err, coles.ErrFormat) || errors.Is(err, coles.ErrShape) || errors.Is(err, dataset.ErrMissing)) {
		if s.named {
			at.Advice = append(at.Advice, parse.Advice{Field: "Format", Says: "which format it is"})
		}
		err, s.taken = fmt.Errorf("%w (%s)", err, s.taken), ""
	}
	return err
}

// sameFile reports whether two sources are one file.
func sameFile(a, b *Source) bool {
	if a == nil || b == nil || a.Stream != nil || b.Stream != nil {
		return false
	}
	first, err := os.Stat(a.Path)
	second, err2 := os.Stat(b.Path)
	return err == nil && err2 == nil && first.Mode().IsRegular() && os.SameFile(first, second)
}
