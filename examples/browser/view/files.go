package view

import (
	"bytes"
	"context"
	"io"
	"strings"

	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/internal/text"
	"coles/task"
)

// A File is one that was dropped on the page.
type File struct {
	Name string // as errors print it
	Data []byte // the bytes of the file
}

// read reads what a request names.
func read(ctx context.Context, r Request, send func(message any)) (*task.Data, error) {
	switch r.Sample {
	case "karate":
		d := dataset.KarateClub()
		d.Classes = []string{"instructor", "administrator"}
		return task.New(d)
	case "communities":
		d, err := synthetic.Communities{Nodes: 400, Classes: 5, Features: 200}.Generate(ctx)
		if err != nil {
			return nil, err
		}
		for i := 2; i < d.Nodes(); i += 3 { // so that there is something to predict
			d.Unlabeled = append(d.Unlabeled, i)
		}
		return task.New(d)
	}
	files := task.Files{Options: r.Options, Graph: r.Files["edges"].source(), Features: r.Files["features"].source(), Labels: r.Files["labels"].source()}
	files.Progress = func(stage string, _, _ int) { send(Stage{Stage: stage, Total: 1}) }
	d, err := files.Read(ctx)
	for _, n := range files.Notes {
		send(Warning{n.Text, n.Advice})
	}
	return d, err
}

// source is the file to read; nil for none.
func (f File) source() *task.Source {
	if f.Name == "" {
		return nil
	}
	return &task.Source{Path: f.Name, Stream: bytes.NewReader(f.Data)}
}

// firstLines are the fields of some lines, nil for what is no text.
func (f File) firstLines(ctx context.Context) (all [][]string) {
	const lines, most = 6, 12 // of them, fields
	if bytes.IndexByte(f.Data[:min(len(f.Data), 512)], 0) >= 0 && !strings.HasSuffix(f.Name, ".gz") {
		return nil
	}
	task.Read(ctx, f.source(), func(r io.Reader) (int, error) { // there is nothing to show of what cannot be read
		reader := text.NewReader(r, text.Layout{Edges: true, Multiline: true})
		for len(all) < lines && reader.Next() {
			var row []string
			for _, field := range reader.Fields[:min(len(reader.Fields), most)] {
				row = append(row, strings.ToValidUTF8(strings.Clone(field), "\ufffd"))
			}
			all = append(all, row)
		}
		return 0, nil
	})
	return all
}
