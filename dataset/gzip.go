package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// openFile opens a file for reading, unpacking it when its first two bytes
// say gzip. Unpacking stops with ErrTooLarge past the [budget] of its size and so many bytes.
func openFile(path string, free int64) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return unpack(f, path, free)
}

// unpack wraps an open file; it owns the file from here on.
func unpack(f fs.File, name string, free int64) (io.ReadCloser, error) {
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%w: a folder, not a file", ErrFormat)
	}
	if err != nil {
		f.Close()
		return nil, inFile(name, "%w", err)
	}
	head := buffered(f)
	magic, err := head.Peek(2)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, atByte(name, 0, "%w", err)
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return &file{Reader: head, Closer: f}, nil
	}
	z, err := gzip.NewReader(head)
	if err != nil {
		f.Close()
		return nil, atByte(name, 0, "%w", cause(err))
	}
	limit := budget(free, info.Size())
	return &file{Reader: &bounded{r: z, left: limit, limit: limit}, Closer: f}, nil
}

type file struct {
	io.Reader
	io.Closer
}

// bounded reads at most limit bytes and then fails, unlike io.LimitReader,
// which would pretend that the stream ends there.
type bounded struct {
	r           io.Reader
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, fmt.Errorf("unpacks to more than %d bytes: %w", b.limit, ErrTooLarge)
	}
	if int64(len(p)) > b.left+1 { // one more, to notice
		p = p[:b.left+1]
	}
	k, err := b.r.Read(p)
	b.left -= int64(k)
	if b.left < 0 {
		return k - 1, fmt.Errorf("unpacks to more than %d bytes: %w", b.limit, ErrTooLarge)
	}
	if err != nil && err != io.EOF {
		err = cause(err)
	}
	return k, err
}
