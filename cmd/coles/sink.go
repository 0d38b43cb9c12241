package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"coles/dataset"
)

// A sink is an output: a file, or standard output.
type sink struct {
	path   string
	stdout io.Writer
}

// newSink checks that the output can be written, before any work is done.
// A binary format does not go to a terminal.
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
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return s, fmt.Errorf("cannot write %s: it is a folder", path)
	}
	return s, nil
}

// write fills the output by way of f: a file appears whole or not at all, and
// not once ctx is done.
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
	if err := stoppable(s.stdout); err != nil {
		return fmt.Errorf("write standard output: %w", err)
	}
	return nil
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
