package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"coles/learn"

	"github.com/urfave/cli/v3"
)

// A classifier is a predictor whose classes have names, nil for numbers, and whose origin is that of the vectors that it
// learnt from.
type classifier struct{ *learn.Predictor }

var errNoLabels = errors.New("there are no labels; name a file by -labels")

// learnt fits a classifier to the rows of an embedding that have a label, and measures it by cross-validation.
func learnt(ctx context.Context, c *cli.Command, in *inputs, e *embedding, m meaning, labels []int, how learn.Options) (*classifier, error) {
	var err error
	switch {
	case slices.Max(labels) < 0:
		return nil, errNoLabels
	case m.values != nil:
		err = refuse(c, "numbers", "balanced", "probabilities", "sure", "why")
	case m.sets != nil:
		err = refuse(c, "several a node", "balanced", "why")
	default:
		return learnClasses(ctx, in, e, labels, how)
	}
	if err != nil {
		return nil, err
	}
	return learntFrom(ctx, in, e, learn.Labels{Sets: m.sets, Values: m.values}, m.names, how)
}

// learntFrom learns from labels, whose classes have these names.
func learntFrom(ctx context.Context, in *inputs, e *embedding, labels learn.Labels, names []string, how learn.Options) (*classifier, error) {
	how.Progress = in.progress.show
	p, err := learn.Fit(ctx, e.graph, e.rows, labels, how)
	if err != nil {
		return nil, err
	}
	p.Names, p.Origin = names, learn.Origin(originOf(e.model))
	if p.Confusion != nil {
		p.Confusion.Names = names
	}
	return &classifier{p}, nil
}

// answer predicts these nodes, which ids name.
func (k *classifier) answer(ctx context.Context, c *cli.Command, e *embedding, m meaning, labels, rows []int, ids []string) (answers, error) {
	if err := checkSure(c, k.Names); err != nil {
		return answers{}, err
	}
	switch {
	case k.Ridge != nil:
		return k.numbersOf(ctx, c, e, m.values, rows, ids)
	case k.Several:
		return k.several(ctx, c, e, m, rows, ids)
	}
	return k.classes(ctx, c, e, labels, rows, ids)
}

// refuse refuses options that do not go with the labels.
func refuse(c *cli.Command, are string, flags ...string) error {
	for _, flag := range flags {
		if c.IsSet(flag) {
			return usagef("-%s is for nodes of one class, and the labels are %s: -labels-as classes takes them for names", flag, are)
		}
	}
	return nil
}

// whose names the model behind the vectors.
func (k *classifier) whose(c *cli.Command) string {
	if k.Origin.Kind == "" {
		return "the vectors of " + nameOf(c.String("embedding"))
	}
	return modelName(k.Origin.Kind)
}

// name is the name of a class.
func (k *classifier) name(label int) string {
	if k.Names == nil {
		return strconv.Itoa(label)
	}
	return k.Names[label]
}

// numbers are labels by the names of this classifier's classes, of others by other names; −1 for a class that it lacks.
func (k *classifier) numbers(labels []int, names []string) []int {
	if k.Names == nil || names == nil {
		return labels
	}
	to := make([]int, len(labels))
	for i, l := range labels {
		if to[i] = -1; l >= 0 {
			to[i] = slices.Index(k.Names, names[l])
		}
	}
	return to
}

// check refuses vectors of another model than the classifier at a path learnt from, and labels of another kind, and
// warns where one of the two models is not known.
func (k *classifier) check(in *inputs, path string, vectors origin, m meaning, labels []int) error {
	o := origin(k.Origin)
	switch {
	case o.Hash != "" && vectors.Hash != "" && o != vectors, o.Kind != "" && vectors.Kind != "" && o.Kind != vectors.Kind:
		return fmt.Errorf("%s learnt from %v, and these vectors are from %v: name its model by -with; -model keeps the model of a fit", path, o, vectors)
	case slices.Max(labels) >= 0 && (k.Ridge == nil) != (m.values == nil):
		return fmt.Errorf("%s predicts %s, and these labels are something else: see -labels-as", path, k.what())
	case o.Hash == "" || vectors.Hash == "":
		in.text.Warn(fmt.Errorf("%s learnt from %v, and these vectors are from %v: whether one model made both cannot be checked", path, o, vectors))
	}
	return nil
}

// what is what it predicts.
func (k *classifier) what() string {
	switch {
	case k.Ridge != nil:
		return "numbers"
	case k.Several:
		return "several classes a node"
	}
	return "one class a node"
}

// classifierMagic begins the file of a classifier.
const classifierMagic = "COLESLIN"

func (k *classifier) write(w io.Writer) error {
	_, err := k.WriteTo(w)
	return err
}

// readClassifier reads a classifier and nothing after it.
func readClassifier(r *bufio.Reader) (*classifier, error) {
	p, err := learn.ReadPredictor(r)
	return &classifier{p}, atEnd(r, err)
}

// classifierInfo is the output of info for a classifier.
type classifierInfo struct {
	Predicts string   `json:"predicts"`
	Classes  []string `json:"classes,omitempty"`
	Features int      `json:"features"`
	C        float64  `json:"c,omitempty"`
	Alpha    float64  `json:"alpha"`
	Origin   origin   `json:"learnt_from"`
}

func (k *classifier) info() *classifierInfo {
	about := &classifierInfo{Predicts: k.what(), Origin: origin(k.Origin)}
	about.Alpha = k.Alpha
	if k.Ridge != nil {
		about.Features = len(k.Ridge.Coef)
		return about
	}
	m := k.Linear
	_, about.Features = m.Coef.Dims()
	about.C = m.C
	for _, label := range m.Classes {
		about.Classes = append(about.Classes, k.name(label))
	}
	return about
}

func (k *classifierInfo) print(w io.Writer) {
	if k.Classes != nil {
		fmt.Fprintf(w, "classifier of\t%d classes: %q\n", len(k.Classes), k.Classes)
	}
	fmt.Fprintf(w, "predicts\t%s\n", k.Predicts)
	fmt.Fprintf(w, "learnt from\t%v, of %d columns\n", k.Origin, k.Features)
	if k.C > 0 {
		fmt.Fprintf(w, "penalty\tC = %g\n", k.C)
	}
	fmt.Fprintf(w, "neighbours\tα = %g\n", k.Alpha)
}

// answers are predictions as JSON, as lines, and what is said about them.
type answers struct {
	result  any
	columns []string
	lines   [][]string
	said    string
}
