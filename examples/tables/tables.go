package main

// tables are all there are, in the order in which they are printed.
func tables() []table {
	return []table{
		classificationTable(),
		labelRateTable(),
		dimsTable(),
		filtersTable(),
		kappaTable(),
		kappaNetworkTable(),
		meansTable(),
	}
}
