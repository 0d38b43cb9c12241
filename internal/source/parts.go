package source

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"coles"
)

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
