package view

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
	"coles/internal/setting"
	"coles/internal/source"
	"coles/internal/text"
	"coles/task"
)

// A File is one that was dropped on the page.
type File struct {
	Name string // as errors print it
	Data []byte // the bytes of the file
}

// An Advice is an option that may help, by its name in [parse.Options].
type Advice struct {
	Field string `json:"field"` // the option's name
	Value string `json:"value"` // that would do; "" where there is a choice
	Says  string `json:"says"`  // what it says
}

// read reads what a request names. Rows of features without edges are joined.
func read(ctx context.Context, r Request, send func(message any)) (*task.Data, error) {
	d, err := readFiles(ctx, r, send)
	if err != nil {
		return nil, err
	}
	if r.Sample != "" || r.Files["edges"].Name != "" {
		if task.LeaveOutAlike(d) {
			send(Warning{"The features are left out: they are the same for all nodes.", []Advice{}})
		}
		return task.New(d)
	}
	n, _ := d.Features.Dims()
	send(Warning{fmt.Sprintf("There are no edges: each row is joined to the %d nearest by its features.", task.UsualNearest(n)), []Advice{}})
	send(Stage{Stage: "join", Total: 1})
	joined, err := task.Join(ctx, d, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Files["features"].Name, err)
	}
	return joined, nil
}

func readFiles(ctx context.Context, r Request, send func(message any)) (*dataset.Dataset, error) {
	switch r.Sample {
	case "karate":
		d := dataset.KarateClub()
		d.Classes = []string{"instructor", "administrator"}
		return d, nil
	case "communities":
		d, err := synthetic.Communities{Nodes: 400, Classes: 5, Features: 200}.Generate(ctx)
		if err != nil {
			return nil, err
		}
		for i := 2; i < d.Nodes(); i += 3 { // so that there is something to predict
			d.Unlabeled = append(d.Unlabeled, i)
		}
		return d, nil
	}
	opts := r.Options
	opts.Warn = func(err error) { send(warning(err)) }
	edges, features, labels := r.Files["edges"], r.Files["features"], r.Files["labels"]
	graph, vectors := edges.format(true), features.format(false)
	if edges.Name == "" && features.Name == "" {
		return nil, fmt.Errorf("an edge list, an archive, or features: %w", dataset.ErrMissing)
	}
	if edges.Name == "" {
		d, err := features.read(vectors, opts)
		if err != nil {
			return nil, err
		}
		return d, labels.give(d, opts)
	}
	if graph.Name == "npz" && (features.Name != "" || labels.Name != "") {
		return nil, fmt.Errorf("%s is an archive, which has its own features and labels: %w", edges.Name, dataset.ErrDuplicate)
	}
	if named := []string{"edges", "adjacency", "baskets"}; (slices.Contains(named, graph.Name) || graph.Attributes) && slices.Contains([]string{"", "tsv", "csv", "jsonl"}, vectors.Name) {
		opts.Format = graph.Name
		return readText(edges, features, labels, opts)
	}
	var x *dataset.Dataset
	if features.Name != "" {
		var err error
		if x, err = features.read(vectors, opts); err != nil {
			return nil, err
		}
		if rows, _ := x.Features.Dims(); x.IDs != nil {
			opts.Nodes = x.IDs
		} else {
			opts.Rows = rows
		}
	}
	d, err := edges.read(graph, opts)
	if err != nil {
		return nil, err
	}
	if x != nil {
		if rows, _ := x.Features.Dims(); rows != d.Nodes() {
			return nil, fmt.Errorf("%s: %w: %d rows for %d nodes", features.Name, coles.ErrShape, rows, d.Nodes())
		}
		d.Features, d.FeatureNames = x.Features, x.FeatureNames
	}
	return d, labels.give(d, opts)
}

// give gives nodes their labels, if there is a file of these.
func (f File) give(d *dataset.Dataset, opts parse.Options) error {
	if f.Name == "" {
		return nil
	}
	opts.Nodes, opts.Rows = d.IDs, 0
	if d.IDs == nil {
		opts.Rows = d.Nodes()
	}
	named, err := readText(File{}, File{}, f, opts)
	if err == nil {
		d.Labels, d.Unlabeled, d.Classes = named.Labels, named.Unlabeled, named.Classes
	}
	return err
}

// readText reads edges, features and labels in text, together.
func readText(edges, features, labels File, opts parse.Options) (*dataset.Dataset, error) {
	var readers [3]io.Reader
	for k, f := range []File{edges, features, labels} {
		if f.Name == "" {
			continue
		}
		r, err := f.open(source.FreeText)
		if err != nil {
			return nil, err
		}
		readers[k] = r
	}
	if readers[0] == nil {
		readers[0] = strings.NewReader("")
	}
	opts.Labels, opts.EdgesName, opts.FeaturesName, opts.LabelsName = readers[2], edges.Name, features.Name, labels.Name
	return dataset.ReadEdgeList(readers[0], readers[1], opts)
}

// format is the format of a file by its name and first bytes, text if they tell nothing.
func (f File) format(graph bool) dataset.Format {
	text := "tsv"
	if graph {
		text = "edges"
	}
	found, _ := dataset.FormatNamed(text)
	switch {
	case f.Name == "":
		return dataset.Format{}
	case bytes.HasPrefix(f.Data, []byte("PK\x03\x04")):
		found, _ = dataset.FormatNamed("npz")
	default:
		for _, of := range dataset.FormatsAt(f.Name) {
			// A .txt is a table more often than word2vec's text.
			if of.Graph == graph && of.Read != nil && (of.Name != "word2vec" || !strings.Contains(f.Name, ".txt")) {
				return of
			}
		}
	}
	return found
}

// open unpacks what is gzipped.
func (f File) open(free int64) (io.Reader, error) {
	r, err := source.Unpacked(bufio.NewReader(bytes.NewReader(f.Data)), free, int64(len(f.Data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return r, nil
}

func (f File) read(as dataset.Format, opts parse.Options) (*dataset.Dataset, error) {
	free := source.FreeText
	if as.Binary {
		free = source.FreeBinary
	}
	r, err := f.open(free)
	if err != nil {
		return nil, err
	}
	d, err := as.Read(r, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return d, nil
}

// firstLines are the fields of some lines, nil for what is no text.
func (f File) firstLines() [][]string {
	const lines, most = 6, 12 // of them, fields
	r, err := f.open(source.FreeText)
	if err != nil || bytes.IndexByte(f.Data[:min(len(f.Data), 512)], 0) >= 0 && !strings.HasSuffix(f.Name, ".gz") {
		return nil
	}
	var all [][]string
	reader := text.NewReader(r, text.Layout{Edges: true, Multiline: true})
	for len(all) < lines && reader.Next() {
		var row []string
		for _, field := range reader.Fields[:min(len(reader.Fields), most)] {
			row = append(row, strings.ToValidUTF8(strings.Clone(field), "\ufffd"))
		}
		all = append(all, row)
	}
	return all
}

func warning(err error) Warning {
	said, advice := words(err)
	return Warning{said, advice}
}

// words are an error without names of packages, and the options that may help, apart.
func words(err error) (string, []Advice) {
	said, advice := err.Error(), []Advice{}
	if where := (*parse.Error)(nil); errors.As(err, &where) {
		bare := *where
		bare.Advice = nil
		said = strings.Replace(said, where.Error(), bare.Error(), 1)
		for _, a := range where.Advice {
			advice = append(advice, Advice(a))
		}
	}
	return setting.Plain(said), advice
}
