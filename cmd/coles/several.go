package main

import (
	"context"
	"fmt"

	"coles/learn"

	"github.com/urfave/cli/v3"
)

// A several is the prediction of a node that may have several classes.
type several struct {
	ID            string             `json:"id"`
	Classes       []chance           `json:"classes"`
	Probabilities map[string]float64 `json:"probabilities,omitempty"` // of all classes, with -probabilities
}

type chance struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
}

// severals are the output of -json.
type severals struct {
	Kind        string           `json:"kind,omitempty"`
	Alpha       float64          `json:"alpha"`
	Threshold   float64          `json:"threshold"`
	Found       *learn.SetScores `json:"cross_validated,omitempty"` // null where nothing is learnt
	Predictions []several        `json:"predictions"`
}

// several answers with the classes of each of these nodes, a line for each class.
func (k *classifier) several(ctx context.Context, c *cli.Command, e *embedding, m meaning, rows []int, ids []string) (a answers, err error) {
	known := make([][]int, len(m.sets)) // empty with a classifier that is kept
	for i, set := range m.sets {
		for _, l := range k.numbers(set, m.names) {
			if l >= 0 {
				known[i] = append(known[i], l)
			}
		}
	}
	found, err := k.Predict(ctx, e.graph, e.rows, learn.Labels{Sets: known}, rows)
	if err != nil {
		return a, err
	}
	r, unsure := &severals{Kind: k.Origin.Kind, Alpha: k.Alpha, Threshold: k.Threshold, Found: k.Scores}, 0
	a.result, a.columns = r, []string{"id", "class", "probability"}
	for q, i := range rows {
		of := found[q].Classes
		p := several{ID: ids[i], Classes: []chance{}}
		var all []string
		if c.Bool("probabilities") {
			p.Probabilities, all = k.named(of, nil)
		}
		for _, has := range byClass(of[:found[q].Has]) {
			if one := (chance{k.name(has.Class), has.Probability}); one.Probability >= c.Float("sure") {
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
	if c.Bool("probabilities") {
		for _, label := range k.Linear.Classes {
			a.columns = append(a.columns, k.name(label))
		}
	}
	if unsure > 0 {
		a.said = fmt.Sprintf("coles: %d of %d answers are %s: no class has a probability of %g\n", unsure, len(rows), none, c.Float("sure"))
	}
	good := k.Scores
	if good == nil {
		a.said += fmt.Sprintf("coles: %s: -use learns nothing, and cross-validates nothing\n", k.whose(c))
		return a, nil
	}
	a.said += fmt.Sprintf("coles: nodes have several labels; -labels-as classes takes the lists for names\ncoles: %s: micro-F1 %.1f %%, macro-F1 %.1f %% of %d labelled nodes in cross-validation, and %.1f %%, %.1f %% where it is known how many classes each has; α = %g\n",
		k.whose(c), 100*good.Micro, 100*good.Macro, good.Rows, 100*good.MicroKnown, 100*good.MacroKnown, k.Alpha)
	return a, nil
}
