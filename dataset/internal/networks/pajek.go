package networks

import (
	"io"
	"strings"

	"coles"
)

// readPajek reads a network of Pajek: *Vertices with their labels, of two kinds where two numbers stand behind; *Arcs,
// *Edges, lists of either, and a *Matrix, each with weights. Vertices have numbers from 1 on.
func readPajek(r io.Reader) (*Network, error) {
	b, l := &builder{}, newLines(r)
	var labels []string // by the number of the vertex, "" for none
	count, first, part, row := 0, 0, "", 0
	for l.next() {
		if l.text == "" || l.text[0] == '%' {
			continue
		}
		var err error
		switch head := strings.ToLower(l.fields[0]); {
		case head == "*vertices" && count == 0 && len(l.fields) > 1:
			part = head
			if count, err = l.whole(l.fields[1], 1, maxNodes); err == nil && len(l.fields) > 2 {
				first, err = l.whole(l.fields[2], 0, count)
			}
		case head == "*vertices":
			err = l.fault("%w: *Vertices, want one with their number", coles.ErrFormat)
		case head[0] == '*':
			if part, row = head, 0; head == "*network" {
				continue
			}
			if !strings.HasPrefix(head, "*arcs") && !strings.HasPrefix(head, "*edges") && head != "*matrix" {
				b.unread(l.fields[0])
			}
		case part == "*vertices":
			var i int
			if i, err = l.whole(l.fields[0], 1, count); err != nil {
				break
			}
			if err = b.number(i, l.Line); err == nil {
				labels = append(labels, make([]string, max(0, i-len(labels)))...)
				labels[i-1] = pajekLabel(strings.TrimSpace(l.text[len(l.fields[0]):]))
			}
		case strings.HasPrefix(part, "*arcs"), strings.HasPrefix(part, "*edges"):
			err = b.pajekLine(l, strings.HasPrefix(part, "*arcs"), strings.HasSuffix(part, "list"), count)
		case part == "*matrix":
			row++
			err = b.pajekRow(l, row, count)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := l.Err; err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, l.fault("%w: no *Vertices", coles.ErrFormat)
	}
	if err := b.number(count, l.Line); err != nil {
		return nil, err
	}
	for i, label := range labels {
		if label != "" {
			b.Nodes.set(i, "label", label) // the one kind of attribute
		}
	}
	if first > 0 && first < count {
		b.Sides = make([]bool, count)
		for i := first; i < count; i++ {
			b.Sides[i] = true
		}
	}
	b.sayLatin(l.latin)
	return &b.Network, nil
}

// pajekLabel is the label that begins a line behind its number, in quotes or up to a blank.
func pajekLabel(rest string) string {
	if rest, quoted := strings.CutPrefix(rest, `"`); quoted {
		label, _, _ := strings.Cut(rest, `"`)
		return label
	}
	label, _, _ := strings.Cut(rest, " ")
	return label
}

// pajekLine takes in "u v weight …", or "u v w …" of a list, and leaves out what else is said of a line.
func (b *builder) pajekLine(l *lines, arc, list bool, count int) error {
	if len(l.fields) < 2 {
		return l.fault("%w: %d field, an edge has 2", coles.ErrFormat, len(l.fields))
	}
	u, err := l.whole(l.fields[0], 1, count)
	if err != nil {
		return err
	}
	others := l.fields[1:]
	if !list {
		others = others[:1]
	}
	for _, field := range others {
		v, err := l.whole(field, 1, count)
		if err != nil {
			return err
		}
		e := b.join(u-1, v-1, l.Line, arc)
		if !list && len(l.fields) > 2 {
			if err := b.Edges.set(e, "weight", l.fields[2]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pajekRow takes in a row of a matrix, whose entries that are not 0 are arcs.
func (b *builder) pajekRow(l *lines, row, count int) error {
	if row > count || len(l.fields) != count {
		return l.fault("row %d of %d fields in a matrix of %d: %w", row, len(l.fields), count, coles.ErrShape)
	}
	for k, field := range l.fields {
		if field != "0" {
			if err := b.Edges.set(b.join(row-1, k, l.Line, true), "weight", field); err != nil {
				return err
			}
		}
	}
	return nil
}
