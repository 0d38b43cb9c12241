package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"coles"
	"coles/task"
)

// An embedder fits a model, or has one that was read.
type embedder struct {
	s       *session
	fitting task.Fitting
	quiet   bool // about what the fit chose
	memory  int64
}

// newEmbedder has the model at a path embed, or fits one as options say.
func newEmbedder(ctx context.Context, s *session, o *fitOptions, with string, usual task.Purpose) (e *embedder, err error) {
	e = &embedder{s: s}
	if with != "" {
		if s.files.By, err = readPath(ctx, s, with, task.ReadFile); err == nil && s.files.By.Model == nil {
			err = fmt.Errorf("%s: %w: a classifier, and no model", nameOf(with), coles.ErrFormat)
		}
		return e, err
	}
	if err := o.read(ctx, s); err != nil {
		return nil, err
	}
	e.fitting, err = o.fitting(s, usual)
	return e, err
}

func (e *embedder) embed(ctx context.Context, d *task.Data) (*task.Fitted, error) {
	defer e.s.progress.clear()
	how := e.fitting
	how.By, how.Progress = e.s.files.By, e.s.progress.show
	if how.Scratch != "" {
		how.Memory = e.left()
	}
	e.s.progress.show("embed", 0, 0)
	f, err := d.Fit(ctx, how)
	if err != nil {
		return nil, err
	}
	e.s.note("", f.Notes...)
	if said := f.Notice(); said != "" && !e.quiet && how.By == nil {
		e.s.warn(errors.New(said))
	}
	return f, nil
}

// left is what remains of the memory besides what was read.
func (e *embedder) left() int64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return max(0, e.memory-int64(m.HeapAlloc))
}

// bytesOf is a size such as 8GB in bytes.
func bytesOf(text string) (bytes int64, ok bool) {
	for unit, size := range map[string]float64{"MB": 1e6, "GB": 1e9, "TB": 1e12} {
		if number, found := strings.CutSuffix(strings.ToUpper(text), unit); found {
			v, err := strconv.ParseFloat(number, 64)
			return int64(v * size), err == nil && v > 0 && v*size < 1e18
		}
	}
	return 0, false
}
