package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// The causes a reader or writer can name. Every error of this package that
// comes of its input wraps one of them, so errors.Is tells the cases apart.
var (
	// ErrFormat: the bytes do not follow the format.
	ErrFormat = errors.New("malformed input")
	// ErrTruncated: the input ends before what it announces.
	ErrTruncated = errors.New("truncated input")
	// ErrTooLarge: a size is past a stated bound, or past what the bytes
	// that are there could hold.
	ErrTooLarge = errors.New("too large")
	// ErrObject: an array of pickled Python objects, or a pickle that asks
	// for a class outside those a dataset needs. Neither is ever built.
	ErrObject = errors.New("pickled object refused")
	// ErrMissing: a part the format requires is not there, or a matrix, reader or
	// writer is nil.
	ErrMissing = errors.New("missing part")
	// ErrShape: two parts disagree about their size.
	ErrShape = errors.New("sizes disagree")
	// ErrIndex: a node, column or class index is out of range.
	ErrIndex = errors.New("index out of range")
	// ErrDuplicate: something that may be given once is given twice.
	ErrDuplicate = errors.New("given twice")
	// ErrUnknownNode: an edge or a label names a node that the features file
	// (or, for labels, the edge list) does not have.
	ErrUnknownNode = errors.New("unknown node")
	// ErrNotFinite: a weight or feature is NaN or infinite.
	ErrNotFinite = errors.New("not a finite number")
	// ErrChecksum: the content is not the one its checksum describes.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrLayout: a sound file whose numbers do not lie in it as memory needs them.
	ErrLayout = errors.New("not laid out for mapping")
	// ErrID: a node id cannot be written in the asked format.
	ErrID = errors.New("node id not writable in this format")
	// ErrServer: a server does not hand out the file asked for.
	ErrServer = errors.New("the server does not give the file")
	// ErrOption: a setting is outside its range, or the context nil.
	ErrOption = errors.New("option out of range")
)

// ParseError says where in which file reading stopped, and why.
type ParseError struct {
	File   string // file or archive member; a plain word such as "edges" for an unnamed stream
	Line   int    // 1-based; 0 for a binary format
	Column int    // 1-based, in bytes; 0 when the whole line is meant
	Offset int64  // byte offset in a binary file; negative when the place is not one byte
	Err    error  // wraps one of the sentinels above, or the error of the reader
}

// Error formats as file:line:column, or file and byte offset, and the cause.
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
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *ParseError) Unwrap() error { return e.Err }

// inFile places a fault that concerns a file as a whole.
func inFile(file, format string, args ...any) error {
	return &ParseError{File: file, Offset: -1, Err: fmt.Errorf(format, args...)}
}

// atByte places a fault at one byte of a binary file.
func atByte(file string, offset int64, format string, args ...any) error {
	return &ParseError{File: file, Offset: offset, Err: fmt.Errorf(format, args...)}
}
