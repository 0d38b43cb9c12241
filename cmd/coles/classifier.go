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

	"coles/eval"
	"coles/internal/archive"

	"gonum.org/v1/gonum/floats"
)

// A classifier is a linear model, the share of the neighbours in what it predicts, the names of its classes, or nil
// for numbers, and the origin of the vectors that it learnt from.
type classifier struct {
	model *eval.Smoothed
	names []string
	of    origin
}

// learn fits a classifier to the rows of an embedding that have a label, and measures it by cross-validation, where
// there is a graph with these shares of the neighbours.
func learn(ctx context.Context, in *inputs, e *embedding, labels []int, alphas []float64, seed uint64) (*classifier, error) {
	last := slices.Max(labels)
	switch {
	case last < 0:
		return nil, errors.New("there are no labels; name a file by -labels")
	case !slices.ContainsFunc(labels, func(l int) bool { return 0 <= l && l < last }):
		return nil, fmt.Errorf("%w: all labels are of one class", eval.ErrSplit)
	}
	l, k := eval.LogisticRegression{Progress: in.progress.show}, &classifier{names: e.data.Classes, of: originOf(e.model)}
	var err error
	if e.graph != nil {
		k.model, err = l.LearnSmoothed(ctx, e.graph, e.rows, labels, alphas, seed)
	} else {
		k.model = &eval.Smoothed{}
		k.model.LinearModel, k.model.Found, err = l.Learn(ctx, e.rows, labels, seed)
	}
	if err == nil && k.model.Found != nil {
		k.model.Found.Names = k.names
	}
	return k, err
}

// name is the name of a class.
func (k *classifier) name(label int) string {
	if k.names == nil {
		return strconv.Itoa(label)
	}
	return k.names[label]
}

// check refuses vectors of another model than the classifier at a path learnt from, and warns where one of the
// two is not known.
func (k *classifier) check(in *inputs, path string, vectors origin) error {
	o := k.of
	switch {
	case o.Hash != "" && vectors.Hash != "" && o != vectors, o.Kind != "" && vectors.Kind != "" && o.Kind != vectors.Kind:
		return fmt.Errorf("%s learnt from %v, and these vectors are from %v: name its model by -with; -model keeps the model of a fit", path, o, vectors)
	case o.Hash == "" || vectors.Hash == "":
		in.text.Warn(fmt.Errorf("%s learnt from %v, and these vectors are from %v: whether one model made both cannot be checked", path, o, vectors))
	}
	return nil
}

// predict is a prediction for each of these nodes, which ids name, perhaps with the probabilities of all classes.
func (k *classifier) predict(ctx context.Context, e *embedding, labels, rows []int, ids []string, all bool) ([]prediction, error) {
	chances, err := k.model.Smooth(ctx, e.graph, e.rows, labels, rows)
	if err != nil {
		return nil, err
	}
	found := make([]prediction, len(rows))
	for q, i := range rows {
		of := chances.RawRowView(q)
		best := floats.MaxIdx(of)
		found[q] = prediction{ID: ids[i], Class: k.name(k.model.Classes[best]), Probability: of[best]}
		if all {
			found[q].Probabilities = make(map[string]float64)
			for j, label := range k.model.Classes {
				found[q].Probabilities[k.name(label)] = of[j]
			}
		}
	}
	return found, nil
}

// The file of a classifier holds its linear model, and behind it the names and the origin.
const classifierMagic = "COLESLIN"

var namesFormat = archive.Format{Magic: [8]byte([]byte("COLESCLS")), Version: 1}

// namesHeader holds bytes: a name need not be UTF-8, as JSON is.
type namesHeader struct {
	Names [][]byte `json:"names"`
	origin
	Alpha float64 `json:"alpha,omitempty"`
}

func (k *classifier) write(w io.Writer) error {
	if _, err := k.model.WriteTo(w); err != nil {
		return err
	}
	h := namesHeader{origin: k.of, Alpha: k.model.Alpha}
	for _, name := range k.names {
		h.Names = append(h.Names, []byte(name))
	}
	_, err := namesFormat.Write(w, h)
	return err
}

// readClassifier reads a classifier and nothing after it.
func readClassifier(r *bufio.Reader) (k *classifier, err error) {
	k = &classifier{model: &eval.Smoothed{}}
	if k.model.LinearModel, err = eval.ReadLinearModel(r); err != nil {
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
		if k.of, k.model.Alpha = h.origin, h.Alpha; !(h.Alpha >= 0 && h.Alpha < 1) {
			return nil, fmt.Errorf("a share of %v of the neighbours", h.Alpha)
		}
		if last := slices.Max(k.model.Classes); k.names != nil && last >= len(k.names) {
			return nil, fmt.Errorf("class %d, and %d names", last, len(k.names))
		}
		return nil, nil
	})
	return k, atEnd(r, err)
}

// classifierInfo is the output of info for a classifier.
type classifierInfo struct {
	Classes  []string `json:"classes"`
	Features int      `json:"features"`
	C        float64  `json:"c"`
	Alpha    float64  `json:"alpha"`
	Origin   origin   `json:"learnt_from"`
}

func (k *classifier) info() *classifierInfo {
	_, d := k.model.Coef.Dims()
	about := &classifierInfo{Features: d, C: k.model.C, Alpha: k.model.Alpha, Origin: k.of}
	for _, label := range k.model.Classes {
		about.Classes = append(about.Classes, k.name(label))
	}
	return about
}

func (k *classifierInfo) print(w io.Writer) {
	fmt.Fprintf(w, "classifier of\t%d classes: %q\n", len(k.Classes), k.Classes)
	fmt.Fprintf(w, "learnt from\t%v, of %d columns\n", k.Origin, k.Features)
	fmt.Fprintf(w, "penalty\tC = %g\n", k.C)
	fmt.Fprintf(w, "neighbours\tα = %g\n", k.Alpha)
}
