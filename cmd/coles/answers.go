package main

import (
	"context"
	"errors"
	"slices"

	"coles/eval"
	"coles/learn"
	"coles/task"
)

// A prediction is a line of output: a class, several or a number.
type prediction struct {
	ID            string             `json:"id"`
	Class         string             `json:"class,omitempty"`
	Probability   *float64           `json:"probability,omitempty"`
	Classes       []task.Chance      `json:"classes,omitzero"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // of all classes, with -probabilities
	Value         *float64           `json:"value,omitempty"`
	Low           *float64           `json:"low,omitempty"`
	High          *float64           `json:"high,omitempty"`
	Why           *task.Why          `json:"why,omitempty"` // with -why
}

// predictions are the output of -json. What is found by cross-validation is missing where nothing is learnt.
type predictions struct {
	Kind        string             `json:"kind,omitempty"` // graph, features or network; none of vectors that are read
	Weights     learn.Weights      `json:"weights"`        // how much each opinion counts
	Accuracy    *float64           `json:"accuracy,omitempty"`
	Classes     []classErrors      `json:"classes,omitempty"`
	Threshold   *float64           `json:"threshold,omitempty"`       // of several classes a node
	Several     *learn.SetScores   `json:"cross_validated,omitempty"` // these
	Numbers     *learn.RidgeErrors `json:"left_out,omitempty"`
	Neighbours  *float64           `json:"error_of_neighbours,omitempty"` // numbers
	Predictions []prediction       `json:"predictions"`
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

// Answers are predictions as JSON, as lines, and what is said about them.
type answers struct {
	o      *predictOptions
	v      *vectors
	t      task.Target
	p      *task.Predictor
	rows   []int // predicted
	ids    []string
	unsure int // answers that are none

	result  predictions
	columns []string
	lines   [][]string
}

// find predicts.
func (a *answers) find(ctx context.Context) error {
	found, err := a.p.Answers(ctx, a.v.Graph, a.v.Rows, a.t, a.rows)
	if err != nil {
		return err
	}
	r := &a.result
	r.Kind, r.Weights = a.p.Origin.Kind, a.p.Weights
	a.columns = []string{"id", "class", "probability"}
	switch a.p.Kind() {
	case task.Number:
		a.columns = []string{"id", "value", "low", "high"}
		if a.p.Ridge.Found.Rows > 0 {
			r.Numbers = &a.p.Ridge.Found
		}
		if r.Numbers != nil && a.v.Graph != nil {
			of := eval.NeighboursError(a.v.Graph, a.t.Values)
			r.Neighbours = &of
		}
	case task.SeveralClasses:
		r.Threshold, r.Several = &a.p.Threshold, a.p.Scores
	default:
		r.measured(a.p.Confusion)
	}
	if a.o.probabilities {
		for _, label := range a.p.Linear.Classes {
			a.columns = append(a.columns, a.p.Class(label))
		}
	}
	for q, i := range a.rows {
		a.add(a.ids[i], found[q])
	}
	if a.o.why {
		return a.why(ctx, found)
	}
	return nil
}

// add adds the answer for a node. Of several classes each has a line.
func (a *answers) add(id string, of learn.Answer) {
	p := prediction{ID: id}
	var lines [][]string
	if a.p.Kind() == task.Number {
		p.Value, p.Low, p.High = &of.Value, &of.Low, &of.High
		lines = [][]string{{short(of.Value), short(of.Low), short(of.High)}}
	} else {
		p.Classes = []task.Chance{}
		for _, one := range a.p.Having(of) {
			if one.Probability >= a.o.sure {
				p.Classes = append(p.Classes, one)
				lines = append(lines, []string{one.Class, short(one.Probability)})
			}
		}
		if lines == nil {
			a.unsure++
			lines = [][]string{{none, ""}}
		}
		if a.p.Kind() == task.OneClass {
			p.Class, p.Probability, p.Classes = lines[0][0], &of.Classes[0].Probability, nil
			lines[0][1] = short(*p.Probability)
		}
	}
	var all []string
	if a.o.probabilities {
		p.Probabilities = make(map[string]float64)
		for _, c := range of.Classes {
			p.Probabilities[a.p.Class(c.Class)] = c.Probability
		}
		for _, label := range a.p.Linear.Classes {
			all = append(all, short(p.Probabilities[a.p.Class(label)]))
		}
	}
	for _, line := range lines {
		a.lines = append(a.lines, slices.Concat([]string{id}, line, all))
	}
	a.result.Predictions = append(a.result.Predictions, p)
}

// why adds reasons.
func (a *answers) why(ctx context.Context, found []learn.Answer) error {
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
		a.result.Predictions[q].Why, a.lines[q] = w, append(a.lines[q], w.String())
	}
	return nil
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

// tell says how good the answers are.
func (a *answers) tell(s *session) {
	for _, n := range a.p.Found(a.v.Graph, a.t, "the vectors of "+nameOf(a.o.embedding), a.o.verbose) {
		s.say("%s%s", n.Text, advice(n.Advice))
	}
	if a.unsure > 0 {
		s.say("%d of %d answers are %s: no class has a probability of %g", a.unsure, len(a.rows), none, a.o.sure)
	}
}
