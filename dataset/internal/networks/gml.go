package networks

import (
	"bytes"
	"html"
	"io"
	"iter"

	"coles"
	"coles/internal/text"
)

// maxDepth is how deep parts of a file may lie in one another.
const maxDepth = 64

// A gmlReader reads GML (Himsolt 1997): lists of keys, each with a number, a text in quotes or a list in brackets.
type gmlReader struct {
	*builder
	rest  []byte // of the file
	depth int    // of the list that is read, 0 for the file
}

func readGML(b *builder, r io.Reader) {
	all, err := io.ReadAll(r)
	b.line = 1
	if err != nil {
		b.fault("%w", err)
	}
	g := &gmlReader{builder: b, rest: append(all, '\n')}
	found, arcs := false, false
	for p := range g.pairs() {
		switch {
		case p.cell != "[": // Creator, Version
		case p.name != "graph" || found:
			g.unread(p.name)
		default:
			found = true
			for p := range g.pairs() {
				switch {
				case p.name == "directed":
					arcs = p.cell == "1"
				case p.cell != "[":
				case p.name == "node" || p.name == "edge":
					g.item(p.name)
				default:
					g.unread(p.name)
				}
			}
		}
	}
	if !found {
		b.fault("%w: no graph [ … ]", coles.ErrFormat)
	}
	for e := range b.Arcs { // "directed" may stand behind them
		b.Arcs[e] = arcs
	}
}

// item takes in a node or an edge.
func (g *gmlReader) item(kind string) {
	var own members
	begun := g.line
	for p := range g.pairs() {
		if p.cell == "[" {
			g.unread(p.name + " of " + kind + "s")
			continue
		}
		own = append(own, member{p.name, g.text(p.cell)})
	}
	ended := g.line
	if g.line = begun; kind == "node" {
		g.setAll(&g.Nodes, g.node(own.value("id")), own, "id")
	} else {
		e := g.edge(own.value("source"), own.value("target"), false)
		g.setAll(&g.Edges, e, own, "source", "target", "id")
	}
	g.line = ended
}

// pairs are the keys and values of the list that begins, or of the file. A value "[" is a list, which is passed over if the
// caller does not read its pairs.
func (g *gmlReader) pairs() iter.Seq[member] {
	return func(yield func(member) bool) {
		for depth := g.depth; g.err == nil; {
			p := member{name: g.token()}
			switch {
			case p.name == "" && depth == 0:
				return
			case p.name == "]" && depth > 0:
				g.depth--
				return
			case p.name == "":
				g.fault("%w: the file ends in a list", coles.ErrChecksum)
				return
			case p.name == "[", p.name == "]", p.name[0] == '"':
				g.fault("%w: %q, want a key", coles.ErrFormat, p.name)
				return
			}
			switch p.cell = g.token(); p.cell {
			case "":
				g.fault("%w: the file ends behind %q", coles.ErrChecksum, p.name)
				return
			case "]":
				g.fault("%w: %q has no value", coles.ErrFormat, p.name)
				return
			case "[":
				if g.depth++; g.depth > maxDepth {
					g.fault("lists in lists, %d deep: %w", g.depth, coles.ErrTooLarge)
				}
			}
			if g.err != nil || !yield(p) {
				return
			}
			if g.depth > depth {
				for range g.pairs() {
				}
			}
		}
	}
}

// token is the next key, value or bracket, with its quotes; "" is the end of the file.
func (g *gmlReader) token() string {
	const blank = " \t\r\n\f"
	rest := bytes.TrimLeft(g.rest, blank)
	for len(rest) > 0 && rest[0] == '#' {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
		rest = bytes.TrimLeft(rest, blank)
	}
	if len(rest) == 0 {
		return ""
	}
	size, open := 1, false
	switch rest[0] {
	case '[', ']':
	case '"':
		if size = bytes.IndexByte(rest[1:], '"') + 2; size < 2 {
			size, open = len(rest), true
		}
	default:
		size = bytes.IndexAny(rest, blank+`[]"`) // the file ends in one
	}
	if size > text.MaxLine {
		g.fault("a text of more than %d bytes: %w", text.MaxLine, coles.ErrTooLarge)
	} else if open {
		g.fault("%w: the file ends in a text", coles.ErrChecksum)
	}
	token := g.utf8(rest[:size])
	rest = rest[size:]
	g.line += bytes.Count(g.rest[:len(g.rest)-len(rest)], []byte("\n"))
	g.rest = rest
	return token
}

// text is a value without its quotes.
func (g *gmlReader) text(value string) string {
	if value[0] == '"' {
		value = html.UnescapeString(value[1 : len(value)-1])
	}
	return value
}
