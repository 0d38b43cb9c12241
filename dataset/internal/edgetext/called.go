package edgetext

import (
	"cmp"
	"slices"

	"coles/internal/text"
)

// called are the names of nodes: their labels or, where these are numbers, their names and titles, which one column of
// cells or another has. A node without any is called by its id, and so are all nodes where two would have one name. words
// reports whether some name is no number.
func called(ids []string, column func(kind string) []string) (names []string, words bool) {
	names = ids
	for _, kinds := range [][]string{{"label"}, {"name", "title"}} {
		of, known := make([]string, len(ids)), make(map[string]bool, len(ids))
		for _, kind := range kinds {
			for i, name := range column(kind) {
				of[i] = cmp.Or(of[i], name)
			}
		}
		for i, name := range of {
			words = words || name != "" && !text.IsNumber(name)
			of[i] = cmp.Or(name, ids[i])
			known[of[i]] = true
		}
		if len(known) == len(of) && (words || kinds[0] == "label") {
			if names = of; words {
				return names, true
			}
		}
		words = false
	}
	return names, false
}

// call calls the nodes of edges by the words that a column of their table has, in the place of the ids by which all files
// know them.
func (l *edgeFiles) call(opts options) {
	if l.IDs = l.nodes.ids; l.edges.Count == 0 || l.Table == nil && l.names == nil {
		return
	}
	used := make(map[string]bool)
	names, words := called(l.nodes.ids, func(kind string) []string {
		if l.Table != nil {
			for _, c := range l.Table.Columns {
				if text.NameKind(c.Name) == kind && c.Name != opts.LabelColumn {
					used[c.Name] = true
					return c.Cells
				}
			}
		}
		if text.NameKind(l.namesColumn) != kind {
			return nil
		}
		used[l.namesColumn] = true
		return l.names
	})
	if !words {
		return
	}
	l.IDs = names
	for _, layout := range l.Layouts {
		for k, name := range layout.Header {
			if used[name] && k < len(layout.Columns) && slices.Contains([]string{l.featuresFile, l.labelsFile}, layout.File) {
				layout.Columns[k] = "name"
			}
		}
	}
}
