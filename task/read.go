package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/source"

	"gonum.org/v1/gonum/mat"
)

// Read reads data and makes their graph. Features in text are read together with edges in text, by the ids of both. Rows
// without edges join their nearest, unless a model places them. Features alike for all nodes are left out. Errors name a file,
// and are [ErrWrongFormat] or those of package dataset and [Join].
func (f *Files) Read(ctx context.Context) (*Data, error) {
	d, err := f.Load(ctx)
	if err != nil {
		return nil, err
	}
	at := cmp.Or(f.Graph, f.Features)
	switch {
	case at == nil:
		return f.By.known()
	case f.Graph == nil:
		err = f.join(ctx, d)
	case f.By == nil && leaveOutAlike(d.Dataset):
		f.Options.Encoder = nil
		f.note("", "the features are the same for all nodes, and are left out")
	}
	if err == nil && d.Graph == nil {
		var opts []coles.GraphOption
		if f.Arcs {
			opts, d.Sides = append(opts, coles.WithArcs()), nil // arcs say more
		}
		f.stage("build the graph")
		d.Graph, err = d.Dataset.Graph(opts...)
	}
	if err != nil {
		return nil, at.errAt(err)
	}
	if (f.AsItIs || f.Arcs) && d.Adjacency == nil {
		d.Adjacency = d.Graph.CSR()
	}
	if f.Arcs && d.Graph.Report().MirrorsAdded == 0 {
		f.note(at.Path+": ", "every edge is there in both directions")
	}
	if f.By != nil {
		notes, err := f.By.take(d)
		for _, n := range notes {
			f.note(at.Path+" ", n.Text, n.Advice...)
		}
		return d, at.errAt(err)
	}
	return d, nil
}

// join joins rows of features, unless a model places them.
func (f *Files) join(ctx context.Context, d *Data) (err error) {
	n, _ := d.Features.Dims()
	if d.Apart = f.By != nil && f.By.placesRows() && f.Nearest == 0; d.Apart {
		d.Graph, err = coles.NewGraph(n, nil, named(d.Dataset)...)
		return err
	}
	if f.Nearest <= 0 {
		k := usualNearest(n)
		f.note("", fmt.Sprintf("no edges are given: each row of %s is joined to the %d nearest", f.Features.Path, k), parse.Advice{Field: "Nearest", Value: strconv.Itoa(k), Says: "does the same"})
	}
	f.stage("find the nearest rows")
	of, err := Join(ctx, d.Dataset, f.Nearest)
	if err == nil {
		d.Graph, d.Joined = of.Graph, true
	}
	return err
}

// Load reads data as the files hold them, and makes no graph.
func (f *Files) Load(ctx context.Context) (d *Data, err error) {
	defer func() {
		f.Graph.Close()
		f.Features.Close()
		f.Labels.Close()
	}()
	if f.By != nil {
		f.Options.Width, f.Options.Encoder = wants(f.By.Model), f.By.Encoder
		if f.Options.Only == nil {
			f.Options.Only = f.By.Only
		}
	}
	f.Options.Warn = func(err error) { f.Notes = append(f.Notes, NoteOf(err)) }
	d, n, given := &Data{}, 0, false
	switch {
	case f.Graph != nil:
		if d.Dataset, given, err = f.graph(ctx); err == nil {
			if n = d.Nodes(); (f.AsItIs || f.Arcs) && d.Adjacency == nil {
				d.Adjacency = d.Undirected.CSR()
			}
			err = f.giveIDs(ctx, d.Dataset, n)
		}
	case f.Features != nil:
		if d.Dataset, err = f.vectors(ctx, f.Features, ""); err == nil {
			n, _ = d.Features.Dims()
		}
	case f.By != nil && f.By.Rows != nil:
		d.Dataset = f.By.Rows
	default:
		err = fmt.Errorf("a graph, or features: %w", dataset.ErrMissing)
	}
	if err == nil {
		err = f.tell(ctx, d, n, given)
	}
	if err != nil {
		return nil, err
	}
	return d, ctx.Err()
}

// tell gives n nodes labels, unless these are given, names and splits.
func (f *Files) tell(ctx context.Context, d *Data, n int, given bool) error {
	f.Options.Bipartite = f.Options.Bipartite || d.Sides != nil
	if f.Labels != nil && !given {
		if err := f.giveLabels(ctx, d.Dataset, n); err != nil {
			return err
		}
	}
	f.Notes = append(f.Notes, labelsInFeatures(d.Dataset)...)
	if f.Names != nil {
		if err := f.giveNames(ctx, d, n); err != nil {
			return err
		}
	}
	if f.Splits != nil {
		var err error
		d.Splits, err = Read(ctx, f.Splits, func(r io.Reader) ([]dataset.Split, error) { return dataset.ReadSplits(r, n) })
		return err
	}
	return nil
}

// numbers reads vectors in a format, "" for what the name of the file tells. They are no table: a mistyped number would make
// a category of a column.
func (f *Files) numbers(ctx context.Context, s *Source, format string) (*dataset.Dataset, error) {
	e := f.Options.Encoder
	f.Options.Encoder = nil // of the features of a model
	defer func() { f.Options.Encoder = e }()
	d, err := f.vectors(ctx, s, format)
	if err == nil && d.Table != nil {
		err = s.errAt(fmt.Errorf("%w: vectors are numbers, and not all cells are", coles.ErrFormat))
	}
	return d, err
}

// Embedding reads vectors of the nodes, in their order. Without Graph, the data are ids and labels only, and Format is that of
// the vectors. Errors: as [Files.Read], and [coles.ErrShape] or [coles.ErrIDs] for vectors of other nodes.
func (f *Files) Embedding(ctx context.Context, s *Source) (*Data, mat.Matrix, error) {
	format := f.Format
	if f.Graph != nil {
		format = ""
	}
	of, err := f.numbers(ctx, s, format)
	if err != nil {
		return nil, nil, err
	}
	y := of.Features
	if f.Graph == nil && f.Features == nil {
		n, _ := y.Dims()
		of.Features = nil
		d := &Data{Dataset: of}
		return d, y, f.tell(ctx, d, n, false)
	}
	d, err := f.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	if of.IDs == nil && !areNumbers(d.IDs) {
		f.note("", fmt.Sprintf("%s names no nodes, and %s does: rows are taken in its order", s.Path, cmp.Or(f.Graph, f.Features).Path), parse.Advice{Field: "IDs", Says: "names them"})
	}
	return d, y, agree(d.Dataset, of, s)
}

// agree checks that vectors of a source are those of the nodes of d, in their order, and gives these the ids if they lack some.
func agree(d, vectors *dataset.Dataset, s *Source) error {
	if rows, _ := vectors.Features.Dims(); rows != d.Nodes() {
		return s.errAt(fmt.Errorf("%w: %d rows for %d nodes", coles.ErrShape, rows, d.Nodes()))
	}
	for i, id := range d.IDs {
		if vectors.IDs != nil && vectors.IDs[i] != id {
			return s.errAt(fmt.Errorf("%w: row %d is %q, and node %d of the graph %q", coles.ErrIDs, i, vectors.IDs[i], i, id))
		}
	}
	if d.IDs == nil {
		d.IDs = vectors.IDs
	}
	return nil
}

// graph reads the graph, with its features, and reports whether it has labels that are asked for.
func (f *Files) graph(ctx context.Context) (d *dataset.Dataset, labelled bool, err error) {
	form, err := f.Graph.graph(ctx, f.Format)
	if err != nil {
		return nil, false, err
	}
	f.Graph.guess(f.Format, form, f.Because)
	how := f.Options
	how.Undirected = !f.AsItIs && !f.Arcs
	own := how.LabelColumn != "" && (f.Labels == nil || sameFile(f.Graph, f.Labels))
	if !own {
		how.LabelColumn = ""
	}
	if takesAll(form) && f.Labels != nil && !own {
		text, err := f.Labels.open(ctx)
		if err != nil {
			return nil, false, f.Labels.errAt(err)
		}
		how.Labels, how.LabelColumn = source.Called{Reader: text, As: f.Labels.Path}, f.Options.LabelColumn
	}
	defer func() {
		at := f.Graph
		for _, s := range []*Source{f.Labels, f.Features} {
			if s != nil && err != nil {
				if _, named := s.names(err); named {
					at = s
				}
			}
		}
		err = at.errAt(err)
		labelled = err == nil && d.Labels != nil && (how.Labels != nil || how.LabelColumn != "")
	}()
	if f.Features == nil {
		if d, err = f.Graph.dataset(ctx, form, how); err == nil {
			err = f.take(d, f.Graph.Path)
		}
		return d, false, err
	}
	of, err := f.Features.vectors(ctx, "")
	if err != nil {
		return nil, false, err
	}
	if form.Attributes && sameFile(f.Graph, f.Features) || takesAll(form) && (of.Name == textVectors || of.Name == "csv" || of.Name == "jsonl") {
		if how.Format = form.Name; how.LabelColumn == "" && sameFile(f.Features, f.Labels) {
			how.LabelColumn = f.Options.LabelColumn
		}
		x, err := f.Features.open(ctx)
		if err != nil {
			return nil, false, f.Features.errAt(err)
		}
		r, err := f.Graph.open(ctx)
		if err != nil {
			return nil, false, err
		}
		if d, err = dataset.ReadEdgeList(source.Called{Reader: r, As: f.Graph.Path}, source.Called{Reader: x, As: f.Features.Path}, how); err == nil {
			err = f.Features.errAt(f.take(d, f.Features.Path))
		}
		return d, false, err
	}
	features, err := f.vectors(ctx, f.Features, of.Name)
	if err != nil {
		return nil, false, err
	}
	rows, _ := features.Features.Dims()
	name(&how, features.IDs, rows)
	if d, err = f.Graph.dataset(ctx, form, how); err == nil {
		if err = agree(d, features, f.Features); err == nil {
			d.Features, d.FeatureNames = features.Features, features.FeatureNames
		}
	}
	return d, false, err
}

// vectors reads vectors of a source, or features: a table has [table.Table] and an encoder.
func (f *Files) vectors(ctx context.Context, s *Source, format string) (*dataset.Dataset, error) {
	defer s.Close()
	form, err := s.vectors(ctx, format)
	if err != nil {
		return nil, err
	}
	if f.Because != "" {
		s.guess(format, form, f.Because)
	}
	how := f.Options
	if f.Labels != nil && !sameFile(s, f.Labels) {
		how.LabelColumn = ""
	}
	d, err := s.dataset(ctx, form, how)
	if err == nil {
		err = f.take(d, s.Path)
	}
	if err == nil && d.Features == nil && d.Adjacency != nil && form.Name == "npz" && d.IDs == nil && d.Labels == nil { // of SciPy
		d.Features, d.Adjacency = d.Adjacency, nil
		f.note(s.Path+": ", "the square matrix is taken for features")
	}
	if err == nil && d.Features == nil {
		err = fmt.Errorf("%w: features, to be taken for vectors", dataset.ErrMissing)
	}
	if err != nil {
		return nil, s.errAt(err)
	}
	rows, _ := d.Features.Dims()
	return d, cmp.Or(f.giveIDs(ctx, d, rows), ctx.Err())
}
