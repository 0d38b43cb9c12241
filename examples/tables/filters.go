package main

import "coles"

// filters are one of each kind. Heat has as many hops as leave out less than
// 10⁻⁴ of its weights at t = 5.
var filters = []coles.Filter{
	sgc,
	coles.S2GC(8, 0.05),
	s2gc,
	coles.APPNP(8, 0.1),
	coles.Heat(16, 5),
	coles.Identity(),
}

// What the filter does, all else being the default.
func filtersTable() table {
	return table{
		name: "filters", title: "Filters", about: accuracyAbout,
		rows: func([]method) []row {
			var rows []row
			for _, f := range filters {
				m := method{name: "COLES", features: true, embed: fit(coles.WithFilter(f))}
				rows = append(rows, ablation(m, setting{Key: "filter", Value: f.String()}, nil))
			}
			return rows
		},
	}
}
