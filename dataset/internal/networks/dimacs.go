package networks

import (
	"io"

	"coles"
)

// readDIMACS reads a graph of a DIMACS challenge: a line "p KIND nodes edges", lines "e u v" of edges and "a u v number …"
// of arcs; the number is a length, a capacity or, of an edge, a weight.
func readDIMACS(r io.Reader) (*Network, error) {
	b, l := &builder{}, newLines(r)
	nodes, edges, number := -1, 0, ""
	for l.next() {
		if l.text == "" {
			continue
		}
		var err error
		switch kind := l.fields[0]; {
		case kind[0] == 'c' || kind == "n" || kind == "d" || kind == "v" || kind == "x":
		case kind == "p" && nodes < 0 && len(l.fields) == 4:
			number = map[string]string{"sp": "length", "max": "capacity", "min": "low"}[l.fields[1]]
			if nodes, err = l.whole(l.fields[2], 1, maxNodes); err == nil {
				edges, err = l.whole(l.fields[3], 0, maxEdges)
			}
		case nodes >= 0 && (kind == "e" || kind == "a") && len(l.fields) >= 3:
			var u, v int
			if u, err = l.whole(l.fields[1], 1, nodes); err != nil {
				break
			}
			if v, err = l.whole(l.fields[2], 1, nodes); err != nil {
				break
			}
			e := b.join(u-1, v-1, l.Line, kind == "a")
			if len(l.fields) > 3 {
				name := number
				if kind == "e" {
					name = "weight"
				}
				err = b.Edges.set(e, name, l.fields[3])
			}
		default:
			err = l.fault("%w: %q, want a line \"p KIND nodes edges\", then \"e u v\" and \"a u v number\"", coles.ErrFormat, l.text[:min(len(l.text), 40)])
		}
		if err != nil {
			return nil, err
		}
	}
	if err := l.Err; err != nil {
		return nil, err
	}
	if nodes < 0 {
		return nil, l.fault("%w: no line \"p KIND nodes edges\"", coles.ErrFormat)
	}
	if len(b.Ends) < edges {
		return nil, l.fault("%d edges of %d: %w", len(b.Ends), edges, coles.ErrChecksum)
	}
	return &b.Network, b.number(nodes, l.Line)
}
