package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"coles"
)

// modelInfo is what info prints of a model.
type modelInfo struct {
	Nodes      int              `json:"nodes"` // those fitted, which the model names
	Features   int              `json:"features"`
	Dim        int              `json:"dim"`
	Lambda     []float64        `json:"lambda"`
	Provenance coles.Provenance `json:"provenance"` // the settings are in it
	Report     coles.Report     `json:"report"`
}

func describeModel(m *coles.Model) *modelInfo {
	r := m.Report()
	return &modelInfo{
		Nodes: r.Graph.Nodes, Features: r.Features, Dim: r.Dim,
		Lambda: m.Lambda(), Provenance: m.Provenance(), Report: r,
	}
}

func (m *modelInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	from, r := m.Provenance, m.Report
	s := from.Settings
	fmt.Fprintf(t, "model of\t%d nodes, %d edges\n", m.Nodes, r.Graph.Edges)
	if m.Features > 0 {
		fmt.Fprintf(t, "features\t%d columns, prepared by %v\n", m.Features, r.Preparation)
	} else {
		fmt.Fprintln(t, "features\tnone: it embeds only the graph it was fitted on")
	}
	fmt.Fprintf(t, "embedding\t%d columns, effective rank %.1f, spectral power %.2f\n", m.Dim, r.EffectiveRank, r.Power)
	if n := len(m.Lambda); n > 0 {
		fmt.Fprintf(t, "eigenvalues\t%.4g to %.4g\n", m.Lambda[0], m.Lambda[n-1])
	}
	fmt.Fprintf(t, "filter\t%v\n", s.Filter)
	fmt.Fprintf(t, "negatives\t%v, κ = %d, η′ = %g\n", s.Negatives, s.Kappa, s.Eta)
	fmt.Fprintf(t, "seed\t%d\n", s.Seed)
	fmt.Fprintf(t, "solver\t%v, %v, %s kernels\n", r.Solver, r.Precision, r.Kernels)
	if from.Input.Graph != "" { // files of version 1 do not say
		fmt.Fprintf(t, "input\tgraph %s, features %s\n", from.Input.Graph, cmp.Or(from.Input.Features, "none"))
		fmt.Fprintf(t, "made by\tcoles %s, file version %d\n", from.Module, from.Format)
	}
	fmt.Fprintf(t, "memory\t%s estimated\n", megabytes(r.Memory.Bytes))
	return t.Flush()
}
