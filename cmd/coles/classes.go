package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles/learn"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/floats"
)

// A prediction is a line of output.
type prediction struct {
	ID          string  `json:"id"`
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	// Probabilities are the probabilities of all classes, with -probabilities.
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	Why           *why               `json:"why,omitempty"` // with -why
}

// predictions are the output of -json. Accuracy and Classes are cross-validated, if anything is.
type predictions struct {
	Kind        string        `json:"kind,omitempty"` // graph, features or network; none of vectors that are read
	Alpha       float64       `json:"alpha"`          // the share of the neighbours
	Temperature float64       `json:"temperature,omitempty"`
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

// none is the answer where no class is as likely as -sure wants.
const none = "none"

// checkSure refuses a class of the name of that answer.
func checkSure(c *cli.Command, classes []string) error {
	if c.IsSet("sure") && slices.Contains(classes, none) {
		return usagef("-sure answers %q, and a class has that name", none)
	}
	return nil
}

// learnClasses learns from nodes of one class each.
func learnClasses(ctx context.Context, in *inputs, e *embedding, labels []int, how learn.Smoothing) (*classifier, error) {
	last := slices.Max(labels)
	if !slices.ContainsFunc(labels, func(l int) bool { return 0 <= l && l < last }) {
		return nil, fmt.Errorf("%w: all labels are of one class", learn.ErrSplit)
	}
	k := &classifier{names: e.data.Classes, of: originOf(e.model)}
	var err error
	k.model, err = learn.LogisticRegression{Progress: in.progress.show}.LearnSmoothed(ctx, e.graph, e.rows, labels, how)
	if err == nil && k.model.Found != nil {
		k.model.Found.Names = k.names
	}
	return k, err
}

// classes answers with a class for each of these nodes.
func (k *classifier) classes(ctx context.Context, c *cli.Command, e *embedding, labels, rows []int, ids []string) (a answers, err error) {
	chances, err := k.model.Smooth(ctx, e.graph, e.rows, k.numbers(labels, e.data.Classes), rows)
	if err != nil {
		return a, err
	}
	classes := make([]int, len(rows))
	r, unsure := &predictions{Kind: k.of.Kind, Alpha: k.model.Alpha, Temperature: k.model.Temperature}, 0
	for q, i := range rows {
		of := chances.RawRowView(q)
		best := floats.MaxIdx(of)
		classes[q] = k.model.Classes[best]
		p := prediction{ID: ids[i], Class: k.name(k.model.Classes[best]), Probability: of[best]}
		if p.Probability < c.Float("sure") {
			p.Class, unsure = none, unsure+1
		}
		line := []string{p.ID, p.Class, short(p.Probability)}
		if c.Bool("probabilities") {
			p.Probabilities, line = k.named(of, line)
		}
		r.Predictions, a.lines = append(r.Predictions, p), append(a.lines, line)
	}
	a.result, a.columns = r, []string{"id", "class", "probability"}
	if c.Bool("probabilities") {
		for _, label := range k.model.Classes {
			a.columns = append(a.columns, k.name(label))
		}
	}
	if c.Bool("why") {
		known := k.numbers(labels, e.data.Classes)
		because, err := k.reasons(ctx, e, !c.IsSet("use"), known, rows, classes, ids)
		if err != nil {
			return a, err
		}
		a.columns = append(a.columns, "why")
		for q, w := range because {
			r.Predictions[q].Why, a.lines[q] = w, append(a.lines[q], w.String())
		}
	}
	r.measured(k.model.Found)
	if a.said = k.howGood(c); unsure > 0 {
		a.said += fmt.Sprintf("coles: %d of %d answers are %s: no class has a probability of %g\n", unsure, len(rows), none, c.Float("sure"))
	}
	return a, nil
}

// named are the probabilities of all classes by name, and a line with them at its end.
func (k *classifier) named(of []float64, line []string) (map[string]float64, []string) {
	by := make(map[string]float64)
	for j, label := range k.linear().Classes {
		by[k.name(label)] = of[j]
		line = append(line, short(of[j]))
	}
	return by, line
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// howGood is what cross-validation has found out.
func (k *classifier) howGood(c *cli.Command) string {
	m, of := k.model, k.whose(c)
	switch good := m.Found; {
	case good != nil:
		said := fmt.Sprintf("coles: %s: %.1f %% of %d labelled nodes are right in cross-validation\n%v", of, 100*good.Accuracy(), good.Total(), good)
		if m.Alpha > 0 {
			said += fmt.Sprintf("coles: predictions are smoothed along the edges, α = %g; without, %.1f %% are right\n", m.Alpha, 100*m.Alone)
		}
		return said + rareClasses(good)
	case c.IsSet("use"):
		return fmt.Sprintf("coles: %s: -use learns nothing, and cross-validates nothing\n", of)
	}
	return fmt.Sprintf("coles: %s: cross-validation takes two labels of two classes at least, and counts 4,096 classes at most\n", of)
}

// mostRare is how many rare classes are named.
const mostRare = 10

// rareClasses names the classes of one or two nodes.
func rareClasses(good *learn.Confusion) string {
	var rare []string
	for k := range good.Counts {
		if size := good.Size(k); size == 1 || size == 2 {
			rare = append(rare, strconv.Quote(good.Name(k)))
		}
	}
	more := ""
	switch n := len(rare); {
	case n == 0:
		return ""
	case n > mostRare:
		rare, more = rare[:mostRare], fmt.Sprintf(" and %d more", n-mostRare)
	}
	return fmt.Sprintf("coles: classes of one or two labelled nodes, which are hardly ever predicted: %s%s\n", strings.Join(rare, ", "), more)
}

// measured is what cross-validation counts, nil for nothing.
func (r *predictions) measured(good *learn.Confusion) {
	if good == nil {
		return
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
}
