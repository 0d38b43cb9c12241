package networks

import (
	"io"
	"strings"

	"coles"
)

// readSIF reads Cytoscape's simple format: lines of a node, a kind of link and the nodes at its other ends, or of a node
// alone, between tabs or, where there is none, blanks.
func readSIF(b *builder, r io.Reader) {
	for line, fields := range b.lines(r) {
		if line == "" {
			continue
		}
		if strings.Contains(line, "\t") {
			fields = strings.Split(line, "\t")
		}
		if len(fields) == 2 {
			b.fault("%w: a node and a kind of link, but no other node", coles.ErrFormat)
		}
		b.given[b.row(fields[0])] = true
		for _, other := range fields[min(2, len(fields)):] {
			e := b.edge(fields[0], other, false)
			b.given[b.Ends[e][1]] = true
			b.set(&b.Edges, e, "interaction", fields[1])
		}
	}
}
