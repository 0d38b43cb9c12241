package networks

import (
	"io"
	"strings"

	"coles"
	"coles/internal/setting"
)

// readPajek reads a network of Pajek: *Vertices with their labels, of two kinds where two numbers stand behind; *Arcs,
// *Edges, lists of either, and a *Matrix, each with weights. Vertices have numbers from 1 on.
func readPajek(b *builder, r io.Reader) {
	count, first, part, row := 0, 0, "", 0
	labels := make(map[int]string)
	for line, fields := range b.lines(r) {
		if line == "" || line[0] == '%' {
			continue
		}
		switch head := strings.ToLower(fields[0]); {
		case head == "*vertices" && count == 0 && len(fields) > 1:
			part, count = head, b.whole(fields[1], 1, maxNodes)
			first = b.whole(append(fields, "0")[2], 0, count)
		case head == "*vertices":
			b.fault("%w: *Vertices, want one with their number", coles.ErrFormat)
		case head[0] == '*':
			part, row = head, 0
			if !strings.HasPrefix(head, "*arcs") && !strings.HasPrefix(head, "*edges") && head != "*matrix" && head != "*network" {
				b.unread(fields[0])
			}
		case part == "*vertices":
			i := b.whole(fields[0], 1, count)
			b.number(i)
			labels[i-1] = pajekLabel(strings.TrimSpace(line[len(fields[0]):]))
		case strings.HasPrefix(part, "*arcs"), strings.HasPrefix(part, "*edges"):
			b.pajekLine(fields, strings.HasPrefix(part, "*arcs"), strings.HasSuffix(part, "list"), count)
		case part == "*matrix":
			row++
			b.pajekRow(fields, row, count)
		}
	}
	if count == 0 {
		b.fault("%w: no *Vertices", coles.ErrFormat)
	}
	b.number(count)
	for i := range b.IDs {
		if label := labels[i]; label != "" {
			b.set(&b.Nodes, i, "label", label)
		}
	}
	if first > 0 && first < count {
		b.Sides = make([]bool, len(b.IDs))
		for i := first; i < len(b.IDs); i++ {
			b.Sides[i] = true
		}
	}
}

// pajekLabel is the label that begins a line behind its number, in quotes or up to a blank.
func pajekLabel(rest string) string {
	rest, quoted := strings.CutPrefix(rest, `"`)
	end := " "
	if quoted {
		end = `"`
	}
	label, _, _ := strings.Cut(rest, end)
	return label
}

// pajekLine takes in "u v weight …", or "u v w …" of a list, and leaves out what else is said of a line.
func (b *builder) pajekLine(fields []string, arc, list bool, count int) {
	if len(fields) < 2 {
		b.fault("%w: %d field, an edge has 2", coles.ErrFormat, len(fields))
		return
	}
	u, others := b.whole(fields[0], 1, count), fields[1:]
	if !list {
		others = others[:1]
	}
	for _, field := range others {
		e := b.join(u-1, b.whole(field, 1, count)-1, arc)
		if !list && len(fields) > 2 {
			b.set(&b.Edges, e, "weight", fields[2])
		}
	}
}

// pajekRow takes in a row of a matrix, whose entries that are not 0 are arcs.
func (b *builder) pajekRow(fields []string, row, count int) {
	if row > count || len(fields) != count {
		b.fault("row %d of %d fields in a matrix of %d: %w", row, len(fields), count, coles.ErrShape)
	}
	for k, field := range fields {
		if field != "0" {
			b.set(&b.Edges, b.join(row-1, k, true), "weight", field)
		}
	}
}

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
