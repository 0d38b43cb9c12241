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

// sourceBuffer suits pipes and disks.
const sourceBuffer = 1 << 18

// open is the unpacked content. To read it fails once ctx is done, even if that is a pipe on which nothing comes: the
// goroutine that waits for it is then left behind until the program ends.
func (s *Source) open(ctx context.Context) (*bufio.Reader, error) {
	if s.read != nil {
		return s.read, nil
	}
	s.free = max(s.free, source.FreeText)
	from, size, closeFile := s.Stream, int64(0), func() {}
	if from == nil {
		f, err := os.Open(s.Path)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		from, closeFile = f, func() { f.Close() }
		switch {
		case err == nil && info.IsDir():
			f.Close()
			if from, size, err = source.Parts(s.Path, source.FreeText); errors.Is(err, fs.ErrNotExist) {
				err = errors.New("a folder, not a file")
			}
			if err != nil {
				return nil, s.errAt(err)
			}
		case err == nil && info.Mode().IsRegular():
			size = info.Size()
		}
	}
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, from)
		w.CloseWithError(err)
		closeFile()
	}()
	ended := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	s.stop = func() {
		ended()
		r.Close()
	}
	var err error
	if s.read, err = source.Unpacked(bufio.NewReaderSize(&arriving{r, s.Arrived, 0, size}, sourceBuffer), s.free, size); err != nil {
		s.Close()
		return nil, s.errAt(err)
	}
	return s.read, nil
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

// Read reads a source to its end by way of read, and closes it. Errors name it.
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
	case f.IsAt != nil || s.Stream == nil && slices.Contains([]string{"npz", "npy", "csr"}, f.Name) && isPlain(s.Path):
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
	return f.Read(called{r, s.Path}, how)
}

// Arriving bytes are told of.
type arriving struct {
	from       io.Reader
	tell       func(bytes, of int64)
	bytes, all int64
}

func (a *arriving) Read(p []byte) (int, error) {
	k, err := a.from.Read(p)
	if a.bytes += int64(k); a.tell != nil {
		a.tell(a.bytes, a.all)
	}
	return k, err
}

// A called stream has this name in errors.
type called struct {
	io.Reader
	name string
}

func (n called) Name() string { return n.name }

// isPlain reports whether a path is that of a file, and of none that is packed. Its numbers are read where they stand.
func isPlain(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := source.Open(path)
	if err != nil {
		return false // which opening it says
	}
	defer f.Close()
	return !f.IsGzip()
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
