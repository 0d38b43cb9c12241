package rivals

import (
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// MixHop is the network of higher-order graph convolution (Abu-El-Haija, Perozzi, Kapoor, Alipourfard,
// Lerman, Harutyunyan, Ver Steeg and Galstyan, ICML 2019), for [gnn.TrainClassifier]. Each of its two
// layers puts powers of W next to each other,
//
//	[HΘ₀ | W·HΘ₁ | W²·HΘ₂],
//
// so that it can take differences between distances. The first is followed by a batch normalisation
// with offsets alone, which has the statistics of the graph at hand in evaluation too, by ReLU and
// by dropout. Of the second layer, segments S_k of a column for each class are added with learned
// weights, Σ_k softmax(q)_k·S_k. The loss is the cross-entropy and
//
//	λ·Σ_Θ (‖Θ‖²_F + Σ_c ‖Θ_c‖) + 1e-3·mean_k q_k²,
//
// the norms of columns Θ_c being a group lasso. The authors' settings:
//
//	             columns of Θ₀, Θ₁, Θ₂  segments of each  λ     rate
//	cora         24, 18, 18             0, 1, 1           5e-3  1
//	citeseer     20, 20, 20             1, 1, 1           5e-2  0.25
//	pubmed       17, 23, 20             1, 2, 1           5e-3  0.5
//	every other  20, 20, 20             1, 1, 1           5e-3  0.5
//
// with unit rows of features, dropout of 0.5 of their entries and of 0.9 in between. Gradient descent takes 400
// epochs at most, with Patience 200. Its rate falls by 1 % in 40 epochs, in 20 for Pubmed. The setting for every
// other graph has the equal shares that they start their search from.
//
// The authors set the entries of X to one, which for TF-IDF, as Pubmed has it, is another matrix. They make rows unit
// once entries are dropped. Their patience is by the accuracy of the nodes to stop by. Here the rows are unit before,
// and it is by their loss.
//
// It trains 60·d + 60 + 60·C·K + K numbers for C classes and K segments, 86,882 on Cora. W is
// applied to the narrow products, not to H: an epoch takes some 6·nnz(X)·60 + 6·nnz(W)·60
// multiplications.
func MixHop(dataset string) gnn.Settings {
	columns, segments, lambda, rate, fall := []int{20, 20, 20}, []int{1, 1, 1}, 5e-3, 0.5, 40.0
	switch dataset {
	case "cora":
		columns, segments, rate = []int{24, 18, 18}, []int{0, 1, 1}, 1
	case "citeseer":
		lambda, rate = 5e-2, 0.25
	case "pubmed":
		columns, segments, fall = []int{17, 23, 20}, []int{1, 2, 1}, 20
	}
	s := gnn.ClassifierSettings()
	s.Network = gnn.Network{
		gnn.Dropout(0.5), mixHopLayer(columns), batchNorm(), gnn.ReLU(), gnn.Dropout(0.9), mixHopOutput(segments),
	}
	s.Objective = mixHopObjective(lambda)
	s.Preparation = coles.PrepareRowL2
	s.Optimizer, s.Schedule = optim.SGD(rate, 0), optim.Exponential(math.Pow(0.99, 1/fall))
	s.Epochs, s.Patience = 400, 200
	return s
}

// mixHopLayer is [HΘ₀ | W·HΘ₁ | …], with columns[k] columns of power k. Its parameter is "weight",
// [Θ₀ | Θ₁ | …], drawn by Glorot's rule for the widest of them.
func mixHopLayer(columns []int) gnn.Layer {
	width := total(columns)
	parameters := func(in, _ int) []custom.Parameter {
		return []custom.Parameter{sideBySide(custom.Weight("weight", in, slices.Max(columns)), width)}
	}
	spec := custom.LayerSpec{Width: width, Hops: len(columns) - 1, Parameters: parameters}
	return gnn.NewLayer(fmt.Sprint("mixhop ", columns), spec, mixHop[float32](columns), mixHop[float64](columns))
}

func mixHop[T autodiff.Float](columns []int) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		return powers(p.Tape, p.W(), p.MatMul(h, p.Parameter("weight")), columns)
	}
}

// mixHopOutput adds segments of a column for each class, a number for each power of W, with the weights
// softmax(q). Its parameters are "weight", as in mixHopLayer, and "q" (1 × segments, zero at
// first).
func mixHopOutput(segments []int) gnn.Layer {
	parameters := func(in, classes int) []custom.Parameter {
		weight := custom.Weight("weight", in, classes*slices.Max(segments))
		return []custom.Parameter{sideBySide(weight, classes*total(segments)), custom.Bias("q", total(segments))}
	}
	spec := custom.LayerSpec{Width: gnn.AutoWidth, Hops: len(segments) - 1, Parameters: parameters}
	return gnn.NewLayer(fmt.Sprint("mixhop sum ", segments), spec, mixHopSum[float32](segments), mixHopSum[float64](segments))
}

func mixHopSum[T autodiff.Float](segments []int) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		y := p.MatMul(h, p.Parameter("weight"))
		columns := slices.Clone(segments)
		for k := range columns {
			columns[k] *= y.Cols() / total(segments)
		}
		return weightedSegments(p.Tape, powers(p.Tape, p.W(), y, columns), p.Parameter("q"))
	}
}

// powers is [Y₀ | W·Y₁ | W²·Y₂ | …] for the parts of y, with columns[k] columns in Y_k: Horner's rule.
func powers[T autodiff.Float](t *autodiff.Tape[T], w *autodiff.Sparse[T], y *autodiff.Value[T], columns []int) *autodiff.Value[T] {
	if len(columns) == 1 {
		return y
	}
	first := columns[0]
	rest := t.SpMM(w, powers(t, w, t.Columns(y, first, y.Cols()), columns[1:]))
	if first == 0 {
		return rest
	}
	return t.Concat(t.Columns(y, 0, first), rest)
}

// weightedSegments is Σ_k softmax(q)_k·S_k for y = [S₁ | S₂ | …], as many as q has columns.
func weightedSegments[T autodiff.Float](t *autodiff.Tape[T], y, q *autodiff.Value[T]) *autodiff.Value[T] {
	shares := t.Exp(q)
	shares = t.Mul(shares, t.Reciprocal(t.Sum(shares)))
	classes := y.Cols() / q.Cols()
	segment := func(k int) *autodiff.Value[T] {
		return t.Mul(t.Columns(y, k*classes, (k+1)*classes), t.Columns(shares, k, k+1))
	}
	sum := segment(0)
	for k := 1; k < q.Cols(); k++ {
		sum = t.Add(sum, segment(k))
	}
	return sum
}

// batchNorm shifts and scales every column to mean 0 and variance 1, here and in evaluation, and adds
// its parameter "offset".
func batchNorm() gnn.Layer {
	parameters := func(_, width int) []custom.Parameter { return []custom.Parameter{custom.Bias("offset", width)} }
	spec := custom.LayerSpec{Width: gnn.SameWidth, Parameters: parameters}
	return gnn.NewLayer("batch norm", spec, batchNormOf[float32], batchNormOf[float64])
}

func batchNormOf[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	const epsilon = 1e-3 // TensorFlow's
	mean, variance := make([]float64, h.Cols()), make([]float64, h.Cols())
	return p.BatchNorm(h, constant[T](p.Tape, 1, h.Cols(), 1), p.Parameter("offset"), epsilon, mean, variance)
}

func mixHopObjective(lambda float64) gnn.Objective {
	return gnn.NewObjective(fmt.Sprintf("mixhop lambda=%v", lambda), custom.ObjectiveSpec{Labels: true},
		func(s *custom.Step[float32]) *autodiff.Value[float32] { return mixHopLoss(s, lambda) },
		func(s *custom.Step[float64]) *autodiff.Value[float64] { return mixHopLoss(s, lambda) })
}

func mixHopLoss[T autodiff.Float](s *custom.Step[T], lambda float64) *autodiff.Value[T] {
	rows, classes := s.Labels()
	loss := s.SoftmaxCrossEntropy(s.Output(&custom.View{}), rows, classes)
	first, second, q := s.Parameter("1.weight"), s.Parameter("5.weight"), s.Parameter("5.q")
	if first == nil || second == nil || q == nil {
		s.Fail(fmt.Errorf("rivals: %w: the objective of MixHop with another network", coles.ErrSetting))
		return loss
	}
	penalty := s.Scale(s.Add(kernelPenalty(s.Tape, first), kernelPenalty(s.Tape, second)), lambda)
	return s.Add(s.Add(loss, penalty), s.Scale(s.Mean(s.Mul(q, q)), 1e-3))
}

// kernelPenalty is ‖Θ‖²_F + Σ_c ‖Θ_c‖ over the columns of Θ. Of a column of zeros, where the norm has
// no derivative, the gradient is zero.
func kernelPenalty[T autodiff.Float](t *autodiff.Tape[T], theta *autodiff.Value[T]) *autodiff.Value[T] {
	return t.Sum(t.Mul(theta, t.Add(theta, t.ColumnNormalize(theta))))
}

// constant is a matrix whose entries are all v.
func constant[T autodiff.Float](t *autodiff.Tape[T], rows, cols int, v float64) *autodiff.Value[T] {
	m := autodiff.NewMatrix[T](rows, cols)
	for q := range m.Data {
		m.Data[q] = T(v)
	}
	return t.Constant(m)
}

func total(parts []int) int {
	sum := 0
	for _, v := range parts {
		sum += v
	}
	return sum
}

// sideBySide is a parameter of cols columns, the columns of several parts drawn like p.
func sideBySide(p custom.Parameter, cols int) custom.Parameter {
	p.Cols = cols
	return p
}
