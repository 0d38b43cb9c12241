package networks

import (
	"io"
	"strings"

	"coles"
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
