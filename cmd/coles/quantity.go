package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"coles"
	"coles/dataset"
	"coles/eval"

	"github.com/urfave/cli/v3"
)

// fewValues is how many whole numbers are classes, though each occurs once.
const fewValues = 10

// quantities are the labels of the nodes as numbers, NaN for none, where they are a quantity and no classes: as -labels-as
// says, or all numbers, some with a fraction, or whole ones most of which occur once. Otherwise they are nil.
func quantities(c *cli.Command, d *dataset.Dataset) ([]float64, error) {
	as := c.String("labels-as")
	if as != "" && as != "classes" && as != "numbers" {
		return nil, usagef("-labels-as %s: want classes or numbers", as)
	}
	if as == "classes" || d.Classes == nil {
		return nil, nil
	}
	number, fraction := make([]float64, len(d.Classes)), false
	for k, name := range d.Classes {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			if as == "numbers" {
				return nil, fmt.Errorf("-labels-as numbers: %w: the label %q is none", coles.ErrFormat, name)
			}
			return nil, nil
		}
		number[k], fraction = v, fraction || v != math.Trunc(v)
	}
	labels, uses := knownLabels(d, d.Nodes()), make([]int, len(number))
	values := make([]float64, len(labels))
	for i, l := range labels {
		if values[i] = math.NaN(); l >= 0 {
			values[i] = number[l]
			uses[l]++
		}
	}
	known, once := 0, 0
	for _, n := range uses {
		if n > 0 {
			known++
		}
		if n == 1 {
			once++
		}
	}
	if as == "" && !fraction && (known <= fewValues || 2*once <= known) {
		return nil, nil
	}
	return values, nil
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
	Kind        string           `json:"kind,omitempty"`
	Found       eval.RidgeErrors `json:"left_out"`
	Neighbours  *float64         `json:"error_of_neighbours,omitempty"`
	Predictions []valuation      `json:"predictions"`
}

// predictQuantity predicts numbers.
func predictQuantity(ctx context.Context, c *cli.Command, in *inputs, out predictFiles, e *embedding, values []float64, stderr io.Writer) error {
	for _, flag := range []string{"probabilities", "classifier", "use", "alpha"} {
		if c.IsSet(flag) {
			return usagef("-%s is for classes, and the labels are numbers: -labels-as classes takes them for names", flag)
		}
	}
	r, err := eval.LearnRidge(ctx, e.rows, values)
	if err != nil {
		return err
	}
	var rows []int
	for i, v := range values {
		if math.IsNaN(v) || c.Bool("all") {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return errEveryLabel
	}
	found, low, high, err := r.Predict(ctx, e.rows, rows)
	if err != nil {
		return err
	}
	result := valuations{Kind: originOf(e.model).Kind, Found: r.Found}
	var lines [][]string
	ids := rowNames(e.data.IDs, len(values))
	for q, i := range rows {
		result.Predictions = append(result.Predictions, valuation{ids[i], found[q], low[q], high[q]})
		line := []string{ids[i]}
		for _, v := range []float64{found[q], low[q], high[q]} {
			line = append(line, strconv.FormatFloat(v, 'g', 6, 64))
		}
		lines = append(lines, line)
	}
	told := fmt.Sprintf("mean absolute error %.3g, of the mean %.3g", r.Found.Error, r.Found.OfMean)
	if e.graph != nil {
		of := neighboursError(e.graph, values)
		result.Neighbours = &of
		told += fmt.Sprintf(", of the neighbours' mean %.3g", of)
	}
	in.progress.clear()
	if err := out.model.write(ctx, func(w io.Writer) error { return writeModel(w, e.model, in.text.Encoder) }); err != nil {
		return err
	}
	if err := out.lines.writeResult(ctx, c, result, []string{"id", "value", "low", "high"}, slices.Values(lines)); err != nil {
		return err
	}
	how := ""
	if r.Log {
		how = ", by their logarithms"
	}
	fmt.Fprintf(stderr, "coles: the labels are numbers%s; -labels-as classes takes them for names\n", how)
	fmt.Fprintf(stderr, "coles: of %d labels left out one at a time: R² %.2f, %s; nine in ten of them are between low and high\n", r.Found.Rows, r.Found.R2, told)
	return nil
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
