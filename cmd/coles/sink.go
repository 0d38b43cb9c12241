package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"coles/dataset"
	"coles/internal/symlink"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// bufferSize suits pipes and disks.
const bufferSize = 1 << 18

// A sink is an output: a file, or standard output, or nowhere if zero.
type sink struct {
	path     string
	stdout   io.Writer
	progress *progressLine
}

// output is the sink at the path that an option names, nowhere for an empty one. It must be none
// of these files, nor any that options read, and no terminal for a binary format.
func (s *session) output(files []string, option, path string, binary bool) (sink, error) {
	if path == "" {
		return sink{}, nil
	}
	files = slices.Clip(files) // what stands behind them is the caller's
	for name, read := range s.reads {
		if option != "-checkpoint" || name != "resume" { // a training goes on in the same file
			files = append(files, read)
		}
	}
	for _, input := range files {
		if sameFile(input, path) {
			return sink{}, usagef("%s %s is a file that is read", option, path)
		}
	}
	if path == standard && binary && isTerminal(s.stdout) {
		return sink{}, usagef("a binary format does not go to a terminal; name a file by -o")
	}
	return sink{path, s.stdout, s.progress}, writable(path)
}

// writable finds, before any work is done, what keeps a file from being written.
func writable(path string) error {
	if path == standard {
		return nil
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", path, err)
	case !info.IsDir():
		return fmt.Errorf("cannot write %s: %s is not a folder", path, folder)
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("cannot write %s: it is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe or a device, which is written to as it is
	}
	// A file next to it will take its name: that file must be creatable.
	f, err := os.CreateTemp(folder, ".coles-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, errors.Unwrap(err)) // without a name that nobody gave
	}
	f.Close()
	return os.Remove(f.Name())
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
	path = symlink.Target(path)
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// write fills the output by way of f: a file appears whole or not at all, and not once ctx is done.
// One whose name ends in .gz is gzipped, without a name or a time.
func (s sink) write(ctx context.Context, f func(io.Writer) error) error {
	if s.path == "" {
		return nil
	}
	if plain := f; strings.EqualFold(filepath.Ext(s.path), ".gz") {
		f = func(w io.Writer) error {
			z := gzip.NewWriter(w)
			if err := plain(z); err != nil {
				return err
			}
			return z.Close()
		}
	}
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
		s.progress.show("write "+s.path, 0, 0)
		defer s.progress.clear()
		return dataset.WriteFile(s.path, stoppable)
	}
	stdout := s.stdout // perhaps to a pager, whose screen shows no progress
	if isTerminal(stdout) {
		stdout = visible(stdout)
	}
	if err := stoppable(stdout); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
}

// visible writes text with pictures instead of control characters but tabs and line ends: ids
// come from files, and a terminal would obey their contents. Text comes in whole runes at the
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
