package networks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/internal/text"
)

// A jsonGraph is node-link data of NetworkX and d3, where links may number the nodes, adjacency data of NetworkX, or
// elements of Cytoscape.
type jsonGraph struct {
	Directed            bool
	Nodes, Links, Edges []jsonObject
	Adjacency           [][]jsonObject
	Elements            *jsonGraph
}

// A jsonObject is a node or a link: the members that are no objects, and those of one called data, in their order. A list
// is a link of two nodes and perhaps a weight.
type jsonObject struct {
	members []jsonMember
	objects []string // the names of others
}

type jsonMember struct{ name, cell string }

func readJSON(r io.Reader) (*Network, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, at(1, "%w", err)
	}
	var g jsonGraph
	all = bytes.TrimPrefix(all, []byte("\ufeff"))
	list := bytes.HasPrefix(bytes.TrimSpace(all), []byte("["))
	if list {
		err = json.Unmarshal(all, &g.Links)
	} else if err = json.Unmarshal(all, &g); g.Elements != nil {
		directed := g.Directed
		g = *g.Elements
		g.Directed = directed
	}
	if err != nil {
		return nil, jsonError(all, err)
	}
	b := &builder{}
	if err := b.takeJSON(&g); err != nil {
		return nil, err
	}
	for i := range b.given {
		b.given[i] = b.given[i] || list
	}
	return b.declared()
}

// jsonError puts an error of decoding on its line.
func jsonError(all []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(len(all))
	switch {
	case errors.As(err, &syntax) && syntax.Offset < offset:
		offset = syntax.Offset
	case errors.As(err, &syntax):
		return at(1+bytes.Count(all, []byte("\n")), "%w: the JSON ends early", coles.ErrChecksum)
	case errors.As(err, &kind):
		offset = min(offset, kind.Offset)
	}
	return at(1+bytes.Count(all[:offset], []byte("\n")), "%w: JSON: %w", coles.ErrFormat, err)
}

// UnmarshalJSON keeps the order of an object.
func (o *jsonObject) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil || len(list) < 2 || len(list) > 3 {
			return fmt.Errorf("a list of %d is no link: want two nodes and perhaps a weight", len(list))
		}
		for k, v := range list {
			o.set([]string{"source", "target", "weight"}[k], v)
		}
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("%v, want an object", open)
	}
	for d.More() {
		name, err := d.Token()
		var v json.RawMessage
		if err == nil {
			err = d.Decode(&v)
		}
		if err != nil {
			return err
		}
		if name == "data" && v[0] == '{' {
			err = o.UnmarshalJSON(v)
		} else {
			o.set(name.(string), v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// set keeps a value as the cell of an attribute: a list of texts between bars.
func (o *jsonObject) set(name string, raw json.RawMessage) {
	cell := string(raw)
	var words []string
	switch {
	case raw[0] == '{':
		o.objects = append(o.objects, name)
		return
	case raw[0] == '"':
		json.Unmarshal(raw, &cell) // the whole is sound
	case raw[0] == '[' && json.Unmarshal(raw, &words) == nil:
		cell = strings.Join(words, "|")
	case cell == "null":
		return
	}
	o.members = append(o.members, jsonMember{name, cell})
}

// value is the value of a member of one of these names, "" for none.
func (o *jsonObject) value(names ...string) string {
	for _, m := range o.members {
		if slices.Contains(names, m.name) {
			return m.cell
		}
	}
	return ""
}

func (b *builder) takeJSON(g *jsonGraph) error {
	for i, o := range g.Nodes {
		id := o.value("id")
		if id == "" {
			id = strconv.Itoa(i)
		}
		row, err := b.node(id, 0)
		if err == nil {
			err = b.keep(&b.Nodes, row, &o, "id")
		}
		if err != nil {
			return fmt.Errorf("nodes[%d]: %w", i, err)
		}
	}
	links := append(g.Links, g.Edges...)
	for i, neighbours := range g.Adjacency {
		if i >= len(g.Nodes) {
			return fmt.Errorf("adjacency[%d] of %d nodes: %w", i, len(g.Nodes), coles.ErrIndex)
		}
		for _, o := range neighbours {
			id := o.value("id")
			if row, known := b.rows[id]; known && int(row) < i && !g.Directed { // it is there from the other end
				continue
			}
			o.members = append(o.members, jsonMember{"source", b.IDs[i]}, jsonMember{"target", id})
			links = append(links, o)
		}
	}
	ids := b.IDs
	numbered := b.numbers(links)
	for i, o := range links {
		ends := [2]string{o.value("source", "from"), o.value("target", "to")}
		for side, end := range ends {
			if numbered {
				k, _ := text.Integer(end)
				ends[side] = ids[k]
			}
			if _, known := b.rows[ends[side]]; !known && len(g.Nodes) > 0 {
				return fmt.Errorf("links[%d]: %w: a node %q that there is not", i, coles.ErrIDs, ends[side])
			}
		}
		e, err := b.edge(ends[0], ends[1], 0, g.Directed)
		if err == nil {
			err = b.keep(&b.Edges, e, &o, "source", "target", "from", "to", "id")
		}
		if err != nil {
			return fmt.Errorf("links[%d]: %w", i, err)
		}
	}
	if len(b.IDs) == 0 {
		return fmt.Errorf("%w: no nodes and links; an object of lists of neighbours is of the format adjacency", coles.ErrFormat)
	}
	return nil
}

// numbers reports whether links number the nodes: all ends could, and some are no ids.
func (b *builder) numbers(links []jsonObject) bool {
	ids := true
	for _, o := range links {
		for _, end := range []string{o.value("source", "from"), o.value("target", "to")} {
			if k, whole := text.Integer(end); !whole || k >= uint64(len(b.IDs)) {
				return false
			}
			_, known := b.rows[end]
			ids = ids && known
		}
	}
	return !ids
}

// keep sets the attributes of a node or an edge, but these.
func (b *builder) keep(a *Attributes, row int, o *jsonObject, but ...string) error {
	for _, name := range o.objects {
		b.unread(name)
	}
	for _, m := range o.members {
		if slices.Contains(but, m.name) {
			continue
		}
		if err := a.set(row, m.name, m.cell); err != nil {
			return err
		}
	}
	return nil
}
