package networks

import (
	"io"

	"coles"
)

// readDIMACS reads a graph of a DIMACS challenge: a line "p KIND nodes edges", lines "e u v" of edges and "a u v number …"
// of arcs; the number is a length, a capacity or, of an edge, a weight.
func readDIMACS(b *builder, r io.Reader) {
	nodes, edges := -1, 0
	names := map[string]string{"e": "weight"} // of the number on a line
	for line, fields := range b.lines(r) {
		if line == "" {
			continue
		}
		switch kind := fields[0]; {
		case kind[0] == 'c' || kind == "n" || kind == "d" || kind == "v" || kind == "x":
		case kind == "p" && nodes < 0 && len(fields) == 4:
			names["a"] = map[string]string{"sp": "length", "max": "capacity", "min": "low"}[fields[1]]
			nodes, edges = b.whole(fields[2], 1, maxNodes), b.whole(fields[3], 0, maxEdges)
		case nodes >= 0 && (kind == "e" || kind == "a") && len(fields) >= 3:
			e := b.join(b.whole(fields[1], 1, nodes)-1, b.whole(fields[2], 1, nodes)-1, kind == "a")
			if len(fields) > 3 {
				b.set(&b.Edges, e, names[kind], fields[3])
			}
		default:
			b.fault("%w: %q, want a line \"p KIND nodes edges\", then \"e u v\" and \"a u v number\"", coles.ErrFormat, line[:min(len(line), 40)])
		}
	}
	if nodes < 0 {
		b.fault("%w: no line \"p KIND nodes edges\"", coles.ErrFormat)
	}
	if len(b.Ends) < edges {
		b.fault("%d edges of %d: %w", len(b.Ends), edges, coles.ErrChecksum)
	}
	b.number(nodes)
}
