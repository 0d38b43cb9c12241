package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/dataset"
	"coles/learn"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const predictDescription = `Predicts the classes of the nodes that have no label: a logistic regression
learns from the rows of the embedding that have one. How strongly it is
penalised is chosen by cross-validation. It prints a line "ID, class,
probability" for each node, separated by tabs, or by commas under a line of
column names where the name of -o ends in .csv. -probabilities adds that of
every class, in the order of the table below. Their mean is the share that was
right in cross-validation. -sure answers "none" below a probability, and -balanced
has rare classes predicted more often.
The embedding comes from -embedding, or is made of GRAPH as by "coles embed";
then probabilities may be smoothed along the edges, towards the known labels, if
cross-validation finds that worth it: -alpha says how much, 0 is not at all.

Labels that are numbers, with fractions or whole ones of which most occur once, are
a quantity: a ridge regression predicts it, and a line is "ID, value, low, high",
between which nine in ten are expected. A node has several classes where lines
repeat it, or the label is a JSON list, or names between | or ;. Then each of its
classes has a line, and standard error says F1. -labels-as decides.

Standard error says how good that is: which share of the labelled nodes is right
in cross-validation, and for each class how many of its nodes are (recall), how
many of those predicted to be of it (precision), and what it is taken for.

Where neither -kind nor other settings say whether to use the graph or the
features alone, both are fitted and cross-validated on the labels, and standard
error says which was taken and why; so are columns of who the neighbours are
(-structure) beside it, each with the α that suits it. -kind auto chooses without
labels.

-classifier keeps the classifier. -use predicts with it and needs no labels, but
the model that it learnt from: keep that by -model, and name it by -with. A fit
to a graph that has grown is another model, and refused. Nothing is learnt then,
and nothing cross-validated.

Examples:
   coles predict friends.tsv -features profiles.csv -labels circles.csv
   coles predict friends.tsv -features profiles.csv -labels circles.csv -model friends.model -classifier circles.classifier
   coles predict grown.tsv -features more.csv -with friends.model -use circles.classifier`

func predictCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "predict", Usage: "the classes of the nodes that have no label",
		ArgsUsage: "[GRAPH]", Description: describe(predictDescription),
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "predict the nodes that have a label, too"},
			&cli.BoolFlag{Name: "probabilities", Usage: "give the probabilities of all classes"},
			labelsAsFlag(),
			&cli.BoolFlag{Name: "why", Usage: "say which labelled nodes and which columns speak most for the class, or, by a minus, against it"},
			&cli.BoolFlag{Name: "balanced", Usage: "predict rare classes as if all were as frequent"},
			&cli.FloatFlag{Name: "sure", Usage: "answer \"none\" below this `PROBABILITY`", HideDefault: true},
			&cli.FloatFlag{Name: "alpha", Usage: "`SHARE` of the neighbours' probabilities, 0 for none and less than 1 (default: by cross-validation)", HideDefault: true},
			fileFlag("classifier", "keep the classifier in `FILE`"),
			fileFlag("model", "keep the model in `FILE`"),
			fileFlag("use", "do not learn, predict with the classifier in `FILE`"),
		}, append(resultFlags(), embeddingFlags()...)...),
		Action: action(s, predict),
	}
}

func predict(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	out, err := predictOutputs(c, s)
	if err != nil {
		return err
	}
	how, err := smoothing(c)
	if err != nil {
		return err
	}
	var k *classifier
	if c.IsSet("use") {
		if k, err = readPath(ctx, in, c.String("use"), readClassifier); err != nil {
			return err
		}
	}
	var chosen *learn.Choice
	e, err := embedded(ctx, c, in, chosenByLabels(c, how, &chosen))
	if err != nil {
		return err
	}
	if chosen != nil {
		fmt.Fprintln(s.stderr, "coles: "+strings.ReplaceAll(chosen.String(), "\n", "\ncoles: "))
	}
	m, err := meaningOf(c, e.data)
	if err != nil {
		return err
	}
	n, _ := e.rows.Dims()
	labels := knownLabels(e.data, n)
	var rows []int
	for i, l := range labels {
		if l < 0 || c.Bool("all") {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return errEveryLabel
	}
	if k == nil {
		k, err = learnt(ctx, c, in, e, m, labels, how)
	} else {
		err = k.check(in, c.String("use"), originOf(e.model), m, labels)
	}
	if err != nil {
		return err
	}
	in.progress.show("classify", 0, 0)
	a, err := k.answer(ctx, c, e, m, labels, rows, rowNames(e.data.IDs, n))
	if err != nil {
		return err
	}
	in.progress.clear()
	if err := out.model.write(ctx, func(w io.Writer) error { return in.writeModel(w, e.model) }); err != nil {
		return err
	}
	if err := out.classifier.write(ctx, k.write); err != nil {
		return err
	}
	if err := out.lines.writeResult(ctx, c, a.result, a.columns, slices.Values(a.lines)); err != nil {
		return err
	}
	fmt.Fprint(s.stderr, a.said)
	if c.IsSet("classifier") && !c.IsSet("model") && !c.IsSet("with") && !c.IsSet("embedding") {
		in.text.Warn(fmt.Errorf("%s is for vectors of this very model, which -model keeps", c.String("classifier")))
	}
	return nil
}

// smoothing are the options of learning.
func smoothing(c *cli.Command) (how learn.Options, err error) {
	how = learn.Options{Balanced: c.Bool("balanced"), Seed: seedOr1(c)}
	if c.IsSet("alpha") {
		how.Alphas = make([]float64, 1)
		if setNumber(c, "alpha", &how.Alphas[0], c.Float); !(how.Alphas[0] >= 0 && how.Alphas[0] < 1) {
			return how, usagef("-alpha %v: want 0 or more, and less than 1", how.Alphas[0])
		}
	}
	if sure := c.Float("sure"); !(sure >= 0 && sure <= 1) {
		return how, usagef("-sure %v: want 0 to 1", sure)
	}
	return how, nil
}

var errEveryLabel = errors.New("every node has a label; -all predicts those, too")

// chosenByLabels has the labels, if there are any, choose the model unless an option sets its kind.
func chosenByLabels(c *cli.Command, how learn.Options, chosen **learn.Choice) func(*embedder, *dataset.Dataset) {
	return func(e *embedder, d *dataset.Dataset) {
		m, err := meaningOf(c, d)
		of := learn.Labels{Sets: m.sets, Values: m.values}
		labels := knownLabels(d, d.Nodes())
		if m.sets == nil && m.values == nil {
			of.Classes = labels
		}
		if err == nil && !c.IsSet("kind") && !c.IsSet("use") && slices.Max(labels) >= 0 {
			e.choose = byLabels(of, how, chosen)
		}
	}
}

// byLabels fits the model that labels choose, and reports the choice.
func byLabels(labels learn.Labels, how learn.Options, chosen **learn.Choice) fitter {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix, opts ...coles.Option) (*coles.Model, error) {
		choice, err := learn.ChooseModel(ctx, g, x, labels, how, opts...)
		if err != nil {
			return nil, err
		}
		*chosen = choice
		return choice.Model, nil
	}
}

// predictFiles are where predictions, the classifier and the model go.
type predictFiles struct{ lines, classifier, model sink }

// predictOutputs checks the options, and finds the files.
func predictOutputs(c *cli.Command, s streams) (out predictFiles, err error) {
	kept, model := c.String("classifier"), c.String("model")
	switch {
	case c.IsSet("use") && c.IsSet("classifier"):
		return out, usagef("-classifier keeps a classifier that is learnt, and -use has one already")
	case c.IsSet("use") && (c.IsSet("alpha") || c.IsSet("balanced")):
		return out, usagef("-alpha and -balanced are learnt with a classifier, and -use has one already")
	case c.IsSet("model") && (c.IsSet("with") || c.IsSet("embedding")):
		return out, usagef("-model keeps a model that is fitted, and -with or -embedding fits none")
	case kept == standard || model == standard:
		return out, usagef("-classifier - or -model - and the predictions would both go to standard output")
	case sameFile(kept, c.String("o")), sameFile(model, c.String("o")), sameFile(model, kept):
		return out, usagef("two of -classifier, -model and -o are the same file")
	}
	if out.lines, err = resultOutput(c, s, false); err != nil {
		return out, err
	}
	if out.classifier, err = newOutput(c, c.Args().Slice(), "-classifier", kept, true, s); err != nil {
		return out, err
	}
	out.model, err = newOutput(c, c.Args().Slice(), "-model", model, true, s)
	return out, err
}
