package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"coles/eval"
	"coles/learn"
	"coles/task"
)

// Answers are predictions as JSON, as lines, and what is said about them.
type answers struct {
	o    *predictOptions
	v    *vectors
	t    task.Target
	p    *task.Predictor
	rows []int // predicted
	ids  []string

	result  any
	columns []string
	lines   [][]string
	said    string
}

// A prediction is a line of output.
type prediction struct {
	ID          string  `json:"id"`
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	// Probabilities are the probabilities of all classes, with -probabilities.
	Probabilities map[string]float64 `json:"probabilities,omitempty"`
	Why           *task.Why          `json:"why,omitempty"` // with -why
}

// predictions are the output of -json. Accuracy and Classes are cross-validated, if anything is.
type predictions struct {
	Kind        string        `json:"kind,omitempty"` // graph, features or network; none of vectors that are read
	Weights     learn.Weights `json:"weights"`        // how much each opinion counts
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

// A several is the prediction of a node that may have several classes.
type several struct {
	ID            string             `json:"id"`
	Classes       []task.Chance      `json:"classes"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // of all classes, with -probabilities
}

// severals are the output of -json.
type severals struct {
	Kind        string           `json:"kind,omitempty"`
	Weights     learn.Weights    `json:"weights"`
	Threshold   float64          `json:"threshold"`
	Found       *learn.SetScores `json:"cross_validated,omitempty"` // null where nothing is learnt
	Predictions []several        `json:"predictions"`
}

// A valuation is a line of output for a label that is a number.
type valuation struct {
	ID    string  `json:"id"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// valuations are the output of -json.
type valuations struct {
	Kind        string             `json:"kind,omitempty"`
	Weights     learn.Weights      `json:"weights"`
	Found       *learn.RidgeErrors `json:"left_out,omitempty"` // null where nothing is learnt
	Neighbours  *float64           `json:"error_of_neighbours,omitempty"`
	Predictions []valuation        `json:"predictions"`
}

// find predicts.
func (a *answers) find(ctx context.Context) error {
	found, err := a.p.Answers(ctx, a.v.Graph, a.v.Rows, a.t, a.rows)
	if err != nil {
		return err
	}
	switch a.p.Kind() {
	case task.Number:
		a.numbers(found)
		return nil
	case task.SeveralClasses:
		a.several(found)
		return nil
	}
	return a.classes(ctx, found)
}

// whose names the model behind the vectors.
func (a *answers) whose() string {
	if a.p.Origin.Kind == "" && a.p.Reads() == "vectors" {
		return "the vectors of " + nameOf(a.o.embedding)
	}
	return a.p.Model()
}

// tell adds a line to what is said.
func (a *answers) tell(format string, args ...any) {
	a.said += fmt.Sprintf("coles: "+format+"\n", args...)
}

// named are the probabilities of all classes by name, and a line with them at its end.
func (a *answers) named(of learn.Answer, line []string) (map[string]float64, []string) {
	by := make(map[string]float64)
	for _, c := range of.Classes {
		by[a.p.Class(c.Class)] = c.Probability
	}
	for _, label := range a.p.Linear.Classes {
		line = append(line, short(by[a.p.Class(label)]))
	}
	return by, line
}

// head is the names of the columns.
func (a *answers) head() {
	a.columns = []string{"id", "class", "probability"}
	for _, label := range a.p.Linear.Classes {
		if a.o.probabilities {
			a.columns = append(a.columns, a.p.Class(label))
		}
	}
}

// classes answers with a class for each of the nodes.
func (a *answers) classes(ctx context.Context, found []learn.Answer) error {
	a.head()
	r, unsure := &predictions{Kind: a.p.Origin.Kind, Weights: a.p.Weights}, 0
	for q, i := range a.rows {
		of := found[q]
		p := prediction{ID: a.ids[i], Class: a.p.Class(of.Classes[0].Class), Probability: of.Classes[0].Probability}
		if p.Probability < a.o.sure {
			p.Class, unsure = none, unsure+1
		}
		line := []string{p.ID, p.Class, short(p.Probability)}
		if a.o.probabilities {
			p.Probabilities, line = a.named(of, line)
		}
		r.Predictions, a.lines = append(r.Predictions, p), append(a.lines, line)
	}
	a.result = r
	if a.o.why {
		named := *a.v.Dataset
		named.IDs = a.ids
		because, err := a.p.Why(ctx, &task.Data{Dataset: &named, Graph: a.v.Graph}, a.v.Model, a.v.Rows, a.t, a.rows, found)
		if errors.Is(err, task.ErrNoReasons) {
			return usagef("-why takes labels to learn from, or features and the model that embeds them")
		}
		if err != nil {
			return err
		}
		a.columns = append(a.columns, "why")
		for q, w := range because {
			r.Predictions[q].Why, a.lines[q] = w, append(a.lines[q], w.String())
		}
	}
	r.measured(a.p.Confusion)
	a.howGood()
	a.unsure(unsure)
	return nil
}

// unsure says how many answers are none.
func (a *answers) unsure(count int) {
	if count > 0 {
		a.tell("%d of %d answers are %s: no class has a probability of %g", count, len(a.rows), none, a.o.sure)
	}
}

// nothing says that nothing was cross-validated as nothing was learnt.
func (a *answers) nothing() {
	a.tell("%s: -use learns nothing, and cross-validates nothing", a.whose())
	if a.v.Graph != nil && !a.t.Any() && a.p.Weights.Surroundings != 0 {
		a.tell("labelled surroundings count %.1f, and without -labels they say nothing", a.p.Weights.Surroundings)
	}
}

// fewLabels a class are so few that a fifth less makes predictions worse.
const fewLabels = 10

// weights says how much opinions count, and more with -verbose.
func (a *answers) weights(more string) {
	if !a.o.verbose {
		more = ""
	}
	whose := a.whose()
	if a.p.Reads() == "columns" {
		whose = "the columns of the features predict better than vectors"
	}
	a.tell("%s: %s%s", whose, a.p.Weights.Text(a.p.Reads()), more)
}

// howGood says what cross-validation has found out.
func (a *answers) howGood() {
	good := a.p.Confusion
	switch {
	case good != nil:
		n, largest := good.Total(), 0
		for k := range good.Classes {
			largest = max(largest, good.Size(k))
		}
		a.tell("%.0f of 100 predictions are right, by %d labelled nodes, each predicted without its label; the largest class has %.0f of 100",
			100*good.Accuracy(), n, 100*float64(largest)/float64(n))
		if n < fewLabels*len(good.Classes) && good.Accuracy() < 1 {
			a.tell("with so few labels the figure is low: each was predicted by a part of them, the other nodes by all")
		}
		a.said += good.String() + rareClasses(good)
		a.weights(fmt.Sprintf("; %.0f of 100 are right by the %s alone", 100*a.p.Alone, a.p.Reads()))
	case a.o.use != "":
		a.nothing()
	default:
		a.tell("%s: cross-validation takes two labels of two classes at least, and counts 4,096 classes at most", a.whose())
	}
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

// several answers with the classes of each of the nodes, a line for each class.
func (a *answers) several(found []learn.Answer) {
	a.head()
	r, unsure := &severals{Kind: a.p.Origin.Kind, Weights: a.p.Weights, Threshold: a.p.Threshold}, 0
	for q, i := range a.rows {
		p := several{ID: a.ids[i], Classes: []task.Chance{}}
		var all []string
		if a.o.probabilities {
			p.Probabilities, all = a.named(found[q], nil)
		}
		for _, one := range a.p.Having(found[q]) {
			if one.Probability >= a.o.sure {
				p.Classes = append(p.Classes, one)
				a.lines = append(a.lines, append([]string{p.ID, one.Class, short(one.Probability)}, all...))
			}
		}
		if len(p.Classes) == 0 {
			unsure++
			a.lines = append(a.lines, append([]string{p.ID, none, ""}, all...))
		}
		r.Predictions = append(r.Predictions, p)
	}
	a.result = r
	a.unsure(unsure)
	good := a.p.Scores
	if good == nil {
		a.nothing()
		return
	}
	r.Found = good
	a.tell("%.0f of 100 classes are right where it is known how many each node has, and micro-F1 is %.1f %% where not, by %d labelled nodes, each predicted without its labels",
		100*good.MicroKnown, 100*good.Micro, good.Rows)
	a.tell("nodes have several labels; -labels-as classes takes the lists for names")
	a.weights(fmt.Sprintf("; macro-F1 %.1f %%, and %.1f %% where not", 100*good.MacroKnown, 100*good.Macro))
}

// numbers answers with a number for each of the nodes.
func (a *answers) numbers(found []learn.Answer) {
	r := &valuations{Kind: a.p.Origin.Kind, Weights: a.p.Weights}
	if a.p.Ridge.Found.Rows > 0 {
		r.Found = &a.p.Ridge.Found
	}
	a.result, a.columns = r, []string{"id", "value", "low", "high"}
	for q, i := range a.rows {
		of := found[q]
		r.Predictions = append(r.Predictions, valuation{a.ids[i], of.Value, of.Low, of.High})
		a.lines = append(a.lines, []string{a.ids[i], short(of.Value), short(of.Low), short(of.High)})
	}
	good := r.Found
	if good == nil {
		a.nothing()
		return
	}
	told := ""
	if a.v.Graph != nil {
		of := eval.NeighboursError(a.v.Graph, a.t.Values)
		r.Neighbours = &of
		told = fmt.Sprintf(", and the neighbours' mean by %.3g", of)
	}
	a.tell("predictions are off by %.3g in the mean, by %d labels, each predicted without itself; the mean of all is off by %.3g%s",
		good.Error, good.Rows, good.OfMean, told)
	how := ""
	if a.p.Ridge.Log {
		how = ", by their logarithms"
	}
	a.tell("R² %.2f; nine in ten are between low and high; the labels are numbers%s; -labels-as classes takes them for names", good.R2, how)
	a.weights("")
}
