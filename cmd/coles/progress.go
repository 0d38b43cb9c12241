package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A progressLine shows how far the work is, on a terminal only: the stage, its parts done and of
// how many, the time since it began and, by what that brought, the time left. A nil one shows
// nothing.
type progressLine struct {
	w io.Writer

	mu          sync.Mutex
	stage, unit string // no stage: no line
	done, total int
	began, last time.Time   // of the stage, and what is shown of it
	length      int         // of the longest text on the line
	tick        *time.Timer // counts the seconds where nothing is reported
}

// newProgress returns nil, which shows nothing, unless w is a terminal.
func newProgress(w io.Writer) *progressLine {
	if !isTerminal(w) {
		return nil
	}
	return &progressLine{w: w}
}

// show says that so many of total parts of a stage are done; a total of 0 is not known.
func (l *progressLine) show(stage string, done, total int) { l.showIn("", stage, done, total) }

// bytes reports that n bytes of a file of that size are read.
func (l *progressLine) bytes(file string, n, size int64) {
	l.showIn(" MB", "read "+file, int(n>>20), int(size>>20))
}

func (l *progressLine) showIn(unit, stage string, done, total int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if stage == l.stage && now.Sub(l.last) < 50*time.Millisecond {
		return
	}
	if l.stage == "" {
		l.tick = time.AfterFunc(time.Second, l.again)
	}
	if stage != l.stage {
		l.began = now
	}
	l.stage, l.unit, l.done, l.total = stage, unit, done, total
	l.draw(now)
}

// again draws the line every second.
func (l *progressLine) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != "" {
		l.draw(time.Now())
		l.tick.Reset(time.Second)
	}
}

func (l *progressLine) draw(now time.Time) {
	l.last = now
	text := l.stage
	switch {
	case l.total > 0:
		text += fmt.Sprintf(" %d/%d%s", l.done, l.total, l.unit)
	case l.done > 0:
		text += fmt.Sprintf(" %d%s", l.done, l.unit)
	}
	if passed := now.Sub(l.began); passed >= time.Second {
		text += fmt.Sprintf(", %v", passed.Round(time.Second))
		if 0 < l.done && l.done < l.total {
			left := time.Duration(float64(passed) / float64(l.done) * float64(l.total-l.done))
			text += fmt.Sprintf(", %v left", left.Round(time.Second))
		}
	}
	fmt.Fprintf(l.w, "\r%-*s", l.length, text)
	l.length = max(l.length, len(text))
}

// clear takes the line away.
func (l *progressLine) clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != "" {
		l.tick.Stop()
		fmt.Fprintf(l.w, "\r%*s\r", l.length, "")
	}
	l.stage, l.length = "", 0
}

// isTerminal reports whether a stream is a terminal: a character device that is not the one which
// swallows everything.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
