package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"coles"
	"coles/dataset"
	"coles/gnn"
	"coles/internal/peak"
	"coles/task"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// embeddingOutput says where an embedding goes.
type embeddingOutput struct {
	path, format, model string
	digits              int
	ids                 idsOptions
	json                bool
}

func (o *embeddingOutput) flags() []cli.Flag {
	to := ofOutput.text(&o.format, "to", "`FORMAT` to write: "+formatNames(holdsEmbedding)+"; by the name of the file if not given")
	to.Aliases = []string{"format"}
	return []cli.Flag{
		ofOutput.file(&o.path, "o", "write to `FILE`"),
		ofOutput.whole(&o.digits, "digits", "significant `DIGITS` of numbers in text (default: as few as read back to the same number)"),
		to,
		ofOutput.file(&o.model, "model", "keep the model in `FILE`"),
		o.ids.flag(),
	}
}

// check refuses options that contradict one another.
func (o *embeddingOutput) check() error {
	toStdout := cmp.Or(o.path, standard) == standard
	switch {
	case o.json && toStdout:
		return usagef("-json prints on standard output: name a file for the embedding by -o")
	case o.model == standard && (toStdout || o.json):
		return usagef("-model - and the rest would both go to standard output")
	case sameFile(o.model, o.path):
		return usagef("-model and -o are the same file")
	}
	return nil
}

// A maker makes a model, or has one, and an embedding by it.
type maker func(ctx context.Context, d *task.Data) (*task.Fitted, error)

// An embedding is what a command makes of a graph and writes.
type embedding struct {
	o                   *embeddingOutput
	to                  dataset.Format
	vectors, ids, model sink
	verbose             bool
	new                 *newcomerOptions
}

// embedSummary is the output of -json.
type embedSummary struct {
	Nodes    int `json:"nodes"`
	Edges    int `json:"edges"`
	Features int `json:"features"`
	Dim      int `json:"dim"`
	Seconds  struct {
		Read  float64 `json:"read"`
		Embed float64 `json:"embed"` // the fit included
		Write float64 `json:"write"`
	} `json:"seconds"`
	PeakBytes int64 `json:"peak_bytes"` // of memory that the process has held
	Fit       any   `json:"fit"`        // report of the model, also where it was read
}

// write reads a graph, embeds it and writes what comes out.
func (w *embedding) write(ctx context.Context, s *session, newMaker func() (maker, error)) error {
	if err := w.open(s); err != nil {
		return err
	}
	var summary embedSummary
	s.files.AsItIs = w.to.Graph
	seconds := stopwatch()
	embed, err := newMaker()
	if err != nil {
		return err
	}
	d, err := s.read(ctx)
	if err != nil {
		return err
	}
	summary.Nodes, summary.Edges = d.Graph.Nodes(), d.Graph.Report().Edges
	switch {
	case s.files.Options.Only != nil && w.to.Graph:
		return usagef("%s holds a graph, and -only wants some of its nodes: name another format by -to", w.to.Name)
	case s.files.Options.Only != nil && d.Wanted == 0:
		return usagef("-only is for edges in text, or in the file of a graph tool")
	}
	if w.new.given() {
		k := &newcomers{s: s, old: d}
		if d, err = k.read(ctx, w.new); err != nil {
			return err
		}
		embed, summary.Nodes, summary.Edges = k.embed, len(d.IDs), len(k.edges)
	}
	if err := writableIDs(w.to, d.Dataset, summary.Nodes); err != nil {
		return err
	}
	s.warnOfIDs(w.ids, w.to, d.IDs)
	summary.Seconds.Read = seconds()
	f, err := embed(ctx, d)
	if err != nil {
		return err
	}
	summary.Seconds.Embed = seconds()
	kept := task.Keep(f.Model, s.files.Options, d)
	summary.Features = d.Columns()
	d, y := d.Only(f.Rows)
	s.note("", task.ZeroRows(y, d.IDs)...)
	if err := w.put(ctx, kept, d, y); err != nil {
		return err
	}
	summary.Seconds.Write = seconds()

	_, summary.Dim = y.Dims()
	summary.Fit = reportOf(f.Model)
	summary.PeakBytes = peak.Bytes()
	if w.verbose {
		fmt.Fprintln(s.stderr, summary.Fit)
		fmt.Fprintf(s.stderr, "read %.2f s, embed %.2f s, write %.2f s\n", summary.Seconds.Read, summary.Seconds.Embed, summary.Seconds.Write)
	}
	if w.o.json {
		return printJSON(s.stdout, summary)
	}
	return nil
}

// reportOf is the report of a model of either kind.
func reportOf(m task.Model) any {
	if m, ok := m.(*gnn.Model); ok {
		return m.Report()
	}
	return m.(*coles.Model).Report()
}

// stopwatch returns a function that gives the seconds since its last call.
func stopwatch() func() float64 {
	last := time.Now()
	return func() float64 {
		now := time.Now()
		passed := now.Sub(last).Seconds()
		last = now
		return passed
	}
}

// open finds what would only fail after the work is done.
func (w *embedding) open(s *session) (err error) {
	o := w.o
	if err := s.atLeast1("digits", o.digits); err != nil {
		return err
	}
	path := cmp.Or(o.path, standard)
	if w.to, err = embeddingFormat(o.format, path); err != nil {
		return err
	}
	if w.to.Binary && o.digits > 0 {
		return usagef("-digits: %s is not text, and has all", w.to.Name)
	}
	if w.to.Graph && w.new.given() {
		return usagef("-new-features: %s holds a graph, and new nodes are vectors only; name another format by -to", w.to.Name)
	}
	if w.vectors, err = s.output(s.args, "-o", path, w.to.Binary); err != nil {
		return err
	}
	if w.ids, err = o.ids.output(s, s.args, path, o.model); err != nil {
		return err
	}
	w.model, err = s.output(s.args, "-model", o.model, true)
	return err
}

// put writes the model, the ids and y, which replaces the features of d.
func (w *embedding) put(ctx context.Context, f *task.File, d *task.Data, y mat.Matrix) error {
	if err := w.model.write(ctx, func(to io.Writer) error { _, err := f.WriteTo(to); return err }); err != nil {
		return err
	}
	rows, _ := y.Dims()
	if err := w.ids.write(ctx, func(to io.Writer) error { return writeIDs(to, d.IDs, rows) }); err != nil {
		return err
	}
	embedded := *d.Dataset
	embedded.Features, embedded.FeatureNames = dataset.Digits(y, w.o.digits), nil
	return w.vectors.write(ctx, func(to io.Writer) error { return w.to.Write(to, &embedded) })
}
