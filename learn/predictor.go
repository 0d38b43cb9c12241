package learn

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// A Predictor predicts the labels of rows: one class, several, or a number. [Weights] add opinions of vectors and neighbours.
type Predictor struct {
	Linear    *LinearModel // of classes, nil for numbers
	Several   bool         // classes a row: Linear has a row of coefficients for each
	Ridge     *Ridge       // of numbers, nil for classes; its errors are those with neighbours
	Columns   *Predictor   // by features alone, nil unless these do better by two standard errors
	Weights   Weights      // zero for the vectors alone
	Balance   []float64    // one class a row: factors of the probabilities, one over the class's share of the labels; nil for ones
	Threshold float64      // several classes a row: the least probability of a class that a row has, for the largest F1

	// Confusion is the result of cross-validation for one class a row, each part with the weights of the others. It is nil
	// for too few labels, or more than 1,000 classes.
	Confusion *Confusion
	Alone     float64    // the share that is right by the vectors alone
	Scores    *SetScores // the result for several classes a row

	Names  []string // of the classes by label, or nil: the caller's to set, and kept in a file
	Origin Origin   // of the rows that it learnt from: the caller's to set, and kept in a file
}

// An Origin is the model that made the rows, zero where it is not known.
type Origin struct {
	Kind string `json:"kind"`            // such as graph or features
	Hash string `json:"model,omitempty"` // such as [coles.Model.Hash]
}

// Name is such as "the graph model 8c1f".
func (o Origin) Name() string {
	if o == (Origin{}) {
		return "a file of vectors"
	}
	return strings.TrimSpace("the " + strings.TrimSuffix(o.Kind, "s") + " model " + o.Hash)
}

// An Answer is classes, or a value with the bounds that nine in ten keep.
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

// answer turns the sum of the opinions of a row into an answer.
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

// balanced are the probabilities of a row after the balance of classes.
func (p *Predictor) balanced(row []float64) []float64 {
	if p.Balance == nil {
		return row
	}
	row = slices.Clone(row)
	floats.Mul(row, p.Balance)
	floats.Scale(1/floats.Sum(row), row)
	return row
}
