package task

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/gnn"
	"coles/internal/archive"
	"coles/learn"
	"coles/table"
)

// A File is kept by one program for another: a model, the encoder of its features, a predictor, and the rows without a graph
// that others join. Any of them may be nil, but not both model and predictor.
type File struct {
	Model     Model
	Encoder   *table.Encoder   // of the columns that features are made of
	Predictor *Predictor       // that has learnt from vectors by the model, or by another where there is none here
	Rows      *dataset.Dataset // that the model was fitted to, with their graph by [Join]
	RowsBytes int              // that they take in the file
	Only      []string         // nodes that are wanted of a graph to embed, as in [parse.Options]
	ByKinds   bool             // edges of a graph to embed weigh by the degrees of their kinds, as in [Data.Fit]
}

// readingFormat marks a part that is there unless all is as usual.
var readingFormat = archive.Format{Magic: [8]byte([]byte(readingMagic)), Version: 1}

// How the parts begin. Rows are an archive of NumPy.
const (
	modelMagic, networkMagic, predictorMagic = "COLESMDL", "COLESGNN", "COLESLIN"
	rowsMagic, readingMagic                  = "PK", "COLESHOW"
)

// Begins reports whether a file that begins so may be one of [File.WriteTo].
func Begins(head []byte) bool {
	for _, magic := range []string{modelMagic, networkMagic, predictorMagic} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// ReadFile reads a file of [File.WriteTo], such as "coles embed -model" writes, to its end. Errors: [coles.ErrFormat] for
// other bytes or parts that do not fit together, [coles.ErrChecksum] for a damaged file, and the reader's.
func ReadFile(from io.Reader) (*File, error) {
	r := bufio.NewReader(from)
	if head, err := r.Peek(len(modelMagic)); err == nil && !Begins(head) {
		return nil, fmt.Errorf("%w: neither a model nor a classifier", coles.ErrFormat)
	}
	f, want := &File{}, 0
	begins := func(magic string) bool {
		head, _ := r.Peek(len(magic))
		return string(head) == magic
	}
	var err error
	if !begins(predictorMagic) {
		if begins(networkMagic) {
			f.Model, err = gnn.ReadModel(r)
		} else {
			f.Model, err = coles.ReadModel(r)
		}
		if err != nil {
			return nil, err
		}
		want = wants(f.Model)
		if begins(readingMagic) {
			how := struct {
				Only    *[]string
				ByKinds *bool
			}{&f.Only, &f.ByKinds}
			if _, err = readingFormat.Read(r, func(text []byte) ([]int, error) { return nil, json.Unmarshal(text, &how) }); err != nil {
				return nil, err
			}
		}
		if next, _ := r.Peek(1); len(next) > 0 && !begins(predictorMagic) && !begins(rowsMagic) {
			if f.Encoder, err = table.ReadEncoder(r); err == nil && f.Encoder.Features() != want {
				err = fmt.Errorf("%w: an encoder of %d features for a model of %d", coles.ErrFormat, f.Encoder.Features(), want)
			}
		}
	}
	if err == nil && begins(predictorMagic) {
		f.Predictor, err = readPredictor(r)
	}
	if err == nil && f.Model != nil && begins(rowsMagic) {
		err = f.readRows(r, want)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%w: bytes after its end", coles.ErrFormat)
	}
	return f, nil
}

// readPredictor reads a predictor, and no byte more.
func readPredictor(r io.Reader) (*Predictor, error) {
	p, err := learn.ReadPredictor(r)
	if err != nil {
		return nil, err
	}
	of := &Predictor{byVectors: p}
	of.choose()
	return of, nil
}

// readRows reads rows of that many features.
func (f *File) readRows(r io.Reader, features int) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	f.RowsBytes = len(text)
	if f.Rows, err = dataset.ReadNPZ(bytes.NewReader(text)); err == nil && (f.Rows.Adjacency == nil || width(f.Rows.Features) != features) {
		err = fmt.Errorf("%w: rows of %d features for a model of %d", coles.ErrFormat, width(f.Rows.Features), features)
	}
	return err
}

// WriteTo writes the parts that are there, each with a checksum at its end.
func (f *File) WriteTo(to io.Writer) (n int64, err error) {
	w := &counter{to: to}
	if f.Model != nil {
		if _, err = f.Model.WriteTo(w); err == nil && (f.Only != nil || f.ByKinds) {
			_, err = readingFormat.Write(w, map[string]any{"Only": f.Only, "ByKinds": f.ByKinds})
		}
	}
	if err == nil && f.Encoder != nil {
		_, err = f.Encoder.WriteTo(w)
	}
	if err == nil && f.Predictor != nil {
		_, err = f.Predictor.byVectors.WriteTo(w)
	}
	if err == nil && f.Rows != nil {
		err = dataset.WriteNPZ(w, f.Rows)
	}
	return w.n, err
}

// A counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	k, err := c.to.Write(p)
	c.n += int64(k)
	return k, err
}

// Keep is the file of a model of d, read by o, with rows that place others.
func Keep(m Model, o parse.Options, d *Data) *File {
	f := &File{Model: m, Encoder: o.Encoder, Only: o.Only, ByKinds: d.ByKinds}
	if fitted, ok := m.(*coles.Model); ok && usesEdges(fitted) && d.Joined {
		f.Rows = &dataset.Dataset{Adjacency: d.Graph.CSR(), Features: d.Features}
		if d.Graph.Named() {
			f.Rows.IDs = d.Graph.IDs()
		}
	}
	return f
}

// placesRows reports whether the model embeds rows that have no graph.
func (f *File) placesRows() bool { return f.Rows != nil || !usesEdges(f.Model) }

// known are the rows, for a [Placer].
func (f *File) known() (*Data, error) {
	d, err := New(f.Rows)
	if err == nil {
		d.Joined = true
	}
	return d, err
}
