package networks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"coles"
	"coles/internal/source"
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
	members
	objects []string // the names of others
}

func readJSON(b *builder, r io.Reader) {
	b.line = 1
	all, err := io.ReadAll(r)
	if err != nil {
		b.fault("%w", err)
		return
	}
	var g jsonGraph
	list := bytes.HasPrefix(bytes.TrimSpace(all), []byte("["))
	if list {
		err = json.Unmarshal(all, &g.Links)
	} else if err = json.Unmarshal(all, &g); g.Elements != nil {
		directed := g.Directed
		g = *g.Elements
		g.Directed = directed
	}
	if err != nil {
		b.badJSON(all, err)
		return
	}
	b.line = 0
	b.takeNodes(g.Nodes)
	b.takeLinks(&g)
	if len(b.IDs) == 0 {
		b.fault("%w: no nodes and links; an object of lists of neighbours is of the format adjacency", coles.ErrFormat)
	}
	for i := range b.given {
		b.given[i] = b.given[i] || list
	}
}

// badJSON puts an error of decoding on its line.
func (b *builder) badJSON(all []byte, err error) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(len(all))
	early := errors.As(err, &syntax) && syntax.Offset >= offset
	if syntax != nil {
		offset = min(offset, syntax.Offset)
	} else if errors.As(err, &kind) {
		offset = min(offset, kind.Offset)
	}
	b.line += bytes.Count(all[:offset], []byte("\n"))
	if early {
		b.fault("%w: the JSON ends early", coles.ErrChecksum)
	}
	b.fault("%w: JSON: %w", coles.ErrFormat, err)
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
	all, err := source.Members(raw)
	for _, m := range all {
		if m.Name != "data" || m.Value[0] != '{' {
			o.set(m.Name, m.Value)
		} else if err == nil {
			err = o.UnmarshalJSON(m.Value)
		}
	}
	return err
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
	o.members = append(o.members, member{name, cell})
}

// within says which of some parts a fault is in.
func (b *builder) within(part string, i int) {
	if b.err != nil {
		b.err = fmt.Errorf("%s[%d]: %w", part, i, b.err)
	}
}

func (b *builder) takeNodes(nodes []jsonObject) {
	for i := 0; i < len(nodes) && b.err == nil; i++ {
		o := &nodes[i]
		id := o.value("id")
		if id == "" {
			id = strconv.Itoa(i)
		}
		b.take(&b.Nodes, b.node(id), o, "id")
		b.within("nodes", i)
	}
}

func (b *builder) takeLinks(g *jsonGraph) {
	links := append(g.Links, g.Edges...)
	for i, neighbours := range g.Adjacency {
		if i >= len(b.IDs) {
			b.fault("adjacency[%d] of %d nodes: %w", i, len(g.Nodes), coles.ErrIndex)
			return
		}
		for _, o := range neighbours {
			id := o.value("id")
			if row, known := b.rows[id]; known && int(row) < i && !g.Directed { // it is there from the other end
				continue
			}
			o.members = append(o.members, member{"source", b.IDs[i]}, member{"target", id})
			links = append(links, o)
		}
	}
	ids := b.IDs
	numbered := b.numbers(links)
	for i := 0; i < len(links) && b.err == nil; i++ {
		o := &links[i]
		ends := [2]string{o.value("source", "from"), o.value("target", "to")}
		for side, end := range ends {
			if numbered {
				k, _ := text.Integer(end)
				ends[side] = ids[k]
			}
			if _, known := b.rows[ends[side]]; !known && len(g.Nodes) > 0 {
				b.fault("%w: the end %q is no node of the file", coles.ErrIDs, ends[side])
			}
		}
		b.take(&b.Edges, b.edge(ends[0], ends[1], g.Directed), o, "source", "target", "from", "to", "id")
		b.within("links", i)
	}
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

// take sets the attributes of a node or an edge, but those of some names.
func (b *builder) take(a *Attributes, row int, o *jsonObject, but ...string) {
	for _, name := range o.objects {
		b.unread(name)
	}
	b.setAll(a, row, o.members, but...)
}
