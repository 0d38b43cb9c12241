package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/tape"

	"gonum.org/v1/gonum/mat"
)

// MLP is a multilayer perceptron: hidden layers of a linear map, a bias, ReLU
// and dropout, then a linear map to the classes, trained for the cross-entropy
// of the softmax by Adam (Kingma and Ba 2015) on all training rows at once.
// [DefaultMLP] has the numbers of the paper.
type MLP struct {
	Hidden  []int   // widths of the hidden layers; none is a linear classifier
	Dropout float64 // share of hidden units left out at random in training, in [0, 1)
	Rate    float64 // learning rate
	Epochs  int     // steps, at most
	// Patience ends the training after as many epochs without a better accuracy
	// on the validation rows; zero never does.
	Patience int
	Seed     uint64 // of the first weights and of what is dropped
}

// DefaultMLP is the classifier that the paper puts on its embedding of
// ogbn-arxiv: two hidden layers of 256, dropout 0.4 and a rate of 0.005. The 500
// epochs are those of the benchmark's examples; the patience of 50 is ours.
func DefaultMLP() MLP {
	return MLP{Hidden: []int{256, 256}, Dropout: 0.4, Rate: 0.005, Epochs: 500, Patience: 50}
}

func (p MLP) check() error {
	for l, width := range p.Hidden {
		if width < 1 || width > math.MaxInt32 {
			return fmt.Errorf("%w: width %d of hidden layer %d", ErrParameter, width, l)
		}
	}
	switch {
	case !(p.Dropout >= 0 && p.Dropout < 1):
		return fmt.Errorf("%w: dropout %v, want 0 to less than 1", ErrParameter, p.Dropout)
	case !(p.Rate > 0) || math.IsInf(p.Rate, 0):
		return fmt.Errorf("%w: learning rate %v, want more than 0", ErrParameter, p.Rate)
	case p.Epochs < 1:
		return fmt.Errorf("%w: %d epochs", ErrParameter, p.Epochs)
	case p.Patience < 0:
		return fmt.Errorf("%w: patience of %d epochs", ErrParameter, p.Patience)
	}
	return nil
}

// checkSizes refuses weights that could not be counted.
func (p MLP) checkSizes(features, classes int) error {
	k := features
	for number, l := range append(append([]int(nil), p.Hidden...), classes) {
		if k > math.MaxInt32/l {
			return fmt.Errorf("%w: %d × %d weights in layer %d", ErrParameter, k, l, number)
		}
		k = l
	}
	return nil
}

// MLPModel is a fitted [MLP].
type MLPModel struct {
	// Classes are the distinct labels of the training rows, ascending.
	Classes []int
	// Epoch is the one whose weights are kept: the first of the best on the
	// validation rows, or the last if there were none.
	Epoch int

	features int
	layers   []mlpLayer
}

// Fit learns from the given rows of x (n × d) and their labels, of which only
// those of the rows and of the validation rows are read. With validation rows
// it keeps the weights that predict most of these rightly after any epoch. x may
// be sparse and stays so.
//
// It computes in float32, and the result depends on the input and the settings
// only, to the byte. An epoch costs some 6·rows·weights operations, d times the
// first width being the number of entries a row if x is sparse; the memory is that
// of some six numbers for each row and hidden unit, and the rows.
//
// Errors: [ErrParameter], [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow],
// [ErrLabel], [ErrEmpty], [ErrOneClass], [ErrSplit] when a row is trained and
// validated on, [ErrConvergence] when the weights overflow, and ctx.Err().
func (p MLP) Fit(ctx context.Context, x mat.Matrix, rows, validation, labels []int) (*MLPModel, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkTraining(f, rows, labels); err != nil {
		return nil, err
	}
	if err := checkValidation(f, rows, validation, labels); err != nil {
		return nil, err
	}
	if err := p.checkSizes(f.cols, len(newModel(rows, labels, 1).Classes)); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	r, err := newMLPRun(ctx, p, f, rows, validation, labels)
	if err != nil {
		return nil, err
	}
	if err := r.train(ctx); err != nil {
		return nil, err
	}
	return r.model, nil
}

func checkValidation(f *features, rows, validation, labels []int) error {
	if err := f.checkRows(validation, "validation"); err != nil {
		return err
	}
	if err := checkLabels(validation, labels); err != nil {
		return fmt.Errorf("validation: %w", err)
	}
	trained := make([]bool, f.rows)
	for _, i := range rows {
		trained[i] = true
	}
	for _, i := range validation {
		if trained[i] {
			return fmt.Errorf("%w: validation row %d is also a training row", ErrSplit, i)
		}
	}
	return nil
}

// Predict returns a label for each of the given rows of x; nil rows means all
// of them. It is the class of the largest output, the smallest label among equals.
//
// Errors: [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow], and ctx.Err().
func (m *MLPModel) Predict(ctx context.Context, x mat.Matrix, rows []int) ([]int, error) {
	if m == nil || len(m.layers) == 0 {
		return nil, fmt.Errorf("%w: the model is empty", ErrShape)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if f.cols != m.features {
		return nil, fmt.Errorf("%w: the model has %d features, the matrix %d columns", ErrShape, m.features, f.cols)
	}
	if err := f.checkRows(rows, "given"); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return m.predict(ctx, f, rows)
}

// mlpRows is how many rows are predicted at a time.
const mlpRows = 4096

func (m *MLPModel) predict(ctx context.Context, f *features, rows []int) ([]int, error) {
	labels := make([]int, 0, f.count(rows))
	t := tape.New[float32](ctx)
	for lo := 0; lo < cap(labels); lo += mlpRows {
		hi := min(lo+mlpRows, cap(labels))
		var block *features
		if rows == nil {
			block = f.slice(lo, hi)
		} else {
			block = f.gather(rows[lo:hi])
		}
		x, err := newMLPInput(ctx, block)
		if err != nil {
			return nil, err
		}
		t.Reset(ctx)
		scores := m.forward(t, x, 0, nil).Data()
		if err := t.Err(); err != nil {
			return nil, err
		}
		for i := range scores.Rows {
			top, err := largest(scores.Data[i*scores.Stride : i*scores.Stride+scores.Cols])
			if err != nil {
				return nil, err
			}
			labels = append(labels, m.Classes[top])
		}
	}
	return labels, nil
}

// largest is the place of the first of the largest scores.
func largest(scores []float32) (int, error) {
	top := 0
	for k, s := range scores {
		if math.IsNaN(float64(s)) || math.IsInf(float64(s), 0) {
			return 0, fmt.Errorf("%w: a score overflows", ErrNotFinite)
		}
		if s > scores[top] {
			top = k
		}
	}
	return top, nil
}

// mlpInput is a matrix of features in float32, dense or sparse.
type mlpInput struct {
	dense  kernel.Matrix[float32]
	sparse *tape.Sparse[float32] // nil when dense
}

func newMLPInput(ctx context.Context, f *features) (mlpInput, error) {
	if f.sparse != nil {
		s := kernel.ConvertCSR[float32](f.sparse)
		return mlpInput{sparse: tape.NewSparse(s, false)}, singles(s.Val)
	}
	dense := kernel.Dense[float32](f.rows, f.cols)
	if err := kernel.Convert(ctx, dense, f.dense); err != nil {
		return mlpInput{}, err
	}
	return mlpInput{dense: dense}, singles(dense.Data)
}

// singles tells whether numbers that were finite are so in float32.
func singles(values []float32) error {
	for _, v := range values {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("%w: a feature is too large for float32", ErrNotFinite)
		}
	}
	return nil
}
