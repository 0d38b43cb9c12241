package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/lab/measures"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
)

// A cell is one measurement of a method on a data set: a line of JSON, or a place in a table.
type cell struct {
	Table    string      // by name
	Dataset  string      // by name
	PerClass int         // labelled nodes per class; 0 where no labels are learned from
	Method   string      // by name
	Varied   *setting    // of an ablation
	Chosen   *setting    // of a method that finds a setting for each data set
	Scaling  *scaling    // the column of a table of accuracy; nil elsewhere
	Measures []measure   // one figure or several
	Seeds    int         // how often it was trained or drawn
	Seconds  float64     // to embed once, or to train on all splits what is trained on labels
	Best     string      // the column that the best of several is of
	trials   [][]float64 // of a table of accuracy, by seed and split
}

// A setting is varied by an ablation, or chosen by a method.
type setting struct {
	Key   string // in JSON
	Sign  string // in print; "" where the value speaks for itself
	Value any    // int or string
}

func (s setting) String() string {
	if s.Sign == "" {
		return fmt.Sprint(s.Value)
	}
	return fmt.Sprintf("%s = %v", s.Sign, s.Value)
}

// A measure is a figure, in percent unless it is plain.
type measure struct {
	Key   string        // in JSON; "" for what a table has a single one of
	Label string        // in print
	Mean  float64       // over splits, runs and seeds
	Std   float64       // population standard deviation over splits, runs and seeds
	Apart bool          // is not of the kind of the others in its column
	Plain bool          // is no percentage but a number of its own kind, without a deviation
	Paper printedFigure // 0 where the paper has none
	// Difference is from the table's reference on the same splits, as a share; nil where nothing is
	// compared.
	Difference *measures.Comparison
	Mark       string // of the difference, which [grid.mark] sets; "" for level
}

// Versus prints the difference in points, with its mark.
func (m measure) Versus() string {
	return signed(100*m.Difference.Mean) + cmp.Or(m.Mark, equal)
}

// signed prints a difference.
func signed(points float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", points), "-", "−", 1)
}

// Figure is the number as people read it, without its deviation.
func (m measure) Figure() string {
	if m.Plain {
		return strconv.FormatFloat(m.Mean, 'f', -1, 64)
	}
	return fmt.Sprintf("%.1f", m.Mean)
}

// Deviation follows the figure.
func (m measure) Deviation() string {
	if m.Plain {
		return ""
	}
	return fmt.Sprintf(" ± %.1f", m.Std)
}

// A sample is the values, shares from 0 to 1, that a measure is made of.
type sample struct {
	key, label string
	values     []float64
}

// measure adds the means and deviations of samples.
func (c *cell) measure(samples ...sample) error {
	for _, s := range samples {
		mean, std := stat.PopMeanStdDev(s.values, nil)
		if len(s.values) == 0 || math.IsNaN(std) || math.IsInf(std, 0) {
			return fmt.Errorf("%w: mean and deviation of %s, %v", coles.ErrNotFinite, s.label, s.values)
		}
		c.Measures = append(c.Measures, measure{Key: s.key, Label: s.label, Mean: scalar.Round(100*mean, 2), Std: scalar.Round(100*std, 2)})
	}
	return nil
}

// A field is a name and what stands there: a string, an int or a float64.
type field struct {
	key   string
	value any
}

// fields are the cell's members, in order: first its place, then the figures.
func (c cell) fields() []field {
	all := []field{{"table", c.Table}, {"dataset", c.Dataset}}
	if c.PerClass > 0 {
		all = append(all, field{"per_class", c.PerClass})
	}
	all = append(all, field{"method", c.Method})
	for _, s := range []*setting{c.Varied, c.Chosen} {
		if s != nil {
			all = append(all, field{s.Key, s.Value})
		}
	}
	if c.Scaling != nil {
		all = append(all, field{"column", c.Scaling.name})
	}
	if c.Best != "" {
		all = append(all, field{"best", c.Best})
	}
	var means, stds, papers, differences []field
	for _, m := range c.Measures {
		mean, std, paper := m.Key, m.Key+"_std", m.Key+"_paper"
		if m.Key == "" {
			mean, std, paper = "mean", "std", "paper"
		}
		means = append(means, field{mean, m.Mean})
		if !m.Plain {
			stds = append(stds, field{std, m.Std})
		}
		if m.Paper.Mean != 0 {
			papers = append(papers, field{paper, m.Paper.Mean})
		}
		if m.Paper.Std != 0 {
			papers = append(papers, field{paper + "_std", m.Paper.Std})
		}
		if d := m.Difference; d != nil {
			differences = append(differences, field{"difference", scalar.Round(100*d.Mean, 2)}, field{"difference_low", scalar.Round(100*d.Low, 2)},
				field{"difference_high", scalar.Round(100*d.High, 2)}, field{"p", scalar.Round(d.P, 4)})
		}
	}
	return slices.Concat(all, means, stds, []field{{"seeds", c.Seeds}}, papers, differences, []field{{"seconds", scalar.Round(c.Seconds, 4)}})
}

// A report takes cells as they are measured. JSON is a line for each and goes out at once; tables are
// written when all cells are there.
type report struct {
	w      io.Writer
	asJSON bool
	cells  []cell
}

func (r *report) add(c cell) error {
	if r.asJSON {
		return writeJSON(r.w, c)
	}
	r.cells = append(r.cells, c)
	return nil
}

func (r *report) finish() error {
	if r.asJSON {
		return nil
	}
	return writeMarkdown(r.w, r.cells)
}

// writeJSON writes an object, its members in the order of [cell.fields], and ends the line.
func writeJSON(w io.Writer, c cell) error {
	var b bytes.Buffer
	for i, f := range c.fields() {
		value, err := json.Marshal(f.value)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], f.key, value)
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}
