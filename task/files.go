package task

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/table"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Files say where data are; sources may be nil.
type Files struct {
	Graph, Features *Source
	Labels, Splits  *Source // in the place of the graph's own
	IDs             *Source // of the rows of the first file without ids, one a line
	Names           *Source // what answers call nodes, as labels
	NameColumn      string
	Format, Because string        // of Graph as in [FormatOf]; why it is taken for that, if another file tells
	Options         parse.Options // of text; Encoder becomes that of the features
	By              *File         // whose model embeds the data
	Nearest         int           // rows that a row of Features joins where there is no graph; −1 for as many as usual, 0 for none if By places rows, else as −1
	Arcs, AsItIs    bool          // the graph, or its adjacency alone, keeps the directions of edges
	Progress        coles.Progress
	Notes           []Note // what there is to say about the files
}

func (f *Files) note(at, text string, advice ...parse.Advice) {
	f.Notes = append(f.Notes, Note{at + text, advice})
}

func (f *Files) stage(name string) {
	if f.Progress != nil {
		f.Progress(name, 0, 0)
	}
}

// name names n nodes in their order to a reader of edges or labels in text, which would otherwise take them as they come.
func name(how *parse.Options, ids []string, n int) {
	if how.Nodes = ids; ids == nil {
		how.Rows = n
	}
}

// giveIDs gives n rows without ids those of a file, once.
func (f *Files) giveIDs(ctx context.Context, d *dataset.Dataset, n int) error {
	if f.IDs == nil || d.IDs != nil {
		return nil
	}
	ids, err := ReadIDs(ctx, f.IDs)
	if err == nil && len(ids) != n {
		err = f.IDs.errAt(fmt.Errorf("%w: %d ids for %d rows", coles.ErrShape, len(ids), n))
	}
	if err == nil {
		d.IDs = ids
	}
	f.IDs = nil
	return err
}

// ReadIDs reads ids, one a line. Errors: [coles.ErrIDs], with the line.
func ReadIDs(ctx context.Context, s *Source) ([]string, error) {
	return Read(ctx, s, func(r io.Reader) ([]string, error) {
		known := make(map[string]bool)
		var ids []string
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 16<<20) // as long as a line of other text may be
		for lines.Scan() {
			id := strings.TrimPrefix(lines.Text(), "\ufeff") // byte order mark
			if id == "" || known[id] || !utf8.ValidString(id) {
				err := fmt.Errorf("%w: %q is empty, given twice or not UTF-8", coles.ErrIDs, id)
				return nil, &parse.Error{File: s.Path, Line: len(ids) + 1, Err: err}
			}
			known[id], ids = true, append(ids, id)
		}
		return ids, lines.Err()
	})
}

// labels reads what a file of lines, or a column of a table, says of n nodes.
func (f *Files) labels(ctx context.Context, s *Source, how parse.Options, ids []string, n int) (*dataset.Dataset, error) {
	return Read(ctx, s, func(text io.Reader) (*dataset.Dataset, error) {
		how.Labels, how.Header, how.Bipartite = source.Called{Reader: text, As: s.Path}, f.Options.Header, f.Options.Bipartite
		name(&how, ids, n)
		return dataset.ReadEdgeList(strings.NewReader(""), nil, how)
	})
}

// giveLabels gives n nodes the labels of a file.
func (f *Files) giveLabels(ctx context.Context, d *dataset.Dataset, n int) error {
	o := f.Options
	read, err := f.labels(ctx, f.Labels, parse.Options{LabelColumn: o.LabelColumn, SkipUnknown: o.SkipUnknown, MissingMarks: o.MissingMarks, Warn: o.Warn}, d.IDs, n)
	if err == nil {
		d.Labels, d.Unlabeled, d.Classes = read.Labels, read.Unlabeled, read.Classes
		d.Layouts = append(d.Layouts, slices.DeleteFunc(read.Layouts, func(l parse.Layout) bool { return l.Lines != "labels" })...)
	}
	return err
}

// giveNames gives n nodes the names of a file. A name that is given twice is followed by the id.
func (f *Files) giveNames(ctx context.Context, d *Data, n int) error {
	read, err := f.labels(ctx, f.Names, parse.Options{LabelColumn: f.NameColumn, SkipUnknown: true}, d.IDs, n)
	if err != nil {
		return err
	}
	d.names = make(map[string]string)
	count := make(map[int]int)
	labels := Known(read, n)
	for _, l := range labels {
		count[l]++
	}
	for i, id := range Names(d.IDs, n) {
		if l := labels[i]; l >= 0 && count[l] > 1 {
			d.names[id] = fmt.Sprintf("%s (%s)", read.Classes[l], id)
		} else if l >= 0 {
			d.names[id] = read.Classes[l]
		}
	}
	if len(d.names) == 0 {
		err = f.Names.errAt(fmt.Errorf("%w: it names none of the %d nodes", coles.ErrIDs, n))
	}
	return err
}

// take notes how the features of a dataset, which a file has, were made of a table, and makes others alike.
func (f *Files) take(d *dataset.Dataset, file string) error {
	e := f.Options.Encoder
	if d.Table == nil {
		switch {
		case d.Features == nil || e.AsIs():
		case e == nil && d.FeatureNames != nil:
			f.Options.Encoder, _ = table.AsIs(d.FeatureNames, meansOf(d.Features)) // none where two columns have one name
		case e != nil:
			f.note(file, " has no columns by name: its numbers are taken for the features that the model makes of columns")
		}
		return nil
	}
	if e == nil {
		if f.Options.Encoder = d.Encoder; f.By != nil {
			return fmt.Errorf("%w: the model knows numbers only, and not all cells are", coles.ErrFormat)
		}
		var holes []string
		for _, v := range d.Encoder.Variables() {
			if v.Number != nil && v.Holes > 0 {
				holes = append(holes, fmt.Sprintf("%d of %q", v.Holes, v.Name))
			}
		}
		if holes != nil && f.Options.Missing == "" {
			f.note(file, ": holes get the mean of their column: "+strings.Join(holes, ", "))
		}
		return nil
	}
	absent, unknown := d.Encoder.Unlike(d.Table)
	if len(absent) > 0 {
		f.note(file, " lacks columns of the model: "+strings.Join(absent, ", "))
	}
	if len(unknown) > 0 {
		f.note(file, " has columns that the model does not know: "+strings.Join(unknown, ", "))
	}
	var unseen []string
	for _, u := range d.Encoder.Unseen(d.Table) {
		unseen = append(unseen, fmt.Sprintf("%s %d, such as %q", u.Column, u.Cells, u.Value))
	}
	if len(unseen) > 0 {
		f.note(file, " has cells with values that the model does not know, taken for holes: "+strings.Join(unseen, "; "))
	}
	return nil
}

// meansOf are the means of the columns of a dense matrix, nil for another.
func meansOf(m mat.Matrix) []float64 {
	x, ok := m.(*mat.Dense)
	if !ok {
		return nil
	}
	rows, columns := x.Dims()
	means, column := make([]float64, columns), make([]float64, rows)
	for j := range means {
		means[j] = stat.Mean(mat.Col(column, j, x), nil)
	}
	return means
}

// areNumbers reports whether ids say no more than the numbers of rows.
func areNumbers(ids []string) bool {
	for i, id := range ids {
		if id != strconv.Itoa(i) {
			return false
		}
	}
	return true
}
