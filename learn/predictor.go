package learn

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// A Predictor says of rows what their labels are: one class, several, or a number. A linear model has an opinion of the
// vectors, the labels of the neighbours have another, and [Weights] add them.
type Predictor struct {
	Linear    *LinearModel // of classes, nil for numbers
	Several   bool         // classes a row: Linear has a row of coefficients for each
	Ridge     *Ridge       // of numbers, nil for classes; its errors are those with neighbours
	Columns   *Predictor   // by features alone where these do better by two standard errors, nil where they do not
	Weights   Weights      // zero for the vectors alone
	Balance   []float64    // of one class k: p_k is multiplied by it, nil for ones; one over the share of each class among the labels
	Threshold float64      // from which probability on a row has a class, of several: that of the largest F1

	// Confusion is what cross-validation finds of one class a row, each part with the weights of the others. It is nil
	// where there are too few labels, or more than 1,000 classes.
	Confusion *Confusion
	Alone     float64    // the share that is right by the vectors alone
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

// linear is the regression, of numbers, too.
func (p *Predictor) linear() *LinearModel {
	if p.Ridge != nil {
		return p.Ridge.linear()
	}
	return p.Linear
}

// answer is that of a row by the sum of its opinions.
func (p *Predictor) answer(z []float64) Answer {
	if r := p.Ridge; r != nil {
		return Answer{Value: r.unit(z[0]), Low: r.unit(z[0] - r.Margin), High: r.unit(z[0] + r.Margin)}
	}
	a := Answer{Classes: make([]Chance, len(z)), Has: 1}
	if chances(z, p.Several); p.Several {
		a.Has = len(reaching(z, p.Threshold))
	} else {
		z = p.balanced(z)
	}
	for k, v := range z {
		a.Classes[k] = Chance{p.Linear.Classes[k], v}
	}
	slices.SortStableFunc(a.Classes, func(a, b Chance) int { return cmp.Compare(b.Probability, a.Probability) })
	return a
}

// balanced are the probabilities of a row by the balance of classes.
func (p *Predictor) balanced(row []float64) []float64 {
	if p.Balance == nil {
		return row
	}
	row = slices.Clone(row)
	floats.Mul(row, p.Balance)
	floats.Scale(1/floats.Sum(row), row)
	return row
}
