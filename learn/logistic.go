package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// A fit is refused unless coefficients and intercept of a class are provably near their optimum: within accuracy, relative to
// the length of the coefficients, or with all scores within scoreAccuracy.
const accuracy, scoreAccuracy = 1e-3, 1e-6

// Most errors are those of package coles. These two are of learn.
var (
	// ErrSplit: training rows of a single class or of too few numbers, or rows that are trained and
	// tested on, or tested twice.
	ErrSplit = errors.New("bad split")
	// ErrConvergence: the features of a logistic regression are too large for float64.
	ErrConvergence = errors.New("no convergence")
)

// LogisticRegression is one-vs-rest logistic regression with an L2 penalty, the classifier of the paper's protocol. For each
// class it minimises
//
//	½(‖w‖² + b²) + C Σᵢ log(1 + exp(−yᵢ(w·xᵢ + b))),  yᵢ = 1 in the class, −1 outside.
//
// The intercept b is penalised like any other coefficient, as if x had one more column of ones. So does
// liblinear: the coefficients equal those of scikit-learn's LogisticRegression(solver="liblinear") at full convergence.
//
// The optimum for features s·x is the optimum for x with C·s² in place of C, but for the intercept: C moves its penalty.
type LogisticRegression struct {
	C float64 // weight of the loss; zero means 1

	// Cs are candidates for C, such as [DefaultCs]; C itself is not read then. Cross-validation in Folds parts of the
	// training rows chooses one. It scales the features and leaves the intercept alone, which accuracy asks for: it minimises
	//
	//	½(‖w‖²/C + b²) + Σᵢ log(1 + exp(−yᵢ(w·xᵢ + b))).
	//
	// Each part is predicted by a model of the others, with every candidate. One that predicts h rows rightly weighs e^(h/2).
	// The candidate nearest to the weighted geometric mean of all is fitted to all rows. Where labels are few the best of near
	// candidates is best by chance: the mean stays in their middle until labels decide. The half in e^(h/2), and [DefaultCs],
	// were chosen on the thirteen graphs of lab/docs/results.md, at 5 and 20 labels per class.
	Cs []float64
	// Folds is the number of parts, as of scikit-learn's StratifiedKFold: for 0 it is 5, or the rows of the largest class.
	Folds int

	// Progress, if set, is called at the start of "choose C", "learn" and "cross-validate" and after each of their parts.
	// Calls come one at a time, but not always from the same goroutine.
	Progress coles.Progress
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

// Fit learns from the given rows of x (n × d) and their labels, which must not be negative; labels has n entries. A row given
// twice counts twice. A sparse x stays sparse.
//
// Coefficients and intercept of a class together are within 10⁻⁷·‖w‖ of the optimum: the gradient bounds their error.
// Rounding of the gradient costs digits once C·Σ‖xᵢ‖² exceeds some 10⁸, as with incomes or times in seconds. Where fewer than
// three digits are certain the fit is refused: scale the features then, for example to deviations of 1.
//
// With t rows it takes some tens of passes a class over t × (d+1) numbers, or the entries of sparse rows, and as many for
// each candidate and part.
//
// Errors: [coles.ErrSetting] for a C that is not positive and finite, or for fewer than 2 parts or more than any class has
// rows; [coles.ErrShape], [coles.ErrIndex] also for a negative label, [coles.ErrNotFinite] also for rows whose squares
// overflow, [ErrSplit] for rows of one class, [ErrConvergence] for features too large, and ctx's.
func (l LogisticRegression) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*LinearModel, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	switch {
	case len(labels) != f.Rows():
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), f.Rows())
	case len(rows) == 0:
		return nil, fmt.Errorf("%w: the training set is empty", coles.ErrShape)
	}
	if err := given.CheckRows(rows, f.Rows(), "training"); err != nil {
		return nil, err
	}
	if err := given.CheckLabels(rows, labels); err != nil {
		return nil, err
	}
	known := slices.Repeat([]int{-1}, len(labels))
	for _, i := range rows {
		known[i] = labels[i]
	}
	t, err := groupsOf(Labels{Classes: known})
	if err != nil {
		return nil, err
	}
	return l.fit(parallel.Reporting(ctx, l.Progress), f, t, rows, 0)
}

func (l LogisticRegression) check() error {
	for _, c := range append([]float64{cmp.Or(l.C, 1)}, l.Cs...) {
		if !(c > 0) || !matrix.Finite(c) {
			return setting.Bad("C", c, "more than 0 and finite")
		}
	}
	return nil
}

// fit learns from rows of a target.
func (l LogisticRegression) fit(ctx context.Context, f *matrix.Matrix[float64], t *groups, rows []int, seed uint64) (*LinearModel, error) {
	p := penalty{cs: []float64{cmp.Or(l.C, 1)}}
	if len(l.Cs) > 0 {
		c, err := t.choose(ctx, f, l.Cs, l.Folds, rows, seed)
		if err != nil {
			return nil, err
		}
		p = penalty{cs: []float64{c}, scales: true}
	}
	ctx, progress := parallel.Stage(ctx, "learn", 1)
	models, err := t.regress(ctx, f, p, rows)
	if err != nil {
		return nil, err
	}
	progress.Add()
	return models[0], nil
}

// A penalty is one or several C, which weigh the loss, or are candidates and scale the features.
type penalty struct {
	cs     []float64
	scales bool
	rough  bool // the models predict rows held out and are thrown away
}

// problemsAtOnce bounds how many two-class problems of several C share products, and with it their
// memory.
const problemsAtOnce = 64

// separate fits a model for each C. The classes are independent problems, each with the signs of the rows.
func (p penalty) separate(ctx context.Context, f *matrix.Matrix[float64], rows, classes []int, signs [][]float64) (models []*LinearModel, err error) {
	x, err := trainingSet(ctx, f, rows)
	if err != nil {
		return nil, err
	}
	z := design{x}
	var before, of []*binary
	for cs := range slices.Chunk(p.cs, max(1, problemsAtOnce/len(signs))) {
		before, of = of, nil
		for _, c := range cs {
			weight, scale := c, 1.0
			if p.scales {
				weight, scale = 1, math.Sqrt(c)
			}
			models = append(models, &LinearModel{classes, mat.NewDense(len(signs), f.Cols(), nil), make([]float64, len(signs)), c})
			lengths, err := scaledLengths(ctx, x, weight, scale)
			if err != nil {
				return nil, err
			}
			for k, y := range signs {
				b := newBinary(z.Cols(), y, weight, scale, lengths)
				if p.rough {
					b.within = roughTolerance
				}
				if before != nil { // a problem of the C before
					copy(b.step, before[len(before)-len(signs)+k].u)
				}
				of = append(of, b)
			}
		}
		if err := solve(ctx, z, of); err != nil {
			return nil, err
		}
		for q, b := range of {
			if err := b.check(); err != nil {
				return nil, err
			}
			m, k, w := models[len(models)-len(cs)+q/len(signs)], q%len(signs), b.u[:f.Cols()]
			matrix.Scale(w, b.scale)
			m.Coef.SetRow(k, w)
			m.Intercept[k] = b.u[f.Cols()]
		}
	}
	return models, nil
}

// scaledLengths are the lengths of the rows of a training set whose features are multiplied by scale.
func scaledLengths(ctx context.Context, x *matrix.Matrix[float64], c, scale float64) ([]float64, error) {
	lengths := make([]float64, x.Rows())
	err := parallel.EachRow(ctx, len(lengths), func(i int) {
		_, values := x.Row(i)
		lengths[i] = math.Hypot(scale*matrix.Length(values[:len(values)-1]), 1)
	})
	if err != nil {
		return nil, err
	}
	// The solver squares it; beyond this it would overflow silently.
	if reach := c * matrix.Total(lengths); !(reach < 1e150) {
		return nil, fmt.Errorf("%w: C times the lengths of the training rows is %.3g, too large to square", coles.ErrNotFinite, reach)
	}
	return lengths, nil
}
