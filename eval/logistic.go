package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// LogisticRegression is one-vs-rest logistic regression with an L2 penalty,
// the classifier of the paper's protocol. For each class it minimises
//
//	½(‖w‖² + b²) + C Σᵢ log(1 + exp(−yᵢ(w·xᵢ + b))),  yᵢ = 1 in the class, −1 outside.
//
// The intercept b is penalised like any other coefficient, as if x had one
// more column of ones: this is what liblinear does, and with it
// LogisticRegression(solver="liblinear") of scikit-learn, whose coefficients
// at full convergence these are.
//
// C weighs the data against the penalty. The optimum for features s·x is that
// for x with C·s² in place of C, up to the intercept: the scale of an
// embedding and C are one knob.
type LogisticRegression struct {
	C float64 // weight of the loss; zero means 1
}

// LogisticModel is a fitted LogisticRegression for c classes of d features.
type LogisticModel struct {
	// Classes are the distinct labels of the training rows, ascending. No
	// other label is ever predicted.
	Classes []int
	// Coef is c × d, a row a class; with two classes it is 1 × d, and a
	// positive score speaks for Classes[1].
	Coef *mat.Dense
	// Intercept has one number for each row of Coef.
	Intercept []float64
}

// Fit learns from the given rows of x (n × d) and their labels; labels has n
// entries, of which only those of the rows are read, and those must not be
// negative. A row given twice counts twice. x may be sparse (*sparse.CSR and
// its kin) and stays so; other matrices are read in place if *mat.Dense and
// copied otherwise.
//
// With t rows it works in min(t, d+1) dimensions, the span of the rows, where
// the optimum lies, and stops at a gradient of 10⁻¹²·C·Σ‖xᵢ‖. Cost: O(t²d) for the
// span and, for each class, some tens of passes over t × min(t, d+1) numbers;
// for sparse x, passes over the entries of the rows.
//
// Errors: [ErrPenalty], [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow],
// [ErrLabel], [ErrEmpty], [ErrOneClass], [ErrConvergence], and ctx.Err().
func (l LogisticRegression) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*LogisticModel, error) {
	c := l.C
	if c == 0 {
		c = 1
	}
	if err := checkPenalty(c); err != nil {
		return nil, err
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkTraining(f, rows, labels); err != nil {
		return nil, err
	}
	return fit(ctx, f, rows, labels, c)
}

func checkPenalty(c float64) error {
	if !(c > 0) || math.IsInf(c, 0) {
		return fmt.Errorf("%w: it is %v", ErrPenalty, c)
	}
	return nil
}

func checkTraining(f *features, rows, labels []int) error {
	if len(labels) != f.rows {
		return fmt.Errorf("%w: %d labels for %d rows", ErrShape, len(labels), f.rows)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%w: the training set is empty", ErrEmpty)
	}
	if err := f.checkRows(rows, "training"); err != nil {
		return err
	}
	if err := checkLabels(rows, labels); err != nil {
		return err
	}
	for _, i := range rows {
		if labels[i] != labels[rows[0]] {
			return nil
		}
	}
	return fmt.Errorf("%w: all %d have label %d", ErrOneClass, len(rows), labels[rows[0]])
}

func checkLabels(rows, labels []int) error {
	for _, i := range rows {
		if labels[i] < 0 {
			return fmt.Errorf("%w: row %d has label %d", ErrLabel, i, labels[i])
		}
	}
	return nil
}

// fit is Fit on checked input. The classes are independent problems.
func fit(ctx context.Context, f *features, rows, labels []int, c float64) (*LogisticModel, error) {
	x := f.trainingSet(rows)
	var reach float64 // Σ‖xᵢ‖
	for i := range x.rows {
		_, values := x.row(i)
		reach += norm2(values)
	}
	// The solver squares c·reach; beyond this it would overflow silently.
	if !(c*reach < 1e150) {
		return nil, fmt.Errorf("%w: C times the norms of the training rows is %.3g, too large to square", ErrNotFinite, c*reach)
	}
	tolerance := gradientTolerance * c * reach
	m := newModel(rows, labels, f.cols)
	z, err := newDesign(ctx, x)
	if err != nil {
		return nil, err
	}
	solutions := make([][]float64, len(m.Intercept))
	errs := make([]error, len(m.Intercept))
	err = parallel.For(ctx, len(m.Intercept), func(k int) {
		y := make([]float64, len(rows))
		for q, i := range rows {
			y[q] = -1
			if labels[i] == m.positive(k) {
				y[q] = 1
			}
		}
		b := newBinary(z, y, c, tolerance)
		errs[k] = b.solve(ctx)
		solutions[k] = b.u
	})
	if err != nil {
		return nil, err
	}
	for k, u := range solutions {
		if errs[k] != nil {
			return nil, fmt.Errorf("class %d: %w", m.positive(k), errs[k])
		}
		w := z.weights(u)
		m.Coef.SetRow(k, w[:f.cols])
		m.Intercept[k] = w[f.cols]
	}
	return m, nil
}

// newModel is a model of zeros for the classes among the rows.
func newModel(rows, labels []int, d int) *LogisticModel {
	m := &LogisticModel{}
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
func (m *LogisticModel) positive(k int) int {
	if len(m.Classes) == 2 {
		return m.Classes[1]
	}
	return m.Classes[k]
}

// decide returns the predicted class given the scores of one row: the largest
// score, the first of equals.
func (m *LogisticModel) decide(scores []float64) int {
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
