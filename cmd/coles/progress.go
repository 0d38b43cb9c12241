package main

import (
	"fmt"
	"io"
	"time"

	"coles"
)

// A progressLine shows how far a fit is, on a terminal only.
type progressLine struct {
	w     io.Writer
	stage string
	last  time.Time
	width int
}

// newProgress returns nil, which shows nothing, unless w is a terminal.
func newProgress(w io.Writer) *progressLine {
	if !isTerminal(w) {
		return nil
	}
	return &progressLine{w: w}
}

// options have a fit report to the line.
func (l *progressLine) options() []coles.Option {
	if l == nil {
		return nil
	}
	return []coles.Option{coles.WithProgress(l.show)}
}

func (l *progressLine) show(stage string, done, total int) {
	if now := time.Now(); stage != l.stage || now.Sub(l.last) >= 50*time.Millisecond {
		l.stage, l.last = stage, now
		text := fmt.Sprintf("%s %d/%d", stage, done, total)
		fmt.Fprintf(l.w, "\r%-*s", l.width, text)
		l.width = max(l.width, len(text))
	}
}

// clear takes the line away.
func (l *progressLine) clear() {
	if l != nil && l.width > 0 {
		fmt.Fprintf(l.w, "\r%*s\r", l.width, "")
	}
}
