package edgetext

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/networks"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/text"
	"coles/table"
)

// A networkFile is a file of a graph tool, which may be the edges, the features or the labels of a dataset.
type networkFile struct {
	*networks.Network
	file, format string
	names        []string // of the nodes
}

// networkIn reads a stream that is the file of a graph tool by what it begins with, or by its format or name where it
// holds edges. It is nil for another, which the stream returned still has.
func networkIn(r io.Reader, file, format string, edges bool) (*networkFile, io.Reader, error) {
	begun, hint := bufio.NewReader(r), ""
	if edges {
		hint = cmp.Or(format, file)
	}
	of := networks.Of(begun, hint)
	if of == nil || !edges && of.Name == "json-graph" && !slices.Contains(of.Extensions, strings.ToLower(filepath.Ext(file))) {
		return nil, begun, nil
	}
	n, err := of.Read(begun)
	if err == nil && len(n.IDs) == 0 {
		err = fmt.Errorf("%w: no node", place.ErrMissing)
	}
	if err != nil {
		return nil, nil, place.In(file, err)
	}
	f := &networkFile{Network: n, file: file, format: of.Name, names: n.IDs}
	f.names, _ = called(n.IDs, func(kind string) []string {
		if c := n.Nodes.Named(kind); c != nil {
			return c.All(len(n.IDs))
		}
		return nil
	})
	return f, nil, nil
}

// isName reports whether an attribute is in the names.
func (f *networkFile) isName(c *networks.Column) bool {
	if c.Name != "label" && c.Name != "name" && c.Name != "title" {
		return false
	}
	for i, cell := range c.All(len(f.IDs)) {
		if cell != "" && cell != f.names[i] && cell != f.IDs[i] {
			return false
		}
	}
	return true
}

// rows are the rows of the nodes, which may be new. Another file may call them by their ids.
func (f *networkFile) rows(l *edgeFiles, skip bool) ([]int32, error) {
	if knows := func(names []string) (n int) {
		for _, name := range names {
			if l.nodes.has(name) {
				n++
			}
		}
		return n
	}; knows(f.IDs) > knows(f.names) {
		f.names = f.IDs
	}
	rows := make([]int32, len(f.names))
	for i, name := range f.names {
		row, err := l.nodes.number(name)
		if rows[i] = int32(row); err != nil {
			if rows[i] = -1; !skip {
				return nil, place.In(f.file, err)
			}
		}
	}
	return rows, nil
}

// readEdgesOf takes in the edges of a network.
func (l *edgeFiles) readEdgesOf(f *networkFile, opts options) error {
	if opts.Bipartite && f.Sides == nil {
		return place.Fault(f.file, "%w: Bipartite: the file does not say that there are two kinds", coles.ErrSetting)
	}
	rows, err := f.rows(l, opts.SkipUnknown)
	if err != nil {
		return err
	}
	weight, weights, err := f.weights(opts)
	if err != nil {
		return place.In(f.file, err)
	}
	skipped := 0
	for e, ends := range f.Ends {
		u, v := rows[ends[0]], rows[ends[1]]
		if min(u, v) < 0 {
			skipped++
			continue
		}
		var of []float64
		if weights != nil {
			of = weights[e : e+1]
		}
		if err := l.edges.Add(u, v, of...); err != nil {
			return err
		}
		if !opts.Undirected && !f.Arcs[e] && u != v {
			if err := l.edges.Add(v, u, of...); err != nil {
				return err
			}
		}
	}
	if f.Sides != nil {
		l.Sides = make([]bool, l.nodes.count())
		for i, row := range rows {
			if row >= 0 {
				l.Sides[row] = f.Sides[i]
			}
		}
	}
	if skipped > 0 {
		l.say(f.file, 0, nil, "edges that are skipped because there is %s: %d", l.nodes.closed, skipped)
	}
	if opts.Labels == nil && f.Nodes.Named(opts.LabelColumn) != nil {
		if err := l.readLabelsOf(f, opts); err != nil {
			return err
		}
	}
	l.describe(f, weight, opts)
	return nil
}

// usualWeights are names of a weight, in the order in which they are looked for.
var usualWeights = []string{"weight", "weights", "edgeweight", "value", "amount", "count", "strength"}

// weights are the weights of the edges, and the name of the attribute that has them: the one that is asked for, or the
// first by its name that has numbers which differ. Without any they are nil.
func (f *networkFile) weights(opts options) (name string, all []float64, err error) {
	if opts.Unweighted {
		return "", nil, nil
	}
	if opts.Weight != "" {
		c := f.Edges.Named(opts.Weight)
		if c == nil {
			return "", nil, fmt.Errorf("%w: no attribute %q of edges, which have %s", place.ErrMissing, opts.Weight, list(f.Edges.Names()))
		}
		all, err := f.numbers(c)
		return opts.Weight, all, err
	}
	for _, usual := range usualWeights {
		for _, c := range f.Edges {
			if len(f.Ends) == 0 || strings.ToLower(strings.ReplaceAll(c.Name, " ", "")) != usual {
				continue
			}
			of, err := f.numbers(c)
			if usual == usualWeights[0] && err != nil {
				return "", nil, err
			}
			if err != nil || usual != usualWeights[0] && slices.Min(of) < 0 {
				continue
			}
			if slices.Min(of) < slices.Max(of) {
				return c.Name, of, nil
			}
			if all == nil {
				name, all = c.Name, of
			}
		}
	}
	return name, all, nil
}

// numbers are the cells of a weight, 1 where there is none.
func (f *networkFile) numbers(c *networks.Column) ([]float64, error) {
	all := make([]float64, len(f.Ends))
	for e, cell := range c.All(len(f.Ends)) {
		var err error
		if all[e], err = text.Parse(cmp.Or(cell, "1")); err == nil {
			continue
		}
		if err = fmt.Errorf("the %s of an edge: %w", c.Name, err); f.Lines[e] > 0 {
			err = &text.Error{Line: int(f.Lines[e]), Err: err}
		}
		return nil, err
	}
	return all, nil
}

func list(names []string) string {
	return cmp.Or(strings.Join(names, ", "), "none")
}

// describe keeps how the edges of a network were read, and says what is not used.
func (l *edgeFiles) describe(f *networkFile, weight string, opts options) {
	layout := parse.Layout{File: f.file, Lines: f.format}
	var unused [2][]string
	for k, columns := range []networks.Attributes{f.Nodes, f.Edges} {
		for _, c := range columns {
			role := ""
			switch {
			case k == 0 && f.isName(c):
				role = "name"
			case k == 0 && c.Name == opts.LabelColumn:
				role = "label"
			case k == 0 && f.file == l.featuresFile:
				role = "feature"
			case k == 1 && c.Name == weight:
				role = "weight"
			default:
				unused[k] = append(unused[k], c.Name)
			}
			layout.Header, layout.Columns = append(layout.Header, c.Name), append(layout.Columns, role)
		}
	}
	l.Layouts = append(l.Layouts, layout)
	var said []string
	for k, of := range []string{"of nodes ", "of edges ", ""} {
		if names := [][]string{unused[0], unused[1], f.Unread}[k]; names != nil {
			said = append(said, of+strings.Join(names, ", "))
		}
	}
	if said != nil {
		var advice []parse.Advice
		if unused[0] != nil {
			advice = []parse.Advice{{Field: "LabelColumn", Says: "which attribute is the label"}}
		}
		l.say(f.file, 0, advice, "what is not used: %s", strings.Join(said, "; "))
	}
	if c := f.Edges.Named(weight); c != nil && c.Default == "" && len(c.Rows) < len(f.Ends) {
		l.say(f.file, 0, nil, "edges without a %s get 1: %d", weight, len(f.Ends)-len(c.Rows))
	}
}

// readTableOf makes rows of features of the attributes of the nodes.
func (l *edgeFiles) readTableOf(f *networkFile, opts options) error {
	rows, err := f.rows(l, false)
	if err != nil {
		return err
	}
	made, cells, given := table.New(), 0, 0
	for _, c := range f.Nodes {
		if f.isName(c) || c.Name == opts.LabelColumn {
			continue
		}
		if cells, given = cells+len(rows), given+len(c.Rows); cells > fewGaps+64*given {
			return place.Fault(f.file, "%d cells of %d attributes, and %d are given: %w", cells, len(f.Nodes), given, coles.ErrTooLarge)
		}
		made.Columns = append(made.Columns, table.Column{Name: c.Name, Cells: c.All(len(rows))})
	}
	if made.Columns == nil {
		return place.Fault(f.file, "%w: nodes have no attributes, to make features of", place.ErrMissing)
	}
	made.File = f.file
	l.Table = made
	return place.In(f.file, setKinds(made, opts.Kinds))
}

// readLabelsOf takes in an attribute of nodes as their labels.
func (l *edgeFiles) readLabelsOf(f *networkFile, opts options) error {
	column := f.Nodes.Named(opts.LabelColumn)
	for _, c := range f.Nodes {
		if column == nil && opts.LabelColumn == "" && !f.isName(c) && text.LabelColumn([]string{c.Name}) == 0 {
			column = c
		}
	}
	if column == nil {
		return place.Fault(f.file, "%w: no attribute %q of nodes, which have %s", place.ErrMissing, cmp.Or(opts.LabelColumn, "class"), list(f.Nodes.Names()))
	}
	l.labelsFile = f.file
	rows, err := f.rows(l, opts.SkipUnknown)
	if err != nil {
		return err
	}
	l.Class = make([]string, l.nodes.count())
	lines, none := 0, 0
	for i, class := range column.All(len(rows)) {
		switch {
		case rows[i] < 0, class == "":
		case text.IsMark(class) && opts.MissingMarks == nil || slices.Contains(opts.MissingMarks, class):
			none++
		default:
			l.Class[rows[i]] = class
			lines++
		}
	}
	l.Layouts = append(l.Layouts, parse.Layout{File: f.file, Lines: "labels", Header: []string{column.Name}, Columns: []string{"label"}})
	more, word := l.unlabel(lines, opts)
	l.warnOfLabels(skipped{}, none+more, word)
	return nil
}

// readBeside reads features or labels by one of two ways: from the file of a graph tool, or from text with a layout.
func (l *edgeFiles) readBeside(r io.Reader, file string, opts options, network func(*networkFile, options) error, lines func(*text.Reader, options), layout text.Layout) error {
	f, r, err := networkIn(r, file, "", false)
	if err == nil && f != nil {
		err = network(f, opts)
	}
	if err != nil || f != nil {
		return place.In(file, err)
	}
	layout.Commas, layout.Marks = isCSV(file), opts.MissingMarks
	t := text.NewReader(r, layout)
	lines(t, opts)
	return place.In(file, t.Err)
}
