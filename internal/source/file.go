package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"coles"
)

// FreeBinary and FreeText are the bytes that any packed input may expand to, whatever its size. Small archives may
// hold long runs of ones, whose memory is their size; but a line of text of four bytes is an edge of forty. Only
// tests change them.
var FreeBinary, FreeText int64 = 256 << 20, 32 << 20

// Budget is how many bytes a packed input of the given size may expand to. Real graphs shrink by a
// factor of two to ten, because their indices are close to random; a bomb reaches a thousand.
func Budget(free, packed int64) int64 { return free + 64*packed }

// A File is a file being read, unpacked if it is gzipped.
type File struct {
	io.Reader
	Packed fs.File     // as it lies
	Info   fs.FileInfo // of Packed
	z      *bounded    // nil if it is not gzipped
	path   string
}

// Open is [Unpack] of the file at path, with the free bytes of text, or of the [Parts] in a folder.
func Open(path string) (*File, error) { return openAs(path, FreeText) }

func openAs(path string, free int64) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return Unpack(f, path, free)
}

// Unpack reads a file, which errors call path, unpacked if it is gzipped, within the [Budget] of its
// size. It owns the file from here on.
func Unpack(f fs.File, path string, free int64) (*File, error) {
	u := &File{Packed: f, path: path}
	var err error
	if u.Info, err = f.Stat(); err == nil {
		if u.Info.IsDir() {
			if u.Reader, _, err = Parts(path, free); errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%w: a folder, not a file", coles.ErrFormat)
			}
		} else {
			u.Reader, u.z, err = unpacked(bufio.NewReaderSize(f, Chunk), free, u.Info.Size())
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return u, nil
}

// Close closes the file.
func (f *File) Close() error { return f.Packed.Close() }

// Name is the path that the file was opened by.
func (f *File) Name() string { return f.path }

// IsGzip reports whether the file is gzipped.
func (f *File) IsGzip() bool { return f.z != nil }

// Name returns what errors call r: its own name, if it has one, or else the kind of thing that it is.
func Name(r io.Reader, kind string) string {
	if f, ok := r.(interface{ Name() string }); ok && f.Name() != "" {
		return f.Name()
	}
	return kind
}

// Binary is [Name] for the reader of a binary format: a gzipped [File] gets the free bytes of those.
func Binary(r io.Reader, kind string) string {
	if f, ok := r.(*File); ok && f.IsGzip() {
		f.z.free = FreeBinary
	}
	return Name(r, kind)
}

// Section returns the rest of r, for a format that is read from its end. It is read where it lies, if r can be read
// at any place, or else from memory.
func Section(r io.Reader) (*io.SectionReader, error) {
	switch r := r.(type) {
	case *File:
		if at, ok := r.Packed.(io.ReaderAt); ok && !r.IsGzip() && r.Info.Mode().IsRegular() {
			return io.NewSectionReader(at, 0, r.Info.Size()), nil
		}
	case interface {
		io.ReaderAt
		io.Seeker
	}:
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			end, err := r.Seek(0, io.SeekEnd)
			return io.NewSectionReader(r, at, end-at), err
		}
	}
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, At(int64(len(all)), "%w", err)
	}
	return io.NewSectionReader(bytes.NewReader(all), 0, int64(len(all))), nil
}

// Unpacked returns r, or the content of r where it is gzipped. The content is within the [Budget] of size, or of the
// bytes that have arrived if they are more: size is 0 for a pipe.
func Unpacked(r *bufio.Reader, free, size int64) (*bufio.Reader, error) {
	r, _, err := unpacked(r, free, size)
	return r, err
}

func unpacked(r *bufio.Reader, free, size int64) (*bufio.Reader, *bounded, error) {
	const magic = "\x1f\x8b"
	begin, err := r.Peek(len(magic))
	if err != nil && err != io.EOF {
		return nil, nil, At(0, "%w", err)
	}
	if string(begin) != magic {
		return r, nil, nil
	}
	b := &bounded{packed: r, free: free, size: size}
	if b.z, err = gzip.NewReader(arriving{b}); err != nil {
		return nil, nil, At(0, "%w", Cause(err))
	}
	return bufio.NewReaderSize(b, r.Size()), b, nil
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

// Parts are the files part-* of a folder, as Spark writes them, one after the other and each unpacked, and the size of
// all; os.ErrNotExist if there are none. A first line that all have is a header, and is given once.
func Parts(dir string, free int64) (r io.Reader, size int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	var all []io.Reader
	header, same := "", true
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !strings.HasPrefix(e.Name(), "part-"):
			continue
		case strings.HasSuffix(e.Name(), ".parquet"):
			return nil, 0, fmt.Errorf("%w: %s is Parquet; coles-parquet makes text of it", coles.ErrFormat, e.Name())
		}
		f, err := openAs(path, free)
		if err != nil {
			return nil, 0, err
		}
		line, err := bufio.NewReader(io.LimitReader(f, Chunk)).ReadString('\n')
		if f.Close(); err != nil && err != io.EOF {
			return nil, 0, err
		}
		if line == "" {
			continue
		}
		if all == nil {
			header = line
		}
		same = same && line == header
		all, size = append(all, &part{path: path, free: free}, strings.NewReader("\n")), size+f.Info.Size()
	}
	if all == nil {
		return nil, 0, os.ErrNotExist
	}
	for k := 2; same && k < len(all); k += 2 {
		all[k].(*part).skip = int64(len(header))
	}
	return io.MultiReader(all...), size, nil
}

// A part is a file that is open while it is read.
type part struct {
	path       string
	free, skip int64
	open       *File
}

func (p *part) Read(b []byte) (int, error) {
	if p.open == nil {
		f, err := openAs(p.path, p.free)
		if err != nil {
			return 0, err
		}
		p.open = f
		if _, err := io.CopyN(io.Discard, f, p.skip); err != nil {
			return 0, err
		}
	}
	k, err := p.open.Read(b)
	if err != nil {
		p.open.Close()
	}
	return k, err
}
