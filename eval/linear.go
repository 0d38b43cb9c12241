package eval

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// LinearModel is a fitted [LogisticRegression] for c classes of d features.
type LinearModel struct {
	// Classes are the distinct labels of the training rows, ascending. No
	// other label is ever predicted.
	Classes []int
	// Coef is c × d, a row a class; with two classes it is 1 × d, and a
	// positive score speaks for Classes[1].
	Coef *mat.Dense
	// Intercept has one number for each row of Coef.
	Intercept []float64
	// C is the weight of the loss it was fitted with, given or chosen.
	C float64
}

// newModel is a model of zeros for the classes among the rows.
func newModel(rows, labels []int, d int) *LinearModel {
	m := &LinearModel{}
	for _, i := range rows {
		m.Classes = append(m.Classes, labels[i])
	}
	slices.Sort(m.Classes)
	m.Classes = slices.Clip(slices.Compact(m.Classes))
	problems := len(m.Classes)
	if problems == 2 {
		problems = 1 // the second would be the first with its sign changed
	}
	m.Coef = mat.NewDense(problems, d, nil)
	m.Intercept = make([]float64, problems)
	return m
}

// positive is the class for which a positive score of problem k speaks.
func (m *LinearModel) positive(k int) int {
	if len(m.Classes) == 2 {
		return m.Classes[1]
	}
	return m.Classes[k]
}

// decide returns the predicted class given the scores of one row: the largest
// score, the first of equals.
func (m *LinearModel) decide(scores []float64) int {
	if len(m.Classes) == 2 {
		if scores[0] > 0 {
			return m.Classes[1]
		}
		return m.Classes[0]
	}
	best := 0
	for k, s := range scores {
		if s > scores[best] {
			best = k
		}
	}
	return m.Classes[best]
}

// numbers are the places in Classes of the labels of rows.
func (m *LinearModel) numbers(rows, labels []int) []int {
	y := make([]int, len(rows))
	for q, i := range rows {
		y[q], _ = slices.BinarySearch(m.Classes, labels[i])
	}
	return y
}
