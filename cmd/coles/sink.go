package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"unicode"

	"coles/dataset"
	"coles/internal/link"

	"github.com/urfave/cli/v3"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// A sink is an output: a file, or standard output.
type sink struct {
	path   string
	stdout io.Writer
}

// newSink checks that the output can be written, before any work is done. A binary format does not
// go to a terminal.
func newSink(path string, binary bool, stdout io.Writer) (sink, error) {
	if path == "" {
		path = standard
	}
	s := sink{path, stdout}
	if path == standard {
		if binary && isTerminal(stdout) {
			return s, usagef("a binary format does not go to a terminal; name a file by -o")
		}
		return s, nil
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case err != nil:
		return s, fmt.Errorf("cannot write %s: %w", path, err)
	case !info.IsDir():
		return s, fmt.Errorf("cannot write %s: %s is not a folder", path, folder)
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return s, fmt.Errorf("cannot write %s: it is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return s, nil // a pipe or a device, which is written to as it is
	}
	// What stands beside it will take its name: there must be leave to create that.
	f, err := os.CreateTemp(folder, ".coles-*")
	if err != nil {
		return s, fmt.Errorf("cannot write %s: %w", path, err)
	}
	f.Close()
	return s, os.Remove(f.Name())
}

// differentFiles refuses an output that is one of the inputs of a command line: these files, and
// those that options name.
func differentFiles(c *cli.Command, files []string, option, output string) error {
	files = slices.Clip(files) // what stands behind them is the caller's
	for _, name := range []string{"features", "labels", "ids", "splits", "settings", "with", "resume"} {
		if option != "-checkpoint" || name != "resume" { // a training goes on in the same file
			files = append(files, c.String(name))
		}
	}
	for _, input := range files {
		if sameFile(input, output) {
			return usagef("%s %s is a file that is read", option, output)
		}
	}
	return nil
}

// sameFile reports whether two names lead to one file, be it there already or not; standard input
// and output and devices do not count.
func sameFile(a, b string) bool {
	if a == "" || b == "" || a == standard || b == standard {
		return false
	}
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return first.Mode().IsRegular() && os.SameFile(first, second)
	}
	return target(a) == target(b)
}

// target is the whole name of the file that a path leads to, which may not be there.
func target(path string) string {
	path = link.Target(path)
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// writeIDsFlag is the option of [newIDsSink].
func writeIDsFlag() cli.Flag {
	return fileFlag("write-ids", "write the ids of the rows to `FILE`, one a line, for a format that has none, such as npy")
}

// An idsSink is where ids go, nowhere if nil.
type idsSink struct{ *sink }

// newIDsSink is the file of -write-ids, which is none of these files nor that of the output.
func newIDsSink(c *cli.Command, files []string, output string, s streams) (idsSink, error) {
	path := c.String("write-ids")
	switch {
	case path == "":
		return idsSink{}, nil
	case path == standard, sameFile(path, output), sameFile(path, c.String("model")):
		return idsSink{}, usagef("-write-ids %s: want a file of its own", path)
	}
	if err := differentFiles(c, files, "-write-ids", path); err != nil {
		return idsSink{}, err
	}
	out, err := newSink(path, false, s.stdout)
	return idsSink{&out}, err
}

// write writes the ids of n rows.
func (o idsSink) write(ctx context.Context, ids []string, n int) error {
	if o.sink == nil {
		return nil
	}
	return o.sink.write(ctx, func(w io.Writer) error { return writeIDs(w, ids, n) })
}

// write fills the output by way of f: a file appears whole or not at all, and not once ctx is done.
func (s sink) write(ctx context.Context, f func(io.Writer) error) error {
	stoppable := func(w io.Writer) error {
		b := bufio.NewWriterSize(cancelWriter{ctx, w}, bufferSize)
		if err := f(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return ctx.Err()
	}
	if s.path != standard {
		return dataset.WriteFile(s.path, stoppable)
	}
	stdout := s.stdout
	if isTerminal(stdout) {
		stdout = visible(stdout)
	}
	if err := stoppable(stdout); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

// visible writes text with pictures in the place of control characters but tabs and line ends: ids
// come from files, and a terminal would obey what stands in them. Text comes in whole runes at the
// end, when the buffer before it is flushed.
func visible(w io.Writer) io.Writer {
	return transform.NewWriter(w, runes.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', !unicode.IsControl(r):
			return r
		case r < ' ':
			return '␀' + r
		}
		return unicode.ReplacementChar
	}))
}

// A cancelWriter writes until ctx is done.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c cancelWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}
