package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"coles/internal/npy"
	"coles/internal/source"
	"coles/internal/text"
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

// ParseError reports where in which file reading stopped, and why.
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
	Field string // of [EdgeListOptions], such as "Header"
	Value string // that would do, such as "1,2,3"; "" where there is a choice
	Says  string // what it says, such as "whether the first line is a header"
}

// What to do about a first line, a gap, a node without features and a cell that does not fit.
var (
	headerAdvice  = Advice{"Header", "", "whether the first line is a header"}
	gapAdvice     = Advice{"Missing", "", "what to do with gaps"}
	kindAdvice    = Advice{"Kinds", "", "what a column is"}
	unknownAdvice = Advice{"SkipUnknown", "", "that such lines are skipped"}
	nodeAdvice    = Advice{"MissingRows", "", "what to do with such nodes"}
	marksAdvice   = Advice{"MissingMarks", "", "what stands for nothing"}
	repeatsAdvice = Advice{"Repeats", "", "what becomes of them"}
)

func columnsAdvice(columns string) Advice {
	return Advice{"Columns", columns, "which columns an edge is in"}
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
		fmt.Fprintf(&b, "; EdgeListOptions.%s says %s", strings.TrimSpace(a.Field+" "+a.Value), a.Says)
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *ParseError) Unwrap() error { return e.Err }

// fault is a fault that concerns a file as a whole.
func fault(file, format string, args ...any) error {
	return placed(file, fmt.Errorf(format, args...))
}

// on is an error with this advice, which placed hands on.
func (a Advice) on(format string, args ...any) error {
	return &advised{fmt.Errorf(format, args...), []Advice{a}}
}

type advised struct {
	error
	advice []Advice
}

func (e *advised) Unwrap() error { return e.error }

// placed puts a fault into a file: at a line or a byte if it names one, and as it is if it has its place.
func placed(file string, err error) error {
	var parse *ParseError
	if err == nil || errors.As(err, &parse) {
		return err
	}
	parse = &ParseError{File: file, Offset: -1, Err: err}
	var help *advised
	if errors.As(err, &help) {
		parse.Advice = slices.Clone(help.advice)
	}
	var line *text.Error
	var at *source.Error
	switch {
	case errors.As(err, &line):
		parse.Line, parse.Column, parse.Offset, parse.Err = line.Line, line.Column, 0, line.Err
		if line.MaybeHeader {
			parse.Advice = append(parse.Advice, headerAdvice)
		}
	case errors.As(err, &at):
		parse.Offset, parse.Err = at.Offset, at.Err
	}
	return parse
}

// faults keeps the first fault, which ends a reading.
type faults struct{ err error }

func (f *faults) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}
