package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/peak"
	"coles/lab/internal/programs"
	"coles/lab/internal/published"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// The paper's large graphs. A data set that is not in the folder is generated in the size of it.
func largeTable() table {
	return table{
		Name: "large", Title: "Large graphs", paper: "large", apart: true, grids: true,
		about: "Accuracy on the test nodes in percent, which for one class a node is micro-F1, mean ± standard deviation over the runs (-seeds); numbers trained; seconds to train, and to tell the classes of all nodes; the largest resident memory in MB, data included. " +
			"ogbn-arxiv and reddit are the paper's data with their own splits; arxiv-sized and reddit-sized are generated, as large as these, with as many classes, split alike; of any other data set 20 nodes a class are learned from. " +
			"On reddit and reddit-sized no system sees test nodes before it is asked about them.",
		find: largeDatasets, seeds: 10,
		methods: largeMethods(), rows: largeMethods(), measure: large,
	}
}

// largeMethods are the methods of the large table.
func largeMethods() []method {
	return slices.Concat(headedMethods, wholeMethods, sampledMethods)
}

// The names of the paper's large data sets, and of what takes their place.
const (
	arxiv       = "ogbn-arxiv"
	reddit      = "reddit"
	arxivSized  = "arxiv-sized"
	redditSized = "reddit-sized"
)

// A largeGraph is one of the paper's large data sets, in a folder of its own, and the graph that is generated in its
// place. The generated one has as many edges, columns and classes, and the same share of nodes to train on and to
// stop by.
type largeGraph struct {
	name, folder string
	read         func(folder string) (*dataset.Dataset, error)
	unseen       bool // test nodes are not to be seen
	sized        string
	graph        synthetic.Communities
	train, val   float64
}

var largeGraphs = []*largeGraph{{
	name: arxiv, folder: "ogbn_arxiv", read: published.OGB, sized: arxivSized, train: 0.54, val: 0.18,
	graph: synthetic.Communities{Nodes: 170_000, Classes: 40, Degree: 14, Features: 128, Dense: true, Homophily: 0.5},
}, {
	name: reddit, folder: "reddit", read: func(folder string) (*dataset.Dataset, error) { return published.GraphSAGE(folder, reddit) },
	unseen: true, sized: redditSized, train: 0.66, val: 0.10,
	graph: synthetic.Communities{Nodes: 233_000, Classes: 41, Degree: 100, Features: 602, Dense: true, Homophily: 0.3},
}}

// largeOf is the large graph that a name stands for, itself or by what is generated; nil for none.
func largeOf(name string) *largeGraph {
	for _, l := range largeGraphs {
		if name == l.name || name == l.sized {
			return l
		}
	}
	return nil
}

// largeDatasets are the paper's data sets that are in a folder, if one is named, and generated ones in the place of
// the others. Larger ones of the archives follow, if there are any.
func largeDatasets(folder string) []string {
	there := func(path ...string) bool {
		_, err := os.Stat(filepath.Join(append([]string{folder}, path...)...))
		return err == nil && folder != ""
	}
	var names []string
	all := true
	for _, l := range largeGraphs {
		name := l.name
		if !there(l.folder) {
			name, all = l.sized, false
		}
		names = append(names, name)
	}
	for _, name := range []string{"coauthor_cs", "flickr"} {
		if !all && there("npz", name+".npz") {
			names = append(names, name)
		}
	}
	return names
}

// open reads the data set, or generates the other with nodes nodes, if nodes is not 0.
func (l *largeGraph) open(ctx context.Context, o options, name string) (*dataset.Dataset, error) {
	if name == l.name {
		return l.read(filepath.Join(o.data, l.folder))
	}
	like := l.graph
	like.Nodes = cmp.Or(o.nodes, like.Nodes)
	d, err := like.Generate(ctx)
	if err != nil {
		return nil, err
	}
	train, val := int(l.train*float64(d.Nodes())), int((l.train+l.val)*float64(d.Nodes()))
	order := orderOf(d.Nodes())
	d.Splits = []dataset.Split{{Train: order[:train], Val: order[train:val], Test: order[val:]}}
	return d, nil
}

// A task has to be learned in one run of the large table.
type task struct {
	dataset    string       // for which the systems have a recipe
	graph      *coles.Graph // to learn from
	features   mat.Matrix
	labels     []int // of the graph; a method reads train and val only
	train, val []int
	// whole is the graph of which all classes are asked: with test nodes that graph may lack.
	whole         *coles.Graph
	wholeFeatures mat.Matrix
	wholeTrain    []int // the nodes of train there
	seed          uint64
	epochs        int            // at most; 0 for as many as a system has
	progress      coles.Progress // of epochs, or walks
}

// learned is a trained system: its count of numbers, and a function that predicts the classes of all nodes.
type learned struct {
	parameters int
	predict    func(ctx context.Context) ([]int, error)
}

// large measures a system on a data set.
func large(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	c := cell{Seeds: o.seeds}
	if m.transductive && p.part != nil {
		p.progress.Note("large, %s: %s is left out, it knows its own graph only", p.Name, m.title())
		return nil, nil
	}
	var accuracy []float64
	var training, asking time.Duration
	var parameters int
	if err := p.forget(); err != nil {
		return nil, err
	}
	peak.Reset()
	for run := range o.seeds {
		t, split, err := newTask(o, p, run)
		if err == nil {
			err = p.forget()
		}
		if err != nil {
			return nil, err
		}
		start := time.Now()
		told := start
		t.progress = func(stage string, done, total int) {
			if time.Since(told) > 2*time.Second {
				told = time.Now()
				p.progress.Print("large: %s: %s, run %d of %d, %s %d of %d", p.Name, m.title(), run+1, o.seeds, stage, done, total)
			}
		}
		l, err := m.learn(ctx, t)
		if err != nil {
			return nil, err
		}
		training += time.Since(start)
		if err := p.forget(); err != nil {
			return nil, err
		}
		start = time.Now()
		predicted, err := l.predict(ctx)
		if err != nil {
			return nil, err
		}
		asking += time.Since(start)
		a, err := p.accuracy(predicted, split)
		if err != nil {
			return nil, err
		}
		accuracy, parameters = append(accuracy, a), l.parameters
	}
	if err := c.measure(sample{"acc", "accuracy", accuracy}); err != nil {
		return nil, err
	}
	runs := float64(o.seeds)
	c.Seconds = training.Seconds() / runs
	c.Measures = append(c.Measures,
		measure{Key: "parameters", Label: "parameters", Mean: float64(parameters), Plain: true},
		measure{Key: "train_s", Label: "training, s", Mean: scalar.Round(c.Seconds, 1), Plain: true},
		measure{Key: "infer_s", Label: "inference, s", Mean: scalar.Round(asking.Seconds()/runs, 2), Plain: true},
		measure{Key: "peak_mb", Label: "peak, MB", Mean: float64(peak.Bytes() / 1e6), Plain: true})
	return []cell{c}, nil
}

// toFiles puts features into files that are mapped, and those to learn from into one of their own where
// test nodes are not to be seen.
func (p *problem) toFiles(ctx context.Context) error {
	if largeOf(p.Name).unseen {
		var err error
		if p.part, err = eval.Induce(ctx, p.graph, p.Features, slices.Concat(p.Splits[0].Train, p.Splits[0].Val)); err != nil {
			return err
		}
		if err := p.toFile(&p.part.Features); err != nil {
			return err
		}
	}
	return p.toFile(&p.Features)
}

func (p *problem) toFile(x *mat.Matrix) error {
	m, err := programs.Mapped(*x)
	if err == nil {
		p.mapped, *x = append(p.mapped, m), m.Features
	}
	return err
}

// forget gives unused memory back, so that none pays for what the one before has left.
func (p *problem) forget() error {
	debug.FreeOSMemory()
	for _, m := range p.mapped {
		if err := m.Forget(); err != nil {
			return err
		}
	}
	return nil
}

// newTask makes a run's task, and the split that it is of.
func newTask(o options, p *problem, run int) (*task, dataset.Split, error) {
	t := &task{
		dataset: p.Name, graph: p.graph, features: p.Features, labels: p.Labels, whole: p.graph, wholeFeatures: p.Features,
		seed: uint64(run) + 1, epochs: o.epochs,
	}
	splits := p.Splits
	if l := largeOf(p.Name); l != nil {
		t.dataset = l.name
	} else {
		var err error
		if splits, err = p.splits(20); err != nil {
			return nil, dataset.Split{}, err
		}
	}
	if len(splits) == 0 {
		return nil, dataset.Split{}, fmt.Errorf("%s has no split", p.Name)
	}
	s := splits[run%len(splits)]
	t.train, t.val, t.wholeTrain = s.Train, s.Val, s.Train
	if p.part == nil {
		return t, s, nil
	}
	t.graph, t.features, t.labels, t.train, t.val = p.part.Graph, p.part.Features, nil, nil, nil // in their numbers
	for i, node := range p.part.Nodes {
		t.labels = append(t.labels, p.Labels[node])
		if i < len(s.Train) {
			t.train = append(t.train, i)
		} else {
			t.val = append(t.val, i)
		}
	}
	return t, s, nil
}
