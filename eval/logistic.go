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

	// With candidates Cs, C is not read: it is chosen among them by
	// cross-validation in Folds parts of the training rows, zero meaning 5.
	//
	// The parts are those of scikit-learn's StratifiedKFold. Each is predicted
	// by what the others teach, with every candidate. The one that predicts
	// most rows rightly, the first of equals, is then fitted to all rows.
	Cs    []float64
	Folds int
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
// for sparse x, passes over the entries of the rows. With candidates it is that
// for each of them and each part.
//
// Errors: [ErrPenalty], [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow],
// [ErrLabel], [ErrEmpty], [ErrOneClass], [ErrConvergence], and ctx.Err();
// with candidates [ErrParameter] if there are fewer than 2 parts, or more than
// rows of any class.
func (l LogisticRegression) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*LinearModel, error) {
	s := strength{l.C, l.Cs, l.Folds}
	return s.fit(ctx, x, rows, labels, fit)
}

func checkPenalty(c float64) error {
	if !(c > 0) || math.IsInf(c, 0) {
		return fmt.Errorf("%w: it is %v", ErrPenalty, c)
	}
	return nil
}

// checkTraining is checkLearning for classifiers that need two classes.
func checkTraining(f *features, rows, labels []int) error {
	if err := checkLearning(f, rows, labels); err != nil {
		return err
	}
	for _, i := range rows {
		if labels[i] != labels[rows[0]] {
			return nil
		}
	}
	return fmt.Errorf("%w: all %d have label %d", ErrOneClass, len(rows), labels[rows[0]])
}

func checkLearning(f *features, rows, labels []int) error {
	if len(labels) != f.rows {
		return fmt.Errorf("%w: %d labels for %d rows", ErrShape, len(labels), f.rows)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%w: the training set is empty", ErrEmpty)
	}
	if err := f.checkRows(rows, "training"); err != nil {
		return err
	}
	return checkLabels(rows, labels)
}

func checkLabels(rows, labels []int) error {
	for _, i := range rows {
		if labels[i] < 0 {
			return fmt.Errorf("%w: row %d has label %d", ErrLabel, i, labels[i])
		}
	}
	return nil
}

// tolerance is the gradient at which a logistic regression on rows is done.
func (f *features) tolerance(rows []int, c float64) (float64, error) {
	var reach float64 // Σ‖xᵢ‖ with the column of ones
	for _, i := range rows {
		_, values := f.row(i)
		reach += math.Hypot(1, norm2(values))
	}
	// The solver squares c·reach; beyond this it would overflow silently.
	if !(c*reach < 1e150) {
		return 0, fmt.Errorf("%w: C times the norms of the training rows is %.3g, too large to square", ErrNotFinite, c*reach)
	}
	return gradientTolerance * c * reach, nil
}

// fit is Fit on checked input. The classes are independent problems.
func fit(ctx context.Context, f *features, rows, labels []int, c float64) (*LinearModel, error) {
	tolerance, err := f.tolerance(rows, c)
	if err != nil {
		return nil, err
	}
	m := newModel(rows, labels, f.cols)
	m.C = c
	z, err := newDesign(ctx, f.trainingSet(rows))
	if err != nil {
		return nil, err
	}
	problems := make([]*binary, len(m.Intercept))
	errs := make([]error, len(problems))
	err = parallel.For(ctx, len(problems), func(k int) {
		y := make([]float64, len(rows))
		for q, i := range rows {
			y[q] = -1
			if labels[i] == m.positive(k) {
				y[q] = 1
			}
		}
		problems[k] = newBinary(z, y, c, tolerance)
		errs[k] = problems[k].solve(ctx)
	})
	if err != nil {
		return nil, err
	}
	solutions := make([][]float64, len(problems))
	for k, b := range problems {
		if errs[k] == nil {
			solutions[k] = z.weights(b.u)
		}
	}
	err = parallel.For(ctx, len(problems), func(k int) {
		if errs[k] == nil {
			errs[k] = f.checkOptimum(rows, problems[k].y, solutions[k], c)
		}
	})
	if err != nil {
		return nil, err
	}
	for k, w := range solutions {
		if errs[k] != nil {
			return nil, fmt.Errorf("class %d: %w", m.positive(k), errs[k])
		}
		m.Coef.SetRow(k, w[:f.cols])
		m.Intercept[k] = w[f.cols]
	}
	return m, nil
}

// checkOptimum refuses coefficients w, the last that of the column of ones, at which the
// gradient of the objective does not vanish. It asks the rows themselves: the solver
// works on a factor of theirs, and stops by the gradient there.
func (f *features) checkOptimum(rows []int, y, w []float64, c float64) error {
	gradient := slices.Clone(w)
	length, allowed := norm2(w), 0.0
	for q, i := range rows {
		cols, values := f.row(i)
		score := w[f.cols]
		for p, v := range values {
			score += v * w[column(cols, p)]
		}
		pull := -c * y[q] / (1 + math.Exp(y[q]*score))
		for p, v := range values {
			gradient[column(cols, p)] += pull * v
		}
		gradient[f.cols] += pull
		// A hundred times what the solver stops at, and the rounding of the score.
		norm := math.Hypot(1, norm2(values))
		allowed += c * norm * (100*gradientTolerance + 1e-14*math.Sqrt(float64(len(values)+1))*length*norm)
	}
	if norm := norm2(gradient); !(norm <= allowed) {
		return fmt.Errorf("%w: the gradient of the logistic regression is %.3g, wanted %.3g", ErrConvergence, norm, allowed)
	}
	return nil
}

// column is the column of the p-th stored value of a row, whose columns are nil where all are
// stored.
func column(cols []int32, p int) int {
	if cols == nil {
		return p
	}
	return int(cols[p])
}
