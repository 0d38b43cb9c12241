package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"coles"
	"coles/gnn"
	"coles/internal/setting"
	"coles/learn"
	"coles/task"
	"coles/task/describe"
)

// modelIn describes the model or the classifier in a file, nil if it holds none.
func modelIn(ctx context.Context, file *task.Source) (description, error) {
	head, err := file.Peek(ctx, 8)
	if head == nil && err != nil && err != io.EOF {
		return nil, err
	}
	if !task.Begins(head) { // a graph's reader will say what cannot be read
		return nil, nil
	}
	f, err := task.Read(ctx, file, task.ReadFile)
	if err != nil {
		return nil, err
	}
	columns := describe.Columns(f.Encoder)
	switch m := f.Model.(type) {
	case *gnn.Model:
		return &networkInfo{m.Hash(), m.Settings(), m.Report(), columns}, nil
	case *coles.Model:
		r := m.Report()
		about := &modelInfo{
			Nodes: r.Graph.Nodes, Features: r.Features, Dim: r.Dim,
			Lambda: m.Parts()[0].Lambda, Settings: m.Settings(), Report: r, Columns: columns, Hash: m.Hash(), Rows: f.RowsBytes,
		}
		if f.Predictor != nil {
			about.Classifier = infoOfPredictor(f.Predictor)
		}
		return about, nil
	}
	return infoOfPredictor(f.Predictor), nil
}

// modelInfo is the output of info for a model.
type modelInfo struct {
	Nodes    int               `json:"nodes"` // those fitted, which the model names
	Features int               `json:"features"`
	Dim      int               `json:"dim"`
	Lambda   []float64         `json:"lambda"`
	Columns  []describe.Column `json:"columns,omitempty"` // of the table that features were made of
	Hash     string            `json:"hash"`
	Rows     int               `json:"rows_bytes,omitempty"` // of the rows that place others, of a model by -knn
	Settings coles.Settings    `json:"settings"`
	Report   coles.Report      `json:"report"`

	Classifier *classifierInfo `json:"classifier,omitempty"`
}

func (m *modelInfo) print(w io.Writer) {
	s, r := m.Settings, m.Report
	fmt.Fprintf(w, "hash\t%s\n", m.Hash)
	fmt.Fprintf(w, "model of\t%s, %s\n", setting.Count(m.Nodes, "nodes"), setting.Count(r.Graph.Edges, "edges"))
	switch {
	case m.Features > 0:
		fmt.Fprintf(w, "features\t%s, prepared by %v\n", setting.Count(m.Features, "columns"), r.Preparation)
	case r.Structure > 0:
		fmt.Fprintf(w, "features\tnone: %d columns tell who the neighbours are, of later nodes too\n", r.Structure)
	default:
		fmt.Fprintln(w, "features\tnone: it embeds only the graph it was fitted on")
	}
	printColumns(w, m.Columns)
	fmt.Fprintf(w, "chosen\t%s\n", choiceText(r.Kind, r.Alignment, m.Features > 0))
	fmt.Fprintf(w, "embedding\t%s, effective rank %.1f, spectral power %.2f\n", setting.Count(m.Dim, "columns"), r.EffectiveRank, r.Power)
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
	if m.Classifier != nil {
		m.Classifier.print(w)
	}
}

// networkInfo is the output of info for a network.
type networkInfo struct {
	Hash     string            `json:"hash"`
	Settings gnn.Settings      `json:"settings"`
	Report   gnn.Report        `json:"report"`
	Columns  []describe.Column `json:"columns,omitempty"`
}

func (m *networkInfo) print(w io.Writer) {
	s := m.Settings
	fmt.Fprintf(w, "hash: %s\n%v\nlayers: %v\nobjective: %v, %v, seed %d\n", m.Hash, m.Report, s.Network, s.Objective, s.Optimizer, s.Seed)
	printColumns(w, m.Columns)
}

func printColumns(w io.Writer, columns []describe.Column) {
	for _, c := range columns {
		fmt.Fprintf(w, "  %s\t%v\n", c.Name, c)
	}
}

// choiceText names the model and the reason.
func choiceText(kind coles.Kind, why *coles.Alignment, features bool) string {
	switch {
	case why != nil:
		return why.String()
	case !features:
		return kind.String() + ": there are no features"
	}
	return kind.String() + ", as is set"
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// classifierInfo is the output of info for a classifier.
type classifierInfo struct {
	Predicts string        `json:"predicts"`
	Classes  []string      `json:"classes,omitempty"`
	Features int           `json:"features"`
	C        float64       `json:"c,omitempty"`
	Weights  learn.Weights `json:"weights"`
	Origin   learn.Origin  `json:"learnt_from"`
}

func infoOfPredictor(p *task.Predictor) *classifierInfo {
	about := &classifierInfo{Predicts: p.Kind().String(), Weights: p.Weights, Origin: p.Origin}
	if p.Ridge != nil {
		about.Features = len(p.Ridge.Coef)
		return about
	}
	_, about.Features = p.Linear.Coef.Dims()
	about.C = p.Linear.C
	for _, label := range p.Linear.Classes {
		about.Classes = append(about.Classes, p.Class(label))
	}
	return about
}

func (k *classifierInfo) print(w io.Writer) {
	if k.Classes != nil {
		fmt.Fprintf(w, "classifier of\t%d classes: %q\n", len(k.Classes), k.Classes)
	}
	fmt.Fprintf(w, "predicts\t%s\n", k.Predicts)
	fmt.Fprintf(w, "learnt from\t%s, of %s\n", k.Origin.Name(), setting.Count(k.Features, "columns"))
	if k.C > 0 {
		fmt.Fprintf(w, "penalty\tC = %g\n", k.C)
	}
	fmt.Fprintf(w, "opinions\t%v\n", k.Weights)
}
