package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles/learn"

	"github.com/urfave/cli/v3"
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
func learnClasses(ctx context.Context, in *inputs, e *embedding, labels []int, how learn.Options) (*classifier, error) {
	last := slices.Max(labels)
	if !slices.ContainsFunc(labels, func(l int) bool { return 0 <= l && l < last }) {
		return nil, fmt.Errorf("%w: all labels are of one class", learn.ErrSplit)
	}
	return learntFrom(ctx, in, e, learn.Labels{Classes: labels}, e.data.Classes, how)
}

// classes answers with a class for each of these nodes.
func (k *classifier) classes(ctx context.Context, c *cli.Command, e *embedding, labels, rows []int, ids []string) (a answers, err error) {
	known := k.numbers(labels, e.data.Classes)
	found, err := k.Predict(ctx, e.graph, e.rows, learn.Labels{Classes: known}, rows)
	if err != nil {
		return a, err
	}
	classes := make([]int, len(rows))
	r, unsure := &predictions{Kind: k.Origin.Kind, Alpha: k.Alpha, Temperature: k.Temperature}, 0
	for q, i := range rows {
		of := found[q].Classes
		classes[q] = of[0].Class
		p := prediction{ID: ids[i], Class: k.name(of[0].Class), Probability: of[0].Probability}
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
		for _, label := range k.Linear.Classes {
			a.columns = append(a.columns, k.name(label))
		}
	}
	if c.Bool("why") {
		because, err := k.reasons(ctx, e, !c.IsSet("use"), known, rows, classes, ids)
		if err != nil {
			return a, err
		}
		a.columns = append(a.columns, "why")
		for q, w := range because {
			r.Predictions[q].Why, a.lines[q] = w, append(a.lines[q], w.String())
		}
	}
	r.measured(k.Confusion)
	if a.said = k.howGood(c); unsure > 0 {
		a.said += fmt.Sprintf("coles: %d of %d answers are %s: no class has a probability of %g\n", unsure, len(rows), none, c.Float("sure"))
	}
	return a, nil
}

// named are the probabilities of all classes by name, and a line with them at its end.
func (k *classifier) named(of []learn.Chance, line []string) (map[string]float64, []string) {
	by := make(map[string]float64)
	for _, one := range byClass(of) {
		by[k.name(one.Class)] = one.Probability
		line = append(line, short(one.Probability))
	}
	return by, line
}

// byClass are chances in the order of their classes.
func byClass(of []learn.Chance) []learn.Chance {
	return slices.SortedFunc(slices.Values(of), func(a, b learn.Chance) int { return cmp.Compare(a.Class, b.Class) })
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// howGood is what cross-validation has found out.
func (k *classifier) howGood(c *cli.Command) string {
	of := k.whose(c)
	switch good := k.Confusion; {
	case good != nil:
		said := fmt.Sprintf("coles: %s: %.1f %% of %d labelled nodes are right in cross-validation\n%v", of, 100*good.Accuracy(), good.Total(), good)
		if k.Alpha > 0 {
			said += fmt.Sprintf("coles: predictions are smoothed along the edges, α = %g; without, %.1f %% are right\n", k.Alpha, 100*k.Alone)
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
