package networks

import (
	"io"
	"strings"

	"coles"
)

// readSIF reads Cytoscape's simple format: lines of a node, a kind of link and the nodes at its other ends, or of a node
// alone, between tabs or, where there is none, blanks.
func readSIF(r io.Reader) (*Network, error) {
	b, l := &builder{}, newLines(r)
	for l.next() {
		if l.text == "" {
			continue
		}
		if strings.Contains(l.text, "\t") {
			l.fields = strings.Split(l.text, "\t")
		}
		if len(l.fields) == 2 {
			return nil, l.fault("%w: a node and a kind of link, but no other node", coles.ErrFormat)
		}
		first := b.row(l.fields[0], l.Line)
		b.given[first] = true
		for _, other := range l.fields[min(2, len(l.fields)):] {
			e, err := b.edge(l.fields[0], other, l.Line, false)
			if err == nil {
				b.given[b.Ends[e][1]] = true
				err = b.Edges.set(e, "interaction", l.fields[1])
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if err := l.Err; err != nil {
		return nil, err
	}
	return &b.Network, nil
}
