package parse

import (
	"fmt"
	"strings"
)

// An Error reports where in which file reading stopped, and why.
type Error struct {
	File   string // file or archive member; a plain word such as "edges" for an unnamed stream
	Line   int    // 1-based; 0 for a binary format
	Column int    // 1-based, in bytes; 0 when the whole line is meant
	Offset int64  // byte offset in a binary file; negative when the place is not one byte
	Err    error  // wraps a named error, or the reader's own
	Advice []Advice
}

// An Advice names an option that decides how such a place is read.
type Advice struct {
	Field string // of [Options], such as "Header"
	Value string // that would do, such as "1,2,3"; "" where there is a choice
	Says  string // what it says, such as "whether the first line is a header"
}

// Error formats as file:line:column, or file and byte offset, the cause and the advice.
func (e *Error) Error() string {
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
		fmt.Fprintf(&b, "; parse.Options.%s says %s", strings.TrimSpace(a.Field+" "+a.Value), a.Says)
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }
