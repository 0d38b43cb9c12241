package main

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/learn"

	"github.com/urfave/cli/v3"
)

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
	Alpha       float64            `json:"alpha"`
	Found       *learn.RidgeErrors `json:"left_out,omitempty"` // null where nothing is learnt
	Neighbours  *float64           `json:"error_of_neighbours,omitempty"`
	Predictions []valuation        `json:"predictions"`
}

// numbersOf answers with a number for each of these nodes.
func (k *classifier) numbersOf(ctx context.Context, c *cli.Command, e *embedding, values []float64, rows []int, ids []string) (a answers, err error) {
	if err := refuse(c, "numbers", "probabilities", "sure", "why"); err != nil {
		return a, err
	}
	found, err := k.Predict(ctx, e.graph, e.rows, learn.Labels{Values: values}, rows) // none with a classifier that is kept
	if err != nil {
		return a, err
	}
	result := &valuations{Kind: k.Origin.Kind, Alpha: k.Alpha}
	a.result, a.columns = result, []string{"id", "value", "low", "high"}
	for q, i := range rows {
		of := found[q]
		result.Predictions = append(result.Predictions, valuation{ids[i], of.Value, of.Low, of.High})
		a.lines = append(a.lines, []string{ids[i], short(of.Value), short(of.Low), short(of.High)})
	}
	good := k.Ridge.Found
	if good.Rows == 0 {
		a.said = fmt.Sprintf("coles: %s: -use learns nothing, and cross-validates nothing\n", k.whose(c))
		return a, nil
	}
	result.Found = &good
	told := fmt.Sprintf("mean absolute error %.3g, of the mean %.3g", good.Error, good.OfMean)
	if e.graph != nil {
		of := neighboursError(e.graph, values)
		result.Neighbours = &of
		told += fmt.Sprintf(", of the neighbours' mean %.3g", of)
	}
	how := ""
	if k.Ridge.Log {
		how = ", by their logarithms"
	}
	if k.Alpha > 0 {
		told += fmt.Sprintf(", smoothed along the edges with α = %g", k.Alpha)
	}
	a.said = fmt.Sprintf("coles: the labels are numbers%s; -labels-as classes takes them for names\n", how) +
		fmt.Sprintf("coles: of %d labels left out: R² %.2f, %s; nine in ten of them are between low and high\n", good.Rows, good.R2, told)
	return a, nil
}

// neighboursError is the mean absolute error of the mean value of the neighbours that have one, or else of all others.
func neighboursError(g *coles.Graph, values []float64) float64 {
	total, known, off := 0.0, 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			total, known = total+v, known+1
		}
	}
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		sum, count := 0.0, 0.0
		near, _ := g.Neighbors(i)
		for _, j := range near {
			if of := values[j]; int(j) != i && !math.IsNaN(of) {
				sum, count = sum+of, count+1
			}
		}
		if count == 0 {
			sum, count = total-v, known-1
		}
		off += math.Abs(v-sum/count) / known
	}
	return off
}
