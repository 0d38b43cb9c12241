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
	"coles/learn"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// An embedder fits a model, or has one that was read.
type embedder struct {
	s       *session
	fitting task.Fitting
	quiet   bool   // about what the fit chose
	scratch string // a folder for what takes more than memory, or ""
	memory  int64
	choice  *learn.Choice // of the last fit, by labels
}

// readFile reads the file of a model, and has features be read as those that it was fitted to.
func (s *session) readFile(ctx context.Context, path string) error {
	f, err := readPath(ctx, s, path, task.ReadFile)
	if err != nil {
		return err
	}
	if f.Model == nil {
		return fmt.Errorf("%s: %w: a classifier, and no model", nameOf(path), coles.ErrFormat)
	}
	s.opts.Width = task.Wants(f.Model)
	s.file, s.opts.Encoder, s.opts.Only = f, f.Encoder, f.Only
	return nil
}

// newEmbedder has the model at a path embed, or fits one as options say.
func newEmbedder(ctx context.Context, s *session, o *fitOptions, with string, usual task.Purpose) (e *embedder, err error) {
	e = &embedder{s: s}
	if with != "" {
		return e, s.readFile(ctx, with)
	}
	if err := o.read(ctx, s); err != nil {
		return nil, err
	}
	e.fitting, err = o.fitting(s, usual)
	return e, err
}

// keep is the file of a model that was fitted to d.
func (s *session) keep(m task.Model, d *task.Data) *task.File {
	return task.Keep(m, s.opts, d)
}

// wantsFeatures refuses a graph without features for a model that has learnt from some.
func wantsFeatures(m task.Model, x mat.Matrix) error {
	if wanted := task.Wants(m); wanted > 0 && x == nil {
		return fmt.Errorf("the model wants %d features, and the graph has none: name a file of them by -features", wanted)
	}
	return nil
}

func (e *embedder) embed(ctx context.Context, d *task.Data) (task.Model, mat.Matrix, error) {
	defer e.s.progress.clear()
	if e.s.file != nil {
		return e.byModel(ctx, d)
	}
	how := e.fitting
	how.Options = append(how.Options, coles.WithProgress(e.s.progress.show))
	if e.scratch != "" {
		how.Options = append(how.Options, coles.WithScratch(e.scratch, e.left()))
	}
	f, err := d.Fit(ctx, how)
	if err != nil {
		return nil, nil, err
	}
	e.choice = f.Choice
	e.s.note("", f.Notes...)
	if said := f.Notice(); said != "" && !e.quiet {
		e.s.warn(errors.New(said))
	}
	return f.Model, f.Rows, nil
}

// byModel embeds by the model that was read.
func (e *embedder) byModel(ctx context.Context, d *task.Data) (task.Model, mat.Matrix, error) {
	f := e.s.file
	if err := wantsFeatures(f.Model, d.Features); err != nil {
		return nil, nil, err
	}
	fitted, ok := f.Model.(*coles.Model)
	if ok && e.s.arcs && fitted.Report().RoleShare == 0 {
		return nil, nil, usagef("-directed: the model was fitted without")
	}
	e.s.progress.show("embed", 0, 0)
	if e.scratch != "" && !d.Apart {
		if !ok {
			return nil, nil, usagef("-memory: a network embeds in memory")
		}
		m, err := fitted.EmbedScratch(ctx, d.Graph, d.Features, e.scratch, e.left())
		return m, task.Embedding(m), err
	}
	y, err := f.Embed(ctx, d)
	return f.Model, y, err
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
