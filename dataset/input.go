package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"coles/internal/npy"
	"coles/internal/source"
)

// What can go wrong here and nowhere else; see the package comment for all errors.
var (
	// ErrMissing: a part that the format requires is not there.
	ErrMissing = errors.New("missing part")
	// ErrDuplicate: something that may be given once is given twice.
	ErrDuplicate = errors.New("given twice")
	// ErrObject: an array of pickled Python objects, or a pickle that asks for a class outside
	// those a dataset needs. Neither is ever built.
	ErrObject = npy.ErrObject
	// ErrLayout: a sound file whose numbers do not lie in it as memory needs them.
	ErrLayout = errors.New("not laid out for mapping")
	// ErrServer: a server does not hand out the file asked for.
	ErrServer = errors.New("the server does not give the file")
)

// ParseError says where in which file reading stopped, and why.
type ParseError struct {
	File   string // file or archive member; a plain word such as "edges" for an unnamed stream
	Line   int    // 1-based; 0 for a binary format
	Column int    // 1-based, in bytes; 0 when the whole line is meant
	Offset int64  // byte offset in a binary file; negative when the place is not one byte
	Err    error  // wraps a named error, or the reader's own
	Advice []Advice
}

// An Advice names an option that decides how such a place is read.
type Advice struct {
	Field string // of [EdgeListOptions]: "Header", "Missing" or "Kinds"
	Says  string // what it says, such as "whether the first line is a header"
}

// Error formats as file:line:column, or file and byte offset, the cause and the advice.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString("dataset: ")
	b.WriteString(e.File)
	switch {
	case e.Line > 0 && e.Column > 0:
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, ":%d", e.Line)
	case e.Offset >= 0:
		fmt.Fprintf(&b, ": byte %d", e.Offset)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	for _, a := range e.Advice {
		fmt.Fprintf(&b, "; EdgeListOptions.%s says %s", a.Field, a.Says)
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *ParseError) Unwrap() error { return e.Err }

// fault is a fault that concerns a file as a whole.
func fault(file, format string, args ...any) error {
	return placed(file, fmt.Errorf(format, args...))
}

// placed puts a fault into a file: at a byte if it says which, and as it is if it has its place.
func placed(file string, err error) error {
	var parse *ParseError
	var at *source.Error
	switch {
	case err == nil, errors.As(err, &parse):
		return err
	case errors.As(err, &at):
		return &ParseError{File: file, Offset: at.Offset, Err: at.Err}
	}
	return &ParseError{File: file, Offset: -1, Err: err}
}

// faults keeps the first fault, which ends a reading.
type faults struct{ err error }

func (f *faults) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// A folder holds the files of a dataset, each gzipped or not.
type folder struct {
	fsys        fs.FS
	dir, prefix string // of the names in errors, and of each name
}

func (f folder) path(name string) string { return filepath.Join(f.dir, f.prefix+name) }

func (f folder) fault(name, format string, args ...any) error {
	return fault(f.path(name), format, args...)
}

// open opens a file; fs.ErrNotExist says that it is not there.
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
		return u, placed(f.path(name+end), err)
	}
	return nil, f.fault(name, "%w: %w", ErrMissing, fs.ErrNotExist)
}

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
	return f, placed(path, err)
}
