package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"coles"

	"gonum.org/v1/gonum/floats/scalar"
)

// COLES and the systems without labels on every graph of the folder, the smallest first.
func leagueTable() table {
	return table{
		Name: "league", Title: "League", apart: true, tall: true, ranks: true, foretells: true,
		about:     accuracyAbout + " The best of a cell is bold. The rank of a method is the mean of its places, equal ones sharing theirs, over the cells that all methods have.",
		reference: "COLES-S2GC", find: smallestFirst, columns: []string{"best", "cv"},
		methods: slices.Concat(closedMethods, sameFeatures, trainedMethods, rivalMethods), measure: classification,
		rows: slices.Concat(pick(closedMethods, "COLES-S2GC", "Raw"), sameFeatures[:1], pick(closedMethods, "S2GC", "S2GC (same features)"),
			pick(rivalMethods, "DGI", "GRACE", "CCA-SSG", "BGRL", "PolyGCL")),
	}
}

// sameFeatures are methods on the features that COLES prepares: what is not preparation is method.
var sameFeatures = []method{
	{name: "Raw (same features)", embed: smoothed(coles.SGC(0))},
}

// smallestFirst are the names of the archives in a folder, by their sizes.
func smallestFirst(folder string) []string {
	names, err := allDatasets(folder)
	if err != nil {
		return nil
	}
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(folder, "npz", name+".npz"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	return names
}

// meanRanks are the ranks of the rows of a grid, over the columns in which every row has a figure. The largest
// figure, as it is printed, has rank 1; equal ones have the mean of their places.
func (g *grid) meanRanks() ([]float64, int) {
	ranks, columns := make([]float64, len(g.Rows)), 0
	for _, c := range g.Columns {
		figures := make([]float64, len(g.Rows))
		all := true
		for k, r := range g.Rows {
			if m := r.Figures[c]; m != nil {
				figures[k] = scalar.Round(m.Mean, 1)
			} else {
				all = false
			}
		}
		if !all {
			continue
		}
		columns++
		for k, v := range figures {
			rank := 0.5
			for _, other := range figures {
				switch {
				case other > v:
					rank++
				case other == v:
					rank += 0.5
				}
			}
			ranks[k] += rank
		}
	}
	for k := range ranks {
		ranks[k] /= float64(columns)
	}
	return ranks, columns
}

// withRanks adds the mean ranks to lines of a grid, the first of which is its head.
func (g *grid) withRanks(lines [][]string) [][]string {
	ranks, columns := g.meanRanks()
	if columns == 0 {
		return lines
	}
	lines[0] = append(lines[0], fmt.Sprintf("mean rank in %d cells", columns))
	for k, r := range ranks {
		lines[k+1] = append(lines[k+1], fmt.Sprintf("%.1f", r))
	}
	return lines
}

// ranked is a figure of a table with ranks: bold for the best of its cell, with the mark of the difference.
func (g *grid) ranked(c column, m measure) string {
	text := m.Figure()
	if g.best(c, m) {
		text = "**" + text + "**"
	}
	if m.Difference != nil {
		text += cmp.Or(m.Mark, equal)
	}
	return text
}

// best reports whether a figure looks like the largest of its column.
func (g *grid) best(c column, m measure) bool {
	best := 0.0
	for _, r := range g.Rows {
		if other := r.Figures[c]; other != nil && !other.Apart && !other.Plain {
			best = max(best, other.Mean)
		}
	}
	return !m.Apart && !m.Plain && scalar.Round(m.Mean, 1) == scalar.Round(best, 1)
}
