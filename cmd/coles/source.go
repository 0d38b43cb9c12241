package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"coles"
	"coles/dataset"

	"github.com/urfave/cli/v3"
)

// standard is the name of standard input or output on a command line.
const standard = "-"

// inputs hands out the files of a command line, standard input once.
type inputs struct {
	stdin    io.Reader
	text     dataset.EdgeListOptions // how text is read
	ids      string                  // the file of -ids
	taken    bool
	progress *progressLine
}

// newInputs reads the options of textFlags and idsFlag, as far as a command has them.
func newInputs(c *cli.Command, stdin io.Reader) (*inputs, error) {
	in := &inputs{stdin: stdin, ids: c.String("ids"), progress: newProgress(c.Root().ErrWriter)}
	var err error
	in.text, err = textOptions(c)
	in.text.Warn = func(line string) {
		in.progress.clear()
		fmt.Fprintf(c.Root().ErrWriter, "coles: warning: %s\n", oneLine(errors.New(line)))
	}
	return in, err
}

// source returns the input at a path; "" and "-" are standard input.
func (in *inputs) source(path string) (*source, error) {
	if path != "" && path != standard {
		return &source{path: path, text: in.text, progress: in.progress}, nil
	}
	if in.taken {
		return nil, usagef("standard input can be read once only")
	}
	in.taken = true
	if path == "" && isTerminal(in.stdin) {
		return nil, usagef("no file is named, and standard input is a terminal")
	}
	return &source{path: standard, stdin: in.stdin, text: in.text, progress: in.progress}, nil
}

// A source is an input file, gzipped or not.
type source struct {
	path     string
	text     dataset.EdgeListOptions // how it is read where it is text
	guess    string                  // what it was taken for and why, where nobody said
	stdin    io.Reader               // nil for a file
	binary   bool                    // of a format whose numbers take as many bytes as they do in memory
	stream   *bufio.Reader
	closer   func()
	progress *progressLine
}

// name is what errors call the source.
func (s *source) name() string {
	if s.path == "" || s.path == standard {
		return "standard input"
	}
	return s.path
}

// gzipMagic is how gzipped files begin.
const gzipMagic = "\x1f\x8b"

// bufferSize suits pipes and disks.
const bufferSize = 1 << 18

// open returns the unpacked bytes. Reading them fails once ctx is done, even when what stands
// behind is a pipe on which nothing comes: the goroutine that waits for it is then left behind
// until the program ends.
func (s *source) open(ctx context.Context) (*bufio.Reader, error) {
	if s.stream != nil {
		return s.stream, nil
	}
	from := s.stdin
	var size int64
	closeFile := func() {}
	if from == nil {
		f, err := os.Open(s.path)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			f.Close()
			return nil, fmt.Errorf("%s: a folder, not a file%s", s.path, holding(s.path))
		}
		if err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		from, closeFile = f, func() { f.Close() }
	}
	r, w := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(onlyWriter{w}, onlyReader{from}, make([]byte, bufferSize))
		w.CloseWithError(err)
		closeFile()
	}()
	stop := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	s.closer = func() {
		stop()
		r.Close()
	}
	arriving := &counter{r: r, each: func(n int64) { s.progress.bytes(s.name(), n, size) }}
	s.stream = bufio.NewReaderSize(arriving, bufferSize)
	if magic, err := s.stream.Peek(len(gzipMagic)); err == nil && string(magic) == gzipMagic {
		counted := &counter{r: s.stream}
		z, err := gzip.NewReader(bufio.NewReader(counted))
		if err != nil {
			s.close()
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		u := &unpacking{z: z, packed: counted, free: unpackedText}
		if s.binary {
			u.free = unpackedBinary
		}
		s.stream = bufio.NewReaderSize(u, bufferSize)
	}
	return s.stream, nil
}

func (s *source) close() {
	if s.closer != nil {
		s.closer()
	}
	s.progress.clear()
}

// atEnd refuses bytes behind the end of a model or a training.
func (s *source) atEnd(r *bufio.Reader) error {
	if _, err := r.ReadByte(); err != io.EOF {
		return s.errAt(fmt.Errorf("%w: bytes after its end", coles.ErrFormat))
	}
	return nil
}

// errAt puts the source's name before an error that does not have it, and what the source was taken
// for behind one that may come of this.
func (s *source) errAt(err error) error {
	if s.guess != "" && (errors.Is(err, coles.ErrFormat) || errors.Is(err, dataset.ErrMissing)) {
		err, s.guess = fmt.Errorf("%w (%s)", err, s.guess), ""
	}
	return s.nameAt(err)
}

func (s *source) nameAt(err error) error {
	var parse *dataset.ParseError
	var path *fs.PathError
	switch {
	case err == nil, strings.HasPrefix(err.Error(), s.name()+":"):
		return err
	case errors.As(err, &parse) && parse.File == s.name(), errors.As(err, &path) && path.Path == s.path:
		return err
	}
	return fmt.Errorf("%s: %w", s.name(), err)
}

// The methods that these hide would make io.CopyBuffer take buffers of its own.
type (
	onlyReader struct{ io.Reader }
	onlyWriter struct{ io.Writer }
)

// A counter counts the bytes that were read.
type counter struct {
	r    io.Reader
	n    int64
	each func(n int64) // is told after every reading, unless it is nil
}

func (c *counter) Read(p []byte) (int, error) {
	k, err := c.r.Read(p)
	c.n += int64(k)
	if c.each != nil {
		c.each(c.n)
	}
	return k, err
}

// What is gzipped may unpack to so many bytes, and so many times its own size more: text of numbers
// shrinks to a tenth, and a bomb to a thousandth. Text has less for nothing, because an edge of
// four bytes takes forty in memory.
const unpackedText, unpackedBinary, unpackedRatio = 32 << 20, 256 << 20, 64

// unpacking reads what is gzipped and refuses a bomb.
type unpacking struct {
	z      *gzip.Reader
	packed *counter
	free   int64
	n      int64
}

func (u *unpacking) Read(p []byte) (int, error) {
	k, err := u.z.Read(p)
	if u.n += int64(k); u.n > u.free+unpackedRatio*u.packed.n {
		return 0, fmt.Errorf("unpacks to more than %d bytes: %w", u.n, coles.ErrTooLarge)
	}
	return k, err
}

// isTerminal reports whether a stream is a terminal: a character device that is not the one which
// swallows everything.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
