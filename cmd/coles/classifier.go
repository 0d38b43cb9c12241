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

	"coles/internal/archive"
	"coles/learn"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// A classifier is one of three models, the names of its classes, or nil for numbers, and the origin of the vectors that it
// learnt from.
type classifier struct {
	model *learn.Smoothed // of one class a node
	sets  *learn.SetModel // of several
	ridge *learn.Ridge    // of numbers
	names []string
	of    origin
}

var errNoLabels = errors.New("there are no labels; name a file by -labels")

// learn fits a classifier to the rows of an embedding that have a label, and measures it by cross-validation.
func learnt(ctx context.Context, c *cli.Command, in *inputs, e *embedding, m meaning, labels []int, how learn.Smoothing) (*classifier, error) {
	switch {
	case slices.Max(labels) < 0:
		return nil, errNoLabels
	case m.values != nil:
		return learnNumbers(ctx, c, e, m.values, how)
	case m.sets != nil:
		return learnSets(ctx, c, in, e, m, how)
	}
	return learnClasses(ctx, in, e, labels, how)
}

// answer predicts these nodes, which ids name.
func (k *classifier) answer(ctx context.Context, c *cli.Command, e *embedding, m meaning, labels, rows []int, ids []string) (answers, error) {
	if err := checkSure(c, k.names); err != nil {
		return answers{}, err
	}
	switch {
	case k.ridge != nil:
		return k.numbersOf(ctx, c, e, m.values, rows, ids)
	case k.sets != nil:
		return k.several(ctx, c, e, m, rows, ids)
	}
	return k.classes(ctx, c, e, labels, rows, ids)
}

// linear is the model of classes.
func (k *classifier) linear() *learn.LinearModel {
	if k.sets != nil {
		return k.sets.Linear
	}
	return k.model.LinearModel
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
	if k.of.Kind == "" {
		return "the vectors of " + nameOf(c.String("embedding"))
	}
	return modelName(k.of.Kind)
}

// name is the name of a class.
func (k *classifier) name(label int) string {
	if k.names == nil {
		return strconv.Itoa(label)
	}
	return k.names[label]
}

// numbers are labels by the names of this classifier's classes, of others by other names; −1 for a class that it lacks.
func (k *classifier) numbers(labels []int, names []string) []int {
	if k.names == nil || names == nil {
		return labels
	}
	to := make([]int, len(labels))
	for i, l := range labels {
		if to[i] = -1; l >= 0 {
			to[i] = slices.Index(k.names, names[l])
		}
	}
	return to
}

// check refuses vectors of another model than the classifier at a path learnt from, and labels of another kind, and
// warns where one of the two models is not known.
func (k *classifier) check(in *inputs, path string, vectors origin, m meaning, labels []int) error {
	o := k.of
	switch {
	case o.Hash != "" && vectors.Hash != "" && o != vectors, o.Kind != "" && vectors.Kind != "" && o.Kind != vectors.Kind:
		return fmt.Errorf("%s learnt from %v, and these vectors are from %v: name its model by -with; -model keeps the model of a fit", path, o, vectors)
	case slices.Max(labels) >= 0 && (k.ridge == nil) != (m.values == nil):
		return fmt.Errorf("%s predicts %s, and these labels are something else: see -labels-as", path, k.what())
	case o.Hash == "" || vectors.Hash == "":
		in.text.Warn(fmt.Errorf("%s learnt from %v, and these vectors are from %v: whether one model made both cannot be checked", path, o, vectors))
	}
	return nil
}

// what is what it predicts.
func (k *classifier) what() string {
	switch {
	case k.ridge != nil:
		return "numbers"
	case k.sets != nil:
		return "several classes a node"
	}
	return "one class a node"
}

// The file of a classifier holds its linear model, and behind it the names and the origin.
const classifierMagic = "COLESLIN"

var namesFormat = archive.Format{Magic: [8]byte([]byte("COLESCLS")), Version: 1}

// namesHeader holds bytes: a name need not be UTF-8, as JSON is. A regression of numbers is kept as the score of two
// classes.
type namesHeader struct {
	Names [][]byte `json:"names"`
	origin
	Alpha       float64      `json:"alpha,omitempty"`
	Temperature float64      `json:"temperature,omitempty"`
	Weights     []float64    `json:"weights,omitempty"`
	Threshold   *float64     `json:"threshold,omitempty"` // of several classes a node
	Ridge       *ridgeHeader `json:"ridge,omitempty"`
}

type ridgeHeader struct {
	Log    bool    `json:"log"`
	Margin float64 `json:"margin"`
}

func (k *classifier) write(w io.Writer) error {
	h := namesHeader{origin: k.of}
	var m *learn.LinearModel
	switch {
	case k.ridge != nil:
		h.Alpha, h.Ridge = k.ridge.Alpha, &ridgeHeader{k.ridge.Log, k.ridge.Margin}
		m = &learn.LinearModel{Classes: []int{0, 1}, Coef: mat.NewDense(1, len(k.ridge.Coef), k.ridge.Coef), Intercept: []float64{k.ridge.Intercept}, C: 1}
	case k.sets != nil:
		m, h.Alpha, h.Threshold = k.sets.Linear, k.sets.Alpha, &k.sets.Threshold
	default:
		m, h.Alpha, h.Temperature, h.Weights = k.model.LinearModel, k.model.Alpha, k.model.Temperature, k.model.Weights
	}
	if _, err := m.WriteTo(w); err != nil {
		return err
	}
	for _, name := range k.names {
		h.Names = append(h.Names, []byte(name))
	}
	_, err := namesFormat.Write(w, h)
	return err
}

// readClassifier reads a classifier and nothing after it.
func readClassifier(r *bufio.Reader) (*classifier, error) {
	m, err := learn.ReadLinearModel(r)
	if err != nil {
		return nil, err
	}
	k := &classifier{}
	_, err = namesFormat.Read(r, func(text []byte) ([]int, error) {
		var h namesHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		for _, name := range h.Names {
			k.names = append(k.names, string(name))
		}
		k.of = h.origin
		return nil, k.become(m, h)
	})
	return k, atEnd(r, err)
}

// become takes a linear model for what the header says.
func (k *classifier) become(m *learn.LinearModel, h namesHeader) error {
	rows, _ := m.Coef.Dims()
	last := slices.Max(m.Classes)
	switch {
	case !(h.Alpha >= 0 && h.Alpha < 1):
		return fmt.Errorf("a share of %v of the neighbours", h.Alpha)
	case h.Ridge == nil && k.names != nil && last >= len(k.names):
		return fmt.Errorf("class %d, and %d names", last, len(k.names))
	case h.Temperature < 0 || h.Weights != nil && len(h.Weights) != len(m.Classes):
		return fmt.Errorf("temperature %v, and weights of %d classes", h.Temperature, len(h.Weights))
	case h.Ridge != nil && rows == 1:
		k.ridge = &learn.Ridge{Coef: m.Coef.RawRowView(0), Intercept: m.Intercept[0], Alpha: h.Alpha, Log: h.Ridge.Log, Margin: h.Ridge.Margin}
	case h.Threshold != nil && rows == len(m.Classes):
		k.sets = &learn.SetModel{Linear: m, Alpha: h.Alpha, Threshold: *h.Threshold}
	case h.Ridge == nil && h.Threshold == nil:
		k.model = &learn.Smoothed{LinearModel: m, Alpha: h.Alpha, Temperature: h.Temperature, Weights: h.Weights}
	default:
		return fmt.Errorf("coefficients of %d classes", rows)
	}
	return nil
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
	about := &classifierInfo{Predicts: k.what(), Origin: k.of}
	if k.ridge != nil {
		about.Features, about.Alpha = len(k.ridge.Coef), k.ridge.Alpha
		return about
	}
	m := k.linear()
	if _, about.Features = m.Coef.Dims(); k.model != nil {
		about.Alpha = k.model.Alpha
	} else {
		about.Alpha = k.sets.Alpha
	}
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
