package main

import (
	"fmt"
	"io"
	"os"
)

// A liveLine is a line that is written over and over on a terminal, and a line each
// time elsewhere.
type liveLine struct {
	w        io.Writer
	terminal bool
}

func newLiveLine(w io.Writer) *liveLine {
	l := &liveLine{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		l.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return l
}

func (l *liveLine) print(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.terminal {
		fmt.Fprintf(l.w, "\r%s\x1b[K", text) // and clear what is left of a longer one
	} else {
		fmt.Fprintln(l.w, text)
	}
}

// end leaves the line as it is.
func (l *liveLine) end() {
	if l.terminal {
		fmt.Fprintln(l.w)
	}
}
