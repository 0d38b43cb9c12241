package networks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/internal/source"
	"coles/internal/text"
)

// A jsonReader reads node-link data of NetworkX and d3, whose links may number the nodes, and adjacency data of NetworkX. It
// reads the JSON Graph Format, and elements of Cytoscape, by their groups or in one list.
type jsonReader struct {
	*builder
	file         []byte
	lines, seen  int // the line of the byte that was looked at last, and its place
	arcs         bool
	nodes, links []jsonObject
	adjacency    [][]jsonObject
}

// A jsonObject is a node or a link: the members that are no objects, and those of data and metadata, in their order. A list
// is a link of two nodes and perhaps a weight.
type jsonObject struct {
	members
	objects []string // the names of others
	data    bool     // it is an element of Cytoscape
	line    int
}

func readJSON(b *builder, r io.Reader) {
	b.line = 1
	all, err := io.ReadAll(r)
	if err != nil {
		b.fault("%w", err)
		return
	}
	j := &jsonReader{builder: b, file: all, lines: 1}
	if err := json.Unmarshal(all, new(json.RawMessage)); err != nil {
		j.unsound(err)
		return
	}
	value := bytes.TrimSpace(all)
	whole := source.Member{Value: value, At: bytes.Index(all, value)}
	list := value[0] == '['
	if list {
		j.list(whole)
	} else {
		j.graph(whole, true)
	}
	declared := j.nodes != nil
	j.takeNodes()
	j.takeLinks()
	if b.line = 0; len(b.IDs) == 0 {
		b.fault("%w: no nodes and links; an object of lists of neighbours is of the format adjacency", coles.ErrFormat)
	}
	for i := range b.given {
		b.given[i] = b.given[i] || list && !declared
	}
}

// unsound puts an error of decoding on its line.
func (j *jsonReader) unsound(err error) {
	var syntax *json.SyntaxError
	offset := len(j.file)
	if errors.As(err, &syntax) {
		offset = min(offset, int(syntax.Offset))
	}
	j.goTo(offset)
	if syntax != nil && offset == len(j.file) {
		j.fault("%w: the JSON ends early", coles.ErrChecksum)
	}
	j.fault("%w: JSON: %w", coles.ErrFormat, err)
}

// goTo has faults be on the line of a byte of the file.
func (j *jsonReader) goTo(offset int) {
	if offset < j.seen {
		j.lines, j.seen = 1, 0
	}
	j.lines += bytes.Count(j.file[j.seen:offset], []byte("\n"))
	j.line, j.seen = j.lines, offset
}

// parts are the members of an object or a list, whichever is wanted.
func (j *jsonReader) parts(m source.Member, want string) []source.Member {
	j.goTo(m.At)
	if kind := map[byte]string{'{': "an object", '[': "a list"}[m.Value[0]]; kind == "" || !strings.Contains(want, kind) {
		j.fault("%w: JSON: %.20s, want %s", coles.ErrFormat, m.Value, want)
		return nil
	}
	all, _ := source.Within(m.Value) // the whole is sound
	for k := range all {
		all[k].At += m.At
	}
	return all
}

// graph takes in an object that holds a graph, which may be one within the outer one.
func (j *jsonReader) graph(m source.Member, outer bool) {
	var within []source.Member
	for _, part := range j.parts(m, "an object") {
		object := part.Value[0] == '{'
		switch part.Name {
		case "directed":
			j.arcs = string(part.Value) == "true"
		case "nodes":
			j.nodes = append(j.nodes, j.objects(part, "an object")...)
		case "links", "edges":
			j.links = append(j.links, j.objects(part, "an object or a list")...)
		case "adjacency":
			for _, of := range j.parts(part, "a list") {
				j.adjacency = append(j.adjacency, j.objects(of, "an object"))
			}
		case "elements":
			if !object {
				j.list(part)
			} else if outer {
				j.graph(part, false)
			}
		case "graph": // of NetworkX, which has attributes in it, too
			if object {
				within = append(within, part)
			}
		case "graphs":
			within = append(within, j.parts(part, "a list")...)
		case "hyperedges":
			j.unread(part.Name)
		}
	}
	if outer && within != nil && j.nodes == nil && j.links == nil {
		j.arcs = true // unless it says
		if j.graph(within[0], false); len(within) > 1 {
			j.unread("graphs behind the first")
		}
	}
}

// list takes in elements of Cytoscape that are nodes and links, and links.
func (j *jsonReader) list(m source.Member) {
	for _, part := range j.parts(m, "a list") {
		o := j.object(part, "an object or a list")
		o.members = slices.DeleteFunc(o.members, func(m member) bool { return o.data && m.name == "group" && (m.cell == "nodes" || m.cell == "edges") })
		if o.data && o.value("source", "target") == "" {
			j.nodes = append(j.nodes, o)
		} else {
			j.links = append(j.links, o)
		}
	}
}

// objects are nodes or links, in a list or under the ids of nodes.
func (j *jsonReader) objects(m source.Member, want string) (all []jsonObject) {
	for _, part := range j.parts(m, "a list or "+strings.TrimSuffix(want, " or a list")) {
		o := j.object(part, want)
		if part.Name != "" {
			o.members = append(members{{"id", part.Name}}, o.members...)
		}
		all = append(all, o)
	}
	return all
}

// object is a node or a link.
func (j *jsonReader) object(m source.Member, want string) (o jsonObject) {
	parts := j.parts(m, want)
	if o.line = j.line; m.Value[0] == '[' && (len(parts) < 2 || len(parts) > 3) {
		j.fault("%w: a list of %d is no link: want two nodes and perhaps a weight", coles.ErrFormat, len(parts))
		return o
	}
	for k, part := range parts {
		switch {
		case m.Value[0] == '[':
			o.set([]string{"source", "target", "weight"}[k], part.Value)
		case part.Value[0] == '{' && (part.Name == "data" || part.Name == "metadata"):
			o.data = o.data || part.Name == "data"
			for _, of := range j.parts(part, "an object") {
				o.set(of.Name, of.Value)
			}
		default:
			o.set(part.Name, part.Value)
		}
	}
	return o
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
func (j *jsonReader) within(part string, i int) {
	var at *text.Error
	if errors.As(j.err, &at) {
		at.Err = fmt.Errorf("%s[%d]: %w", part, i, at.Err)
	}
}

func (j *jsonReader) takeNodes() {
	for i := 0; i < len(j.nodes) && j.err == nil; i++ {
		o := &j.nodes[i]
		j.line = o.line
		j.take(&j.Nodes, j.node(cmp.Or(o.value("id"), strconv.Itoa(i))), o, "id")
		j.within("nodes", i)
	}
}

func (j *jsonReader) takeLinks() {
	for i, neighbours := range j.adjacency {
		if i >= len(j.IDs) {
			j.fault("adjacency[%d] of %d nodes: %w", i, len(j.nodes), coles.ErrIndex)
			return
		}
		for _, o := range neighbours {
			id := o.value("id")
			if row, known := j.rows[id]; known && int(row) < i && !j.arcs { // it is there from the other end
				continue
			}
			o.members = append(o.members, member{"source", j.IDs[i]}, member{"target", id})
			j.links = append(j.links, o)
		}
	}
	ids := j.IDs
	numbered := j.numbers()
	for i := 0; i < len(j.links) && j.err == nil; i++ {
		o := &j.links[i]
		j.line = o.line
		ends := [2]string{o.value("source", "from"), o.value("target", "to")}
		for side, end := range ends {
			if numbered {
				k, _ := text.Integer(end)
				ends[side] = ids[k]
			}
			if _, known := j.rows[ends[side]]; !known && len(j.nodes) > 0 {
				j.fault("%w: the end %q is no node of the file", coles.ErrIDs, ends[side])
			}
		}
		arc := j.arcs
		if says := o.value("directed"); says == "true" || says == "false" {
			arc = says == "true"
		}
		j.take(&j.Edges, j.edge(ends[0], ends[1], arc), o, "source", "target", "from", "to", "id", "directed")
		j.within("links", i)
	}
}

// numbers reports whether links number the nodes: all ends could, and some are no ids.
func (j *jsonReader) numbers() bool {
	ids := true
	for _, o := range j.links {
		for _, end := range []string{o.value("source", "from"), o.value("target", "to")} {
			k, whole := text.Integer(end)
			if !whole || k >= uint64(len(j.IDs)) {
				return false
			}
			_, known := j.rows[end]
			ids = ids && known
		}
	}
	return !ids
}

// take sets the attributes of a node or an edge, but those of some names.
func (j *jsonReader) take(a *Attributes, row int, o *jsonObject, but ...string) {
	for _, name := range o.objects {
		j.unread(name)
	}
	j.setAll(a, row, o.members, but...)
}
