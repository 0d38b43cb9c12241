package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// accuracy is the largest error of the coefficients and the intercept of a class, relative to the
// length of the coefficients.
const accuracy = 1e-7

// LogisticRegression is one-vs-rest logistic regression with an L2 penalty, the classifier of the
// paper's protocol. For each class it minimises
//
//	½(‖w‖² + b²) + C Σᵢ log(1 + exp(−yᵢ(w·xᵢ + b))),  yᵢ = 1 in the class, −1 outside.
//
// The intercept b is penalised like any other coefficient, as if x had one more column of ones. So
// does liblinear, and the coefficients are those of scikit-learn's
// LogisticRegression(solver="liblinear") at full convergence.
//
// C weighs the data against the penalty. The optimum for features s·x is that for x with C·s² in
// place of C, up to the intercept, whose penalty C moves too.
type LogisticRegression struct {
	C float64 // weight of the loss; zero means 1

	// Cs are candidates for C, such as [DefaultCs]; C itself is not read then. Cross-validation in
	// Folds parts of the training rows chooses one of several. A candidate scales the features and
	// leaves the intercept alone, which would cost accuracy if it shrank with C: it minimises
	//
	//	½(‖w‖²/C + b²) + Σᵢ log(1 + exp(−yᵢ(w·xᵢ + b))).
	//
	// Each part is predicted by a model of the others, with every candidate. With h the number of
	// rows that a candidate predicts rightly, it weighs e^(h/2), and the candidate nearest to the
	// weighted geometric mean of all is fitted to all rows; of two as near, the first. Few labels
	// cannot tell near candidates apart, and the best of them is best by chance: the mean stays in
	// their middle until the labels speak. Right predictions are counted, and not their
	// probabilities, which ask how sure a model may be and not which class is likeliest. The half in
	// e^(h/2) was chosen with the thirteen graphs of docs/results.md in view, at 5 and 20 labels per
	// class, as was [DefaultCs].
	Cs []float64
	// Folds is the number of parts, drawn as by scikit-learn's StratifiedKFold. Zero means 5, or as
	// many as the largest class has rows, if fewer.
	Folds int
}

// DefaultCs returns candidates for C: the powers of two from 1/32 to 8. On an embedding by COLES,
// whose centred rows have a mean norm of 4, these try norms of 4·√C, from 0.7 to 11.3 in half
// octaves, with C = 1.
func DefaultCs() []float64 {
	cs := make([]float64, 9)
	for q := range cs {
		cs[q] = math.Ldexp(1, q-5)
	}
	return cs
}

// Fit learns from the given rows of x (n × d) and their labels, which must not be negative; labels
// has n entries. A row given twice counts twice. A sparse x stays so.
//
// Coefficients and intercept of a class together are within 10⁻⁷·‖w‖ of the optimum, whatever the
// scale of x: the gradient bounds their error.
//
// With t rows it works in k = min(t, d+1) dimensions, the span of the rows, where the optimum lies.
// Cost: O(t²d) for the span and, for each class, some tens of passes over t × k numbers; for sparse
// x, passes over the entries of the rows. Where rounding hides the gradient, from a C·Σ‖xᵢ‖² of
// some 10⁸ on, it is computed with 31 digits and made to vanish by two or three steps of O(t·k²),
// each with a factor of k·(t + k) numbers, 2²⁷ at most. With candidates it is all that for each of
// them and each part, O(t²d) but once.
//
// Errors: [coles.ErrSetting] for a C that is not positive and finite, or for fewer than 2 parts or
// more than any class has rows; [coles.ErrShape], [coles.ErrIndex] also for a negative label,
// [coles.ErrNotFinite] also for rows whose squares overflow, [ErrSplit] for rows of one class,
// [ErrConvergence] where that accuracy is out of reach, which takes a C‖xᵢ‖² above 10²² or more
// entries than the factor may have, and ctx's.
func (l LogisticRegression) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*LinearModel, error) {
	f, err := l.input(ctx, x, rows, labels)
	if err != nil {
		return nil, err
	}
	return l.fit(ctx, f, rows, labels)
}

// input checks the settings and what is learnt from.
func (l LogisticRegression) input(ctx context.Context, x mat.Matrix, rows, labels []int) (*matrix.Matrix[float64], error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	return f, checkTraining(f.Rows(), rows, labels)
}

func (l LogisticRegression) check() error {
	for _, c := range append([]float64{cmp.Or(l.C, 1)}, l.Cs...) {
		if !(c > 0) || !matrix.Finite(c) {
			return fmt.Errorf("%w: C is %v, not positive and finite", coles.ErrSetting, c)
		}
	}
	return nil
}

// checkTraining verifies training rows of a matrix of n, and their labels.
func checkTraining(n int, rows, labels []int) error {
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), n)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%w: the training set is empty", coles.ErrShape)
	}
	if err := checkRows(rows, n, "training"); err != nil {
		return err
	}
	if err := checkLabels(rows, labels); err != nil {
		return err
	}
	return checkClasses(rows, labels)
}

func checkClasses(rows, labels []int) error {
	first := labels[rows[0]]
	if slices.ContainsFunc(rows, func(i int) bool { return labels[i] != first }) {
		return nil
	}
	return fmt.Errorf("%w: all %d training rows have the label %d", ErrSplit, len(rows), first)
}

// fit is Fit on checked input.
func (l LogisticRegression) fit(ctx context.Context, f *matrix.Matrix[float64], rows, labels []int) (*LinearModel, error) {
	c := cmp.Or(l.C, 1)
	weight, scale := c, 1.0
	if len(l.Cs) > 0 {
		var err error
		if c, err = l.choose(ctx, f, rows, labels); err != nil {
			return nil, err
		}
		weight, scale = 1, math.Sqrt(c)
	}
	m, err := regress(ctx, f, rows, labels, weight, scale)
	if err == nil {
		m.C = c
	}
	return m, err
}

// regress fits a given C to the rows times scale, and returns coefficients for the rows themselves.
// The classes are independent problems.
func regress(ctx context.Context, f *matrix.Matrix[float64], rows, labels []int, c, scale float64) (*LinearModel, error) {
	x, err := trainingSet(ctx, f, rows, scale)
	if err != nil {
		return nil, err
	}
	lengths, err := matrix.Lengths(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("training set: %w", err)
	}
	reach := c * matrix.Total(lengths)
	// The solver squares it; beyond this it would overflow silently.
	if !(reach < 1e150) {
		return nil, fmt.Errorf("%w: C times the lengths of the training rows is %.3g, too large to square", coles.ErrNotFinite, reach)
	}
	z, err := newDesign(ctx, x)
	if err != nil {
		return nil, err
	}
	m := newModel(rows, labels, f.Cols())
	problems := make([]*binary, len(m.Intercept))
	err = each(ctx, len(problems), func(k int) error {
		problems[k] = newBinary(z, m.signs(k, rows, labels), c, lengths)
		return problems[k].solve(ctx)
	})
	if err != nil {
		return nil, err
	}
	solutions := make([][]float64, len(problems))
	for k, b := range problems {
		solutions[k] = z.weights(b.u)
	}
	near := make([]bool, len(problems))
	err = each(ctx, len(problems), func(k int) (err error) {
		near[k], err = nearOptimum(ctx, f, rows, lengths, problems[k].y, solutions[k], c, scale)
		return err
	})
	if err != nil {
		return nil, err
	}
	if slices.Contains(near, false) {
		// Once more: the design is a factor of it, and may have overwritten it.
		if x, err = trainingSet(ctx, f, rows, scale); err != nil {
			return nil, err
		}
	}
	for k, w := range solutions {
		if !near[k] {
			if w, err = polish(ctx, x, lengths, problems[k].y, c, w); err != nil {
				return nil, fmt.Errorf("class %d: %w", m.positive(k), err)
			}
		}
		matrix.Scale(w[:f.Cols()], scale)
		m.Coef.SetRow(k, w[:f.Cols()])
		m.Intercept[k] = w[f.Cols()]
	}
	return m, nil
}

// nearOptimum reports whether coefficients w, the last of the column of ones, are known to be the
// optimum but for a share of the others' length: the Hessian is at least the identity, so that the
// gradient of the objective and its rounding bound the error. It asks the rows themselves, whose
// lengths, times scale and with that column, are given: the solver works on a factor of them.
func nearOptimum(ctx context.Context, f *matrix.Matrix[float64], rows []int, lengths, y, w []float64, c, scale float64) (bool, error) {
	d := f.Cols()
	gradient := slices.Clone(w)
	length, rounding := matrix.Length(w), 0.0
	for q, i := range rows {
		if q%parallel.RowsAtOnce == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		cols, values := f.Row(i)
		score := w[d]
		for p, v := range values {
			score += scale * v * w[matrix.Column(cols, p)]
		}
		wrong := 1 / (1 + math.Exp(y[q]*score))
		pull := -c * y[q] * wrong
		f.AddRow(gradient, i, scale*pull)
		gradient[d] += pull
		rounding += lost(lengths[q], pull, c*wrong*(1-wrong), length)
	}
	return matrix.Length(gradient)+unitOf(d+1)*rounding <= accuracy*matrix.Length(w[:d]), nil
}

// choose returns the candidate nearest to the geometric mean of all, each weighing e^(h/2) for h
// right predictions over all folds.
func (l LogisticRegression) choose(ctx context.Context, f *matrix.Matrix[float64], rows, labels []int) (float64, error) {
	if len(l.Cs) == 1 {
		return l.Cs[0], nil
	}
	fold, folds, err := stratify(rows, labels, l.Folds)
	if err != nil {
		return 0, err
	}
	known, err := spanned(ctx, f, rows)
	if err != nil {
		return 0, err
	}
	actual, right := picked(labels, rows), make([]int, len(l.Cs))
	err = each(ctx, len(l.Cs), func(j int) error {
		predicted, err := LogisticRegression{Cs: l.Cs[j : j+1]}.predictParts(ctx, known, fold, folds, actual)
		if err != nil {
			return fmt.Errorf("candidate %v: %w", l.Cs[j], err)
		}
		for i, p := range predicted {
			if p == actual[i] {
				right[j]++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	most := slices.Max(right)
	var mean, weight float64 // of log C
	for j, c := range l.Cs {
		w := math.Exp(float64(right[j]-most) / 2)
		mean += w * math.Log(c)
		weight += w
	}
	mean /= weight
	return slices.MinFunc(l.Cs, func(a, b float64) int {
		return cmp.Compare(math.Abs(math.Log(a)-mean), math.Abs(math.Log(b)-mean))
	}), nil
}

// spanned returns the given rows of x. If x is dense with more columns than there are rows, they
// come in an orthonormal basis of their span, X = LQ with QQᵀ = I: there lie the coefficients of a
// regression on any of them, and Xw = Lu for w = Qᵀu.
func spanned(ctx context.Context, x *matrix.Matrix[float64], rows []int) (*matrix.Matrix[float64], error) {
	x, err := x.Gather(ctx, rows)
	if err != nil || x.Sparse != nil || x.Rows() >= x.Cols() {
		return x, err
	}
	z, err := newSpanDesign(ctx, x.Dense)
	t := len(rows)
	return matrix.Of(kernel.Matrix[float64]{Rows: t, Cols: t, Stride: t, Data: z.l.Data}), err
}

// predictParts predicts the rows of each part by a model of the other parts.
func (l LogisticRegression) predictParts(ctx context.Context, f *matrix.Matrix[float64], fold []int, folds int, labels []int) ([]int, error) {
	all := make([]int, len(fold))
	return all, each(ctx, folds, func(part int) error {
		var train, held []int
		for i, of := range fold {
			if of == part {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		err := checkClasses(train, labels)
		var m *LinearModel
		if err == nil {
			m, err = l.fit(ctx, f, train, labels)
		}
		if err != nil {
			return fmt.Errorf("fold %d: %w", part, err)
		}
		predicted, err := m.predict(ctx, f, held)
		for q, p := range predicted {
			all[held[q]] = p
		}
		return err
	})
}

// stratify assigns each of rows to one of k folds so that every fold has its share of each class,
// as scikit-learn's StratifiedKFold without shuffling: with the rows sorted by class, classes in
// the order of their first row, fold j is due as many rows of a class as there are among every k-th
// row from the j-th on; it takes them in the order given.
func stratify(rows, labels []int, k int) (fold []int, folds int, err error) {
	count := make(map[int]int)
	var order []int // classes by first row
	largest := 0
	for _, i := range rows {
		if count[labels[i]] == 0 {
			order = append(order, labels[i])
		}
		count[labels[i]]++
		largest = max(largest, count[labels[i]])
	}
	if k = cmp.Or(k, min(5, largest)); k < 2 || k > largest {
		return nil, 0, fmt.Errorf("%w: %d folds, the largest class has %d rows", coles.ErrSetting, k, largest)
	}
	due := make(map[int][]int, len(order)) // the folds of the rows of a class, one after another
	sorted := 0
	for _, class := range order {
		for range count[class] {
			due[class] = append(due[class], sorted%k)
			sorted++
		}
		slices.Sort(due[class])
	}
	fold = make([]int, len(rows))
	for p, i := range rows {
		class := labels[i]
		fold[p], due[class] = due[class][0], due[class][1:]
	}
	return fold, k, nil
}
