package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/stream"
	"coles/internal/tape"
)

// mlpLayer is a linear map and its bias.
type mlpLayer struct{ weight, bias mlpParameter }

// mlpParameter is a matrix that is trained. The rest is for training alone.
type mlpParameter struct {
	value, grad   kernel.Matrix[float32]
	first, second []float32 // Adam's moments
	best          []float32 // the value to be kept
}

func newMLPParameter(rows, cols int) mlpParameter {
	p := mlpParameter{value: kernel.Dense[float32](rows, cols), grad: kernel.Dense[float32](rows, cols)}
	p.first, p.second = make([]float32, rows*cols), make([]float32, rows*cols)
	p.best = make([]float32, rows*cols)
	return p
}

// newMLPLayers draws weights uniformly within ±√(6/(k+l)) (Glorot and Bengio 2010)
// and begins with biases of zero.
func newMLPLayers(p MLP, features, classes int) []mlpLayer {
	var layers []mlpLayer
	rnd := stream.New()
	k := features
	for number, l := range append(append([]int(nil), p.Hidden...), classes) {
		layer := mlpLayer{newMLPParameter(k, l), newMLPParameter(1, l)}
		bound := math.Sqrt(6 / float64(k+l))
		seed := stream.Seed(p.Seed, uint64(number))
		for i := range k {
			rnd.Reseed(seed, uint64(i))
			for j := range l {
				layer.weight.value.Data[i*l+j] = float32(bound * (2*rnd.Float64() - 1))
			}
		}
		layers = append(layers, layer)
		k = l
	}
	return layers
}

// forward records the scores of the classes. A nil rnd stands for prediction: no
// dropout and nothing to differentiate by.
func (m *MLPModel) forward(t *tape.Tape[float32], x mlpInput, dropout float64, rnd *rand.Rand) *tape.Value[float32] {
	use := func(p mlpParameter) *tape.Value[float32] {
		if rnd == nil {
			return t.Constant(p.value)
		}
		return t.Variable(p.value, p.grad)
	}
	var h *tape.Value[float32]
	for number, layer := range m.layers {
		weight := use(layer.weight)
		switch {
		case number > 0:
			h = t.ReLU(h)
			if rnd != nil && dropout > 0 {
				h = t.Dropout(h, dropout, rnd)
			}
			h = t.MatMul(h, weight)
		case x.sparse != nil:
			h = t.SpMM(x.sparse, weight)
		default:
			h = t.MatMul(t.Constant(x.dense), weight)
		}
		h = t.Bias(h, use(layer.bias))
	}
	return h
}

// mlpRun is the training of a model.
type mlpRun struct {
	MLP
	model      *MLPModel
	tape       *tape.Tape[float32]
	x          mlpInput // the training rows
	rows       []int    // 0, 1, …, all of x
	classes    []int    // of each, as a place in Classes
	validation *features
	actual     []int // labels of the validation rows
}

func newMLPRun(ctx context.Context, p MLP, f *features, rows, validation, labels []int) (*mlpRun, error) {
	linear := newModel(rows, labels, 1)
	r := &mlpRun{MLP: p, tape: tape.New[float32](ctx), classes: linear.numbers(rows, labels)}
	r.model = &MLPModel{Classes: linear.Classes, features: f.cols, layers: newMLPLayers(p, f.cols, len(linear.Classes))}
	r.rows = make([]int, len(rows))
	for q := range r.rows {
		r.rows[q] = q
	}
	r.validation = f.gather(validation)
	for _, i := range validation {
		r.actual = append(r.actual, labels[i])
	}
	var err error
	r.x, err = newMLPInput(ctx, f.gather(rows))
	return r, err
}

// train runs the epochs and leaves the model with the best weights.
func (r *mlpRun) train(ctx context.Context) error {
	most := -1
	for epoch := 1; epoch <= r.Epochs; epoch++ {
		if err := r.step(ctx, epoch); err != nil {
			return fmt.Errorf("epoch %d: %w", epoch, err)
		}
		if len(r.actual) == 0 {
			r.model.Epoch = epoch
			continue
		}
		right, err := r.validate(ctx)
		if err != nil {
			return fmt.Errorf("validation after epoch %d: %w", epoch, err)
		}
		if right > most {
			most, r.model.Epoch = right, epoch
			r.eachParameter(func(p *mlpParameter) { copy(p.best, p.value.Data) })
		}
		if r.Patience > 0 && epoch-r.model.Epoch >= r.Patience {
			break
		}
	}
	r.eachParameter(func(p *mlpParameter) {
		if len(r.actual) > 0 {
			copy(p.value.Data, p.best)
		}
		*p = mlpParameter{value: p.value}
	})
	return nil
}

func (r *mlpRun) eachParameter(do func(p *mlpParameter)) {
	for k := range r.model.layers {
		do(&r.model.layers[k].weight)
		do(&r.model.layers[k].bias)
	}
}

// step moves the weights once.
func (r *mlpRun) step(ctx context.Context, epoch int) error {
	t := r.tape
	t.Reset(ctx)
	r.eachParameter(func(p *mlpParameter) { clear(p.grad.Data) })
	rnd := rand.New(rand.NewPCG(stream.Seed(r.Seed, uint64(len(r.model.layers))), uint64(epoch)))
	scores := r.model.forward(t, r.x, r.Dropout, rnd)
	loss := t.SoftmaxCrossEntropy(scores, r.rows, r.classes)
	if err := t.Backward(loss); err != nil {
		return err
	}
	if v := loss.Scalar(); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%w: the loss is %v", ErrConvergence, v)
	}
	var err error
	r.eachParameter(func(p *mlpParameter) {
		if err == nil {
			err = p.adam(ctx, epoch, r.Rate)
		}
	})
	return err
}

// adam moves p by its gradient, with the constants its authors recommend. The
// numbers of the first steps are corrected for the moments having begun at zero.
func (p *mlpParameter) adam(ctx context.Context, step int, rate float64) error {
	const decay1, decay2, epsilon = 0.9, 0.999, 1e-8
	rate1 := float32(rate / (1 - math.Pow(decay1, float64(step))))
	root2 := float32(1 / math.Sqrt(1-math.Pow(decay2, float64(step))))
	return parallel.Ranges(ctx, len(p.value.Data), 1<<14, func(lo, hi int) {
		value, grad := p.value.Data[lo:hi], p.grad.Data[lo:hi]
		first, second := p.first[lo:hi], p.second[lo:hi]
		for i, g := range grad {
			first[i] = decay1*first[i] + (1-decay1)*g
			second[i] = decay2*second[i] + (1-decay2)*g*g
			value[i] -= rate1 * first[i] / (float32(math.Sqrt(float64(second[i])))*root2 + epsilon)
		}
	})
}

// validate is how many validation rows are predicted rightly.
func (r *mlpRun) validate(ctx context.Context) (int, error) {
	predicted, err := r.model.predict(ctx, r.validation, nil)
	if err != nil {
		return 0, err
	}
	right := 0
	for q, label := range r.actual {
		if predicted[q] == label {
			right++
		}
	}
	return right, nil
}
