package networks

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"coles"

	"golang.org/x/text/encoding/charmap"
)

// An xmlReader reads GraphML and GEXF, element by element. Nodes within a node are nodes. Entities that a file defines
// are refused, so that none grows.
type xmlReader struct {
	*builder
	d     *xml.Decoder
	depth int
	graph bool               // there was one
	arcs  bool               // edges have a direction unless they say
	class string             // of the attributes of GEXF that are declared: node or edge
	keys  map[string]*xmlKey // by the ids of GraphML, or class and id of GEXF
	key   *xmlKey            // the last, whose default may follow
	items []xmlItem          // the open nodes and edges
	text  []byte             // of the open element that is kept, if one is
	keep  func(text string)
	kept  int // its depth
}

// An xmlKey is an attribute that a file declares.
type xmlKey struct{ name, of string }

// An xmlItem is a node or an edge that is open at a depth.
type xmlItem struct {
	at         *Attributes
	row, depth int
}

func readXML(b *builder, r io.Reader) {
	x := &xmlReader{builder: b, d: xml.NewDecoder(r), keys: make(map[string]*xmlKey)}
	x.d.CharsetReader = charset
	for x.err == nil {
		token, err := x.d.Token()
		x.line, _ = x.d.InputPos()
		switch token := token.(type) {
		case xml.StartElement:
			x.start(token)
		case xml.CharData:
			if x.keep != nil && x.depth == x.kept {
				x.text = append(x.text, token...)
			}
		case xml.EndElement:
			x.end()
		}
		if err == io.EOF {
			break
		}
		x.failed(err)
	}
	if !x.graph {
		x.fault("%w: no graph in it", coles.ErrFormat)
	}
}

// failed is the fault of an error of the decoder, if there is one.
func (x *xmlReader) failed(err error) {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "EOF"):
		x.fault("%w: the XML ends early", coles.ErrChecksum)
	case syntax != nil:
		x.fault("%w: XML: %s", coles.ErrFormat, syntax.Msg)
	case err != nil:
		x.fault("%w", err)
	}
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

func (x *xmlReader) start(e xml.StartElement) {
	if x.depth++; x.depth > maxDepth {
		x.fault("elements in elements, %d deep: %w", x.depth, coles.ErrTooLarge)
	}
	name := e.Name.Local
	if x.depth == 1 {
		if name != "graphml" && name != "gexf" {
			x.fault("%w: <%s>, want <graphml> or <gexf>", coles.ErrFormat, name)
		}
		return
	}
	switch name {
	case "graph":
		if !x.graph {
			x.graph, x.arcs = true, attr(e, "edgedefault", "defaultedgetype") == "directed"
		} else if len(x.items) == 0 {
			x.fault("%w: a second graph; want a file of one", coles.ErrFormat)
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
			x.take(func(text string) { x.fallback(key, text) })
		}
	case "node", "edge":
		x.open(e)
	case "data":
		x.datum(attr(e, "key"))
	case "attvalue":
		x.value(attr(e, "for", "id"), attr(e, "value"))
	case "NodeLabel", "EdgeLabel": // of yEd
		x.datum("label")
	case "hyperedge":
		x.unread("hyperedges")
	case "spell":
		x.unread("times")
	case "color", "position", "size", "shape", "thickness":
		x.unread(name)
	}
}

// open takes in a node or an edge and what its element says of it.
func (x *xmlReader) open(e xml.StartElement) {
	item := xmlItem{at: &x.Nodes, depth: x.depth}
	if e.Name.Local == "node" {
		item.row = x.node(attr(e, "id"))
	} else {
		arc := x.arcs
		switch attr(e, "directed", "type") {
		case "true", "directed":
			arc = true
		case "false", "undirected", "mutual":
			arc = false
		}
		item.at, item.row = &x.Edges, x.edge(attr(e, "source"), attr(e, "target"), arc)
	}
	for _, name := range []string{"label", "weight"} {
		if cell := attr(e, name); cell != "" {
			x.set(item.at, item.row, name, cell)
		}
	}
	x.items = append(x.items, item)
}

// datum keeps what an element says of the open node or edge under a key.
func (x *xmlReader) datum(id string) {
	x.take(func(text string) {
		if text != "" { // the graphics of yEd have none, but an element within that is the label
			x.value(id, text)
		}
	})
}

// value sets an attribute of the open node or edge, if there is one.
func (x *xmlReader) value(id, cell string) {
	if len(x.items) == 0 {
		return
	}
	item, class := x.items[len(x.items)-1], "node "
	if item.at == &x.Edges {
		class = "edge "
	}
	name := id
	if key := cmp.Or(x.keys[id], x.keys[class+id]); key != nil {
		name = key.name
	}
	x.set(item.at, item.row, name, cell)
}

// fallback is the default of a key.
func (x *xmlReader) fallback(key *xmlKey, text string) {
	if key.of == "node" || key.of == "all" {
		x.column(&x.Nodes, key.name).Default = text
	}
	if key.of == "edge" || key.of == "all" {
		x.column(&x.Edges, key.name).Default = text
	}
}

// take has the text of the element that begins kept.
func (x *xmlReader) take(keep func(text string)) {
	x.keep, x.kept, x.text = keep, x.depth, x.text[:0]
}

func (x *xmlReader) end() {
	x.depth--
	if k := len(x.items) - 1; k >= 0 && x.items[k].depth > x.depth {
		x.items = x.items[:k]
	}
	if keep := x.keep; keep != nil && x.kept > x.depth {
		x.keep = nil
		keep(strings.TrimSpace(string(x.text)))
	}
}

// charsets are the encodings that XML may name, besides UTF-8.
var charsets = map[string]*charmap.Charmap{
	"us-ascii": charmap.ISO8859_1, "ascii": charmap.ISO8859_1,
	"iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1, "latin-1": charmap.ISO8859_1,
	"iso-8859-15":  charmap.ISO8859_15,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252,
}

// charset reads XML that names its encoding.
func charset(label string, r io.Reader) (io.Reader, error) {
	if c := charsets[strings.ToLower(label)]; c != nil {
		return c.NewDecoder().Reader(r), nil
	}
	return nil, fmt.Errorf("%w: the encoding %q is not read; want UTF-8 or ISO-8859-1", coles.ErrFormat, label)
}
