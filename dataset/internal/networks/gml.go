package networks

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/internal/text"
)

// maxDepth is how deep parts of a file may lie in one another.
const maxDepth = 64

// A gmlReader reads GML (Himsolt 1997): lists of keys, each with a number, a text in quotes or a list in brackets.
type gmlReader struct {
	builder
	scan  *bufio.Scanner
	line  int
	lines int // in the token and before it
	latin bool
	arcs  bool // edges have a direction
	found bool // a graph
}

// A gmlPair is a key and its value; a list has none.
type gmlPair struct {
	key, value string
	list       bool
	line       int
}

func readGML(r io.Reader) (*Network, error) {
	begun := bufio.NewReader(r)
	if mark, _ := begun.Peek(3); string(mark) == "\ufeff" {
		begun.Discard(3)
	}
	g := &gmlReader{scan: bufio.NewScanner(begun), line: 1}
	g.scan.Buffer(nil, text.MaxLine)
	g.scan.Split(g.cut)
	err := g.pairs(0, func(p gmlPair) error {
		switch {
		case !p.list: // Creator, Version
		case p.key != "graph" || g.found:
			g.unread(p.key)
			return g.pairs(1, g.pass(1))
		default:
			g.found = true
			return g.pairs(1, g.part)
		}
		return nil
	})
	if err == nil && !g.found {
		err = at(g.line, "%w: no graph [ … ]", coles.ErrFormat)
	}
	if err != nil {
		return nil, err
	}
	for e := range g.Arcs { // "directed" may stand behind them
		g.Arcs[e] = g.arcs
	}
	g.sayLatin(g.latin)
	return g.declared()
}

// part takes in a part of the graph.
func (g *gmlReader) part(p gmlPair) error {
	switch {
	case p.key == "directed":
		g.arcs = p.value == "1"
	case p.key == "node" && p.list:
		own, err := g.list("node")
		if err != nil {
			return err
		}
		i, err := g.node(valueOf(own, "id"), p.line)
		if err != nil {
			return err
		}
		return keep(&g.Nodes, i, own, "id")
	case p.key == "edge" && p.list:
		own, err := g.list("edge")
		if err != nil {
			return err
		}
		e, err := g.edge(valueOf(own, "source"), valueOf(own, "target"), p.line, false)
		if err != nil {
			return err
		}
		return keep(&g.Edges, e, own, "source", "target", "id")
	case p.list:
		g.unread(p.key)
		return g.pairs(2, g.pass(2))
	}
	return nil
}

// valueOf is the value of a key, "" for none.
func valueOf(pairs []gmlPair, key string) string {
	if k := slices.IndexFunc(pairs, func(p gmlPair) bool { return p.key == key }); k >= 0 {
		return pairs[k].value
	}
	return ""
}

// keep sets the attributes of a node or an edge, but these keys.
func keep(a *Attributes, row int, own []gmlPair, but ...string) error {
	for _, p := range own {
		if slices.Contains(but, p.key) {
			continue
		}
		if err := a.set(row, p.key, p.value); err != nil {
			return at(p.line, "%w", err)
		}
	}
	return nil
}

// list are the keys of a node or an edge that have a value.
func (g *gmlReader) list(of string) (own []gmlPair, err error) {
	return own, g.pairs(2, func(p gmlPair) error {
		if p.list {
			g.unread(p.key + " of " + of + "s")
			return g.pairs(3, g.pass(3))
		}
		own = append(own, p)
		return nil
	})
}

// pass leaves out a pair, and the list that it may be.
func (g *gmlReader) pass(depth int) func(p gmlPair) error {
	return func(p gmlPair) error {
		if p.list {
			return g.pairs(depth+1, g.pass(depth+1))
		}
		return nil
	}
}

// pairs calls f for each pair of a list, or of the file at depth 0; f reads what is a list.
func (g *gmlReader) pairs(depth int, f func(p gmlPair) error) error {
	if depth > maxDepth {
		return at(g.line, "lists in lists, %d deep: %w", depth, coles.ErrTooLarge)
	}
	for {
		key, quoted, err := g.token()
		switch {
		case err == io.EOF && depth == 0, err == nil && !quoted && key == "]" && depth > 0:
			return nil
		case err == io.EOF:
			return at(g.line, "%w: the file ends in a list", coles.ErrChecksum)
		case err != nil:
			return err
		case quoted || key == "[" || key == "]":
			return at(g.line, "%w: %q, want a key", coles.ErrFormat, key)
		}
		p := gmlPair{key: strings.Clone(key), line: g.line}
		value, quoted, err := g.token()
		switch {
		case err == io.EOF:
			return at(g.line, "%w: the file ends behind %q", coles.ErrChecksum, key)
		case err != nil:
			return err
		case !quoted && value == "]":
			return at(g.line, "%w: %q has no value", coles.ErrFormat, key)
		}
		if p.list = !quoted && value == "["; !p.list {
			p.value = value
		}
		if err := f(p); err != nil {
			return err
		}
	}
}

// token is the next key, value or bracket; io.EOF is the end of the file.
func (g *gmlReader) token() (token string, quoted bool, err error) {
	for g.scan.Scan() {
		word := g.scan.Bytes()
		g.line += g.lines
		switch word[0] {
		case '#':
		case '"':
			return html.UnescapeString(utf8Of(word[1:len(word)-1], &g.latin)), true, nil
		default:
			return utf8Of(word, &g.latin), false, nil
		}
	}
	switch err := g.scan.Err(); err {
	case nil:
		return "", false, io.EOF
	case bufio.ErrTooLong:
		return "", false, at(g.line, "a text of more than %d bytes: %w", text.MaxLine, coles.ErrTooLarge)
	default:
		return "", false, at(g.line, "%w", err)
	}
}

// cut finds the next token, after space: a bracket, a text with its quotes, a comment up to the end of its line, or a word.
// It counts the lines in what it leaves behind.
func (g *gmlReader) cut(data []byte, ends bool) (advance int, token []byte, err error) {
	from := 0
	for from < len(data) && data[from] <= ' ' {
		from++
	}
	rest, size := data[from:], -1
	switch {
	case len(rest) == 0:
	case rest[0] == '[' || rest[0] == ']':
		size = 1
	case rest[0] == '"':
		if size = bytes.IndexByte(rest[1:], '"') + 2; size < 2 && ends {
			return 0, nil, fmt.Errorf("%w: the file ends in a text", coles.ErrChecksum)
		} else if size < 2 {
			size = -1
		}
	case rest[0] == '#':
		size = bytes.IndexByte(rest, '\n')
	default:
		size = bytes.IndexFunc(rest, func(c rune) bool { return c <= ' ' || c == '[' || c == ']' || c == '"' })
	}
	if size < 0 && ends {
		size = len(rest)
	} else if size < 0 {
		return 0, nil, nil
	}
	g.lines = bytes.Count(data[:from+size], []byte("\n"))
	if size == 0 {
		rest = nil // the end
	}
	return from + size, rest[:size], nil
}
