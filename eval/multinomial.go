package eval

import (
	"context"
	"fmt"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// MultinomialRegression is logistic regression of all classes at once, by the
// softmax, with an L2 penalty. With W a row w_k a class it minimises
//
//	½(‖W‖² + ‖b‖²) + C Σᵢ −log p_i,yᵢ,  p_ik = exp(w_k·xᵢ + b_k) / Σⱼ exp(w_j·xᵢ + b_j).
//
// C weighs the data as in [LogisticRegression], and the intercepts b are
// penalised as there, unless they are to be free. With free ones the optimum
// is that of LogisticRegression(multi_class="multinomial") of scikit-learn,
// whose intercepts add up to zero as these do.
//
// Of two classes w₀ = −w₁ and b₀ = −b₁, and the model has w₁ and b₁ alone, as
// in scikit-learn: the log-odds are twice its score.
type MultinomialRegression struct {
	C             float64 // weight of the loss; zero means 1
	FreeIntercept bool    // do not penalise b

	// Cs and Folds choose C as those of [LogisticRegression] do.
	Cs    []float64
	Folds int
}

// Fit learns from the given rows of x (n × d) and their labels, under the
// rules of [LogisticRegression.Fit].
//
// With t < d rows it works in the span of the rows, of t dimensions, where the
// optimum lies. It is a truncated Newton method that stops at a gradient of
// 10⁻¹²·C·Σ‖xᵢ‖. Cost: O(t²d) for the span, and some tens to hundreds of products
// of t × min(t, d) by min(t, d) × classes numbers; for sparse x, of the entries of
// the rows by classes.
//
// Errors: those of [LogisticRegression.Fit].
func (l MultinomialRegression) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*LinearModel, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	s := strength{l.C, l.Cs, l.Folds}
	return s.fit(ctx, x, rows, labels, func(ctx context.Context, f *features, rows, labels []int, c float64) (*LinearModel, error) {
		return fitMultinomial(ctx, f, rows, labels, c, l.FreeIntercept)
	})
}

func fitMultinomial(ctx context.Context, f *features, rows, labels []int, c float64, free bool) (*LinearModel, error) {
	tolerance, err := f.tolerance(rows, c)
	if err != nil {
		return nil, err
	}
	m := newModel(rows, labels, f.cols)
	m.C = c
	z, err := newJointDesign(ctx, f, rows)
	if err != nil {
		return nil, err
	}
	s := newSoftmax(z, m.numbers(rows, labels), len(m.Classes), c, tolerance, free)
	if err := s.solve(ctx); err != nil {
		return nil, fmt.Errorf("multinomial: %w", err)
	}
	first := len(m.Classes) - len(m.Intercept) // of two classes the second
	for k := range m.Intercept {
		w := z.weights(s.u, first+k)
		m.Coef.SetRow(k, w[:f.cols])
		m.Intercept[k] = w[f.cols]
	}
	return m, nil
}
