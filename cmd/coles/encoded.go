package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"coles"
	"coles/dataset"
	"coles/gnn"
	"coles/table"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// How the files of models begin.
const modelMagic, networkMagic = "COLESMDL", "COLESGNN"

// readModel reads the model at a path and the encoder behind it, if there is one, by which features are read then.
func (in *inputs) readModel(ctx context.Context, path string) (model, error) {
	f, err := readPath(ctx, in, path, readModel)
	if err != nil {
		return nil, err
	}
	_, in.text.Width = reportOf(f.model)
	in.model, in.text.Encoder, in.known = f.model, f.encoder, f.rows
	return f.model, nil
}

// A modelFile is a model of either kind, the encoder of its features, nil if they were numbers, and the rows that it
// was fitted to and their graph by -knn, nil for another, which take some bytes.
type modelFile struct {
	model   model
	encoder *table.Encoder
	rows    *dataset.Dataset
	bytes   int
}

// How rows begin.
const rowsMagic = "PK"

// readModel reads the file of a model and nothing after it.
func readModel(r *bufio.Reader) (f modelFile, err error) {
	if head, _ := r.Peek(len(networkMagic)); string(head) == networkMagic {
		f.model, err = gnn.ReadModel(r)
	} else {
		f.model, err = coles.ReadModel(r)
	}
	if err != nil {
		return f, err
	}
	_, want := reportOf(f.model)
	if next, _ := r.Peek(len(rowsMagic)); len(next) > 0 && string(next) != rowsMagic {
		if f.encoder, err = table.ReadEncoder(r); err == nil && f.encoder.Features() != want {
			err = fmt.Errorf("%w: an encoder of %d features for a model of %d", coles.ErrFormat, f.encoder.Features(), want)
		}
	}
	if next, _ := r.Peek(len(rowsMagic)); err == nil && string(next) == rowsMagic {
		err = f.readRows(r, want)
	}
	return f, atEnd(r, err)
}

// readRows reads rows of that many features.
func (f *modelFile) readRows(r io.Reader, features int) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f.bytes = len(text)
	if f.rows, err = dataset.ReadNPZ(bytes.NewReader(text)); err == nil && (f.rows.Adjacency == nil || columns(f.rows.Features) != features) {
		err = fmt.Errorf("%w: rows of %d features for a model of %d", coles.ErrFormat, columns(f.rows.Features), features)
	}
	return err
}

// writeModel writes a model, the encoder of its features, if there is one, and the rows by which it places others.
func (in *inputs) writeModel(w io.Writer, m model) error {
	_, err := m.WriteTo(w)
	if err == nil && in.text.Encoder != nil {
		_, err = in.text.Encoder.WriteTo(w)
	}
	if rows := in.rowsBehind(m); err == nil && rows != nil {
		err = dataset.WriteNPZ(w, rows)
	}
	return err
}

// take describes how the features of a dataset, which a file has, were made of a table, and makes others alike.
func (in *inputs) take(d *dataset.Dataset, file string) error {
	if d.Table == nil {
		switch {
		case d.Features == nil || in.text.Encoder.AsIs():
		case in.text.Encoder == nil && d.FeatureNames != nil:
			in.text.Encoder, _ = table.AsIs(d.FeatureNames, meansOf(d.Features)) // none where two columns have one name
		case in.text.Encoder != nil:
			in.text.Warn(fmt.Errorf("%s has no columns by name: its numbers are taken for the features that the model makes of columns", file))
		}
		return nil
	}
	e := d.Encoder
	if in.text.Encoder == nil {
		if in.text.Encoder = e; in.model != nil {
			return fmt.Errorf("%s: %w: the model knows numbers only, and not all cells are", file, coles.ErrFormat)
		}
		var holes []string
		for _, v := range e.Variables() {
			if v.Number != nil && v.Holes > 0 {
				holes = append(holes, fmt.Sprintf("%d of %q", v.Holes, v.Name))
			}
		}
		if holes != nil && in.text.Missing == "" {
			in.text.Warn(fmt.Errorf("%s: holes get the mean of their column: %s", file, strings.Join(holes, ", ")))
		}
		return nil
	}
	absent, unknown := e.Unlike(d.Table)
	if len(absent) > 0 {
		in.text.Warn(fmt.Errorf("%s lacks columns of the model: %s", file, strings.Join(absent, ", ")))
	}
	if len(unknown) > 0 {
		in.text.Warn(fmt.Errorf("%s has columns that the model does not know: %s", file, strings.Join(unknown, ", ")))
	}
	var unseen []string
	for _, u := range e.Unseen(d.Table) {
		unseen = append(unseen, fmt.Sprintf("%s %d, such as %q", u.Column, u.Cells, u.Value))
	}
	if len(unseen) > 0 {
		in.text.Warn(fmt.Errorf("%s has cells with values that the model does not know, taken for holes: %s", file, strings.Join(unseen, "; ")))
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

// A columnInfo describes the features that an encoder makes of a column.
type columnInfo struct {
	Name     string     `json:"name"`
	Kind     table.Kind `json:"kind"`
	Values   int        `json:"values"` // different ones, words of a text
	Holes    int        `json:"holes"`
	Features int        `json:"features"`
	text     string
}

type columnInfos []columnInfo

// describeColumns describes the columns of an encoder, none if it is nil.
func describeColumns(e *table.Encoder) (all columnInfos) {
	if e == nil || e.AsIs() {
		return nil
	}
	for _, v := range e.Variables() {
		all = append(all, columnInfo{v.Name, v.Kind, v.Values, v.Holes, v.Features(), v.String()})
	}
	return all
}

func (columns columnInfos) print(w io.Writer) {
	for _, c := range columns {
		fmt.Fprintf(w, "  %s\t%s\n", c.Name, c.text)
	}
}
