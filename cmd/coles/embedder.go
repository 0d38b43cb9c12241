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

// how has the model at a path embed, or fits one as the options say.
func (o *fitOptions) how(ctx context.Context, s *session, with string, usual task.Purpose) (how task.Fitting, err error) {
	if with == "" {
		if err := o.read(ctx, s); err != nil {
			return how, err
		}
		return o.fitting(s, usual)
	}
	if s.files.By, err = readPath(ctx, s, with, task.ReadFile); err == nil && s.files.By.Model == nil {
		err = fmt.Errorf("%s: %w: a classifier, and no model", nameOf(with), coles.ErrFormat)
	}
	return task.Fitting{By: s.files.By}, err
}

// embed embeds data; of the memory remains what they leave.
func (s *session) embed(ctx context.Context, d *task.Data, how task.Fitting) (*task.Fitted, error) {
	defer s.progress.clear()
	s.progress.show("embed", 0, 0)
	if how.Progress = s.progress.show; how.Scratch != "" {
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		how.Memory = max(0, how.Memory-int64(m.HeapAlloc))
	}
	f, err := d.Fit(ctx, how)
	if err != nil {
		return nil, err
	}
	s.note("", f.Notes...)
	if said := f.Notice(); said != "" && !s.quiet && how.By == nil {
		s.warn(errors.New(said))
	}
	return f, nil
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
