package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"coles"
	"coles/eval"
	"coles/internal/archive"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const predictDescription = `Predicts the classes of the nodes that have no label: a logistic regression
learns from the rows of the embedding that have one. How strongly it is
penalised is chosen by cross-validation. It prints a line "ID, class,
probability" for each node, separated by tabs, or by commas where the name of
-o ends in .csv. The embedding is that of -embedding, or is made of GRAPH as by
"coles embed".

-classifier keeps the classifier. -use predicts with it and needs no labels, for
an embedding by the same model.

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
		Action: func(ctx context.Context, c *cli.Command) error { return predict(ctx, c, s) },
	}
}

// A prediction is a line of output.
type prediction struct {
	ID          string  `json:"id"`
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
}

func predict(ctx context.Context, c *cli.Command, s streams) error {
	out, keep, err := predictOutputs(c, s)
	if err != nil {
		return err
	}
	in, err := newInputs(c, s.stdin)
	if err != nil {
		return err
	}
	var k *classifier
	if c.IsSet("use") {
		if k, err = readClassifier(ctx, in, c.String("use")); err != nil {
			return err
		}
	}
	d, y, err := embedded(ctx, c, in, always(coles.ForClassification))
	if err != nil {
		return err
	}
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
	if keep != nil {
		if err := keep.write(ctx, k.write); err != nil {
			return err
		}
	}
	return out.write(ctx, func(w io.Writer) error {
		if c.Bool("json") {
			return printJSON(w, found)
		}
		return writeLines(w, out.path, func(yield func([]string) bool) {
			for _, p := range found {
				if !yield([]string{p.ID, p.Class, strconv.FormatFloat(p.Probability, 'g', 6, 64)}) {
					return
				}
			}
		})
	})
}

// predictOutputs checks the options, and finds where predictions and, unless it is nil, the
// classifier go.
func predictOutputs(c *cli.Command, s streams) (out sink, keep *sink, err error) {
	switch {
	case c.IsSet("use") && c.IsSet("classifier"):
		return out, nil, usagef("-classifier keeps a classifier that is learnt, and -use has one already")
	case c.IsSet("classifier") && c.String("classifier") == standard:
		return out, nil, usagef("-classifier - and the predictions would both go to standard output")
	case sameFile(c.String("classifier"), c.String("o")):
		return out, nil, usagef("-classifier and -o are the same file")
	}
	if out, err = resultSink(c, s, false); err != nil || !c.IsSet("classifier") {
		return out, nil, err
	}
	if err := differentFiles(c, inputFiles(c), "-classifier", c.String("classifier")); err != nil {
		return out, nil, err
	}
	kept, err := newSink(c.String("classifier"), true, s.stdout)
	return out, &kept, err
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

// The file of a classifier is that of its linear model, and behind it the names.
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
func readClassifier(ctx context.Context, in *inputs, path string) (*classifier, error) {
	s, err := in.source(path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	k := &classifier{}
	if k.model, err = eval.ReadLinearModel(r); err != nil {
		return nil, s.errAt(err)
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
	if err != nil {
		return nil, s.errAt(err)
	}
	return k, s.atEnd(r)
}
