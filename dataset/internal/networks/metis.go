package networks

import (
	"io"
	"strings"

	"coles"
	"coles/internal/setting"
)

// readMETIS reads a graph of METIS: numbers of nodes and edges, and a form. Then each node has a line of its size, its
// weights and its neighbours from 1 on, with weights of edges, as far as the form has them. Each edge is there from either
// end.
func readMETIS(b *builder, r io.Reader) {
	nodes, edges, row, ends := 0, 0, 0, 0
	before, step := 0, 1 // numbers before the neighbours, and of each
	for line, fields := range b.lines(r) {
		switch {
		case strings.HasPrefix(line, "%"):
		case nodes == 0 && (len(fields) < 2 || len(fields) > 4):
			b.fault("%w: %s, want the numbers of nodes and edges and perhaps a form", coles.ErrFormat, setting.Count(len(fields), "fields"))
		case nodes == 0:
			nodes, edges = b.whole(fields[0], 1, maxNodes), b.whole(fields[1], 0, maxEdges)
			form, weights := b.whole(append(fields, "0")[2], 0, 111), 1
			if len(fields) > 3 {
				weights = b.whole(fields[3], 0, 1<<10)
			}
			if before = form/100 + form/10%10*weights; form%10 == 1 {
				step = 2
			}
		case row < nodes:
			row++
			b.number(row)
			ends += b.neighbours(row, nodes, fields, before, step)
		case line != "":
			b.fault("%w: more lines than %d nodes", coles.ErrShape, nodes)
		}
	}
	switch {
	case nodes == 0:
		b.fault("%w: no line with the numbers of nodes and edges", coles.ErrFormat)
	case row < nodes:
		b.fault("%d lines for %d nodes: %w", row, nodes, coles.ErrChecksum)
	case ends != 2*edges:
		b.fault("%d neighbours for %d edges, each of which stands at both ends: %w", ends, edges, coles.ErrShape)
	}
}

// neighbours takes in the neighbours of a node that come behind it, and counts all.
func (b *builder) neighbours(row, nodes int, fields []string, before, step int) (ends int) {
	if len(fields) < before || (len(fields)-before)%step != 0 {
		b.fault("%w: %s", coles.ErrShape, setting.Count(len(fields), "fields"))
		return 0
	}
	for k := before; k < len(fields); k += step {
		if v := b.whole(fields[k], 1, nodes); v >= row {
			e := b.join(row-1, v-1, false)
			if step == 2 {
				b.set(&b.Edges, e, "weight", fields[k+1])
			}
		}
		ends++
	}
	return ends
}
