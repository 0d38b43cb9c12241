package distributed

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"coles"
	"coles/internal/source"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme
	"golang.org/x/sync/errgroup"
)

// clients are the file systems by scheme. A process keeps them: one may take credentials and connections.
var clients sync.Map

// onFiles calls f with the file system of a path, and names the path in an error.
func onFiles(ctx context.Context, path string, f func(filesystem.Interface) error) error {
	scheme, _, _ := strings.Cut(path, "://")
	if scheme == path {
		scheme = ""
	}
	fs, is := clients.Load(scheme)
	if !is {
		made, err := filesystem.New(context.WithoutCancel(ctx), path)
		if err != nil {
			return fmt.Errorf("distributed: %w", err)
		}
		fs, _ = clients.LoadOrStore(scheme, made)
	}
	if err := f(fs.(filesystem.Interface)); err != nil {
		return fmt.Errorf("distributed: %s: %w", path, err)
	}
	return nil
}

// atOnce is how many files are asked for at the same time: each takes a tenth of a second in some stores.
const atOnce = 32

// each calls f for the numbers below n, for some at the same time, until one fails.
func each(ctx context.Context, n int, f func(ctx context.Context, k int) error) error {
	group, inside := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for k := 0; k < n && inside.Err() == nil; k++ {
		group.Go(func() error { return f(inside, k) })
	}
	return cmp.Or(group.Wait(), ctx.Err())
}

// sizeOf is the length of a file and when it was changed, 0 where the file system does not say.
func sizeOf(ctx context.Context, path string) (bytes, modified int64, err error) {
	err = onFiles(ctx, path, func(fs filesystem.Interface) error {
		if !strings.Contains(path, "://") { // Beam's leaves the file open
			info, err := os.Stat(path)
			if err == nil {
				bytes, modified = info.Size(), info.ModTime().UnixNano()
			}
			return err
		}
		if bytes, err = fs.Size(ctx, path); err != nil {
			return err
		}
		if dated, is := fs.(filesystem.LastModifiedGetter); is {
			at, err := dated.LastModified(ctx, path)
			modified = at.UnixNano()
			return err
		}
		return nil
	})
	return bytes, modified, err
}

// canonical is a path without links, dots and other spellings, as far as the path exists.
func canonical(name string) string {
	if scheme, rest, is := strings.Cut(name, "://"); is {
		return scheme + "://" + path.Clean(rest)
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	for dir, rest := whole, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.ToSlash(filepath.Join(real, rest))
		}
		if dir == filepath.Dir(dir) {
			return whole
		}
	}
}

// lies reports whether a path is a folder or lies in it. Both are canonical.
func lies(name, folder string) bool {
	return strings.HasPrefix(name+"/", strings.TrimRight(folder, "/")+"/")
}

// expand lists the files that globs stand for: glob by glob, and within a glob by name, where
// numbers in names count as numbers, so that x-2.npy comes before x-10.npy.
func expand(ctx context.Context, globs []string) ([]string, error) {
	if len(globs) == 0 {
		return nil, fmt.Errorf("distributed: %w: no names of files", coles.ErrShape)
	}
	var all []string
	for _, glob := range globs {
		var names []string
		err := onFiles(ctx, glob, func(fs filesystem.Interface) (err error) {
			if names, err = fs.List(ctx, glob); err == nil && len(names) == 0 {
				err = fmt.Errorf("%w: no file is called that", coles.ErrShape)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(names, compareNames)
		all = append(all, names...)
	}
	once := slices.Sorted(slices.Values(all))
	for k := 1; k < len(once); k++ {
		if once[k] == once[k-1] {
			return nil, fmt.Errorf("distributed: %w: %s is given twice", coles.ErrShape, once[k])
		}
	}
	return all, nil
}

var digits = regexp.MustCompile(`\d+`)

// compareNames orders names in which runs of digits are numbers. The length of a number, without leading zeros, is compared
// first.
func compareNames(a, b string) int {
	key := func(name string) string {
		return digits.ReplaceAllStringFunc(name, func(number string) string {
			number = strings.TrimLeft(number, "0")
			return fmt.Sprintf("%04d%s", len(number), number)
		})
	}
	return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a, b))
}

// A shard is an open file, unpacked where it is gzipped.
type shard struct {
	*bufio.Reader
	packed  *bufio.Reader // the file as it is
	arrived *counter      // bytes of it
	file    io.Closer
}

// A counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// consumed is the number of bytes of the file that have been read.
func (s *shard) consumed() int64 { return int64(*s.arrived) - int64(s.packed.Buffered()) }

// openShard opens a file of any file system.
func openShard(ctx context.Context, path string) (s *shard, err error) {
	err = onFiles(ctx, path, func(fs filesystem.Interface) error {
		file, err := fs.OpenRead(ctx, path)
		if err != nil {
			return err
		}
		s = &shard{arrived: new(counter), file: file}
		s.packed = bufio.NewReaderSize(io.TeeReader(file, s.arrived), 1<<20)
		if s.Reader, err = source.Unpacked(s.packed, source.FreeBinary, 0); err != nil {
			file.Close()
		}
		return err
	})
	return s, err
}

func (s *shard) Close() error { return s.file.Close() }

// readFile reads a whole file, as it is.
func readFile(ctx context.Context, path string) (content []byte, err error) {
	err = onFiles(ctx, path, func(fs filesystem.Interface) error {
		content, err = filesystem.Read(ctx, fs, path)
		return err
	})
	return content, err
}

// writeFile gives a file of a folder its content at once: it writes under another name, which no glob of shards matches, and
// renames.
func writeFile(ctx context.Context, folder, name string, write func(io.Writer) error) (File, error) {
	path, hash, written := within(folder, name), sha256.New(), new(counter)
	err := onFiles(ctx, path, func(fs filesystem.Interface) error {
		part := within(folder, ".part-"+rand.Text())
		file, err := fs.OpenWrite(ctx, part)
		if err != nil {
			return err
		}
		to := bufio.NewWriterSize(io.MultiWriter(file, hash, written), 1<<20)
		if err = write(to); err == nil {
			err = to.Flush()
		}
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err == nil {
			err = filesystem.Rename(ctx, fs, part, path)
		}
		if remover, ok := fs.(filesystem.Remover); ok && err != nil {
			remover.Remove(ctx, part)
		}
		return err
	})
	return File{Name: name, Bytes: int64(*written), SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

// within is a name in a folder of any file system.
func within(folder, name string) string { return strings.TrimRight(folder, "/") + "/" + name }

// A File describes a file of a folder.
type File struct {
	Name   string `json:"name"`   // within the folder of the manifest
	First  int64  `json:"first"`  // number of its first row; of a block's state, number of the block
	Rows   int64  `json:"rows"`   // 0 in files of no rows
	Bytes  int64  `json:"bytes"`  // its length
	SHA256 string `json:"sha256"` // of its content, in hexadecimal
}

// read reads a file of a folder and compares its content with the SHA-256.
func (f File) read(ctx context.Context, folder string) ([]byte, error) {
	content, err := readFile(ctx, within(folder, f.Name))
	if sum := sha256.Sum256(content); err == nil && hex.EncodeToString(sum[:]) != f.SHA256 {
		err = fmt.Errorf("distributed: %s: %w: not the bytes of the manifest", f.Name, coles.ErrChecksum)
	}
	return content, err
}
