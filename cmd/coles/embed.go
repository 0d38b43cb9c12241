package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"coles"
	"coles/dataset"
	"coles/internal/peak"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const embedDescription = `Embeds the nodes of GRAPH and writes one row per node to standard output, as
text, or to the file of -o. For a graph without features some are made of its
edges. Written as npz, the embedding stands in the place of the features, beside
the graph and its labels.

A fit in float32, the default, is written in float32: text has the fewest digits
that read back to the same number of it, and npy and npz take half the bytes.

-settings reads what -print-settings prints; -model keeps a model, with which
-with embeds the same graph grown, or another one with the same features.
-new-features embeds nodes that join the graph, alone: their vectors are made of
their own features and of their neighbours', and no other node's changes; without
features -new-edges alone does.

-knn joins the rows of -features to the nearest, in the place of GRAPH. Its model
keeps them, and embeds more rows by -with MODEL -features FILE alone.

Examples:
   coles embed friends.tsv -features profiles.csv -o friends.npy
   coles embed cora.npz -dim 64 -filter s2gc:8,0.05 -o cora.txt -model cora.model
   zcat friends.tsv.gz | coles embed -with friends.model -features profiles.csv > friends.out
   coles embed web.csr -features web.npy -scratch /var/tmp -memory 8GB -o vectors.npy
   coles embed friends.tsv -features profiles.csv -with friends.model -new-features kim.csv -new-edges kim.tsv`

func embedCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "embed", Usage: "a vector for every node of a graph",
		ArgsUsage: "[GRAPH]", Description: describe(embedDescription),
		Flags: append(slices.Concat(graphFlags(), settingsFlags(), outputFlags(), newcomerFlags()), directedFlag(),
			fileFlag("with", "do not fit, embed with the model in `FILE`, also one of \"coles train\""),
			&cli.StringFlag{Name: "memory", Usage: "fit in the folder of -scratch what is larger than memory, of which it takes `SIZE`, such as 8GB"},
			&cli.BoolFlag{Name: "print-settings", Usage: "print the settings as JSON and do nothing"},
			&cli.BoolFlag{Name: "json", Usage: "print sizes, seconds and what the fit did as JSON; with -o FILE"},
			&cli.BoolFlag{Name: "verbose", Usage: "say on standard error what was done"},
		),
		Action: action(s, embed),
	}
}

// outputFlags are the options that say where an embedding goes.
func outputFlags() []cli.Flag {
	return []cli.Flag{
		fileFlag("o", "write to `FILE`"),
		&cli.IntFlag{Name: "digits", Usage: "significant `DIGITS` of numbers in text (default: as few as read back to the same number)"},
		&cli.StringFlag{Name: "to", Aliases: []string{"format"}, Usage: "`FORMAT` to write: " + formatNames(holdsEmbedding) + "; by the name of the file if not given"},
		fileFlag("model", "keep the model in `FILE`"),
		writeIDsFlag(),
	}
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

func embed(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	if c.Bool("print-settings") {
		return printSettings(ctx, c, in, s.stdout)
	}
	return writeEmbedding(ctx, c, in, s, func() (maker, error) { return newEmbedder(ctx, c, in) })
}

// A maker makes a model, or has one, and an embedding by it.
type maker interface {
	embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (model, mat.Matrix, error)
}

// writeEmbedding reads a graph, embeds it and writes what comes out.
func writeEmbedding(ctx context.Context, c *cli.Command, in *inputs, s streams, newMaker func() (maker, error)) error {
	out, err := newEmbedOutput(c, s)
	if err != nil {
		return err
	}
	var summary embedSummary
	in.arcs, in.directed = c.Bool("directed"), out.to.Graph
	seconds := stopwatch()
	e, err := newMaker()
	if err != nil {
		return err
	}
	d, g, err := readArgument(ctx, c, in)
	if err != nil {
		return err
	}
	summary.Nodes, summary.Edges = g.Nodes(), g.Report().Edges
	if c.IsSet("new-features") || c.IsSet("new-edges") {
		k := &newcomers{model: e.(*embedder).model, old: d.Features}
		if d, err = k.read(ctx, c, in, d); err != nil {
			return err
		}
		e, summary.Nodes, summary.Edges = k, len(d.IDs), len(k.edges)
	}
	if err := writableIDs(out.to, d, summary.Nodes); err != nil {
		return err
	}
	out.ids.warnOfIDs(in, out.to, d.IDs)
	summary.Seconds.Read = seconds()
	m, y, err := e.embed(ctx, g, d.Features)
	if err != nil {
		return err
	}
	summary.Seconds.Embed = seconds()
	in.warnOfZeros(y, d.IDs)
	if err := out.write(ctx, in, m, d, y); err != nil {
		return err
	}
	summary.Seconds.Write = seconds()

	summary.Features, summary.Dim = columns(d.Features), columns(y)
	summary.Fit, _ = reportOf(m)
	summary.PeakBytes = peak.Bytes()
	if c.Bool("verbose") {
		fmt.Fprintln(s.stderr, summary.Fit)
		fmt.Fprintf(s.stderr, "read %.2f s, embed %.2f s, write %.2f s\n", summary.Seconds.Read, summary.Seconds.Embed, summary.Seconds.Write)
	}
	if c.Bool("json") {
		return printJSON(s.stdout, summary)
	}
	return nil
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

// An embedOutput is where an embedding goes, and perhaps its ids and its model.
type embedOutput struct {
	to                  dataset.Format
	digits              int
	vectors, ids, model sink
}

// newEmbedOutput finds what would only fail after the work is done.
func newEmbedOutput(c *cli.Command, s streams) (o embedOutput, err error) {
	if err := checkEmbedFlags(c); err != nil {
		return o, err
	}
	if err := atLeast1(c, "digits"); err != nil {
		return o, err
	}
	o.digits = c.Int("digits")
	path, files := cmp.Or(c.String("o"), standard), c.Args().Slice()
	if o.to, err = embeddingFormat(c.String("to"), path); err != nil {
		return o, err
	}
	if o.to.Binary && o.digits > 0 {
		return o, usagef("-digits: %s is not text, and has all", o.to.Name)
	}
	if o.to.Graph && (c.IsSet("new-features") || c.IsSet("new-edges")) {
		return o, usagef("-new-features: %s holds a graph, and new nodes are vectors only; name another format by -to", o.to.Name)
	}
	if o.vectors, err = newOutput(c, files, "-o", path, o.to.Binary, s); err != nil {
		return o, err
	}
	if o.ids, err = newIDsOutput(c, files, path, s); err != nil {
		return o, err
	}
	o.model, err = newOutput(c, files, "-model", c.String("model"), true, s)
	return o, err
}

// write writes the model, the ids and y, which replaces the features of d.
func (o embedOutput) write(ctx context.Context, in *inputs, m model, d *dataset.Dataset, y mat.Matrix) error {
	if err := o.model.write(ctx, func(w io.Writer) error { return in.writeModel(w, m) }); err != nil {
		return err
	}
	rows, _ := y.Dims()
	if err := o.ids.write(ctx, func(w io.Writer) error { return writeIDs(w, d.IDs, rows) }); err != nil {
		return err
	}
	embedded := *d
	embedded.Features, embedded.FeatureNames = dataset.Digits(y, o.digits), nil
	return o.vectors.write(ctx, func(w io.Writer) error { return o.to.Write(w, &embedded) })
}

// checkEmbedFlags refuses options that contradict one another.
func checkEmbedFlags(c *cli.Command) error {
	toStdout := cmp.Or(c.String("o"), standard) == standard
	switch {
	case c.Bool("json") && toStdout:
		return usagef("-json prints on standard output: name a file for the embedding by -o")
	case c.String("model") == standard && (toStdout || c.Bool("json")):
		return usagef("-model - and the rest would both go to standard output")
	case sameFile(c.String("model"), c.String("o")):
		return usagef("-model and -o are the same file")
	case c.IsSet("with") && c.IsSet("model"):
		return usagef("-model keeps a model that is fitted, and -with has one already")
	case (c.IsSet("new-features") || c.IsSet("new-edges")) && !c.IsSet("with"):
		return usagef("new nodes are embedded by -with MODEL -new-features FILE and perhaps -new-edges FILE, without features by -new-edges alone")
	}
	return changesNoFit(c)
}

// An embedder fits a model, or has one that was read.
type embedder struct {
	in       *inputs
	settings fitSettings
	usual    purpose // of vectors; classification unless a command sets another
	choose   fitter  // where no setting says the kind of model and there are features; nil for s
	model    model
	progress *progressLine
	warn     func(error) // of what is left out
	scratch  string      // a folder for what takes more than memory, or ""
	memory   int64
}

// A fitter fits a model as [coles.Fit] does.
type fitter func(ctx context.Context, g *coles.Graph, x mat.Matrix, opts ...coles.Option) (*coles.Model, error)

func newEmbedder(ctx context.Context, c *cli.Command, in *inputs) (*embedder, error) {
	e := &embedder{in: in, progress: in.progress, warn: in.text.Warn}
	if c.IsSet("memory") {
		var ok bool
		if e.memory, ok = bytesOf(c.String("memory")); !ok || !c.IsSet("scratch") {
			return nil, usagef("-memory %s: want a size such as 8GB or 500MB, and -scratch FOLDER", c.String("memory"))
		}
		e.scratch = c.String("scratch")
	}
	var err error
	if c.IsSet("with") {
		e.model, err = in.readModel(ctx, c.String("with"))
		return e, err
	}
	e.settings, err = readSettings(ctx, c, in)
	return e, err
}

func (e *embedder) embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (model, mat.Matrix, error) {
	if e.model != nil {
		if err := wantsFeatures(e.model, x); err != nil {
			return nil, nil, err
		}
		if fitted, ok := e.model.(*coles.Model); ok && e.in.arcs {
			if roles, _ := fitted.Roles(); roles == nil {
				return nil, nil, usagef("-directed: the model was fitted without")
			}
		}
		e.progress.show("embed", 0, 0)
		defer e.progress.clear()
		if e.scratch != "" && e.in.place == nil {
			fitted, ok := e.model.(*coles.Model)
			if !ok {
				return nil, nil, usagef("-memory: a network embeds in memory")
			}
			m, err := fitted.EmbedScratch(ctx, g, x, e.scratch, e.left())
			return m, embeddingOf(m), err
		}
		var y *mat.Dense
		var err error
		if e.in.place != nil {
			y, err = placed(ctx, e.model.(*coles.Model), e.in.place, x)
		} else {
			y, err = e.model.Embed(ctx, g, x)
		}
		if err != nil {
			return nil, nil, err
		}
		return e.model, narrowed(e.model, y), nil
	}
	s, err := e.settings(e.usual, g.Nodes(), columns(x))
	if err != nil {
		return nil, nil, err
	}
	if err := e.in.shareRows(ctx, &s, x); err != nil {
		return nil, nil, err
	}
	fit, warn := coles.Fit, e.warn
	switch {
	case s.Kind != 0 || x == nil:
	case e.choose != nil:
		fit, e.warn = e.choose, func(error) {} // it is said with the choice
	case e.in.rows != nil: // neighbours agree with the features that made them
		s.Kind = coles.UseGraph
	}
	defer e.progress.clear()
	options := []coles.Option{coles.WithProgress(e.progress.show), coles.WithSettings(s)}
	if e.scratch != "" {
		options = append(options, coles.WithScratch(e.scratch, e.left()))
	}
	m, err := fit(ctx, g, x, options...)
	if err == nil && m.Report().WeightUnit > 0 {
		warn(fmt.Errorf("weights of edges span decades, so that w counts as log(1 + w/%.3g), by the median; -weight-span 0 takes them as they are", m.Report().WeightUnit))
	}
	if err == nil && m.Report().Notice() != "" {
		e.warn(errors.New(m.Report().Notice()))
	}
	return m, embeddingOf(m), err
}

// embeddingOf is the embedding of a model, in the precision of its fit.
func embeddingOf(m *coles.Model) mat.Matrix {
	if m == nil {
		return nil
	}
	if y := m.Embedding32(); y != nil {
		return y
	}
	return m.Embedding()
}

// narrowed is an embedding in float32 if the model's is, so that it is written like the embedding of
// the fit.
func narrowed(m model, y *mat.Dense) mat.Matrix {
	fitted, ok := m.(*coles.Model)
	if !ok || fitted.Report().Precision != coles.Float32 {
		return y
	}
	raw := y.RawMatrix()
	single := &coles.Dense32{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: make([]float32, len(raw.Data))}
	for k, v := range raw.Data {
		single.Data[k] = float32(v)
	}
	return single
}

func printSettings(ctx context.Context, c *cli.Command, in *inputs, stdout io.Writer) error {
	settings, err := readSettings(ctx, c, in)
	if err != nil {
		return err
	}
	s, err := settings(forClassification, math.MaxInt, math.MaxInt)
	if err != nil {
		return err
	}
	return printJSON(stdout, s)
}

func printJSON(w io.Writer, v any) error {
	encode := json.NewEncoder(w)
	encode.SetIndent("", "  ")
	encode.SetEscapeHTML(false)
	return encode.Encode(v)
}

// columns is the width of a matrix, 0 for none.
func columns(x mat.Matrix) int {
	if x == nil {
		return 0
	}
	_, c := x.Dims()
	return c
}
