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

// A jsonReader reads nodes and links from JSON: node-link data of NetworkX and d3, where links may number the nodes; its
// adjacency data; elements of Cytoscape; the JSON Graph Format; lists of links, each an object or a list of its ends and
// perhaps a weight.
type jsonReader struct {
	builder
	all    []byte
	d      *json.Decoder
	line   int // of the byte counted
	at     int // to which lines are counted
	depth  int
	arcs   bool
	absent bool // nodes are there by their links
	links  []jsonLink
}

// A jsonLink is an edge whose ends are ids or numbers of nodes.
type jsonLink struct {
	ends [2]string
	line int
	own  []jsonMember
}

// A jsonMember is a name and a value of an object.
type jsonMember struct{ name, value string }

func readJSON(r io.Reader) (*Network, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, at(1, "%w", err)
	}
	all = bytes.TrimPrefix(all, []byte("\ufeff"))
	j := &jsonReader{all: all, d: json.NewDecoder(bytes.NewReader(all)), line: 1}
	j.d.UseNumber()
	if err := j.file(); err != nil {
		var placed *text.Error
		if errors.As(err, &placed) {
			return nil, err
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: the JSON ends early", coles.ErrChecksum)
		} else if !errors.Is(err, coles.ErrTooLarge) && !errors.Is(err, coles.ErrFormat) {
			err = fmt.Errorf("%w: JSON: %w", coles.ErrFormat, err)
		}
		return nil, at(j.reached(), "%w", err)
	}
	if err := j.finish(); err != nil {
		return nil, err
	}
	return j.declared()
}

// reached is the line that is reached.
func (j *jsonReader) reached() int {
	to := int(j.d.InputOffset())
	j.line, j.at = j.line+bytes.Count(j.all[j.at:to], []byte("\n")), to
	return j.line
}

func (j *jsonReader) file() error {
	open, err := j.d.Token()
	if err != nil {
		return err
	}
	switch open {
	case json.Delim('{'):
		err = j.members(j.part)
	case json.Delim('['):
		j.absent = true
		err = j.elements(j.element)
	default:
		err = fmt.Errorf("%w: %v, want an object or a list", coles.ErrFormat, open)
	}
	if err != nil {
		return err
	}
	if _, err := j.d.Token(); err != io.EOF {
		return fmt.Errorf("%w: text after the graph", coles.ErrFormat)
	}
	return nil
}

// members calls f for each name of an open object; f reads the value.
func (j *jsonReader) members(f func(name string) error) error {
	for j.d.More() {
		name, err := j.d.Token()
		if err == nil {
			err = f(name.(string))
		}
		if err != nil {
			return err
		}
	}
	_, err := j.d.Token()
	return err
}

// elements calls f for each element of an open list; f reads it.
func (j *jsonReader) elements(f func() error) error {
	for j.d.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err := j.d.Token()
	return err
}

// opens reads what opens a list or an object, or a value that is none.
func (j *jsonReader) opens() (json.Delim, any, error) {
	token, err := j.d.Token()
	open, _ := token.(json.Delim)
	return open, token, err
}

// pass leaves out a value.
func (j *jsonReader) pass() error { return j.d.Decode(new(json.RawMessage)) }

// part takes in a member of a graph, or of what is around it.
func (j *jsonReader) part(name string) error {
	if !slices.Contains([]string{"directed", "graph", "elements", "nodes", "links", "edges", "adjacency"}, name) {
		return j.pass()
	}
	if j.depth++; j.depth > maxDepth {
		return fmt.Errorf("graphs in graphs, %d deep: %w", j.depth, coles.ErrTooLarge)
	}
	defer func() { j.depth-- }()
	open, value, err := j.opens()
	switch {
	case err != nil:
		return err
	case name == "directed":
		j.arcs = value == true
	case open == '{' && (name == "graph" || name == "elements"):
		return j.members(j.part)
	case open == '{' && name == "nodes":
		return j.members(func(id string) error { return j.object(func(own []jsonMember) error { return j.give(id, own) }) })
	case open == '{':
		return j.members(func(string) error { return j.pass() })
	case open != '[':
		return nil
	case name == "graph":
		return j.elements(j.pass)
	case name == "elements":
		return j.elements(j.element)
	case name == "nodes":
		return j.elements(func() error { return j.object(func(own []jsonMember) error { return j.give("", own) }) })
	case name == "adjacency":
		i := -1
		return j.elements(func() error { i++; return j.neighbours(i) })
	default:
		return j.elements(j.element)
	}
	return nil
}

// element takes in a node or a link: an object, or a list of the ends of a link and perhaps its weight.
func (j *jsonReader) element() error {
	rest := bytes.TrimLeft(j.all[j.d.InputOffset():], ", \t\r\n")
	if len(rest) == 0 || rest[0] != '[' {
		return j.object(func(own []jsonMember) error {
			if valueIn(own, "source", "from") == "" && valueIn(own, "id") != "" {
				return j.give("", own)
			}
			return j.link(own)
		})
	}
	var list []any
	if err := j.d.Decode(&list); err != nil {
		return err
	}
	own := make([]jsonMember, len(list))
	for k, v := range list {
		own[k] = jsonMember{[]string{"source", "target", "weight"}[min(k, 2)], fmt.Sprint(v)}
		if _, nested := v.([]any); nested || v == nil || k > 2 {
			return fmt.Errorf("%w: a link is a list of two nodes and perhaps a weight", coles.ErrFormat)
		}
	}
	return j.link(own)
}

// valueIn is the value of a member of one of these names, "" for none.
func valueIn(own []jsonMember, names ...string) string {
	for _, m := range own {
		if slices.Contains(names, m.name) {
			return m.value
		}
	}
	return ""
}

// object reads an object, or the one under its name data, as Cytoscape has it.
func (j *jsonReader) object(f func(own []jsonMember) error) error {
	open, value, err := j.opens()
	if err == nil && open != '{' {
		err = fmt.Errorf("%w: %v, want an object", coles.ErrFormat, value)
	}
	if err != nil {
		return err
	}
	var own, inner []jsonMember
	err = j.members(func(name string) error {
		var raw json.RawMessage
		if err := j.d.Decode(&raw); err != nil {
			return err
		}
		if (name == "data" || name == "metadata") && raw[0] == '{' {
			within := &jsonReader{d: json.NewDecoder(bytes.NewReader(raw)), all: raw}
			return within.object(func(all []jsonMember) error { inner = all; return nil })
		}
		if cell, ok := cellOf(raw); ok {
			own = append(own, jsonMember{name, cell})
		} else if raw[0] == '{' {
			j.unread(name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f(append(own, inner...))
}

// cellOf is a value as the cell of an attribute: a list of texts between bars. false is for an object and null.
func cellOf(raw json.RawMessage) (string, bool) {
	switch raw[0] {
	case '"':
		var cell string
		err := json.Unmarshal(raw, &cell)
		return cell, err == nil
	case '[':
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			return strings.Join(list, "|"), len(list) > 0
		}
		return string(raw), true
	case '{', 'n':
		return "", false
	}
	return string(raw), true
}

// give declares a node, by its id or else its number.
func (j *jsonReader) give(id string, own []jsonMember) error {
	if id == "" {
		if id = valueIn(own, "id"); id == "" {
			id = strconv.Itoa(len(j.IDs))
		}
	}
	i, err := j.node(id, j.reached())
	for _, m := range own {
		if m.name != "id" && err == nil {
			err = j.Nodes.set(i, m.name, m.value)
		}
	}
	return err
}

// link keeps an edge.
func (j *jsonReader) link(own []jsonMember) error {
	l := jsonLink{ends: [2]string{valueIn(own, "source", "from"), valueIn(own, "target", "to")}, line: j.reached()}
	for _, m := range own {
		if !slices.Contains([]string{"source", "target", "from", "to", "id"}, m.name) {
			l.own = append(l.own, m)
		}
	}
	j.links = append(j.links, l)
	return nil
}

// neighbours takes in the links of node i, of which each without a direction is there twice.
func (j *jsonReader) neighbours(i int) error {
	open, value, err := j.opens()
	if err == nil && open != '[' {
		err = fmt.Errorf("%w: %v, want a list of neighbours", coles.ErrFormat, value)
	}
	if err == nil && i >= len(j.IDs) {
		err = fmt.Errorf("neighbours of node %d of %d: %w", i, len(j.IDs), coles.ErrIndex)
	}
	if err != nil {
		return err
	}
	return j.elements(func() error {
		return j.object(func(own []jsonMember) error {
			other := valueIn(own, "id")
			if row, known := j.rows[other]; known && int(row) < i && !j.arcs {
				return nil
			}
			return j.link(append(own, jsonMember{"source", j.IDs[i]}, jsonMember{"target", other}))
		})
	})
}

// finish adds the edges. Their ends are numbers of nodes where all could be, and some are no ids.
func (j *jsonReader) finish() error {
	numbers, known := true, true
	for _, l := range j.links {
		for _, end := range l.ends {
			k, whole := text.Integer(end)
			numbers = numbers && whole && k < uint64(len(j.IDs))
			_, is := j.rows[end]
			known = known && is
		}
	}
	ids := slices.Clone(j.IDs)
	for _, l := range j.links {
		if numbers && !known {
			for side, end := range l.ends {
				k, _ := text.Integer(end)
				l.ends[side] = ids[k]
			}
		}
		e, err := j.edge(l.ends[0], l.ends[1], l.line, j.arcs)
		for _, m := range l.own {
			if err == nil {
				err = j.Edges.set(e, m.name, m.value)
			}
		}
		if err != nil {
			return err
		}
	}
	if len(j.IDs) == 0 {
		return at(1, "%w: no nodes and links; an object of lists of neighbours is of the format adjacency", coles.ErrFormat)
	}
	for i := range j.given {
		j.given[i] = j.given[i] || j.absent
	}
	return nil
}
