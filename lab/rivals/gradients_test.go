package rivals

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"
)

// Every loss, with the network that it is of, has the gradient of its differences.
func TestGradients(t *testing.T) {
	type loss = func(*custom.Step[float64]) *autodiff.Value[float64]
	type row struct {
		settings gnn.Settings
		spec     custom.ObjectiveSpec
		loss     loss
		others   []string
	}
	infomax, masked := custom.ObjectiveSpec{Parameters: infomaxParameters}, custom.ObjectiveSpec{Parameters: maskingParameters}
	cut := narrowed(GraphCL, gnn.Network{gnn.GCN(6), gnn.PReLU()}, 1)
	cut.Augmentation = subgraphs(0.4)
	mask := masking{share: 0.5, replaced: 0.2, gamma: 3}
	walks := narrowed(UnsupervisedGraphSAGE, gnn.Network{sageLayer(8), gnn.ReLU(), sageLayer(6), unitRowsLayer()}, 1)
	walks.Sampler = pairSampler(64, []int{2, 3})
	meanWalks := walks
	meanWalks.Network = gnn.Network{sageMeanLayer(8), gnn.ReLU(), sageMeanLayer(6), unitRowsLayer()}
	readWalks := walks
	readWalks.Network = gnn.Network{sageLSTMLayer(8, 3), gnn.ReLU(), sageLSTMLayer(6, 2), unitRowsLayer()}
	rows := map[string]row{
		"DGI":            {narrowed(DGI, cut.Network, 1), infomax, infomaxLoss[float64], nil},
		"GraphCL":        {cut, infomax, infomaxLoss[float64], nil},
		"GraphSAGE":      {walks, bare, walkLoss[float64], nil},
		"GraphSAGE-GCN":  {meanWalks, bare, walkLoss[float64], nil},
		"GraphSAGE-LSTM": {readWalks, bare, walkLoss[float64], nil},
		"GraphMAE": {
			narrowed(GraphMAE, maskedNetwork(), 1), masked,
			func(s *custom.Step[float64]) *autodiff.Value[float64] { return maskedLoss(s, mask) }, nil,
		},
		"CCA-SSG": {
			narrowed(CCASSG, gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(5)}, 1), bare,
			func(s *custom.Step[float64]) *autodiff.Value[float64] { return ccaLoss(s, 0.1) }, nil,
		},
		"BGRL": {narrowed(BGRL, bootstrapNetwork(1, 6, 4), 1), bootstrapSpec(7), bootstrapLoss[float64], nil},
		"PolyGCL": {
			narrowed(PolyGCL, gnn.Network{filterLayer(6, 10, 0.3), gnn.PReLU(), mixLayer(6, 10)}, 1),
			custom.ObjectiveSpec{Parameters: polynomialParameters}, polynomialLoss[float64], nil,
		},
		"SCE": {
			narrowed(SCE, gnn.Network{sceLayer(5)}, 1), bare,
			func(s *custom.Step[float64]) *autodiff.Value[float64] { return sparsestCutLoss(s, 100) }, nil,
		},
	}
	// Dense features of fewer columns than the filters are filtered before the product.
	few := rows["PolyGCL"]
	few.settings.Preparation, few.settings.Network = coles.PrepareStandardize, gnn.Network{filterLayer(13, 10, 0.3), gnn.PReLU(), mixLayer(13, 10)}
	rows["PolyGCL of few features"] = few
	adversary := custom.ObjectiveSpec{Parameters: discriminator}
	for _, variational := range []bool{false, true} {
		s := narrowed(GAE, gnn.Network{plainGCN(6), gnn.ReLU(), codeGCN(4, variational)}, 1)
		rows[fmt.Sprintf("GAE, variational %v", variational)] = row{s, bare, func(s *custom.Step[float64]) *autodiff.Value[float64] {
			return autoencoderLoss(s, variational)
		}, nil}
		s = narrowed(ARGE, gnn.Network{plainGCN(6), gnn.ReLU(), noise(0.1), codeGCN(4, variational)}, 1)
		for _, phase := range []int{reconstructing, discriminating, deceiving} {
			rows[fmt.Sprintf("ARGE, variational %v, phase %d", variational, phase)] = row{s, adversary, func(s *custom.Step[float64]) *autodiff.Value[float64] {
				return adversarialLoss(s, variational, phase)
			}, nil}
		}
	}
	for _, anchors := range []int{0, 10} {
		s := narrowed(GRACE, gnn.Network{gnn.GCN(6), gnn.PReLU(), gnn.GCN(4), gnn.PReLU()}, 1)
		rows[fmt.Sprintf("GRACE of %d anchors", anchors)] = row{s, graceSpec(7), func(s *custom.Step[float64]) *autodiff.Value[float64] {
			return graceLoss(s, 0.5, anchors)
		}, nil}
	}
	for _, hops := range []int{1, 3} {
		s := narrowed(Graph2Gauss, gnn.Network{gnn.Linear(6), gnn.ReLU(), gaussian(4)}, 1)
		rows[fmt.Sprintf("Graph2Gauss of %d hops", hops)] = row{s, bare, func(s *custom.Step[float64]) *autodiff.Value[float64] {
			return rankingLoss(s, hops)
		}, nil}
	}
	// Networks that learn from labels, under a loss without.
	for name, c := range map[string]struct {
		settings gnn.Settings
		network  gnn.Network
		sampler  custom.Sampler
		loss     loss
		others   []string
	}{
		"GAT": {
			GAT(""), append(slices.Clone(classifiers[0].narrow[:3]), attention{heads: 3, weights: 0.2, mean: true}.layer(4)),
			custom.Sampler{}, weighedOutput, nil,
		},
		"MixHop": {MixHop(""), mixHopNetwork(0.3, []int{1, 2, 1}), custom.Sampler{}, func(s *custom.Step[float64]) *autodiff.Value[float64] {
			return s.Add(weighedOutput(s), s.Scale(kernelPenalty(s.Tape, s.Parameter("1.weight")), 0.1))
		}, nil},
		"FastGCN": {
			FastGCN(""), gnn.Network{gnn.Propagate(coles.SGC(1)), gnn.Linear(6), gnn.ReLU(), gnn.GCN(4)}, importanceSampler(64, 15),
			func(s *custom.Step[float64]) *autodiff.Value[float64] { return withDecay(s, weighedOutput(s)) }, nil,
		},
		"GraphSAINT": { // one step an epoch
			GraphSAINT(""), gnn.Network{saintLayer(2, 8), gnn.Dropout(0.2), saintLayer(1, 5), unitRowsLayer(), saintLayer(2, 4)},
			subgraphSampler(14, 3, 5), weighedOutput, nil,
		},
		"SIGN":      {MLP(""), gnn.Network{gnn.Linear(6), signLayer(2, 3, 0.5), gnn.PReLU(), gnn.Linear(2)}, custom.Sampler{}, weighedOutput, nil},
		"norm":      {MLP(""), gnn.Network{gnn.Linear(5), averagedNorm(), gnn.ELU(), gnn.Linear(2)}, custom.Sampler{}, weighedOutput, nil},
		"framelets": {MLP(""), gnn.Network{frameletLayer(5, 40), gnn.ELU(), frameletLayer(2, 40)}, custom.Sampler{}, weighedOutput, nil},
		"DeeperGCN": { // what comes before a softmax, whose weights count as constant, is left out: a fixture has all
			MLP(""), gnn.Network{gnn.Linear(5), deeperLayer(true, 0), deeperLayer(false, 0.5), gnn.Linear(2)},
			custom.Sampler{}, weighedOutput, []string{"0.", "1.", "2.scale", "2.offset"},
		},
	} {
		s := c.settings
		s.Network, s.Sampler, s.Objective, s.BatchSize = c.network, c.sampler, gnn.COLES(0), 0
		rows[name] = row{s, bare, c.loss, c.others}
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) { checkGradients(t, r.settings, r.spec, r.loss, r.others...) })
	}
}

// weighedOutput is a loss that bends everywhere, different for every column.
func weighedOutput(s *custom.Step[float64]) *autodiff.Value[float64] {
	h := s.Output(&custom.View{})
	return s.Mean(s.Mul(h, s.Sigmoid(h)))
}

// checkGradients compares the gradient of a whole loss with central differences: the gradient of the first
// step on a small graph, in float64. A step of SGD at the rate 1 takes the gradient off the
// parameters, and the same seed makes the same draws. Parameters whose names begin like one of others
// are left out.
func checkGradients(t *testing.T, s gnn.Settings, spec custom.ObjectiveSpec, loss func(*custom.Step[float64]) *autodiff.Value[float64], others ...string) {
	t.Helper()
	g, x := words(4, 40, 12)
	s.Precision, s.Patience = coles.Float64, 0
	s.Optimizer, s.Schedule = optim.SGD(1, 0), optim.Schedule{}
	names := slices.DeleteFunc(trainedOf(train(t, g, x, s, gnn.With(func(s *gnn.Settings) { s.Epochs = 1 }))), func(name string) bool {
		return slices.ContainsFunc(others, func(start string) bool { return strings.HasPrefix(name, start) })
	})
	for _, p := range spec.Parameters(12, 1) { // of which the names are wanted
		names = append(names, "objective."+p.Name)
	}
	// run trains from parameters that change may change, and returns the first loss.
	run := func(epochs int, change func(epoch int, p []autodiff.Matrix[float64])) float64 {
		probe := func(step *custom.Step[float64]) *autodiff.Value[float64] {
			var all []autodiff.Matrix[float64]
			for _, name := range names {
				m := step.Parameter(name).Data()
				if step.Epoch() == 0 && strings.HasSuffix(name, "bias") { // zero rows must not stand where ReLU bends
					rnd := testkit.Random(uint64(len(all)))
					for i := range m.Data {
						m.Data[i] = rnd.NormFloat64() / 5
					}
				}
				all = append(all, m)
			}
			change(step.Epoch(), all)
			return loss(step)
		}
		first := math.NaN()
		train(t, g, x, s, gnn.With(func(s *gnn.Settings) { s.Objective, s.Epochs = objectiveOf(spec, probe), epochs }),
			gnn.WithEpochReport(func(p gnn.EpochReport) {
				if p.Epoch == 1 {
					first = p.Loss
				}
			}))
		return first
	}
	before, gradients := make([][]float64, len(names)), make([][]float64, len(names))
	run(2, func(epoch int, p []autodiff.Matrix[float64]) {
		for k, m := range p {
			if epoch == 0 {
				before[k] = append([]float64(nil), m.Data...)
				continue
			}
			for i, v := range m.Data {
				gradients[k] = append(gradients[k], before[k][i]-v)
			}
		}
	})
	rnd := testkit.Random(5)
	for k, name := range names {
		largest := 0.0
		for _, g := range gradients[k] {
			largest = max(largest, math.Abs(g))
		}
		for range 4 {
			const h = 1e-5
			i := rnd.IntN(len(gradients[k]))
			moved := func(by float64) float64 {
				return run(1, func(_ int, p []autodiff.Matrix[float64]) { p[k].Data[i] += by })
			}
			got := (moved(h) - moved(-h)) / (2 * h)
			// The third derivative and rounding make some 1e-8 of the largest entry.
			if !(math.Abs(got-gradients[k][i]) <= 1e-6*max(largest, 1e-3)) {
				t.Errorf("%s, entry %d: %v by differences, %v by the tape", name, i, got, gradients[k][i])
			}
		}
	}
}

// trainedOf are the names of the parameters of a model that are trained, and no averages.
func trainedOf(m *gnn.Model) []string {
	return slices.DeleteFunc(m.Parameters(), func(name string) bool {
		return slices.ContainsFunc([]string{".mean", ".variance", ".weight of averages", ".target ", ".passes"}, func(of string) bool { return strings.Contains(name, of) })
	})
}
