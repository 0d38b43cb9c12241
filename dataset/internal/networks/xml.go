package networks

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"coles"
	"coles/internal/text"
)

// An xmlReader reads GraphML and GEXF, element by element. Nodes within a node are nodes. Entities that a file defines
// are refused, so that none grows.
type xmlReader struct {
	builder
	d     *xml.Decoder
	depth int
	graph bool               // there was one
	arcs  bool               // edges have a direction unless they say
	class string             // of the attributes of GEXF that are declared: node or edge
	keys  map[string]*xmlKey // by the ids of GraphML, or class and id of GEXF
	key   *xmlKey            // the last, whose default may follow
	items []xmlItem          // the open nodes and edges
	text  []byte             // of the open element that is kept, if one is
	keep  func(text string) error
	kept  int // its depth
}

// An xmlKey is an attribute that a file declares.
type xmlKey struct{ name, of string }

// An xmlItem is a node or an edge that is open at a depth.
type xmlItem struct {
	at         *Attributes
	row, depth int
}

func readXML(r io.Reader) (*Network, error) {
	x := &xmlReader{d: xml.NewDecoder(r), keys: make(map[string]*xmlKey)}
	x.d.CharsetReader = charset
	for {
		token, err := x.d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, x.because(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			err = x.start(token)
		case xml.CharData:
			if x.keep != nil && x.depth == x.kept {
				x.text = append(x.text, token...)
			}
		case xml.EndElement:
			err = x.end()
		}
		if err != nil {
			return nil, x.because(err)
		}
	}
	if !x.graph {
		return nil, x.because(fmt.Errorf("%w: no graph in it", coles.ErrFormat))
	}
	return x.declared()
}

// because puts an error at the line that is reached.
func (x *xmlReader) because(err error) error {
	line, _ := x.d.InputPos()
	var syntax *xml.SyntaxError
	var placed *text.Error
	switch {
	case errors.As(err, &placed):
		return err
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "EOF"):
		return at(syntax.Line, "%w: the XML ends early", coles.ErrChecksum)
	case errors.As(err, &syntax):
		return at(syntax.Line, "%w: XML: %s", coles.ErrFormat, syntax.Msg)
	}
	return at(line, "%w", err)
}

// attr is an attribute of an element, "" for none.
func attr(e xml.StartElement, names ...string) string {
	for _, name := range names {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
	}
	return ""
}

func (x *xmlReader) start(e xml.StartElement) error {
	if x.depth++; x.depth > maxDepth {
		return fmt.Errorf("elements in elements, %d deep: %w", x.depth, coles.ErrTooLarge)
	}
	name := e.Name.Local
	if x.depth == 1 {
		if name != "graphml" && name != "gexf" {
			return fmt.Errorf("%w: <%s>, want <graphml> or <gexf>", coles.ErrFormat, name)
		}
		return nil
	}
	switch name {
	case "graph":
		if x.graph && len(x.items) == 0 {
			return fmt.Errorf("%w: a second graph; want a file of one", coles.ErrFormat)
		}
		if kind := attr(e, "edgedefault", "defaultedgetype"); !x.graph {
			x.graph, x.arcs = true, kind == "directed"
		}
	case "key":
		x.key = &xmlKey{name: attr(e, "attr.name", "id"), of: attr(e, "for")}
		x.keys[attr(e, "id")] = x.key
	case "attributes":
		x.class = attr(e, "class")
	case "attribute":
		x.key = &xmlKey{name: attr(e, "title", "id"), of: x.class}
		x.keys[x.class+" "+attr(e, "id")] = x.key
	case "default":
		if key := x.key; key != nil {
			x.take(func(text string) error { return x.fallback(key, text) })
		}
	case "node", "edge":
		return x.open(e)
	case "data":
		return x.datum(attr(e, "key"))
	case "attvalue":
		return x.value(attr(e, "for", "id"), attr(e, "value"))
	case "NodeLabel", "EdgeLabel": // of yEd
		return x.datum("label")
	case "hyperedge":
		x.unread("hyperedges")
	case "spell":
		x.unread("times")
	case "color", "position", "size", "shape", "thickness":
		x.unread(name)
	}
	return nil
}

// open takes in a node or an edge and what its element says of it.
func (x *xmlReader) open(e xml.StartElement) error {
	line, _ := x.d.InputPos()
	item := xmlItem{depth: x.depth}
	var err error
	if item.at = &x.Nodes; e.Name.Local == "node" {
		item.row, err = x.node(attr(e, "id"), line)
	} else {
		arc := x.arcs
		switch attr(e, "directed", "type") {
		case "true", "directed":
			arc = true
		case "false", "undirected", "mutual":
			arc = false
		}
		item.at = &x.Edges
		item.row, err = x.edge(attr(e, "source"), attr(e, "target"), line, arc)
	}
	for _, name := range []string{"label", "weight"} {
		if cell := attr(e, name); cell != "" && err == nil {
			err = item.at.set(item.row, name, cell)
		}
	}
	x.items = append(x.items, item)
	return err
}

// datum keeps what an element says of the open node or edge under a key.
func (x *xmlReader) datum(id string) error {
	if len(x.items) > 0 {
		x.take(func(text string) error {
			if text == "" { // the graphics of yEd, whose label is an element within
				return nil
			}
			return x.value(id, text)
		})
	}
	return nil
}

// value sets an attribute of the open node or edge.
func (x *xmlReader) value(id, cell string) error {
	if len(x.items) == 0 {
		return nil
	}
	item, class := x.items[len(x.items)-1], "node "
	if item.at == &x.Edges {
		class = "edge "
	}
	name := id
	if key := x.keys[id]; key != nil {
		name = key.name
	} else if key := x.keys[class+id]; key != nil {
		name = key.name
	}
	return item.at.set(item.row, name, cell)
}

// fallback is the default of a key.
func (x *xmlReader) fallback(key *xmlKey, text string) error {
	for _, of := range []struct {
		kind string
		at   *Attributes
	}{{"node", &x.Nodes}, {"edge", &x.Edges}} {
		if key.of != of.kind && key.of != "all" {
			continue
		}
		c, err := of.at.column(key.name)
		if err != nil {
			return err
		}
		c.Default = text
	}
	return nil
}

// take has the text of the element that begins kept.
func (x *xmlReader) take(keep func(text string) error) {
	x.keep, x.kept, x.text = keep, x.depth, x.text[:0]
}

func (x *xmlReader) end() error {
	x.depth--
	if k := len(x.items) - 1; k >= 0 && x.items[k].depth > x.depth {
		x.items = x.items[:k]
	}
	if keep := x.keep; keep != nil && x.kept > x.depth {
		x.keep = nil
		return keep(strings.TrimSpace(string(x.text)))
	}
	return nil
}
