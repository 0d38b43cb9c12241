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
	"coles/internal/setting"
	"coles/task"
	"coles/task/describe"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// evalOptions are the options of the command.
type evalOptions struct {
	vectorOptions
	labelOptions
	perClass, count, runs int
	json                  bool
}

func evalCommand(s streams) *cli.Command {
	o := &evalOptions{}
	return command(s, spec{
		input: &o.inputOptions, name: "eval", usage: "what an embedding is worth: classification and clustering", args: "[GRAPH]", settings: true,
		first: []string{"features", "labels", "labels-as", "embedding", "dim", "splits", "per-class", "count", "runs", "json"},
		flags: slices.Concat([]cli.Flag{
			ofInput.file(&o.splits, "splits", "`FILE` of train, validation and test nodes, JSON"),
			ofAnswer.usually(&o.perClass, "per-class", 20, "draw so many labelled `NODES` of each class for training, at most a third of it"),
			ofAnswer.usually(&o.count, "count", 50, "draw so many `SPLITS`"),
			ofAnswer.usually(&o.runs, "runs", 10, "`RUNS` of k-means; 0 for no clustering"),
			jsonFlag(&o.json), o.labelOptions.flag(),
		}, o.vectorOptions.flags()),
		run: o.run,
	})
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

func (o *evalOptions) run(ctx context.Context, s *session) error {
	if err := o.checkEval(s); err != nil {
		return err
	}
	s.quiet = true // the table says what was chosen
	v, err := o.read(ctx, s, task.General, nil)
	if err != nil {
		return err
	}
	rows, width := v.Rows.Dims()
	if v.Labels == nil {
		return fmt.Errorf("there are no labels; name a file by -labels: %w", dataset.ErrMissing)
	}
	labelled := describe.Labelled(v.Dataset)
	e := &evaluation{
		Embedding: cmp.Or(o.embedding, "coles"), Nodes: rows, Columns: width,
		Labelled: len(labelled), Classes: v.NumClasses(),
	}
	t, err := o.target(v.Data, rows, s.labelsAt())
	if err != nil {
		return err
	}
	if t.Kind() != task.OneClass {
		if s.set("splits", "per-class") {
			return usagef("-splits and -per-class are for one class a node; -labels-as classes takes other labels for names")
		}
		shares, err := eval.Protocol{Progress: s.progress.show}.Shares(ctx, v.Rows, t.Labels, o.count, o.fit.seed)
		if err != nil {
			return err
		}
		for _, of := range shares {
			e.Shares = append(e.Shares, shareOf(of, o.count))
		}
		if e.Classes = len(t.Names); o.runs > 0 {
			s.warn(errors.New("clusters are compared with one class a node: -runs 0 leaves them out"))
		}
	} else if err := o.measure(ctx, s, e, v, t, labelled); err != nil {
		return err
	}
	s.progress.clear()
	return report(ctx, s, o.json, e)
}

// measure measures by one class a node.
func (o *evalOptions) measure(ctx context.Context, s *session, e *evaluation, v *vectors, t task.Target, labelled []int) error {
	splits, from := v.Splits, cmp.Or(o.splits, "masks of the graph")
	if len(splits) == 0 || s.set("per-class", "count") {
		var err error
		if splits, from, err = eval.Draw(v.Dataset, o.perClass, o.count, o.fit.seed); err != nil {
			return err
		}
	}
	p := eval.Protocol{Runs: o.runs, KMeans: cluster.KMeans{Seed: o.fit.seed}, Progress: s.progress.show}
	r, err := p.Classify(ctx, v.Rows, v.Labels, splits)
	if err != nil {
		return err
	}
	e.Classification = &classification{from, percent(*r)}
	if fitted, ok := v.Model.(*coles.Model); ok && o.with == "" && fitted.Report().Alignment != nil {
		other, err := eval.Other(ctx, v.Graph, v.Features, fitted, p.Progress)
		if err != nil {
			return err
		}
		r, err := p.Classify(ctx, other.Embedding(), v.Labels, splits)
		if err != nil {
			return err
		}
		e.Choice = &choice{fitted.Report().Kind, fitted.Report().Alignment, other.Report().Kind, percent(*r)}
		about, err := describe.Labels(ctx, v.Data, t)
		if err != nil {
			return err
		}
		e.doubt = about.Homophily.Doubt(e.Choice.Alignment)
	}
	if p.Runs > 0 {
		e.Clustering, err = clusters(ctx, p, v.Rows, v.Labels, labelled)
	}
	return err
}

// checkEval refuses options that contradict one another.
func (o *evalOptions) checkEval(s *session) error {
	if err := cmp.Or(s.atLeast1("per-class", o.perClass), s.atLeast1("count", o.count)); err != nil {
		return err
	}
	switch {
	case o.runs < 0:
		return usagef("-runs %d: want 0 or more", o.runs)
	case o.splits != "" && s.set("per-class", "count"):
		return usagef("-splits has splits; -per-class and -count draw them")
	}
	return o.check(s)
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

func (e *evaluation) print(w io.Writer) {
	fmt.Fprintf(w, "embedding\t%s, %d × %d\n", e.Embedding, e.Nodes, e.Columns)
	if e.Shares != nil {
		fmt.Fprintf(w, "labels\t%s\n", setting.Count(e.Labelled, "nodes"))
		for _, of := range e.Shares {
			of.print(w)
		}
		return
	}
	fmt.Fprintf(w, "labels\t%s, %s\n", setting.Count(e.Labelled, "nodes"), setting.Count(e.Classes, "classes"))
	fmt.Fprintf(w, "splits\t%d, %s\n", len(e.Classification.Accuracy.Each), e.Classification.Splits)
	fmt.Fprintf(w, "classification\taccuracy %v\n", e.Classification.Accuracy)
	if c := e.Choice; c != nil {
		fmt.Fprintf(w, "chosen\t%v\n", *c.Alignment)
		printDoubt(w, e.doubt)
		fmt.Fprintf(w, "by the %v\taccuracy %v\n", c.Other, c.Accuracy)
	}
	if c := e.Clustering; c != nil {
		fmt.Fprintf(w, "clustering\taccuracy %v, NMI %v, F1 %v, %s\n", c.Accuracy, c.NMI, c.F1, setting.Count(len(c.Accuracy.Each), "runs"))
	}
}

// measured are figures in percent.
type measured struct {
	Mean float64   `json:"mean"`
	Std  float64   `json:"std"`
	Each []float64 `json:"each"`
}

// percent are measurements in percent.
func percent(m eval.Measurements) measured {
	p := measured{100 * m.Mean, 100 * m.Std, slices.Clone(m.Each)}
	for i := range p.Each {
		p.Each[i] *= 100
	}
	return p
}

func (m measured) String() string { return fmt.Sprintf("%.1f ± %.1f %%", m.Mean, m.Std) }

// A shareKnown is what an embedding is worth where a share of the labels is known: F1 of several classes a node in
// percent, or R² in percent and the mean absolute error of numbers in their unit.
type shareKnown struct {
	Known    float64   `json:"known"`
	Splits   int       `json:"splits"`
	Micro    *measured `json:"micro_f1,omitempty"`
	Macro    *measured `json:"macro_f1,omitempty"`
	R2       *measured `json:"r2,omitempty"`
	Absolute float64   `json:"mean_absolute_error,omitempty"`
}

func shareOf(s eval.Worth, splits int) shareKnown {
	of := shareKnown{Known: s.Known, Splits: splits}
	for from, to := range map[*eval.Measurements]**measured{s.Micro: &of.Micro, s.Macro: &of.Macro, s.R2: &of.R2} {
		if from != nil {
			shown := percent(*from)
			*to = &shown
		}
	}
	if s.Error != nil {
		of.Absolute = s.Error.Mean
	}
	return of
}

func (of shareKnown) print(w io.Writer) {
	if of.R2 != nil {
		fmt.Fprintf(w, "%g %% known\tR² %v, mean absolute error %.4g, %s\n", 100*of.Known, *of.R2, of.Absolute, setting.Count(of.Splits, "splits"))
	} else {
		fmt.Fprintf(w, "%g %% known\tmicro-F1 %v, macro-F1 %v, %s\n", 100*of.Known, *of.Micro, *of.Macro, setting.Count(of.Splits, "splits"))
	}
}
