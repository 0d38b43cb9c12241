package main

import (
	"fmt"
	"io"
	"os"

	"coles"
)

// A line shows progress on a terminal, and nothing elsewhere.
type line struct {
	w     io.Writer
	width int
}

func progressLine(w io.Writer) *line {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return &line{w: w}
		}
	}
	return &line{w: io.Discard}
}

func (l *line) show(p coles.Progress) {
	text := fmt.Sprintf("%s %d/%d", p.Stage, p.Done, p.Total)
	fmt.Fprintf(l.w, "\r%-*s", l.width, text)
	l.width = max(l.width, len(text))
}

func (l *line) clear() {
	if l.width > 0 {
		fmt.Fprintf(l.w, "\r%*s\r", l.width, "")
	}
}
