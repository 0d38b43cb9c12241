package source

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// StreamBuffer is the buffer of a [Stream]; it suits pipes and disks.
const StreamBuffer = 1 << 18

// Stream is the content of a packed stream, or for nil of the file at path or of the [Parts] in a folder, with so many free
// bytes. To read it fails once ctx is done, even if nothing comes: the goroutine that waits is then left behind. Told of are the
// bytes that have arrived, and of how many, 0 where that is not known. The caller calls stop at the end.
func Stream(ctx context.Context, path string, from io.Reader, free int64, tell func(bytes, of int64)) (content *bufio.Reader, stop func(), err error) {
	size, closeFile := int64(0), func() {}
	if from == nil {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		from, closeFile = f, func() { f.Close() }
		switch {
		case err == nil && info.IsDir():
			f.Close()
			if from, size, err = Parts(path, FreeText); errors.Is(err, fs.ErrNotExist) {
				err = errors.New("a folder, not a file")
			}
			if err != nil {
				return nil, nil, err
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
	stop = func() {
		ended()
		r.Close()
	}
	if content, err = Unpacked(bufio.NewReaderSize(&told{r, tell, 0, size}, StreamBuffer), free, size); err != nil {
		stop()
	}
	return content, stop, err
}

// Told is of the bytes that arrive.
type told struct {
	from       io.Reader
	tell       func(bytes, of int64)
	bytes, all int64
}

func (t *told) Read(p []byte) (int, error) {
	k, err := t.from.Read(p)
	if t.bytes += int64(k); t.tell != nil {
		t.tell(t.bytes, t.all)
	}
	return k, err
}

// IsPlain reports whether a path is that of a file, and of none that is packed.
func IsPlain(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := Open(path)
	if err != nil {
		return false // which opening it says
	}
	defer f.Close()
	return !f.IsGzip()
}

// A Called stream has this name in errors.
type Called struct {
	io.Reader
	As string
}

// Name is the name.
func (c Called) Name() string { return c.As }
