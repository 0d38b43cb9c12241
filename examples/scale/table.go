package main

import (
	"fmt"
	"math"
	"strings"
)

const tableHead = "| nodes | edges | graph, s | prepare, s | filter, s | solve, s | embed, s | Fit, s | Fit, s per million edges | peak, MiB | estimate, MiB |\n" +
	"|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

// String is the row of the Markdown table.
func (r row) String() string {
	s := r.Seconds
	return fmt.Sprintf("| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %d | %d |",
		r.Nodes, r.Edges, s.Graph, s.Prepare, s.Filter, s.Solve, s.Embed,
		r.fit(), r.fit()/(float64(r.Edges)/1e6), r.PeakBytes>>20, r.EstimatedBytes>>20)
}

// remarks say what the columns mean and how the time grows.
func remarks(rows []row) string {
	var b strings.Builder
	r := rows[0]
	fmt.Fprintf(&b, "\n%d features, %d columns, %d hops. graph is coles.FromCSR, the others are stages of coles.Fit;\n", r.Features, r.Dim, r.Hops)
	fmt.Fprintf(&b, "peak is %s; estimate is what Fit takes beside graph and features.\n", r.Peak)
	if slope, ok := growth(rows); ok {
		fmt.Fprintf(&b, "The time of Fit grows as edges^%.2f (least squares over %d sizes).\n", slope, len(rows))
	}
	return b.String()
}

// growth is the slope of the logarithm of Fit's time over that of the edges,
// by least squares; there is none with fewer than two numbers of edges.
func growth(rows []row) (slope float64, ok bool) {
	var mx, my float64
	n := float64(len(rows))
	for _, r := range rows {
		mx += math.Log(float64(r.Edges)) / n
		my += math.Log(r.fit()) / n
	}
	var xx, xy float64
	for _, r := range rows {
		x := math.Log(float64(r.Edges)) - mx
		xx += x * x
		xy += x * (math.Log(r.fit()) - my)
	}
	slope = xy / xx
	return slope, xx > 1e-9 && !math.IsInf(xx, 0) && !math.IsNaN(slope)
}
