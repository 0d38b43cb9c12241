package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/eval"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const evalDescription = `Measures an embedding by the labels of its nodes: node classification (a
logistic regression learns from some nodes and is asked about the others) and
clustering (k-means against the classes). The embedding comes from -embedding,
or is made of GRAPH as by "coles embed". Where the fit chooses between graph and
features, the accuracy of the model that it did not choose is printed, too, and
a warning of features alone where most neighbours share a label.

Of nodes with several labels a tenth is known, and a half, and as many classes are
predicted as each node has; of numbers a quarter is known. -labels-as decides.

Labels come from -labels or GRAPH; splits from -splits, or from GRAPH if it has
masks and neither -per-class nor -count is given, or else are drawn. Nodes
without a label are left out.

Examples:
   coles eval cora.npz
   coles eval cora.npz -embedding cora.npy -splits cora_20.json -json
   coles eval -embedding friends.txt -labels circles.csv -per-class 5`

func evalCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "eval", Usage: "what an embedding is worth: classification and clustering",
		ArgsUsage: "[GRAPH]", Description: describe(evalDescription),
		Flags: append([]cli.Flag{
			fileFlag("splits", "`FILE` of train, validation and test nodes, JSON"),
			&cli.IntFlag{Name: "per-class", Value: 20, Usage: "draw so many labelled `NODES` of each class for training, at most a third of it"},
			&cli.IntFlag{Name: "count", Value: 50, Usage: "draw so many `SPLITS`"},
			&cli.IntFlag{Name: "runs", Value: 10, Usage: "`RUNS` of k-means; 0 for no clustering"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			labelsAsFlag(),
		}, embeddingFlags()...),
		Action: action(s, evaluate),
	}
}

// evaluation is the output of eval.
type evaluation struct {
	Embedding      string          `json:"embedding"` // the file, or "coles" where it was made
	Nodes          int             `json:"nodes"`
	Columns        int             `json:"columns"`
	Labelled       int             `json:"labelled"`
	Classes        int             `json:"classes"`
	Classification *classification `json:"classification"`
	Shares         []shareKnown    `json:"shares,omitempty"` // of several classes a node, or of numbers
	Choice         *choice         `json:"choice,omitempty"` // where a fit has chosen its model
	Clustering     *clustering     `json:"clustering,omitempty"`
	doubt          string          // of the choice
}

// A choice is the model that a fit has chosen, and what the other is worth.
type choice struct {
	Kind      coles.Kind       `json:"kind"`
	Alignment *coles.Alignment `json:"alignment"`
	Other     coles.Kind       `json:"other"`
	Accuracy  measured         `json:"other_accuracy"`
}

type classification struct {
	Splits   string   `json:"splits"` // where they are from
	Accuracy measured `json:"accuracy"`
}

type clustering struct {
	Accuracy measured `json:"accuracy"`
	NMI      measured `json:"nmi"`
	F1       measured `json:"f1"`
}

// measured are figures in percent.
type measured struct {
	Mean float64   `json:"mean"`
	Std  float64   `json:"std"`
	Each []float64 `json:"each"`
}

func evaluate(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	if err := checkEvalFlags(c); err != nil {
		return err
	}
	made, err := embedded(ctx, c, in, func(e *embedder, d *dataset.Dataset) {
		usually(forClassification)(e, d)
		e.warn = func(error) {} // the table says what was chosen
	})
	if err != nil {
		return err
	}
	d, y := made.data, made.rows
	rows, width := y.Dims()
	if d.Labels == nil {
		return fmt.Errorf("there are no labels; name a file by -labels: %w", dataset.ErrMissing)
	}
	labelled := labelledNodes(d)
	e := &evaluation{
		Embedding: cmp.Or(c.String("embedding"), "coles"), Nodes: rows, Columns: width,
		Labelled: len(labelled), Classes: d.NumClasses(),
	}
	m, err := meaningOf(c, d)
	if err != nil {
		return err
	}
	if m.values != nil || m.sets != nil {
		if e.Shares, err = m.measure(ctx, c, in, y, labelled); err != nil {
			return err
		}
		if e.Classes = len(m.names); c.Int("runs") > 0 {
			in.text.Warn(errors.New("clusters are compared with one class a node: -runs 0 leaves them out"))
		}
		in.progress.clear()
		return report(ctx, c, s, e)
	}
	splits, from, err := splitsToUse(ctx, c, in, d)
	if err != nil {
		return err
	}
	p := eval.Protocol{Runs: c.Int("runs"), KMeans: cluster.KMeans{Seed: seedOr1(c)}, Progress: in.progress.show}
	r, err := p.Classify(ctx, y, d.Labels, splits)
	if err != nil {
		return err
	}
	e.Classification = &classification{from, percent(*r)}
	if fitted, ok := made.model.(*coles.Model); ok && !c.IsSet("with") && fitted.Report().Alignment != nil {
		if e.Choice, err = otherModel(ctx, in, made, fitted, p, splits); err != nil {
			return err
		}
		about, err := describeLabels(ctx, made.graph, d)
		if err != nil {
			return err
		}
		e.doubt = about.Homophily.doubt(e.Choice.Alignment)
	}
	if p.Runs > 0 {
		if e.Clustering, err = clusters(ctx, p, y, d.Labels, labelled); err != nil {
			return err
		}
	}
	in.progress.clear()
	return report(ctx, c, s, e)
}

// otherModel fits and measures the model that a fit has not chosen.
func otherModel(ctx context.Context, in *inputs, e *embedding, fitted *coles.Model, p eval.Protocol, splits []dataset.Split) (*choice, error) {
	s, report := fitted.Settings(), fitted.Report()
	s.Kind = coles.UseGraph
	if report.Kind == coles.UseGraph {
		s = s.WithoutGraph()
	}
	_, d := e.data.Features.Dims()
	if s.Structure = 0; e.graph.Roles() == nil {
		s.Dim = min(s.Dim, d)
	}
	m, err := coles.Fit(ctx, e.graph, e.data.Features, coles.WithProgress(in.progress.show), coles.WithSettings(s))
	if err != nil {
		return nil, err
	}
	r, err := p.Classify(ctx, m.Embedding(), e.data.Labels, splits)
	if err != nil {
		return nil, err
	}
	return &choice{report.Kind, report.Alignment, s.Kind, percent(*r)}, nil
}

func checkEvalFlags(c *cli.Command) error {
	if err := atLeast1(c, "per-class", "count"); err != nil {
		return err
	}
	switch {
	case c.Int("runs") < 0:
		return usagef("-runs %d: want 0 or more", c.Int("runs"))
	case c.IsSet("splits") && (c.IsSet("per-class") || c.IsSet("count")):
		return usagef("-splits has splits; -per-class and -count draw them")
	}
	return checkEmbeddingFlags(c)
}

// splitsToUse reads splits, takes the dataset's or draws some, and reports which.
func splitsToUse(ctx context.Context, c *cli.Command, in *inputs, d *dataset.Dataset) ([]dataset.Split, string, error) {
	n := len(d.Labels)
	var splits []dataset.Split
	var from string
	var err error
	switch {
	case c.IsSet("splits"):
		splits, err = readSplits(ctx, in, c.String("splits"), n)
		from = c.String("splits")
	case len(d.Splits) > 0 && !c.IsSet("per-class") && !c.IsSet("count"):
		splits, from = d.Splits, "masks of the graph"
	default:
		splits, err = d.RandomSplits(c.Int("per-class"), c.Int("count"), seedOr1(c))
		from = perClassDrawn(splits, d.Labels, c.Int("per-class"))
	}
	if err != nil {
		return nil, "", err
	}
	if len(splits) > 0 && len(splits[0].Train) == 0 {
		return nil, "", fmt.Errorf("%w: nodes to train on: no class has the three labelled ones that drawing takes", dataset.ErrMissing)
	}
	return splits, from, nil
}

// perClassDrawn is how many nodes of each class were drawn to train on.
func perClassDrawn(splits []dataset.Split, labels []int, perClass int) string {
	count := make(map[int]int)
	if len(splits) > 0 {
		for _, i := range splits[0].Train {
			count[labels[i]]++
		}
	}
	for _, k := range count {
		if k < perClass {
			return fmt.Sprintf("drawn, %d nodes per class, or a third of a smaller class", perClass)
		}
	}
	return fmt.Sprintf("drawn, %d nodes per class", perClass)
}

// clusters measures clusters of the rows that have a label.
func clusters(ctx context.Context, p eval.Protocol, y mat.Matrix, labels, labelled []int) (*clustering, error) {
	if len(labelled) < len(labels) {
		var err error
		if y, err = someRows(ctx, y, labelled); err != nil {
			return nil, err
		}
	}
	r, err := p.Cluster(ctx, y, picked(labels, labelled))
	if err != nil {
		return nil, err
	}
	return &clustering{percent(r.Accuracy), percent(r.NMI), percent(r.F1)}, nil
}

// percent are measurements in percent.
func percent(m eval.Measurements) measured {
	p := measured{100 * m.Mean, 100 * m.Std, slices.Clone(m.Each)}
	for i := range p.Each {
		p.Each[i] *= 100
	}
	return p
}

func (e *evaluation) print(w io.Writer) {
	fmt.Fprintf(w, "embedding\t%s, %d × %d\n", e.Embedding, e.Nodes, e.Columns)
	if e.Shares != nil {
		fmt.Fprintf(w, "labels\t%d nodes\n", e.Labelled)
		for _, of := range e.Shares {
			of.print(w)
		}
		return
	}
	fmt.Fprintf(w, "labels\t%d nodes, %d classes\n", e.Labelled, e.Classes)
	fmt.Fprintf(w, "splits\t%d, %s\n", len(e.Classification.Accuracy.Each), e.Classification.Splits)
	fmt.Fprintf(w, "classification\taccuracy %v\n", e.Classification.Accuracy)
	if c := e.Choice; c != nil {
		fmt.Fprintf(w, "chosen\t%v\n", *c.Alignment)
		printDoubt(w, e.doubt)
		fmt.Fprintf(w, "by the %v\taccuracy %v\n", c.Other, c.Accuracy)
	}
	if c := e.Clustering; c != nil {
		fmt.Fprintf(w, "clustering\taccuracy %v, NMI %v, F1 %v, %d runs\n", c.Accuracy, c.NMI, c.F1, len(c.Accuracy.Each))
	}
}

func (m measured) String() string { return fmt.Sprintf("%.1f ± %.1f %%", m.Mean, m.Std) }
