package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	packed "coles/internal/source"
)

// A source is an input file, gzipped or not.
type source struct {
	path     string
	text     parse.Options // how it is read where it is text
	guess    string        // what it was taken for and why, where nobody said
	stdin    io.Reader     // nil for a file
	binary   bool          // of a format whose numbers take as many bytes as they do in memory
	stream   *bufio.Reader
	closer   func()
	progress *progressLine
}

// nameOf is the name of a file in errors.
func nameOf(path string) string {
	if path == "" || path == standard {
		return "standard input"
	}
	return path
}

func (s *source) name() string { return nameOf(s.path) }

// bufferSize suits pipes and disks.
const bufferSize = 1 << 18

// open returns the unpacked bytes. Reading them fails once ctx is done, even when what stands
// behind is a pipe on which nothing comes: the goroutine that waits for it is then left behind
// until the program ends.
func (s *source) open(ctx context.Context) (*bufio.Reader, error) {
	if s.stream != nil {
		return s.stream, nil
	}
	from, size := s.stdin, int64(0)
	closeFile := func() {}
	if from == nil {
		f, err := os.Open(s.path)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		from, closeFile = f, func() { f.Close() }
		switch {
		case err == nil && info.IsDir():
			f.Close()
			if from, size, err = packed.Parts(s.path, packed.FreeText); errors.Is(err, fs.ErrNotExist) {
				err = errors.New("a folder, not a file" + holding(s.path))
			}
			if err != nil {
				return nil, &fileError{s.path, err}
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
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	s.closer = func() {
		stop()
		r.Close()
	}
	arriving := &counter{r: r, each: func(n int64) { s.progress.bytes(s.name(), n, size) }}
	free := packed.FreeText
	if s.binary {
		free = packed.FreeBinary
	}
	var err error
	if s.stream, err = packed.Unpacked(bufio.NewReaderSize(arriving, bufferSize), free, size); err != nil {
		s.close()
		return nil, s.errAt(err)
	}
	return s.stream, nil
}

func (s *source) close() {
	if s.closer != nil {
		s.closer()
	}
	s.progress.clear()
}

// readSource reads a source by way of read, names it in errors and closes it.
func readSource[T any](ctx context.Context, s *source, read func(r io.Reader) (T, error)) (v T, err error) {
	defer s.close()
	r, err := s.open(ctx)
	if err == nil {
		v, err = read(r)
	}
	return v, s.errAt(err)
}

// readPath is readSource for the file at a path.
func readPath[T any](ctx context.Context, s *session, path string, read func(r io.Reader) (T, error)) (v T, err error) {
	from, err := s.source(path)
	if err != nil {
		return v, err
	}
	return readSource(ctx, from, read)
}

// A fileError is an error with the name of its file.
type fileError struct {
	file string
	err  error
}

func (e *fileError) Error() string { return e.file + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// errAt puts the source's name before an error that lacks it. Behind an error that a wrong guess may have caused it says
// what the source was taken for.
func (s *source) errAt(err error) error {
	labels, _ := s.text.Labels.(named)
	if where := (*parse.Error)(nil); errors.As(err, &where) && where.File == labels.name {
		return err
	}
	if s.guess != "" && (errors.Is(err, coles.ErrFormat) || errors.Is(err, coles.ErrShape) || errors.Is(err, dataset.ErrMissing)) {
		err, s.guess = fmt.Errorf("%w (%s)", err, s.guess), ""
	}
	return s.nameAt(err)
}

func (s *source) nameAt(err error) error {
	var where *parse.Error
	var path *fs.PathError
	var named *fileError
	switch {
	case err == nil, errors.As(err, &named) && named.file == s.name(), errors.As(err, &path) && path.Path == s.path:
		return err
	case errors.As(err, &where) && (where.File == s.name() || strings.HasPrefix(where.File, s.name()+"/")):
		return err
	}
	return &fileError{s.name(), err}
}

// guessed has errors say what the source was taken for, because of another file's name perhaps,
// where -from did not name it. A binary format, or that of a graph tool, cannot be mistaken.
func (s *source) guessed(from string, f dataset.Format, because string) {
	if from != "" || f.Binary || f.IsAt != nil || f.Attributes {
		return
	}
	s.guess = "read as " + f.Name
	if because != "" && because != standard {
		s.guess += " because of " + because
	}
	s.guess += "; name the format by -from"
}

// A counter reports to each how many bytes were read.
type counter struct {
	r    io.Reader
	n    int64
	each func(n int64)
}

func (c *counter) Read(p []byte) (int, error) {
	k, err := c.r.Read(p)
	c.n += int64(k)
	c.each(c.n)
	return k, err
}
