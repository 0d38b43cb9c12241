package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"coles"
	"coles/gnn"
)

// modelIn describes the model in a file, nil if it holds none.
func modelIn(ctx context.Context, file *source) (description, error) {
	stream, err := file.open(ctx)
	if err != nil {
		return nil, err
	}
	// A graph's reader will say what cannot be read.
	switch head, _ := stream.Peek(len(modelMagic)); string(head) {
	case modelMagic, networkMagic:
	case classifierMagic:
		k, err := readSource(ctx, file, readClassifier)
		if err != nil {
			return nil, err
		}
		return k.info(), nil
	default:
		return nil, nil
	}
	f, err := readSource(ctx, file, readModel)
	if err != nil {
		return nil, err
	}
	columns := describeColumns(f.encoder)
	if m, ok := f.model.(*gnn.Model); ok {
		return &networkInfo{m.Hash(), m.Settings(), m.Report(), columns}, nil
	}
	fit := f.model.(*coles.Model)
	r := fit.Report()
	return &modelInfo{
		Nodes: r.Graph.Nodes, Features: r.Features, Dim: r.Dim,
		Lambda: fit.Lambda(), Settings: fit.Settings(), Report: r, Columns: columns, Hash: fit.Hash(), Rows: f.bytes,
	}, nil
}

// modelInfo is the output of info for a model.
type modelInfo struct {
	Nodes    int            `json:"nodes"` // those fitted, which the model names
	Features int            `json:"features"`
	Dim      int            `json:"dim"`
	Lambda   []float64      `json:"lambda"`
	Columns  columnInfos    `json:"columns,omitempty"` // of the table that features were made of
	Hash     string         `json:"hash"`
	Rows     int            `json:"rows_bytes,omitempty"` // of the rows that place others, of a model by -knn
	Settings coles.Settings `json:"settings"`
	Report   coles.Report   `json:"report"`
}

func (m *modelInfo) print(w io.Writer) {
	s, r := m.Settings, m.Report
	fmt.Fprintf(w, "hash\t%s\n", m.Hash)
	fmt.Fprintf(w, "model of\t%d nodes, %d edges\n", m.Nodes, r.Graph.Edges)
	switch {
	case m.Features > 0:
		fmt.Fprintf(w, "features\t%d columns, prepared by %v\n", m.Features, r.Preparation)
	case r.Structure > 0:
		fmt.Fprintf(w, "features\tnone: %d columns tell who the neighbours are, of later nodes too\n", r.Structure)
	default:
		fmt.Fprintln(w, "features\tnone: it embeds only the graph it was fitted on")
	}
	m.Columns.print(w)
	fmt.Fprintf(w, "chosen\t%s\n", choiceText(r.Kind, r.Alignment, m.Features > 0))
	fmt.Fprintf(w, "embedding\t%d columns, effective rank %.1f, spectral power %.2f\n", m.Dim, r.EffectiveRank, r.Power)
	if r.DegreeShare > 0 {
		fmt.Fprintf(w, "last column\tdegrees, with a share of %.3g\n", r.DegreeShare)
	}
	if r.StructureShare > 0 {
		fmt.Fprintf(w, "structure\tcolumns of who the neighbours are, with a share of %.3g\n", r.StructureShare)
	}
	if r.RoleShare > 0 {
		fmt.Fprintf(w, "roles\tcolumns of the tails and heads of arcs, with a share of %.3g\n", r.RoleShare)
	}
	if n := len(m.Lambda); n > 0 {
		fmt.Fprintf(w, "eigenvalues\t%.4g to %.4g\n", m.Lambda[0], m.Lambda[n-1])
	}
	if r.Kind == coles.UseGraph {
		fmt.Fprintf(w, "filter\t%v\n", s.Filter)
		fmt.Fprintf(w, "negatives\t%v, κ = %d, η′ = %g\n", s.Negatives, s.Kappa, s.Eta)
	}
	if m.Rows > 0 {
		fmt.Fprintf(w, "rows\t%d kept in %s, which new ones join by their nearest\n", m.Nodes, megabytes(int64(m.Rows)))
	}
	fmt.Fprintf(w, "seed\t%d\n", s.Seed)
	fmt.Fprintf(w, "solver\t%v, %v, %s kernels\n", r.Solver, r.Precision, r.Kernels)
	fmt.Fprintf(w, "input\tgraph %s, features %s\n", r.GraphHash, cmp.Or(r.FeaturesHash, "none"))
	fmt.Fprintf(w, "made by\tcoles %s\n", r.Version)
	fmt.Fprintf(w, "memory\t%s estimated\n", megabytes(r.Memory.Bytes))
}

// networkInfo is the output of info for a network.
type networkInfo struct {
	Hash     string       `json:"hash"`
	Settings gnn.Settings `json:"settings"`
	Report   gnn.Report   `json:"report"`
	Columns  columnInfos  `json:"columns,omitempty"`
}

func (m *networkInfo) print(w io.Writer) {
	s := m.Settings
	fmt.Fprintf(w, "hash: %s\n%v\nlayers: %v\nobjective: %v, %v, seed %d\n", m.Hash, m.Report, s.Network, s.Objective, s.Optimizer, s.Seed)
	m.Columns.print(w)
}
