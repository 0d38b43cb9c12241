package main

import (
	"fmt"
	"io"
	"strings"
)

// writeMarkdown writes each table with the paper's figures in brackets, under its
// title where there are several.
func writeMarkdown(w io.Writer, cells []cell) error {
	var b strings.Builder
	all := grids(cells)
	for i, g := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		if len(all) > 1 {
			fmt.Fprintf(&b, "## %s\n\n", g.Table.title)
		}
		b.WriteString("| |")
		for _, c := range g.Columns {
			fmt.Fprintf(&b, " %s, %s |", c.Dataset, c.Label)
		}
		fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(g.Columns)))
		for _, r := range g.Rows {
			fmt.Fprintf(&b, "| %s |", r.Name)
			for k := range g.Columns {
				b.WriteString(figureText(r.figure(k)))
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\n%s\n", g.explained())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// explained is what the figures are, those of the paper too if there are any.
func (g *grid) explained() string {
	for _, r := range g.Rows {
		for _, m := range r.Figures {
			if m != nil && m.Paper != nil {
				return g.about() + " The paper's figure in brackets."
			}
		}
	}
	return g.about()
}

func figureText(m *measure) string {
	switch {
	case m == nil:
		return "  |"
	case m.Paper == nil:
		return fmt.Sprintf(" %.1f ± %.1f |", m.Mean, m.Std)
	}
	return fmt.Sprintf(" %.1f ± %.1f (%.1f) |", m.Mean, m.Std, *m.Paper)
}
