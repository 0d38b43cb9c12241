package published

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/internal/npy"
	"coles/internal/setting"
	"coles/internal/source"
)

// GraphSAGE reads the dataset called name (such as "reddit") from the files of Hamilton, Ying and
// Leskovec, "Inductive Representation Learning on Large Graphs" (NeurIPS 2017), in the folder dir, each
// gzipped or not:
//
//	NAME-id_map.json     {"id": row, …}, every row from 0 on once
//	NAME-G.json          nodes and links as networkx writes them: {"nodes": [{"id": …, "val": false,
//	                     "test": false}, …], "links": [{"source": …, "target": …}, …]}
//	NAME-class_map.json  {"id": class, …}, if it is there
//	NAME-feats.npy       the features, a row each, if it is there
//
// The ends of a link are ids where they are texts, and places in the list of nodes where they are
// numbers. A link is one entry of the adjacency. Nodes outside val and test are for training; nodes
// without these two marks are in no part of the split. Classes are numbers, one a node. Features become
// a *coles.Dense32.
//
// The files are read as streams: memory for the result and, for a while, for the ids. Errors name file
// and byte. Cost: O(bytes).
func GraphSAGE(dir, name string) (*dataset.Dataset, error) {
	return readGraphSAGE(os.DirFS(dir), name, dir)
}

func readGraphSAGE(fsys fs.FS, name, dir string) (*dataset.Dataset, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("graphsage: %w", setting.Bad("name", name, "that of a dataset"))
	}
	s := &sageReader{Dataset: dataset.Dataset{Name: name}, folder: folder{fsys, dir, name + "-"}, rows: map[string]int32{}}
	for _, read := range []func() error{s.ids, s.graph, s.classes, s.features} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return checked(&s.Dataset, s.path("*"))
}

// A sageReader reads the files of a dataset.
type sageReader struct {
	dataset.Dataset
	folder
	rows map[string]int32 // of the ids
}

// object visits the members of the object that a file is; visit reads the value.
func (s *sageReader) object(part string, visit func(d *json.Decoder, key string) error) error {
	file, err := s.open(part, source.FreeBinary)
	if err != nil {
		return err
	}
	defer file.Close()
	d := json.NewDecoder(file)
	err = members(d, '{', func() error {
		key, err := d.Token()
		if err != nil {
			return err
		}
		return visit(d, key.(string))
	})
	if err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		} else if err == nil {
			err = fmt.Errorf("%w: bytes after the end", coles.ErrFormat)
		}
	}
	return placed(s.path(part), source.JSON(d.InputOffset(), err))
}

// ids reads which row an id has.
func (s *sageReader) ids() error {
	most := -1
	err := s.object("id_map.json", func(d *json.Decoder, id string) error {
		var row *int
		if err := d.Decode(&row); err != nil {
			return err
		}
		switch _, again := s.rows[id]; {
		case again:
			return fmt.Errorf("%w: id %q", coles.ErrIDs, id)
		case row == nil || *row < 0 || *row >= math.MaxInt32:
			return fmt.Errorf("the row of %q: %w", id, coles.ErrIndex)
		}
		s.rows[id] = int32(*row)
		most = max(most, *row)
		return nil
	})
	if err != nil {
		return err
	}
	if len(s.rows) == 0 {
		return s.fault("id_map.json", "%w: no id", dataset.ErrMissing)
	}
	if most+1 != len(s.rows) {
		return s.fault("id_map.json", "%d ids for rows up to %d: %w", len(s.rows), most, coles.ErrIndex)
	}
	taken := make([]bool, len(s.rows))
	for id, row := range s.rows {
		if taken[row] {
			return s.fault("id_map.json", "row %d, of %q too: %w", row, id, dataset.ErrDuplicate)
		}
		taken[row] = true
	}
	return nil
}

// row is the row of an id.
func (s *sageReader) row(id string) (int32, error) {
	row, ok := s.rows[id]
	if !ok {
		return 0, fmt.Errorf("%w: %q is not in the id map", coles.ErrIDs, id)
	}
	return row, nil
}

// idOf is an id, or the place that stands for one: a text, or a number as it is written.
func idOf(value json.RawMessage) (id string, text bool, err error) {
	switch {
	case len(value) == 0:
		return "", false, fmt.Errorf("%w: an id", dataset.ErrMissing)
	case value[0] == '"':
		err = json.Unmarshal(value, &id)
		return id, true, err
	}
	return string(value), false, nil
}

// graph reads nodes and links, in either order.
func (s *sageReader) graph() error {
	var places []int32  // the rows of the nodes in the order of their list
	var ends [2][]int32 // of the links: rows, and −1 − place for those that are places
	listed := make([]bool, len(s.rows))
	seen := map[string]bool{}
	split := dataset.Split{Train: []int{}, Val: []int{}, Test: []int{}}
	err := s.object("G.json", func(d *json.Decoder, key string) error {
		if seen[key] && (key == "nodes" || key == "links") {
			return fmt.Errorf("%q: %w", key, dataset.ErrDuplicate)
		}
		seen[key] = true
		switch key {
		case "nodes":
			return members(d, '[', func() error {
				row, err := s.node(d, &split)
				if err != nil {
					return err
				}
				if listed[row] {
					return fmt.Errorf("the node of row %d: %w", row, dataset.ErrDuplicate)
				}
				listed[row] = true
				places = append(places, row)
				return nil
			})
		case "links":
			var link struct {
				NotSource source.Unread   `json:"SOURCE"`
				NotTarget source.Unread   `json:"TARGET"`
				Source    json.RawMessage `json:"source"`
				Target    json.RawMessage `json:"target"`
			}
			return members(d, '[', func() error {
				link.Source, link.Target = link.Source[:0], link.Target[:0]
				if err := d.Decode(&link); err != nil {
					return err
				}
				for k, value := range [2]json.RawMessage{link.Source, link.Target} {
					end, err := s.end(value)
					if err != nil {
						return err
					}
					ends[k] = append(ends[k], end)
				}
				return nil
			})
		}
		return skip(d)
	})
	if err != nil {
		return err
	}
	if !seen["nodes"] || !seen["links"] {
		return s.fault("G.json", `%w: the keys "nodes" and "links" are required`, dataset.ErrMissing)
	}
	for _, list := range ends {
		for k, end := range list {
			place := -1 - int(end)
			if place >= len(places) {
				return s.fault("G.json", "link %d: place %d of %d nodes: %w", k, place, len(places), coles.ErrIndex)
			}
			if place >= 0 {
				list[k] = places[place]
			}
		}
	}
	s.Adjacency = adjacency(len(s.rows), ends[0], ends[1])
	s.Splits = []dataset.Split{split}
	return nil
}

// node reads a node, and adds it to its part of the split.
func (s *sageReader) node(d *json.Decoder, split *dataset.Split) (int32, error) {
	var node struct {
		NotID   source.Unread   `json:"ID"`
		NotVal  source.Unread   `json:"VAL"`
		NotTest source.Unread   `json:"TEST"`
		ID      json.RawMessage `json:"id"`
		Val     *bool           `json:"val"`
		Test    *bool           `json:"test"`
	}
	if err := d.Decode(&node); err != nil {
		return 0, err
	}
	id, _, err := idOf(node.ID)
	if err != nil {
		return 0, err
	}
	row, err := s.row(id)
	switch {
	case err != nil:
		return 0, err
	case node.Val == nil || node.Test == nil:
	case *node.Val && *node.Test:
		return 0, fmt.Errorf("%q is in val and in test: %w", id, dataset.ErrDuplicate)
	case *node.Val:
		split.Val = append(split.Val, int(row))
	case *node.Test:
		split.Test = append(split.Test, int(row))
	default:
		split.Train = append(split.Train, int(row))
	}
	return row, nil
}

// end is an end of a link: a row, or −1 − place.
func (s *sageReader) end(value json.RawMessage) (int32, error) {
	id, text, err := idOf(value)
	if err != nil {
		return 0, err
	}
	if text {
		return s.row(id)
	}
	place, err := strconv.ParseInt(id, 10, 32)
	if err != nil || place < 0 {
		return 0, fmt.Errorf("%w: %s is no place of a node", coles.ErrIndex, id)
	}
	return int32(-1 - place), nil
}

// classes reads the labels.
func (s *sageReader) classes() error {
	labels := make([]int, len(s.rows))
	for i := range labels {
		labels[i] = -1
	}
	err := s.object("class_map.json", func(d *json.Decoder, id string) error {
		row, err := s.row(id)
		if err != nil {
			return err
		}
		var class *int
		if err := d.Decode(&class); err != nil {
			return err // of a list of classes, too
		}
		switch {
		case labels[row] >= 0:
			return fmt.Errorf("the class of %q: %w", id, dataset.ErrDuplicate)
		case class == nil || *class < 0 || *class >= maxClasses:
			return fmt.Errorf("the class of %q is none of 0 to %d: %w", id, maxClasses-1, coles.ErrIndex)
		}
		labels[row] = *class
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.Labels = labels
	return err
}

// features reads the rows of numbers.
func (s *sageReader) features() error {
	s.rows = nil // which nothing asks for any more
	const part = "feats.npy"
	file, err := s.open(part, source.FreeBinary)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	rows, cols, data, err := npy.ReadMatrix(source.NewReader(file), func(r *source.Reader, h *npy.Header) ([]float32, error) {
		if n := s.Nodes(); h.Shape[0] != n {
			return nil, fmt.Errorf("%d rows for %d nodes: %w", h.Shape[0], n, coles.ErrShape)
		}
		return npy.Narrowed(r, h, file.Info.Size())
	})
	if err != nil {
		return placed(s.path(part), err)
	}
	s.Features = &coles.Dense32{Rows: rows, Cols: cols, Stride: cols, Data: data}
	return nil
}
