// Package cli has the parts that example programs share: how they run, read flags, show progress and call others.
package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A Program is a command less its process.
type Program func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// Main runs a program in this process. It exits with status 130 when interrupted, and with 1 after
// any other error, which it prints.
func Main(run Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	name := filepath.Base(os.Args[0])
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(os.Stderr, "%s: interrupted\n", name)
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// A Line of progress is written over and over on a terminal, and is a line each time elsewhere.
type Line struct {
	w        io.Writer
	terminal bool
}

// NewLine is a line of progress on w.
func NewLine(w io.Writer) *Line {
	l := &Line{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		l.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return l
}

// Print replaces the text of the line.
func (l *Line) Print(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.terminal {
		fmt.Fprintf(l.w, "\r%s\x1b[K", text) // and clear what is left of a longer one
	} else {
		fmt.Fprintln(l.w, text)
	}
}

// Note prints a line that stays.
func (l *Line) Note(format string, args ...any) {
	l.Clear()
	fmt.Fprintf(l.w, format+"\n", args...)
}

// Clear takes the line away.
func (l *Line) Clear() {
	if l.terminal {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}

// Output runs a program with additional environment and returns its standard output. An error includes its
// standard error.
func Output(ctx context.Context, environment []string, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), environment...)
	// It takes its temporary files away, for which it needs a moment.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// Prepared prepares a matrix as a model that is fitted to it does.
func Prepared(ctx context.Context, how coles.Preparation, x mat.Matrix) (mat.Matrix, error) {
	p, err := how.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return p.Apply(ctx, x)
}
