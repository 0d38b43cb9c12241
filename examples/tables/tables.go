package main

// tables are all there are, in the order in which they are printed.
func tables() []table {
	return []table{
		classificationTable(),
		clusteringTable(),
		labelRateTable(),
		dimsTable(),
		filtersTable(),
		linksTable(),
		inductiveTable(),
		kappaTable(),
		kappaNetworkTable(),
		meansTable(),
	}
}
