package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"coles"
	"coles/gnn"
)

// modelIn describes the model in a file, nil if it holds none.
func modelIn(ctx context.Context, file *source) (description, error) {
	if isModel, err := beginsAsModel(ctx, file); err != nil || !isModel {
		return nil, err
	}
	m, err := readModel(ctx, file)
	if err != nil {
		return nil, err
	}
	if m, ok := m.(*gnn.Model); ok {
		return &networkInfo{m.Settings(), m.Report()}, nil
	}
	return describeModel(m.(*coles.Model)), nil
}

// modelInfo is what info prints of a model.
type modelInfo struct {
	Nodes    int            `json:"nodes"` // those fitted, which the model names
	Features int            `json:"features"`
	Dim      int            `json:"dim"`
	Lambda   []float64      `json:"lambda"`
	Settings coles.Settings `json:"settings"`
	Report   coles.Report   `json:"report"`
}

func describeModel(m *coles.Model) *modelInfo {
	r := m.Report()
	return &modelInfo{
		Nodes: r.Graph.Nodes, Features: r.Features, Dim: r.Dim,
		Lambda: m.Lambda(), Settings: m.Settings(), Report: r,
	}
}

func (m *modelInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	s, r := m.Settings, m.Report
	fmt.Fprintf(t, "model of\t%d nodes, %d edges\n", m.Nodes, r.Graph.Edges)
	if m.Features > 0 {
		fmt.Fprintf(t, "features\t%d columns, prepared by %v\n", m.Features, r.Preparation)
	} else {
		fmt.Fprintln(t, "features\tnone: it embeds only the graph it was fitted on")
	}
	fmt.Fprintf(t, "chosen\t%s\n", choiceText(r.Model, r.Alignment, m.Features > 0))
	fmt.Fprintf(t, "embedding\t%d columns, effective rank %.1f, spectral power %.2f\n", m.Dim, r.EffectiveRank, r.Power)
	if r.DegreeShare > 0 {
		fmt.Fprintf(t, "last column\tdegrees, with a share of %g\n", r.DegreeShare)
	}
	if n := len(m.Lambda); n > 0 {
		fmt.Fprintf(t, "eigenvalues\t%.4g to %.4g\n", m.Lambda[0], m.Lambda[n-1])
	}
	if r.Model == coles.GraphModel {
		fmt.Fprintf(t, "filter\t%v\n", s.Filter)
		fmt.Fprintf(t, "negatives\t%v, κ = %d, η′ = %g\n", s.Negatives, s.Kappa, s.Eta)
	}
	fmt.Fprintf(t, "seed\t%d\n", s.Seed)
	fmt.Fprintf(t, "solver\t%v, %v, %s kernels\n", r.Solver, r.Precision, r.Kernels)
	fmt.Fprintf(t, "input\tgraph %s, features %s\n", r.GraphHash, cmp.Or(r.FeaturesHash, "none"))
	fmt.Fprintf(t, "made by\tcoles %s\n", r.Version)
	fmt.Fprintf(t, "memory\t%s estimated\n", megabytes(r.Memory.Bytes))
	return t.Flush()
}

// networkInfo is what info prints of a network.
type networkInfo struct {
	Settings gnn.Settings `json:"settings"`
	Report   gnn.Report   `json:"report"`
}

func (m *networkInfo) print(w io.Writer) error {
	s := m.Settings
	_, err := fmt.Fprintf(w, "%v\nlayers: %v\nobjective: %v, %v, seed %d\n", m.Report, s.Network, s.Objective, s.Optimizer, s.Seed)
	return err
}
