package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/archive"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const predictDescription = `Predicts the classes of the nodes that have no label: a logistic regression
learns from the rows of the embedding that have one. How strongly it is
penalised is chosen by cross-validation. It prints a line "ID, class,
probability" for each node, separated by tabs, or by commas where the name of
-o ends in .csv. The embedding comes from -embedding, or is made of GRAPH as by
"coles embed".

Where neither -kind nor other settings say whether to use the graph or the
features alone, both are fitted and cross-validated on the labels, and standard
error says which was taken and why; -kind auto chooses without labels.

-classifier keeps the classifier. -use predicts with it and needs no labels, for
an embedding by the same model: name its -kind, or keep the model.

Examples:
   coles predict friends.tsv -features profiles.csv -labels circles.csv
   coles predict -embedding friends.npy -labels circles.csv -classifier circles.classifier
   coles predict grown.tsv -features more.csv -with friends.model -use circles.classifier`

func predictCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "predict", Usage: "the classes of the nodes that have no label",
		ArgsUsage: "[GRAPH]", Description: describe(predictDescription),
		Flags: append([]cli.Flag{
			fileFlag("o", "write to `FILE`"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "all", Usage: "predict the nodes that have a label, too"},
			fileFlag("classifier", "keep the classifier in `FILE`"),
			fileFlag("use", "do not learn, predict with the classifier in `FILE`"),
		}, embeddingFlags()...),
		Action: action(s, predict),
	}
}

// A prediction is a line of output.
type prediction struct {
	ID          string  `json:"id"`
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
}

func predict(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	out, keep, err := predictOutputs(c, s)
	if err != nil {
		return err
	}
	var k *classifier
	if c.IsSet("use") {
		if k, err = readPath(ctx, in, c.String("use"), readClassifier); err != nil {
			return err
		}
	}
	var chosen *eval.Choice
	e, err := embedded(ctx, c, in, func(e *embedder, d *dataset.Dataset) {
		labels := knownLabels(d, d.Nodes())
		if !c.IsSet("kind") && !c.IsSet("use") && slices.Max(labels) >= 0 {
			e.choose = byLabels(labels, &chosen)
		}
	})
	if err != nil {
		return err
	}
	if chosen != nil {
		fmt.Fprintln(s.stderr, "coles: "+strings.ReplaceAll(chosen.String(), "\n", "\ncoles: "))
	}
	d, y := e.data, e.rows
	n, _ := y.Dims()
	labels := knownLabels(d, n)
	in.progress.show("classify", 0, 0)
	defer in.progress.clear()
	if k == nil {
		if k, err = learn(ctx, y, labels, d.Classes); err != nil {
			return err
		}
	}
	var rows []int
	for i, l := range labels {
		if l < 0 || c.Bool("all") {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return errors.New("every node has a label; -all predicts those, too")
	}
	found, err := k.predict(ctx, y, rows, rowNames(d.IDs, n))
	if err != nil {
		return err
	}
	in.progress.clear()
	if err := keep.write(ctx, k.write); err != nil {
		return err
	}
	lines := make([][]string, len(found))
	for i, p := range found {
		lines[i] = []string{p.ID, p.Class, strconv.FormatFloat(p.Probability, 'g', 6, 64)}
	}
	return out.writeResult(ctx, c, found, lines)
}

// byLabels fits a model of the kind that labels choose, and tells how.
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

// predictOutputs checks the options, and finds where predictions and the classifier go.
func predictOutputs(c *cli.Command, s streams) (out, keep sink, err error) {
	kept := c.String("classifier")
	switch {
	case c.IsSet("use") && c.IsSet("classifier"):
		return out, keep, usagef("-classifier keeps a classifier that is learnt, and -use has one already")
	case kept == standard:
		return out, keep, usagef("-classifier - and the predictions would both go to standard output")
	case sameFile(kept, c.String("o")):
		return out, keep, usagef("-classifier and -o are the same file")
	}
	if out, err = resultOutput(c, s, false); err == nil {
		keep, err = newOutput(c, c.Args().Slice(), "-classifier", kept, true, s)
	}
	return out, keep, err
}

// A classifier is a linear model and the names of its classes, or nil for numbers.
type classifier struct {
	model *eval.LinearModel
	names []string
}

// learn fits a classifier to the rows that have a label.
func learn(ctx context.Context, y mat.Matrix, labels []int, names []string) (*classifier, error) {
	var rows []int
	sizes := make([]int, slices.Max(labels)+1)
	for i, l := range labels {
		if l >= 0 {
			rows = append(rows, i)
			sizes[l]++
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("there are no labels; name a file by -labels")
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	if len(sizes) == 1 || sizes[1] == 0 {
		return nil, fmt.Errorf("%w: all labels are of one class", eval.ErrSplit)
	}
	var l eval.LogisticRegression
	if sizes[1] >= 2 { // whatever is held out leaves two classes to learn from
		l.Cs = eval.DefaultCs()
	}
	m, err := l.Fit(ctx, y, rows, labels)
	return &classifier{m, names}, err
}

// predict is a prediction for each of the rows of y, which ids name.
func (k *classifier) predict(ctx context.Context, y mat.Matrix, rows []int, ids []string) ([]prediction, error) {
	labels, err := k.model.Predict(ctx, y, rows)
	if err != nil {
		return nil, err
	}
	chances, err := k.model.Probabilities(ctx, y, rows)
	if err != nil {
		return nil, err
	}
	found := make([]prediction, len(rows))
	for q, i := range rows {
		column, _ := slices.BinarySearch(k.model.Classes, labels[q])
		found[q] = prediction{ids[i], strconv.Itoa(labels[q]), chances.At(q, column)}
		if k.names != nil {
			found[q].Class = k.names[labels[q]]
		}
	}
	return found, nil
}

// The file of a classifier holds its linear model, and behind it the names.
var namesFormat = archive.Format{Magic: [8]byte([]byte("COLESCLS")), Version: 1}

// namesHeader holds bytes: a name need not be UTF-8, as JSON is.
type namesHeader struct {
	Names [][]byte `json:"names"`
}

func (k *classifier) write(w io.Writer) error {
	if _, err := k.model.WriteTo(w); err != nil {
		return err
	}
	var h namesHeader
	for _, name := range k.names {
		h.Names = append(h.Names, []byte(name))
	}
	_, err := namesFormat.Write(w, h)
	return err
}

// readClassifier reads a classifier and nothing after it.
func readClassifier(r *bufio.Reader) (k *classifier, err error) {
	k = &classifier{}
	if k.model, err = eval.ReadLinearModel(r); err != nil {
		return nil, err
	}
	_, err = namesFormat.Read(r, func(text []byte) ([]int, error) {
		var h namesHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		for _, name := range h.Names {
			k.names = append(k.names, string(name))
		}
		if last := slices.Max(k.model.Classes); k.names != nil && last >= len(k.names) {
			return nil, fmt.Errorf("class %d, and %d names", last, len(k.names))
		}
		return nil, nil
	})
	return k, atEnd(r, err)
}
