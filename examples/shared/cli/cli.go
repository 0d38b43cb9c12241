// Package cli has the parts that example programs share: how they run, read flags, show progress, call
// themselves and keep features in a file.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
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
	"coles/dataset"

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

// Rows measures jobs one by one and prints each row as soon as it is there, as Markdown below head
// or as a line of JSON. Where there are several jobs, each runs in its own process, so that its
// peak memory and its first run are its own: this program again, with args that choose the job.
func Rows[J, R fmt.Stringer](ctx context.Context, stdout, stderr io.Writer, head string, asJSON bool, jobs []J, measure func(context.Context, J) (R, error), args func(J) []string) ([]R, error) {
	if !asJSON {
		fmt.Fprint(stdout, head)
	}
	if len(jobs) > 1 {
		measure = func(ctx context.Context, j J) (R, error) { return Again[R](ctx, args(j)...) }
	}
	var rows []R
	for _, j := range jobs {
		fmt.Fprintln(stderr, j)
		r, err := measure(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", j, err)
		}
		if asJSON {
			err = json.NewEncoder(stdout).Encode(r)
		} else {
			_, err = fmt.Fprintln(stdout, r)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Again runs this program again, which is to print a row in JSON.
func Again[R any](ctx context.Context, args ...string) (row R, err error) {
	self, err := os.Executable()
	if err != nil {
		return row, err
	}
	out, err := Output(ctx, nil, self, args...)
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(out, &row)
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

// Mapped puts a matrix of float32 into a temporary .npy file, in the folder that TMPDIR names, and maps
// it. The file has no name any more then, and its room on the disk ends with the mapping.
func Mapped(x mat.Matrix) (*dataset.Mapped, error) {
	dir, err := os.MkdirTemp("", "features")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "features.npy")
	if err := dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, x) }); err != nil {
		return nil, err
	}
	return dataset.MapNPY(path)
}

// Prepared prepares a matrix as a model that is fitted to it does.
func Prepared(ctx context.Context, how coles.Preparation, x mat.Matrix) (mat.Matrix, error) {
	p, err := how.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return p.Apply(ctx, x)
}
