package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/examples/shared/cli"
	"coles/gnn"
	"coles/internal/peak"
	"coles/lab/internal/programs"
	"coles/lab/rivals"
)

// A job is one row of the table.
type job struct {
	name      string
	dim       int
	solver    string                 // the peer's faster one
	generated *synthetic.Communities // nil: the file of that name is read
	hidden    int                    // of a training: the width of the first of two layers, dim that of the last
}

// String names the job as -graphs takes it.
func (j job) String() string { return fmt.Sprintf("%s:%d", j.name, j.dim) }

// graphs are the rows, with the default number of columns and the paper's.
var graphs = []job{
	{"cora", 128, "free", nil, 0},
	{"cora", 512, "dense", nil, 0},
	{"citeseer", 128, "free", nil, 0},
	{"citeseer", 512, "free", nil, 0},
	{"pubmed", 128, "free", nil, 0},
	{"pubmed", 256, "dense", nil, 0},
	{"coauthor_cs", 128, "free", nil, 0},
	{"coauthor_cs", 512, "free", nil, 0},
	{"flickr", 128, "free", nil, 0},
	// Nodes, edges, features and classes of ogbn-arxiv.
	{"generated", 128, "dense", &synthetic.Communities{Nodes: 170_000, Degree: 14, Classes: 40, Features: 128, Dense: true, Seed: 1}, 0},
}

// trainings are the rows of -train, with the paper's numbers of columns.
var trainings = map[string][]job{
	"gcn":   {{name: "cora", dim: 512, hidden: 512}, {name: "pubmed", dim: 256, hidden: 512}},
	"dgi":   {{name: "cora", dim: 512}, {name: "pubmed", dim: 256}},
	"grace": {{name: "cora", dim: 128, hidden: 256}, {name: "pubmed", dim: 256, hidden: 512}},
}

// epochs is how many a training times.
const epochs = 12

// A row has the costs of a job, run by run.
type row struct {
	Graph      string          `json:"graph"`
	Dim        int             `json:"dim"`
	Seconds    []float64       `json:"seconds"`        // of the first fit of every process
	Warm       []float64       `json:"warm,omitempty"` // of the second
	Peer       []float64       `json:"peer,omitempty"`
	Precision  coles.Precision `json:"precision"`
	Solver     coles.Solver    `json:"solver"`
	Network    string          `json:"network,omitempty"`     // of a training
	FreshBytes int64           `json:"fresh_bytes,omitempty"` // of the first fit; 0 when not known
	PeakBytes  int64           `json:"peak_bytes,omitempty"`
}

const tableHead = "| graph, d′ | coles, s | peer, s | ratio | warm, s | chosen | fresh, MiB | peak, MiB |\n|---|--:|--:|--:|--:|---|--:|--:|\n"

// String is the row of the Markdown table.
func (r row) String() string {
	var ratio string
	if len(r.Peer) > 0 {
		ratio = fmt.Sprintf("%.1f", programs.Median(r.Peer)/programs.Median(r.Seconds))
	}
	way := r.Network
	if way == "" {
		way = r.Solver.String()
	}
	return fmt.Sprintf("| %s, %d | %s | %s | %s | %s | %s, %v | %s | %s |",
		r.Graph, r.Dim, programs.Spread(r.Seconds), programs.Spread(r.Peer), ratio, programs.Spread(r.Warm), way, r.Precision, mebibytes(r.FreshBytes), mebibytes(r.PeakBytes))
}

func mebibytes(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n >> 20)
}

// alone returns the arguments with which this program measures a job alone. The last of a flag counts.
func (o options) alone(j job, more ...string) []string {
	return slices.Concat(o.args, []string{"-graphs", j.String(), "-json"}, more)
}

// measure runs coles and the peer in turn, each time in a process of its own. A single run without a
// peer is this process's own.
func (o options) measure(ctx context.Context, j job) (row, error) {
	if o.runs == 1 && len(o.peer) == 0 {
		return o.once(ctx, j)
	}
	r := row{Graph: j.name, Dim: j.dim}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	path, err := o.forPeer(ctx, j, dir)
	if err != nil {
		return r, err
	}
	for range o.runs {
		one, err := programs.Again[row](ctx, o.alone(j, "-runs", "1", "-peer", "")...)
		if err != nil {
			return r, err
		}
		r.add(one)
		if len(o.peer) == 0 {
			continue
		}
		seconds, err := o.askPeer(ctx, j, path)
		if err != nil {
			return r, err
		}
		r.Peer = append(r.Peer, seconds)
	}
	return r, nil
}

// add adds a run.
func (r *row) add(one row) {
	r.Seconds, r.Warm = append(r.Seconds, one.Seconds...), append(r.Warm, one.Warm...)
	r.Precision, r.Solver, r.Network = one.Precision, one.Solver, one.Network
	r.FreshBytes, r.PeakBytes = max(r.FreshBytes, one.FreshBytes), max(r.PeakBytes, one.PeakBytes)
}

// once measures a job in this process. What reading has left behind is given back to the system
// first, so that the fit takes all its memory afresh.
func (o options) once(ctx context.Context, j job) (row, error) {
	r := row{Graph: j.name, Dim: j.dim}
	d, err := o.load(ctx, j)
	if err != nil {
		return r, err
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithMirrors())
	if err != nil {
		return r, err
	}
	d.Adjacency = nil // the graph has its own copy
	run := r.fit
	if o.train != "" {
		run = func(ctx context.Context, g *coles.Graph, d *dataset.Dataset) ([]float64, error) {
			return r.train(ctx, g, d, trained(o.train, j))
		}
	}
	known, before := peak.Reset(), peak.Fresh()
	if r.Seconds, err = run(ctx, g, d); err != nil {
		return r, err
	}
	r.FreshBytes = peak.Fresh() - before
	if known {
		r.PeakBytes = peak.Bytes()
	}
	if o.train != "" { // most of its epochs are warm
		return r, nil
	}
	runtime.GC() // so that the second does not pay for the first
	r.Warm, err = run(ctx, g, d)
	return r, err
}

// load reads the graph of a job, or generates it.
func (o options) load(ctx context.Context, j job) (*dataset.Dataset, error) {
	if j.generated != nil {
		return j.generated.Generate(ctx)
	}
	return dataset.Open(o.file(j), dataset.ReadNPZ)
}

func (o options) file(j job) string { return filepath.Join(o.data, "npz", j.name+".npz") }

// forPeer is the file that the peer, if there is one, reads the graph from: in dir where the graph is
// generated.
func (o options) forPeer(ctx context.Context, j job, dir string) (string, error) {
	if j.generated == nil || len(o.peer) == 0 {
		return o.file(j), nil
	}
	d, err := j.generated.Generate(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "generated.npz")
	return path, dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPZ(w, d) })
}

// asPeer is the setting of the peers: the default without what was added to it.
var asPeer = []coles.Option{coles.With(func(s *coles.Settings) {
	s.Kind, s.Preparation = coles.UseGraph, coles.PrepareUndamped
})}

// fit times a fit.
func (r *row) fit(ctx context.Context, g *coles.Graph, d *dataset.Dataset) ([]float64, error) {
	start := time.Now()
	m, err := coles.Fit(ctx, g, d.Features, append(asPeer, coles.WithDim(r.Dim))...)
	if err != nil {
		return nil, err
	}
	m.Embedding() // in float64, as the peer's
	seconds := time.Since(start).Seconds()
	r.Precision, r.Solver = m.Report().Precision, m.Report().Solver
	return []float64{seconds}, nil
}

// trained are the settings of a training. COLES-GCN's are those of the peers.
func trained(name string, j job) gnn.Settings {
	switch name {
	case "dgi":
		return rivals.DGI(j.name)
	case "grace":
		s := rivals.GRACE(j.name)
		if j.name == "pubmed" { // with all nodes an epoch takes ten times as long
			s.Objective = rivals.GRACEObjective(0.7, j.dim, 1024)
		}
		return s
	}
	s := gnn.DefaultSettings()
	s.Network, s.Objective = gnn.Network{gnn.GCN(j.hidden), gnn.ReLU(), gnn.GCN(j.dim)}, gnn.COLES(1)
	s.Preparation, s.FeatureScale = coles.PrepareNone, 1
	s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(5), 1, 0.9
	return s
}

// train times an epoch, forward, backward and the step of Adam: the difference of trainings of one
// epoch and of more, which also prepare and embed.
func (r *row) train(ctx context.Context, g *coles.Graph, d *dataset.Dataset, s gnn.Settings) ([]float64, error) {
	var seconds [2]float64
	for k, n := range []int{1, 1 + epochs} {
		start := time.Now()
		m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s), gnn.With(func(s *gnn.Settings) { s.Epochs = n }))
		if err != nil {
			return nil, err
		}
		seconds[k] = time.Since(start).Seconds()
		r.Precision, r.Network = m.Report().Precision, m.Settings().Network.String()
	}
	return []float64{(seconds[1] - seconds[0]) / epochs}, nil
}

// askPeer returns the seconds that the other program reports.
func (o options) askPeer(ctx context.Context, j job, path string) (float64, error) {
	key, rest := "total", []string{"--dim", strconv.Itoa(j.dim), "--solver", j.solver}
	if o.train != "" {
		key, rest = "epoch_seconds", []string{"--hidden", strconv.Itoa(j.hidden), "--dim", strconv.Itoa(j.dim), "--epochs", strconv.Itoa(epochs)}
	}
	out, err := cli.Output(ctx, nil, o.peer[0], slices.Concat(o.peer[1:], []string{"--npz", path}, rest)...)
	if err != nil {
		return 0, err
	}
	var said map[string]any
	err = json.Unmarshal(out, &said)
	if seconds, ok := said[key].(float64); err == nil && ok && seconds > 0 {
		return seconds, nil
	}
	return 0, fmt.Errorf("%s printed %.80q, want a JSON object with seconds as %q", o.peer[0], out, key)
}
