package rivals

import (
	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"

	"gonum.org/v1/gonum/floats"
)

// MLP is a multilayer perceptron for [gnn.TrainClassifier], the baseline of the Open Graph Benchmark (Hu, Fey,
// Zitnik, Dong, Ren, Liu, Catasta and Leskovec, NeurIPS 2020) that does not look at the graph. It has three linear
// layers, two of 256 columns and one of a column for each class, with batch normalisation, ReLU and dropout of 0.5 in
// between. Theirs: Adam(0.01) for 500 epochs, each one step on all labelled nodes, and the parameters that were best
// for the validation nodes, by their accuracy; here it is by their loss.
//
// Behind a filter it is S²GC with a perceptron:
//
//	s := rivals.MLP("")
//	s.Network = append(gnn.Network{gnn.Propagate(coles.S2GC(10, 0.05))}, s.Network...)
//
// It trains 256·d + 257·256 + 257·C + 4·256 numbers for C classes, and 256 more: 110,120 on
// ogbn-arxiv. An epoch takes some 6·256·(d + 256 + C) multiplications for each labelled node and a
// third of that for each to stop by; a step takes 13·4·256 bytes for each labelled node.
func MLP(string) gnn.Settings { return baseline(gnn.Linear, 0.01, 0.5, oneStep) }

// MLPHead is [MLP] as the COLES paper has it behind an embedding of ogbn-arxiv, which takes the
// place of the features: two hidden layers of 256 columns, Adam(0.005), dropout of 0.4. The paper
// prints neither steps nor epochs; here a step is of 10,000 labelled nodes, and Patience 30.
func MLPHead(string) gnn.Settings {
	s := baseline(gnn.Linear, 0.005, 0.4, 10_000)
	s.Patience = 30
	return s
}

// GCN is the graph convolutional network (Kipf and Welling, ICLR 2017) at the setting of the Open
// Graph Benchmark for ogbn-arxiv: [MLP] with layers of [gnn.GCN], all nodes in every step.
//
// It trains as many numbers as MLP, 110,120 on ogbn-arxiv. An epoch takes some 8·n·256·(d + 256 + C)
// + 8·nnz(W)·512 multiplications; a step takes 13·4·256 bytes for each of n nodes.
func GCN(string) gnn.Settings { return baseline(gnn.GCN, 0.01, 0.5, 0) }

// SAGE is GraphSAGE with means of all neighbours (Hamilton, Ying and Leskovec, NeurIPS 2017) at the
// setting of the Open Graph Benchmark for ogbn-arxiv: [MLP] with layers of [gnn.SAGE], all nodes in
// every step.
//
// It trains 2·256·(d + 256 + C) numbers, 2·256 + C of biases and 4·256, 218,664 on ogbn-arxiv. An
// epoch takes some 16·n·256·(d + 256 + C) + 8·nnz(W)·512 multiplications; a step takes 21·4·256 bytes
// for each of n nodes.
func SAGE(string) gnn.Settings { return baseline(gnn.SAGE, 0.01, 0.5, 0) }

// oneStep is a number of nodes for one step on all labelled ones.
const oneStep = 1 << 20

// baseline are three layers of a kind with what the benchmark has in between.
func baseline(layer func(width int) gnn.Layer, rate, dropped float64, batch int) gnn.Settings {
	var layers []gnn.Layer
	for range 2 {
		layers = append(layers, layer(256), averagedNorm(), gnn.ReLU(), gnn.Dropout(dropped))
	}
	s := labelled(rate, 500, append(layers, layer(gnn.AutoWidth))...)
	s.BatchSize = batch
	return s
}

// standardizedOn standardises the columns of one data set, and leaves every other as it is.
func standardizedOn(dataset, one string) coles.Preparation {
	if dataset == one {
		return coles.PrepareStandardize
	}
	return coles.PrepareNone
}

// averagedNorm is batch normalisation (Ioffe and Szegedy, ICML 2015). In evaluation it takes averages of mean and
// variance over the passes of the training. The last pass weighs 1, the one before 0.9, then 0.9² and so on.
// PyTorch's begin with 0 and 1, far from the averages of a deep network in its first epochs. Its parameters are
// "scale" (1 at first) and "offset" (0), and the averages "mean", "variance", and "weight of averages", the average
// of ones, by which these are divided.
func averagedNorm() gnn.Layer {
	spec := custom.LayerSpec{Width: gnn.SameWidth, Parameters: normParameters}
	return gnn.NewLayer("averaged batch norm", spec, averagedNormOf[float32], averagedNormOf[float64])
}

func normParameters(_, width int) []custom.Parameter {
	return []custom.Parameter{
		{Name: "scale", Rows: 1, Cols: width, Start: 1}, custom.Bias("offset", width),
		{Name: "mean", Rows: 1, Cols: width, Averaged: true}, {Name: "variance", Rows: 1, Cols: width, Averaged: true},
		{Name: "weight of averages", Rows: 1, Cols: 1, Averaged: true},
	}
}

func averagedNormOf[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	y, mean, variance := normalized(p.Tape, h, statistics(p))
	average(p, mean, variance)
	return y
}

// average adds the statistics of a pass to the averages of a layer with normParameters.
func average[T autodiff.Float](p *custom.Pass[T], mean, variance []float64) {
	p.Average("mean", mean, normShare)
	p.Average("variance", variance, normShare)
	p.Average("weight of averages", []float64{1}, normShare)
}

const (
	normEpsilon = 1e-5 // PyTorch's, as the share is
	normShare   = 0.1
)

// norms are the parameters of a batch normalisation, and its averages in evaluation.
type norms[T autodiff.Float] struct {
	scale, offset  *autodiff.Value[T]
	mean, variance []float64 // nil while training
}

// statistics are the statistics of a layer with normParameters.
func statistics[T autodiff.Float](p *custom.Pass[T]) norms[T] {
	n := norms[T]{scale: p.Parameter("scale"), offset: p.Parameter("offset")}
	if p.Rand() == nil {
		weight := numbers(p.Parameter("weight of averages"))[0]
		n.mean, n.variance = numbers(p.Parameter("mean")), numbers(p.Parameter("variance"))
		floats.Scale(1/weight, n.mean)
		floats.Scale(1/weight, n.variance)
	}
	return n
}

// normalized is the batch normalisation of h, and the mean and variance that it took.
func normalized[T autodiff.Float](t *autodiff.Tape[T], h *autodiff.Value[T], n norms[T]) (y *autodiff.Value[T], mean, variance []float64) {
	if n.mean != nil {
		return t.BatchNormFixed(h, n.scale, n.offset, normEpsilon, n.mean, n.variance), n.mean, n.variance
	}
	mean, variance = make([]float64, h.Cols()), make([]float64, h.Cols())
	return t.BatchNorm(h, n.scale, n.offset, normEpsilon, mean, variance), mean, variance
}

// numbers are the first row of a matrix.
func numbers[T autodiff.Float](v *autodiff.Value[T]) []float64 {
	row := make([]float64, v.Cols())
	for j, x := range v.Data().Data[:v.Cols()] {
		row[j] = float64(x)
	}
	return row
}
