package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"coles"
	"coles/dataset"
	"coles/gnn"
	"coles/table"
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
	if in.fitted, in.encoder = true, f.encoder; in.encoder != nil && in.text.Kinds == nil {
		in.text.Kinds = map[string]table.Kind{} // even rows of nothing but numbers are a table
	}
	return f.model, nil
}

// A modelFile is a model of either kind and the encoder of its features, nil if they were numbers.
type modelFile struct {
	model   model
	encoder *table.Encoder
}

// readModel reads the file of a model and nothing after it.
func readModel(r *bufio.Reader) (f modelFile, err error) {
	if head, _ := r.Peek(len(networkMagic)); string(head) == networkMagic {
		f.model, err = gnn.ReadModel(r)
	} else {
		f.model, err = coles.ReadModel(r)
	}
	if _, end := r.Peek(1); err == nil && end == nil {
		f.encoder, err = table.ReadEncoder(r)
	}
	return f, atEnd(r, err)
}

// writeModel writes a model and the encoder of its features, if there is one.
func writeModel(w io.Writer, m model, e *table.Encoder) error {
	_, err := m.WriteTo(w)
	if err == nil && e != nil {
		_, err = e.WriteTo(w)
	}
	return err
}

// encode makes features of a table, by the encoder of a model or by one that it learns.
func (in *inputs) encode(ctx context.Context, d *dataset.Dataset) error {
	if d.Table == nil {
		return nil
	}
	if in.fitted && in.encoder == nil {
		return fmt.Errorf("%s: %w: the model knows numbers only, and not all cells are", d.Table.File, coles.ErrFormat)
	}
	in.progress.show("encode "+d.Table.File, 0, 0)
	defer in.progress.clear()
	known := in.encoder != nil
	e, err := d.Encode(ctx, in.encoder)
	if errors.As(err, new(*table.CellError)) {
		return fmt.Errorf("%w; empty it (-missing says what that means), or read the column by -categorical, -text or -ignore", err)
	}
	if err != nil {
		return err
	}
	if in.encoder = e; !known {
		for _, v := range e.Variables() {
			if v.Number != nil && v.Holes > 0 {
				in.text.Warn(fmt.Sprintf("%s: holes in %q get its mean: %d", d.Table.File, v.Name, v.Holes))
			}
		}
		return nil
	}
	absent, unknown := e.Unlike(d.Table)
	if len(absent) > 0 {
		in.text.Warn(fmt.Sprintf("%s lacks columns of the model: %s", d.Table.File, strings.Join(absent, ", ")))
	}
	if len(unknown) > 0 {
		in.text.Warn(fmt.Sprintf("%s has columns that the model does not know: %s", d.Table.File, strings.Join(unknown, ", ")))
	}
	return nil
}

// A columnInfo says what an encoder makes of a column.
type columnInfo struct {
	Name     string     `json:"name"`
	Kind     table.Kind `json:"kind"`
	Values   int        `json:"values"` // different ones, words of a text
	Holes    int        `json:"holes"`
	Features int        `json:"features"`
	text     string
}

type columnInfos []columnInfo

// describeColumns describes the columns that an encoder knows, none if it is nil.
func describeColumns(e *table.Encoder) (all columnInfos) {
	if e == nil {
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
