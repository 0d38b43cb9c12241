package networks

import (
	"io"
	"strconv"

	"coles"
)

// readMETIS reads a graph of METIS: numbers of nodes and edges and a form, then for each node a line of its size, its
// weights and its neighbours from 1 on, with weights of edges, as far as the form has them. Each edge is there from
// either end.
func readMETIS(r io.Reader) (*Network, error) {
	b, l := &builder{}, newLines(r)
	nodes, edges, before, weighted, ends, row := -1, 0, 0, false, 0, 0
	for l.next() {
		if len(l.text) > 0 && l.text[0] == '%' {
			continue
		}
		var err error
		if nodes < 0 {
			nodes, edges, before, weighted, err = metisHeader(l)
		} else if row < nodes {
			row++
			ends, err = b.metisLine(l, row, nodes, before, weighted, ends)
		} else if l.text != "" {
			err = l.fault("%w: more lines than %d nodes", coles.ErrShape, nodes)
		}
		if err != nil {
			return nil, err
		}
	}
	switch err := l.Err; {
	case err != nil:
		return nil, err
	case nodes < 0:
		return nil, l.fault("%w: no line with the numbers of nodes and edges", coles.ErrFormat)
	case row < nodes:
		return nil, l.fault("%d lines for %d nodes: %w", row, nodes, coles.ErrChecksum)
	case ends != 2*edges:
		return nil, l.fault("%d neighbours for %d edges, each of which stands at both ends: %w", ends, edges, coles.ErrShape)
	}
	return &b.Network, nil
}

// metisHeader reads the first line. before is how many numbers stand before the neighbours.
func metisHeader(l *lines) (nodes, edges, before int, weighted bool, err error) {
	if len(l.fields) < 2 || len(l.fields) > 4 {
		return 0, 0, 0, false, l.fault("%w: %d fields, want the numbers of nodes and edges and perhaps a form", coles.ErrFormat, len(l.fields))
	}
	if nodes, err = l.whole(l.fields[0], 1, maxNodes); err == nil {
		edges, err = l.whole(l.fields[1], 0, maxEdges)
	}
	if err == nil && len(l.fields) > 2 {
		var form int
		if form, err = l.whole(l.fields[2], 0, 111); err == nil {
			weights := 1
			if len(l.fields) > 3 {
				weights, err = l.whole(l.fields[3], 0, 1<<10)
			}
			weighted, before = form%10 == 1, form/100+form/10%10*weights
		}
	}
	return nodes, edges, before, weighted, err
}

// metisLine takes in the neighbours of a node that come behind it, and counts all.
func (b *builder) metisLine(l *lines, row, nodes, before int, weighted bool, ends int) (int, error) {
	step := 1
	if weighted {
		step = 2
	}
	rest := l.fields[min(before, len(l.fields)):]
	if len(rest)%step != 0 || len(l.fields) < before {
		return 0, l.fault("%w: %d fields", coles.ErrShape, len(l.fields))
	}
	b.IDs = append(b.IDs, strconv.Itoa(row))
	for k := 0; k < len(rest); k += step {
		v, err := l.whole(rest[k], 1, nodes)
		if err != nil {
			return 0, err
		}
		if ends++; v < row {
			continue
		}
		e := b.join(row-1, v-1, l.Line, false)
		if weighted {
			if err := b.Edges.set(e, "weight", rest[k+1]); err != nil {
				return 0, err
			}
		}
	}
	return ends, nil
}
