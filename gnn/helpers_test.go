package gnn

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"

	"coles"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// small is a graph of 40 nodes, the last two isolated, with 12 words.
func small(seed uint64) (*coles.Graph, *sparse.CSR) {
	rng := testkit.Random(seed)
	words, _ := testkit.RandomWords(rng, 40, 12)
	return testkit.Must(coles.NewGraph(40, testkit.RandomEdges(rng, 38, 0.15))), words
}

// weighted is a graph of n nodes whose edges weigh 0.5 to 2.5, the last two nodes isolated, and its
// adjacency matrix.
func weighted(seed uint64, n int) (*coles.Graph, *mat.Dense) {
	edges, weights := edgesOf(inside.Adjacency(testkit.RandomGraph(seed, n-2, 0.2)))
	g := testkit.Must(coles.NewGraph(n, edges, coles.WithWeights(weights)))
	return g, testkit.DenseOf(g.CSR())
}

// grid is a graph of side × side nodes, each joined to the four next to it.
func grid(side int) *coles.Graph {
	var edges []coles.Edge
	for i := range side {
		for j := range side - 1 {
			edges = append(edges, coles.Edge{U: i*side + j, V: i*side + j + 1}, coles.Edge{U: j*side + i, V: (j+1)*side + i})
		}
	}
	return testkit.Must(coles.NewGraph(side*side, edges))
}

// Options for the settings that have none of their own.
func withAugmentation(a Augmentation) Option { return func(c *config) { c.Augmentation = a } }
func withOptimizer(o optim.Optimizer) Option { return func(c *config) { c.Optimizer = o } }
func withNetwork(layers ...Layer) Option     { return func(c *config) { c.Network = layers } }
func withObjective(o Objective) Option       { return func(c *config) { c.Objective = o } }
func withEpochs(epochs int) Option           { return func(c *config) { c.Epochs = epochs } }
func withSeed(seed uint64) Option            { return func(c *config) { c.Seed = seed } }
func withSchedule(s optim.Schedule) Option   { return func(c *config) { c.Schedule = s } }
func withRankStop(rank float64) Option       { return func(c *config) { c.StopRank = rank } }
func withPatience(epochs int) Option         { return func(c *config) { c.Patience = epochs } }
func withSampler(s custom.Sampler) Option    { return func(c *config) { c.Sampler = s } }
func withBatchSize(nodes int) Option         { return func(c *config) { c.BatchSize = nodes } }
func withNorm(r float64) Option              { return func(c *config) { c.Norm = r } }
func withPrecision(p coles.Precision) Option { return func(c *config) { c.Precision = p } }

// smallOptions are few epochs of a narrow network in float64.
func smallOptions(more ...Option) []Option {
	return append([]Option{withNetwork(GCN(8), ReLU(), GCN(5)), withEpochs(6), withPrecision(coles.Float64)}, more...)
}

// trained trains with smallOptions unless others override them.
func trained(t testing.TB, g *coles.Graph, x mat.Matrix, opts ...Option) *Model {
	t.Helper()
	m := testkit.Must(Train(ctx, g, x, smallOptions(opts...)...))
	return m
}

// progressOf is trained's report of every epoch.
func progressOf(t testing.TB, g *coles.Graph, x mat.Matrix, opts ...Option) (epochs []EpochReport) {
	t.Helper()
	trained(t, g, x, append(opts, WithEpochReport(func(p EpochReport) { epochs = append(epochs, p) }))...)
	return epochs
}

// checkpointsOf are the checkpoints after every epoch of trained.
func checkpointsOf(t testing.TB, g *coles.Graph, x mat.Matrix, opts ...Option) (all []*Checkpoint) {
	t.Helper()
	trained(t, g, x, append(opts, WithCheckpoints(1, func(c *Checkpoint) error { all = append(all, c); return nil }))...)
	return all
}

// runOf is a training that is about to begin.
func runOf(t testing.TB, g *coles.Graph, x mat.Matrix, opts ...Option) *run[float64] {
	t.Helper()
	c := testkit.Must(newConfig(DefaultSettings(), smallOptions(opts...)))
	return testkit.Must(newRun[float64](ctx, c, g, x, supervision{}))
}

// batchesOf are the batches of an epoch.
func batchesOf(t testing.TB, r *run[float64], epoch int) (all []*batch[float64]) {
	t.Helper()
	testkit.Check(t, r.eachBatch(ctx, epoch, func(_ int, b *batch[float64]) error { all = append(all, b); return nil }))
	return all
}

// stepOf is a step on a batch, its tape empty.
func stepOf(r *run[float64], b *batch[float64]) *custom.Step[float64] {
	r.tape.Reset(ctx)
	return &custom.Step[float64]{Tape: r.tape, Training: &step[float64]{Tape: r.tape, ctx: ctx, run: r, batch: b, rnd: newRand(1)}}
}

// lossOf is the loss for a network whose output is h, and the step that it was recorded in.
func lossOf(t testing.TB, g *coles.Graph, h kernel.Matrix[float64], opts ...Option) (float64, *custom.Step[float64]) {
	t.Helper()
	r := runOf(t, g, dense(h), append(opts, withNetwork(Linear(h.Cols)), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 1 }))...)
	clear(r.encoder.params[0].value.Data)
	for j := range h.Cols {
		r.encoder.params[0].value.Data[j*h.Cols+j] = 1
	}
	s := stepOf(r, batchesOf(t, r, 0)[0])
	loss := r.Objective.loss64(s)
	testkit.Check(t, s.Err())
	return loss.Scalar(), s
}

// rising is a score that has its best at epoch 4.
func rising(_ context.Context, epoch int, _ *mat.Dense) (float64, error) {
	return -math.Abs(float64(epoch) - 4), nil
}

// randomMatrix has entries of the normal distribution.
func randomMatrix(seed uint64, rows, cols int) kernel.Matrix[float64] {
	return kernel.Matrix[float64](testkit.RandomDense(testkit.Random(seed), rows, cols).RawMatrix())
}

// dense is a copy of a matrix of the kernels as one of gonum's.
func dense(m kernel.Matrix[float64]) *mat.Dense { return testkit.DenseOf(matrix.ToDense(m)) }

// penalty is ‖HᵀH/n − I‖²_F/d′.
func penalty(h *mat.Dense) float64 {
	n, d := h.Dims()
	gram := testkit.Product(h.T(), h)
	gram.Scale(1/float64(n), gram)
	gram.Sub(gram, testkit.Eye(d))
	return math.Pow(mat.Norm(gram, 2), 2) / float64(d)
}

// fileOf is the bytes of what writes itself.
func fileOf(w io.WriterTo) []byte {
	var b bytes.Buffer
	testkit.Must(w.WriteTo(&b))
	return b.Bytes()
}

// cases are one training of every kind.
var cases = []struct {
	name string
	opts []Option
	// order is set if the draws of a node depend on the order of the nodes.
	order bool
}{
	{"soft orthogonality", nil, false},
	{"sampled negatives", []Option{With(func(s *Settings) {
		s.Negatives, s.Kappa, s.Eta, s.FreshNegatives = coles.UniformNegatives(3), 2, 0.9, true
	})}, true},
	{"Stiefel", []Option{withNetwork(GCN(8), PReLU(), GCN(5).Orthonormal()), withObjective(COLES(0))}, false},
	{"linear", []Option{withNetwork(Propagate(coles.S2GCSum(3)), Linear(5)), With(func(s *Settings) { s.Objective, s.Preparation, s.FeatureScale = COLES(0), coles.PrepareTFIDF, 2 })}, false},
	{"SAGE and NCE", []Option{withNetwork(SAGE(8), ELU(), SAGE(5)), With(func(s *Settings) { s.Objective, s.FreshNegatives = SampledNCE(3, 0.7), true })}, true},
	{"geometric mean", []Option{withObjective(PowerMean(0, 4))}, true},
	{"arithmetic mean", []Option{withObjective(PowerMean(1, 4))}, true},
	{"harmonic mean", []Option{withObjective(PowerMean(-1, 4))}, true},
	{"augmentation", []Option{withAugmentation(Drop([2]float64{0.3, 0.1}, [2]float64{0.2, 0.4}))}, true},
	{"dropout, dense features", []Option{withNetwork(Dropout(0.4), GCN(8), ReLU(), Dropout(0.3), Propagate(coles.SGC(2)), Linear(5)), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareStandardize, 1 })}, true},
	{"own layers and objective", []Option{withNetwork(gated(8), swish(), GCN(5)), withObjective(infomax())}, true},
	{"batches", []Option{withBatchSize(15)}, true},
	{"batches of pairs", []Option{With(func(s *Settings) { s.BatchSize, s.Objective = 11, SampledNCE(2, 1) }), withNetwork(SAGE(6), ReLU(), GCN(5))}, true},
	{"samples", []Option{withSampler(exact(9, 2)), withNetwork(SAGE(6), ReLU(), Dropout(0.2), GCN(5))}, true},
	{"momentum", []Option{withOptimizer(optim.SGD(0.05, 0.9).WithDecoupledDecay(1e-3)), withSchedule(optim.Cosine(2)), withNorm(0)}, false},
}
