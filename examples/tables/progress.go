package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A progress says what is being measured: on one line, written over and over, on a
// terminal, and a line each elsewhere.
type progress struct {
	w           io.Writer
	terminal    bool
	start       time.Time
	done, total int
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, start: time.Now(), total: total}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// step begins the next of all measurements.
func (p *progress) step(format string, args ...any) {
	p.done++
	text := fmt.Sprintf("%d/%d, %v: ", p.done, p.total, time.Since(p.start).Round(time.Second)) + fmt.Sprintf(format, args...)
	if p.terminal {
		fmt.Fprintf(p.w, "\r%s\x1b[K", text) // and clear what is left of a longer one
	} else {
		fmt.Fprintln(p.w, text)
	}
}

// note says something that is to stay.
func (p *progress) note(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
