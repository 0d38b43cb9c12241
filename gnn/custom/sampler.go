package custom

import (
	"context"
	"iter"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/setting"
)

// A Sampler draws the part of the graph that the network sees in each step (Settings.Sampler). It is for graphs on
// which a whole step takes too long, and of which the surroundings of a block (Settings.BatchSize) are most. The zero
// value is no sampler. The text form, in JSON too, is "none" or "custom:NAME". One that was read from a text has a
// name only: set it anew.
type Sampler struct {
	Name string // for checkpoints and model files, without a comma
	// Start makes the sampler ready, once before the first step. rows are the nodes that steps are
	// about, ascending: of a classifier those that are trained on, else all.
	Start func(ctx context.Context, g *coles.Graph, rows []int, seed uint64) (Samples, error)
}

var samplerForms = []setting.Way[Sampler]{
	setting.WayOf(setting.NoneName, func(*setting.Form) Sampler { return Sampler{} }),
	{Name: setting.CustomName, Read: func(f *setting.Form) (Sampler, error) {
		name := f.Rest()
		return Sampler{Name: name}, setting.Label{Name: name, Custom: true}.CheckName()
	}},
}

// label is the text form taken apart.
func (s Sampler) label() setting.Label { return setting.Label{Name: s.Name, Custom: s.Some()} }

// Some reports whether there is a sampler.
func (s Sampler) Some() bool { return s.Name != "" || s.Start != nil }

// String returns the text form.
func (s Sampler) String() string { return s.label().String() }

// MarshalText gives the text form.
func (s Sampler) MarshalText() ([]byte, error) { return []byte(s.String()), s.label().CheckName() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (s *Sampler) UnmarshalText(text []byte) error {
	return setting.ReadText(s, text, samplerForms, func(Sampler) error { return nil })
}

// Samples draws the samples of an epoch, counted from 0, in their order. The draws depend on the
// epoch and on the sampler's start alone. It ends with an error, ctx's too.
type Samples func(ctx context.Context, epoch int) iter.Seq2[*Sample, error]

// A Sample limits a step of the network to some of the nodes, and of the edges among them, between the
// layers that look at the graph ([LayerSpec].Hops). Behind filters that the network begins with, layers
// look one edge far at most.
type Sample struct {
	// Levels[0] are the nodes whose features are read, and only these. Levels[k] are the nodes
	// after the k-th layer that looks at the graph, the last the nodes of the output H. A node may be
	// there more than once.
	Levels [][]int
	// Factors[k], len(Levels[k+1]) × len(Levels[k]), says what the k-th of these layers has in place of W, or of
	// another operator of the graph. At (i, j) it is the factor times the operator's entry in the row of node
	// Levels[k+1][i] and the column of node Levels[k][j]. Where there is no factor there is no entry. Sums over
	// neighbours are estimated without bias if the factor at each neighbour, 0 where it is not drawn, is 1 in the
	// mean.
	Factors []*autodiff.CSR[float64]
	// Weights multiply the losses of the rows of H that have labels; nil takes their mean. A training
	// without labels leaves them out.
	Weights []float64
}
