package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const predictDescription = `Predicts the classes of the nodes that have no label: a logistic regression
learns from the rows of the embedding that have one. How strongly it is
penalised is chosen by cross-validation. It prints a line "ID, class,
probability" for each node, separated by tabs, or by commas under a line of
column names where the name of -o ends in .csv. -probabilities adds that of
every class, in the order of the table below. Probabilities are
cautious, with a strong penalty most: a larger share is right than their mean
says. The embedding comes from -embedding, or is made of GRAPH as by "coles embed";
then probabilities may be smoothed along the edges, towards the known labels, if
cross-validation finds that worth it: -alpha says how much, 0 is not at all.

Labels that are numbers, with fractions or whole ones of which most occur once, are
a quantity: a ridge regression predicts it, and a line is "ID, value, low, high",
between which nine in ten are expected.

Standard error says how good that is: which share of the labelled nodes is right
in cross-validation, and for each class how many of its nodes are (recall), how
many of those predicted to be of it (precision), and what it is taken for.

Where neither -kind nor other settings say whether to use the graph or the
features alone, both are fitted and cross-validated on the labels, and standard
error says which was taken and why; -kind auto chooses without labels.

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
			&cli.StringFlag{Name: "labels-as", Usage: "labels are `WHAT`: classes or numbers (default: numbers where they have fractions, or most occur once)", HideDefault: true},
			&cli.FloatFlag{Name: "alpha", Usage: "`SHARE` of the neighbours' probabilities, 0 for none and less than 1 (default: by cross-validation)", HideDefault: true},
			fileFlag("classifier", "keep the classifier in `FILE`"),
			fileFlag("model", "keep the model in `FILE`"),
			fileFlag("use", "do not learn, predict with the classifier in `FILE`"),
		}, append(resultFlags(), embeddingFlags()...)...),
		Action: action(s, predict),
	}
}

// A prediction is a line of output.
type prediction struct {
	ID          string  `json:"id"`
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	// Probabilities are the probabilities of all classes, with -probabilities.
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
}

// predictions are the output of -json. Accuracy and Classes are cross-validated, if anything is.
type predictions struct {
	Kind        string        `json:"kind,omitempty"` // graph, features or network; none of vectors that are read
	Alpha       float64       `json:"alpha"`          // the share of the neighbours
	Accuracy    *float64      `json:"accuracy,omitempty"`
	Classes     []classErrors `json:"classes,omitempty"`
	Predictions []prediction  `json:"predictions"`
}

// classErrors are the predicted classes of the labelled nodes of a class, with counts.
type classErrors struct {
	Class     string         `json:"class"`
	Nodes     int            `json:"nodes"`
	Recall    float64        `json:"recall"`
	Precision float64        `json:"precision"`
	Predicted map[string]int `json:"predicted"`
}

func predict(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	out, err := predictOutputs(c, s)
	if err != nil {
		return err
	}
	alphas := eval.DefaultAlphas()
	if setNumber(c, "alpha", &alphas[0], c.Float); c.IsSet("alpha") {
		if alphas = alphas[:1]; !(alphas[0] >= 0 && alphas[0] < 1) {
			return usagef("-alpha %v: want 0 or more, and less than 1", alphas[0])
		}
	}
	var k *classifier
	if c.IsSet("use") {
		if k, err = readPath(ctx, in, c.String("use"), readClassifier); err != nil {
			return err
		}
	}
	var chosen *eval.Choice
	e, err := embedded(ctx, c, in, chosenByLabels(c, &chosen))
	if err != nil {
		return err
	}
	if chosen != nil {
		fmt.Fprintln(s.stderr, "coles: "+strings.ReplaceAll(chosen.String(), "\n", "\ncoles: "))
	}
	if values, err := quantities(c, e.data); err != nil || values != nil {
		if err == nil {
			err = predictQuantity(ctx, c, in, out, e, values, s.stderr)
		}
		return err
	}
	n, _ := e.rows.Dims()
	labels := knownLabels(e.data, n)
	of := originOf(e.model)
	if k == nil {
		k, err = learn(ctx, in, e, labels, alphas, seedOr1(c))
	} else {
		err = k.check(in, c.String("use"), of)
	}
	if err != nil {
		return err
	}
	var rows []int
	for i, l := range labels {
		if l < 0 || c.Bool("all") {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return errEveryLabel
	}
	in.progress.show("classify", 0, 0)
	found, err := k.predict(ctx, e, labels, rows, rowNames(e.data.IDs, n), c.Bool("probabilities"))
	if err != nil {
		return err
	}
	in.progress.clear()
	if err := out.model.write(ctx, func(w io.Writer) error { return writeModel(w, e.model, in.text.Encoder) }); err != nil {
		return err
	}
	if err := out.classifier.write(ctx, k.write); err != nil {
		return err
	}
	columns, lines := k.lines(found, c.Bool("probabilities"))
	if err := out.lines.writeResult(ctx, c, newPredictions(of.Kind, k.model, found), columns, slices.Values(lines)); err != nil {
		return err
	}
	sayHowGood(s.stderr, c, of.Kind, k.model)
	if c.IsSet("classifier") && !c.IsSet("model") && !c.IsSet("with") && !c.IsSet("embedding") {
		in.text.Warn(fmt.Errorf("%s is for vectors of this very model, which -model keeps", c.String("classifier")))
	}
	return nil
}

var errEveryLabel = errors.New("every node has a label; -all predicts those, too")

// lines are the names of the columns and a line for each prediction.
func (k *classifier) lines(found []prediction, all bool) (columns []string, lines [][]string) {
	columns, lines = []string{"id", "class", "probability"}, make([][]string, len(found))
	for i, p := range found {
		lines[i] = []string{p.ID, p.Class, strconv.FormatFloat(p.Probability, 'g', 6, 64)}
	}
	for _, label := range k.model.Classes {
		if !all {
			break
		}
		name := k.name(label)
		columns = append(columns, name)
		for i, p := range found {
			lines[i] = append(lines[i], strconv.FormatFloat(p.Probabilities[name], 'g', 6, 64))
		}
	}
	return columns, lines
}

// sayHowGood prints what cross-validation has found out about a model, nil for nothing.
func sayHowGood(stderr io.Writer, c *cli.Command, kind string, m *eval.Smoothed) {
	good := m.Found
	of := modelName(kind)
	if kind == "" {
		of = "the vectors of " + nameOf(c.String("embedding"))
	}
	switch {
	case good != nil:
		fmt.Fprintf(stderr, "coles: %s: %.1f %% of %d labelled nodes are right in cross-validation\n%v", of, 100*good.Accuracy(), good.Total(), good)
		if m.Alpha > 0 {
			fmt.Fprintf(stderr, "coles: predictions are smoothed along the edges, α = %g; without, %.1f %% are right\n", m.Alpha, 100*m.Alone)
		}
	case c.IsSet("use"):
		fmt.Fprintf(stderr, "coles: %s: -use learns nothing, and cross-validates nothing\n", of)
	default:
		fmt.Fprintf(stderr, "coles: %s: cross-validation takes two labels of two classes at least, and counts 4,096 classes at most\n", of)
	}
}

// newPredictions is the output of -json.
func newPredictions(kind string, m *eval.Smoothed, found []prediction) *predictions {
	r, good := &predictions{Kind: kind, Alpha: m.Alpha, Predictions: found}, m.Found
	if good == nil {
		return r
	}
	share := good.Accuracy()
	r.Accuracy = &share
	for k, row := range good.Counts {
		of := classErrors{good.Name(k), good.Size(k), good.Recall(k), good.Precision(k), make(map[string]int)}
		for j, count := range row {
			if count > 0 {
				of.Predicted[good.Name(j)] = count
			}
		}
		r.Classes = append(r.Classes, of)
	}
	return r
}

// chosenByLabels has the labels, if there are any, choose the kind of model unless an option sets it.
func chosenByLabels(c *cli.Command, chosen **eval.Choice) func(*embedder, *dataset.Dataset) {
	return func(e *embedder, d *dataset.Dataset) {
		values, err := quantities(c, d)
		if labels := knownLabels(d, d.Nodes()); err == nil && values == nil && !c.IsSet("kind") && !c.IsSet("use") && slices.Max(labels) >= 0 {
			e.choose = byLabels(labels, chosen)
		}
	}
}

// byLabels fits a model of the kind that labels choose, and reports the choice.
func byLabels(labels []int, chosen **eval.Choice) fitter {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix, opts ...coles.Option) (*coles.Model, error) {
		choice, err := eval.ChooseModel(ctx, g, x, labels, opts...)
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
	case c.IsSet("use") && c.IsSet("alpha"):
		return out, usagef("-alpha is learnt with a classifier, and -use has one already")
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
