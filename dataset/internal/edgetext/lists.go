package edgetext

import (
	"encoding/json"
	"fmt"
	"io"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/text"
)

// Neighbours reads edges from lines of a node and its neighbours, or from a JSON object of such lists.
func Neighbours(r io.Reader, o parse.Options) (*Files, error) {
	opts := options{o}
	file := source.Name(r, "adjacency")
	d, err := opts.collect(func(l *edgeFiles) (*Files, error) {
		if err := l.nameNodes(opts.Nodes, opts.Rows, false); err != nil {
			return nil, err
		}
		t := text.NewReader(r, text.Layout{Edges: true, Marks: opts.MissingMarks})
		if t.StartsWith('{') {
			return l.readLists(t, opts)
		}
		for t.Next() {
			u := l.nodes.named(t, 0)
			for k := 1; k < len(t.Fields); k++ {
				if t.Fields[k] != "" { // behind a separator at the end
					if err := l.edges.Add(int32(u), int32(l.nodes.named(t, k))); err != nil {
						return nil, err
					}
				}
			}
		}
		if t.Err == nil && l.nodes.count() == 0 {
			t.Fail(fmt.Errorf("%w: no edge", place.ErrMissing))
		}
		if t.Err != nil {
			return nil, t.Err
		}
		return l.dataset(opts)
	})
	return d, place.In(file, err)
}

// Baskets reads lines of items, such as those of a purchase or a recipe: a line is a node of its own kind.
func Baskets(r io.Reader, o parse.Options) (*Files, error) {
	opts := options{o}
	file := source.Name(r, "baskets")
	d, err := opts.collect(func(l *edgeFiles) (*Files, error) {
		l.told, l.edgesFile = opts.Warn, file
		if err := l.takeBaskets(text.NewReader(r, text.Layout{Edges: true, Commas: isCSV(file), Marks: opts.MissingMarks})); err != nil {
			return nil, err
		}
		if l.nodes.count() == 0 {
			return nil, fmt.Errorf("%w: no line", place.ErrMissing)
		}
		return l.dataset(opts)
	})
	return d, place.In(file, err)
}

// readLists reads the neighbours of each node from JSON.
func (l *edgeFiles) readLists(t *text.Reader, opts options) (*Files, error) {
	err := EachList(t.Rest(), func(id string, members []string) error {
		u, err := l.nodes.number(id)
		for _, name := range members {
			if err != nil {
				break
			}
			var v int
			if v, err = l.nodes.number(name); err == nil {
				err = l.edges.Add(int32(u), int32(v))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return l.dataset(opts)
}

// EachList calls f with the members of a JSON object, each a list of texts and numbers.
func EachList(r io.Reader, f func(id string, members []string) error) error {
	decode := json.NewDecoder(r)
	decode.UseNumber()
	bad := func(what any) error {
		return source.At(decode.InputOffset(), "%w: JSON, want an object of lists, such as {\"ann\": [\"bob\", 7]}: %v", coles.ErrFormat, what)
	}
	if open, err := decode.Token(); err != nil {
		return bad(err)
	} else if open != json.Delim('{') {
		return bad(open)
	}
	for decode.More() {
		id, err := decode.Token()
		var values []any
		if err == nil {
			err = decode.Decode(&values)
		}
		if err != nil {
			return bad(err)
		}
		members := make([]string, len(values))
		for k, v := range values {
			switch v := v.(type) {
			case string:
				members[k] = v
			case json.Number:
				members[k] = v.String()
			default:
				return bad(v)
			}
		}
		if err := f(id.(string), members); err != nil {
			return err
		}
	}
	_, err := decode.Token()
	if err != nil {
		return bad(err)
	}
	return nil
}
