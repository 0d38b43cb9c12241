package edgetext

import (
	"cmp"
	"slices"

	"coles/internal/text"
)

// called are the names of nodes: their labels or, where these are numbers, their names and titles, whichever of both
// columns has one. A node without any is called by its id, and so are all nodes where two would have one name. by are the
// columns that the names come from, and words reports whether some name is no number.
func called(ids []string, column func(kind string) []string) (names, by []string, words bool) {
	names = ids
	for _, kinds := range [][]string{{"label"}, {"name", "title"}} {
		of, known := make([]string, len(ids)), make(map[string]bool, len(ids))
		for _, kind := range kinds {
			for i, name := range column(kind) {
				of[i] = cmp.Or(of[i], name)
			}
		}
		words = false
		for i, name := range of {
			words = words || name != "" && !text.IsNumber(name)
			of[i] = cmp.Or(name, ids[i])
			known[of[i]] = true
		}
		if len(known) == len(of) && (words || kinds[0] == "label") {
			if names, by = of, kinds; words {
				return names, by, true
			}
		}
	}
	return names, by, false
}

// call calls the nodes of edges by the words that a column of their table has, in the place of the ids by which all files
// know them.
func (l *edgeFiles) call(opts options) {
	if l.IDs = l.nodes.ids; l.edges.Count == 0 || l.Table == nil && l.names == nil {
		return
	}
	names, by, words := called(l.IDs, func(kind string) []string {
		if l.Table == nil && text.NameKind(l.namesColumn) == kind {
			return l.names
		} else if l.Table == nil {
			return nil
		}
		for _, c := range l.Table.Columns {
			if text.NameKind(c.Name) == kind && c.Name != opts.LabelColumn {
				return c.Cells
			}
		}
		return nil
	})
	if !words {
		return
	}
	l.IDs = names
	for _, layout := range l.Layouts {
		for k, name := range layout.Header[:min(len(layout.Header), len(layout.Columns))] {
			if slices.Contains(by, text.NameKind(name)) && layout.File != l.edgesFile && name != opts.LabelColumn {
				layout.Columns[k] = "name"
			}
		}
	}
}
