package learn

import (
	"cmp"
	"math"
	"slices"

	"coles/internal/matrix"
)

// A Predictor says of rows what their labels are: one class, several, or a number. A linear model has a first opinion p₀ of
// each, the probability of each class or a value. On a graph with S = D⁻¹A they are smoothed along the edges to, within
// 10⁻³ of a probability or of the deviation of the values, the limit of
//
//	p ← (1 − α)·p₀ + α·S·p,
//
// where rows with a label are held at it and those without edges at p₀ (Zhou and others 2004, with predictions in the
// place of zeros). The probability of the one class k is then p_k^(1/T)·w_k over the sum of these.
type Predictor struct {
	Linear  *LinearModel // of classes, nil for numbers
	Several bool         // classes a row: Linear has a row of coefficients for each, and p₀ = σ(w·x + b)
	Ridge   *Ridge       // of numbers, nil for classes; its errors are those with neighbours
	Alpha   float64      // the share of the neighbours

	// Temperature is T, 0 for 1. It makes the mean of the largest probabilities of rows that are held out the share of
	// them that is right, (h + 1)/(n + 2) of h among n.
	Temperature float64
	Weights     []float64 // w, nil for ones: balanced, one over the share of each class among the labels
	Threshold   float64   // from which probability on a row has a class, of several: that of the largest F1

	// Confusion is what cross-validation finds of one class a row, each part with the α of the others. It is nil where
	// there are too few labels, which smooth nothing, or more than 4,096 classes.
	Confusion *Confusion
	Alone     float64    // the share that is right with α = 0
	Scores    *SetScores // what it finds of several

	Names  []string // of the classes by label, or nil: the caller's to set, and kept in a file
	Origin Origin   // of the rows that it learnt from: the caller's to set, and kept in a file
}

// An Origin is the model that made the rows, zero where it is not known.
type Origin struct {
	Kind string `json:"kind"`            // such as graph or features
	Hash string `json:"model,omitempty"` // such as [coles.Model.Hash]
}

// An Answer is what a [Predictor] says of a row: the classes, or a value and the bounds that nine in ten keep.
type Answer struct {
	Classes          []Chance // of all classes, the likeliest first
	Has              int      // how many of them it has, the first ones
	Value, Low, High float64
}

// A Chance is the probability of a class.
type Chance struct {
	Class       int
	Probability float64
}

func (p *Predictor) opinion(f *matrix.Matrix[float64]) opinion {
	if p.Ridge != nil {
		return p.Ridge.opinion(f)
	}
	return p.Linear.opinion(f, p.Several)
}

// answer is that of a row by its smoothed opinion.
func (p *Predictor) answer(row []float64) Answer {
	if r := p.Ridge; r != nil {
		return Answer{Value: r.unit(row[0]), Low: r.unit(row[0] - r.Margin), High: r.unit(row[0] + r.Margin)}
	}
	a := Answer{Classes: make([]Chance, len(row)), Has: 1}
	if p.Several {
		a.Has = len(reaching(row, p.Threshold))
	} else {
		p.temper(row)
	}
	for k, v := range row {
		a.Classes[k] = Chance{p.Linear.Classes[k], v}
	}
	slices.SortStableFunc(a.Classes, func(a, b Chance) int { return cmp.Compare(b.Probability, a.Probability) })
	return a
}

// temper changes the smoothed probabilities of a row by temperature and weights.
func (p *Predictor) temper(row []float64) {
	sum, t := 0.0, cmp.Or(p.Temperature, 1)
	for k := range row {
		if row[k] = math.Pow(row[k], 1/t); p.Weights != nil {
			row[k] *= p.Weights[k]
		}
		sum += row[k]
	}
	matrix.Scale(row, 1/sum)
}
