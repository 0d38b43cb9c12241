package main

import (
	"fmt"
	"slices"

	"coles"
)

// A row is what a job took.
type row struct {
	Graph     string          `json:"graph"`
	Dim       int             `json:"dim"`
	Seconds   []float64       `json:"seconds"`        // of every fit
	Peer      []float64       `json:"peer,omitempty"` // of every run of the peer
	Precision coles.Precision `json:"precision"`
	Solver    coles.Solver    `json:"solver"`
	Network   string          `json:"network,omitempty"`    // of a training
	PeakBytes int64           `json:"peak_bytes,omitempty"` // 0 when not known
}

const tableHead = "| graph, d′ | coles, s | peer, s | ratio | chosen | peak, MiB |\n|---|--:|--:|--:|---|--:|\n"

// String is the row of the Markdown table.
func (r row) String() string {
	var ratio, peak string
	if len(r.Peer) > 0 {
		ratio = fmt.Sprintf("%.1f", median(r.Peer)/median(r.Seconds))
	}
	if r.PeakBytes > 0 {
		peak = fmt.Sprint(r.PeakBytes >> 20)
	}
	way := r.Solver.String()
	if r.Network != "" {
		way = r.Network
	}
	return fmt.Sprintf("| %s, %d | %s | %s | %s | %s, %v | %s |",
		r.Graph, r.Dim, spread(r.Seconds), spread(r.Peer), ratio, way, r.Precision, peak)
}

// spread is the median and, of more than one, the range.
func spread(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	digits := 2
	if median(values) < 0.1 {
		digits = 3
	}
	if len(values) == 1 {
		return fmt.Sprintf("%.*f", digits, values[0])
	}
	return fmt.Sprintf("%.*f (%.*f–%.*f)", digits, median(values), digits, slices.Min(values), digits, slices.Max(values))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
