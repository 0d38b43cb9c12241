package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"coles/dataset/internal/place"
	"coles/internal/npy"
	"coles/internal/source"
)

// Open reads the file at path, gzipped or not, by way of read: a function such as [ReadNPZ], or one
// that calls it. Errors name the path, and a [Dataset] is named after it.
func Open[T any](path string, read func(io.Reader) (T, error)) (v T, err error) {
	f, err := openFile(path)
	if err != nil {
		return v, err
	}
	defer f.Close()
	v, err = read(f)
	if d, ok := any(v).(*Dataset); ok && err == nil && d.Name == "" {
		base := strings.TrimSuffix(filepath.Base(path), ".gz")
		d.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return v, err
}

func openFile(path string) (*source.File, error) {
	f, err := source.Open(path)
	var system *fs.PathError
	if errors.As(err, &system) { // names the path
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return f, place.In(path, err)
}

// A folder holds the files of a dataset, each gzipped or not.
type folder struct {
	fsys        fs.FS
	dir, prefix string // of the names in errors, and of each name
}

func (f folder) path(name string) string { return filepath.Join(f.dir, f.prefix+name) }

func (f folder) fault(name, format string, args ...any) error {
	return place.Fault(f.path(name), format, args...)
}

// open opens a file; fs.ErrNotExist if it is not there.
func (f folder) open(name string, free int64) (*source.File, error) {
	for _, end := range []string{"", ".gz"} {
		file, err := f.fsys.Open(f.prefix + name + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, f.fault(name+end, "%w", err)
		}
		u, err := source.Unpack(file, f.path(name+end), free)
		return u, place.In(f.path(name+end), err)
	}
	return nil, f.fault(name, "%w: %w", ErrMissing, fs.ErrNotExist)
}

// What can go wrong here and nowhere else; see the package comment for all errors.
var (
	// ErrMissing: a part that the format requires is not there.
	ErrMissing = place.ErrMissing
	// ErrDuplicate: something that may be given once is given twice.
	ErrDuplicate = place.ErrDuplicate
	// ErrObject: an array of pickled Python objects, or a pickle that asks for a class outside
	// those a dataset needs. Neither is ever built.
	ErrObject = npy.ErrObject
	// ErrLayout: a sound file whose numbers do not lie in it as memory needs them.
	ErrLayout = errors.New("not laid out for mapping")
)

// faults keeps the first fault, which ends a reading.
type faults struct{ err error }

func (f *faults) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}
