package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/table"

	"github.com/urfave/cli/v3"
)

// graphFlags are the options that say what a graph is made of.
func graphFlags() []cli.Flag {
	return append(inputFlags("GRAPH", formatNames(isGraph)), knnFlag())
}

// inputFlags are graphFlags for an argument in one of these formats; [textOptions] reads those from
// headerFlag on.
func inputFlags(argument, formats string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "`FORMAT` of " + argument + ": " + formats + "; by its name if not given"},
		fileFlag("features", "features of the nodes, `FILE` of vectors; replaces those of an archive"),
		fileFlag("labels", "`FILE` of lines \"id label\"; replaces the labels of an archive"),
		idsFlag(),
		headerFlag(),
		&cli.StringFlag{Name: "columns", Usage: "`COLUMNS` of an edge list with the two ids and perhaps the weight, from 1 (default: 1,2,3)"},
		&cli.BoolFlag{Name: "unweighted", Usage: "edges have no weight, whatever stands in the third column"},
		&cli.BoolFlag{Name: "bipartite", Usage: "the two columns of edges name different kinds of nodes, even by the same ids"},
		columnsFlag("categorical", "are categories"),
		columnsFlag("text", "are free text"),
		columnsFlag("numeric", "are numbers"),
		columnsFlag("ignore", "make no features"),
		howFlag("missing", "empty cells, NA and the like are dealt with", "mean"),
		howFlag("missing-rows", "nodes without a row of features in text are dealt with", "error"),
		&cli.StringFlag{Name: "missing-marks", Usage: "`MARKS` between commas that say nothing as a cell, a label or an end of an edge (default: NA, NaN, null, None, \\N, ?, -, . and the like)"},
		&cli.BoolFlag{Name: "skip-unknown", Usage: "skip labels and features of nodes that the graph does not have, and edges of nodes that the features do not have"},
		&cli.StringFlag{Name: "scratch", Usage: "`FOLDER` on a disk for what is as long as a large list of edges, in the place of memory"},
	}
}

// howFlag is an option that says how what is missing is dealt with.
func howFlag(name, what, usual string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: "`HOW` " + what + ": error, zero, mean (of the others) or drop (default: " + usual + ")"}
}

// columnsFlag is an option that sets the kinds of columns of a table.
func columnsFlag(name, are string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: "`COLUMNS` of the features, names between commas, that " + are + " (default: by their cells)"}
}

// kinds are the kinds of columns that the options set, nil where they set none.
func kinds(c *cli.Command) map[string]table.Kind {
	var of map[string]table.Kind
	for name, kind := range map[string]table.Kind{"categorical": table.Category, "text": table.Text, "numeric": table.Number, "ignore": table.Ignore} {
		if !c.IsSet(name) {
			continue
		}
		if of == nil {
			of = make(map[string]table.Kind)
		}
		for _, column := range strings.Split(c.String(name), ",") {
			of[column] = kind
		}
	}
	return of
}

// idsFlag is the option that names rows.
func idsFlag() cli.Flag {
	return fileFlag("ids", "ids of the rows of a file that has none, such as npy: `FILE` of one a line")
}

// headerFlag is the option for the first line of text.
func headerFlag() cli.Flag {
	return &cli.StringFlag{Name: "header", Value: "detect", Usage: "text begins with a `LINE` of column names: yes, no or detect"}
}

// textOptions reads the options that say how text is read, as far as a command has them.
func textOptions(c *cli.Command) (dataset.EdgeListOptions, error) {
	opts := dataset.EdgeListOptions{
		Unweighted: c.Bool("unweighted"), Bipartite: c.Bool("bipartite"),
		Missing: c.String("missing"), MissingRows: c.String("missing-rows"), SkipUnknown: c.Bool("skip-unknown"), Kinds: kinds(c), Scratch: c.String("scratch"),
	}
	for _, name := range []string{"missing", "missing-rows"} {
		if how := c.String(name); !slices.Contains([]string{"", "error", "zero", "mean", "drop"}, how) {
			return opts, usagef("-%s %s: want error, zero, mean or drop", name, how)
		}
	}
	if c.IsSet("missing-marks") {
		opts.MissingMarks = strings.Split(c.String("missing-marks"), ",")
	}
	if c.IsSet("columns") {
		fields := strings.Split(c.String("columns"), ",")
		wrong := len(fields) < 2 || len(fields) > 3
		for _, field := range fields {
			k, err := strconv.Atoi(field)
			wrong = wrong || err != nil || k < 1 || slices.Contains(opts.Columns, k)
			opts.Columns = append(opts.Columns, k)
		}
		if wrong {
			return opts, usagef("-columns %s: want two or three different numbers from 1, such as 1,2,4", c.String("columns"))
		}
	}
	modes := map[string]dataset.HeaderMode{"detect": dataset.DetectHeader, "yes": dataset.WithHeader, "no": dataset.NoHeader}
	var ok bool
	if opts.Header, ok = modes[c.String("header")]; !ok {
		return opts, usagef("-header %s: want yes, no or detect", c.String("header"))
	}
	return opts, nil
}

// readArgument reads the graph that the one argument, or standard input, is.
func readArgument(ctx context.Context, c *cli.Command, in *inputs) (*dataset.Dataset, *coles.Graph, error) {
	args, err := arguments(c, 1)
	if err != nil {
		return nil, nil, err
	}
	path := append(args, "")[0]
	if in.arcs && c.Bool("bipartite") {
		return nil, nil, usagef("-directed is for nodes of one kind: -bipartite says the direction")
	}
	in.directed = in.directed || in.arcs
	d, err := readGraph(ctx, c, in, path)
	if err != nil {
		return nil, nil, err
	}
	in.tellApart(d)
	in.progress.show("build the graph", 0, 0)
	defer in.progress.clear()
	var opts []coles.GraphOption
	if in.arcs {
		opts = append(opts, coles.WithArcs())
	}
	g, err := undirected(d, path, opts...)
	if err == nil && in.arcs && g.Report().MirrorsAdded == 0 {
		in.text.Warn(fmt.Errorf("%s: -directed: every edge is there in both directions", nameOf(path)))
	}
	if err == nil {
		if other := otherWeights(in.model, g, nameOf(path)); other != nil {
			in.text.Warn(other)
		}
	}
	return d, g, err
}

// readGraph reads the graph at a path with its features and labels.
func readGraph(ctx context.Context, c *cli.Command, in *inputs, path string) (*dataset.Dataset, error) {
	f, err := readingFormat(c.String("from"), path, true)
	if err != nil {
		return nil, err
	}
	rows, graph, err := in.placesRows(ctx, c, path)
	if err != nil {
		return nil, err
	}
	if rows {
		return readRows(ctx, c, in)
	}
	return readGraphAs(ctx, c, in, f, graph, "")
}

// readGraphAs reads a graph in a format, of which errors say that it was a guess, because of
// another file's name perhaps, unless it is named by -from.
func readGraphAs(ctx context.Context, c *cli.Command, in *inputs, f dataset.Format, graph *source, because string) (*dataset.Dataset, error) {
	defer graph.close()
	graph.text.Undirected = !in.directed
	graph.guessed(c, f, because)
	d, err := readGraphAndFeatures(ctx, c, in, f, graph)
	if err != nil {
		return nil, err
	}
	if in.directed && d.Adjacency == nil {
		d.Adjacency = d.Undirected.CSR()
	}
	if err := giveIDs(ctx, in, d, d.Nodes()); err != nil {
		return nil, err
	}
	if err := giveLabels(ctx, c, in, d, d.Nodes()); err != nil {
		return nil, err
	}
	in.warnOfLabels(d)
	return d, ctx.Err()
}

func readGraphAndFeatures(ctx context.Context, c *cli.Command, in *inputs, f dataset.Format, graph *source) (*dataset.Dataset, error) {
	path := c.String("features")
	if path == "" {
		d, err := graph.read(ctx, f)
		if err == nil {
			err = in.take(d, graph.name())
		}
		return d, graph.errAt(err)
	}
	of, file, err := vectorsAt(ctx, in, "", path)
	if err != nil {
		return nil, err
	}
	defer file.close()
	if f.Name == textGraph && slices.Contains([]string{textVectors, "csv", "jsonl"}, of.Name) {
		d, err := readEdgesOf(ctx, graph, file)
		if err == nil {
			err = in.take(d, file.name())
		}
		return d, err
	}
	features, err := readVectorsAs(ctx, in, of, file)
	if err != nil {
		return nil, err
	}
	rows, _ := features.Features.Dims()
	nameNodes(&graph.text, features.IDs, rows)
	d, err := graph.read(ctx, f)
	if err != nil {
		return nil, graph.errAt(err)
	}
	return d, giveFeatures(d, features, path)
}

// readEmbeddingFile reads a file of vectors that is no table: a mistyped number would make a category of a column.
// They are not the features of a model.
func readEmbeddingFile(ctx context.Context, in *inputs, formatName, path string) (*dataset.Dataset, error) {
	e := in.text.Encoder
	in.text.Encoder = nil
	defer func() { in.text.Encoder = e }()
	d, err := readVectors(ctx, in, formatName, path)
	if err == nil {
		err = onlyNumbers(d, path)
	}
	return d, err
}

// onlyNumbers refuses a table at a path that holds vectors.
func onlyNumbers(d *dataset.Dataset, path string) error {
	if d.Table != nil {
		return fmt.Errorf("%s: %w: vectors are numbers, and not all cells are", nameOf(path), coles.ErrFormat)
	}
	return nil
}

// readVectors reads a file of vectors.
func readVectors(ctx context.Context, in *inputs, formatName, path string) (*dataset.Dataset, error) {
	f, s, err := vectorsAt(ctx, in, formatName, path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return readVectorsAs(ctx, in, f, s)
}

// vectorsAt opens a file of vectors and finds its format.
func vectorsAt(ctx context.Context, in *inputs, formatName, path string) (dataset.Format, *source, error) {
	f, err := readingFormat(formatName, path, false)
	if err != nil {
		return f, nil, err
	}
	s, err := in.source(path)
	if err == nil && formatName == "" {
		f = orTable(ctx, f, s)
		if extension := extensionOf(path); extension != "" && len(dataset.FormatsAt(path)) == 0 {
			s.guess = fmt.Sprintf("read as %s: unknown format %s", f.Name, extension)
		}
	}
	return f, s, err
}

// orTable returns a format that was guessed by the name of a file, or the one of a table in text,
// which .txt may be as well.
func orTable(ctx context.Context, f dataset.Format, s *source) dataset.Format {
	if f.Name == "word2vec" && !beginsAsWord2Vec(ctx, s) {
		f, _ = formatNamed(textVectors, isVectors)
	}
	return f
}

// readVectorsAs reads vectors in a format.
func readVectorsAs(ctx context.Context, in *inputs, f dataset.Format, s *source) (*dataset.Dataset, error) {
	d, err := s.read(ctx, f)
	if err == nil {
		err = in.take(d, s.name())
	}
	if err == nil && d.Features == nil && d.Adjacency != nil && f.Name == "npz" && d.IDs == nil && d.Labels == nil { // of SciPy
		d.Features, d.Adjacency = d.Adjacency, nil
		in.text.Warn(fmt.Errorf("%s: the square matrix is taken for features", s.name()))
	}
	if err == nil && d.Features == nil {
		err = fmt.Errorf("%w: features, to be taken for vectors", dataset.ErrMissing)
	}
	if err != nil {
		return nil, s.errAt(err)
	}
	rows, _ := d.Features.Dims()
	if err := giveIDs(ctx, in, d, rows); err != nil {
		return nil, err
	}
	return d, ctx.Err()
}

// beginsAsWord2Vec reports whether the first line is two whole numbers and the second has as many
// values as the second number, as in word2vec's text, or the file is one of GloVe by its name or by a token that
// would be a quote or a comment in other text. The reader reports what cannot be read.
func beginsAsWord2Vec(ctx context.Context, s *source) bool {
	r, err := s.open(ctx)
	if err != nil {
		return true
	}
	head, _ := r.Peek(bufferSize)
	if strings.Contains(strings.ToLower(filepath.Base(s.path)), "glove") || bareToken.Match(head) {
		return true
	}
	sizes, rest, _ := strings.Cut(string(head), "\n")
	fields := strings.Fields(sizes)
	if len(fields) != 2 {
		return false
	}
	_, err = strconv.ParseUint(fields[0], 10, 63)
	columns, err2 := strconv.ParseUint(fields[1], 10, 31)
	if err != nil || err2 != nil {
		return false
	}
	row, _, ends := strings.Cut(rest, "\n")
	count := len(strings.Fields(row))
	if !ends && len(head) == bufferSize { // it goes on behind what is seen
		return count <= int(columns)+1
	}
	return rest == "" || count == int(columns)+1
}

// bareToken is a line of such a token and numbers.
var bareToken = regexp.MustCompile(`(?m)^["#%](?: -?\d+\.\d+(?:[eE]-?\d+)?){2,}$`)

// giveFeatures puts vectors that were read from path into a graph of the same nodes in the same
// order.
func giveFeatures(d, vectors *dataset.Dataset, path string) error {
	if rows, _ := vectors.Features.Dims(); rows != d.Nodes() {
		return fmt.Errorf("%s: %w: %d rows for %d nodes", path, coles.ErrShape, rows, d.Nodes())
	}
	for i, id := range d.IDs {
		if vectors.IDs != nil && vectors.IDs[i] != id {
			return fmt.Errorf("%s: %w: row %d is %q, and node %d of the graph %q", path, coles.ErrIDs, i, vectors.IDs[i], i, id)
		}
	}
	d.Features, d.FeatureNames = vectors.Features, vectors.FeatureNames
	if d.IDs == nil {
		d.IDs = vectors.IDs
	}
	return nil
}

// undirected is the graph of the dataset in a file, checked and made undirected.
func undirected(d *dataset.Dataset, file string, opts ...coles.GraphOption) (*coles.Graph, error) {
	g, err := d.Graph(opts...)
	return g, (&source{path: file}).errAt(err)
}
