package gnn

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

func TestEmbedEqualsTraining(t *testing.T) {
	g, x := small(17)
	for _, c := range cases {
		for _, precision := range []coles.Precision{coles.Float64, coles.Float32} {
			m := must(Train(ctx, g, x, smallOptions(append(c.opts, WithPrecision(precision))...)...))
			want := bits(m.Embedding())
			if !slices.Equal(bits(must(m.Embed(ctx, g, x))), want) {
				t.Errorf("%s, %v: Embed gives other bytes than the training", c.name, precision)
			}
			file := fileOf(m)
			read := must(ReadModel(bytes.NewReader(file)))
			if !bytes.Equal(fileOf(read), file) {
				t.Errorf("%s: written again it has other bytes", c.name)
			}
			if !slices.Equal(bits(must(read.Embed(ctx, g, x))), want) {
				t.Errorf("%s: a model that was read embeds otherwise", c.name)
			}
			if read.Embedding() != nil {
				t.Errorf("%s: a model that was read has an embedding", c.name)
			}
		}
	}
}

// Nodes far from a new one keep their embeddings, and it gets one.
func TestGrownGraphsAreEmbedded(t *testing.T) {
	g := grid(8)
	_, x := randomWords(18, 65, 12)
	m := must(Train(ctx, g, x.Slice(0, 64, 0, 12), smallOptions(WithFeatures(coles.PrepareNone, 1))...))
	edges, weights := edgesOf(g.CSR())
	edges, weights = append(edges, coles.Edge{U: 0, V: 64}), append(weights, 1)
	grown := must(coles.NewGraph(65, edges, coles.WithEdgeWeights(weights)))
	y := must(m.Embed(ctx, grown, x))
	if d := maxDiff(y.Slice(63, 64, 0, 5), m.Embedding().Slice(63, 64, 0, 5)); d > 1e-13 {
		t.Errorf("a node 14 edges away moved by %.2g", d)
	}
	if mat.Norm(y.Slice(64, 65, 0, 5), 2) == 0 {
		t.Error("the new node has no embedding")
	}
	if d := maxDiff(y.Slice(0, 1, 0, 5), m.Embedding().Slice(0, 1, 0, 5)); d == 0 {
		t.Error("its neighbour did not move")
	}
}

// Numbering nodes otherwise numbers the rows otherwise, and no more, where nothing
// is drawn by node.
func TestTrainingIsEquivariant(t *testing.T) {
	g, x := small(19)
	n, d := x.Dims()
	order := rand.New(rand.NewPCG(1, 1)).Perm(n)
	edges, _ := edgesOf(g.CSR())
	for q, e := range edges {
		edges[q] = coles.Edge{U: order[e.U], V: order[e.V]}
	}
	moved := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			moved.Set(order[i], j, x.At(i, j))
		}
	}
	for _, opts := range [][]Option{nil, {WithNetwork(GCN(5).Orthonormal()), WithObjective(COLES(0))}} {
		y := must(Train(ctx, g, x, smallOptions(opts...)...)).Embedding()
		z := must(Train(ctx, must(coles.NewGraph(n, edges)), moved, smallOptions(opts...)...)).Embedding()
		worst := 0.0
		for i := range n {
			worst = max(worst, maxDiff(y.Slice(i, i+1, 0, 5), z.Slice(order[i], order[i]+1, 0, 5)))
		}
		if worst > 1e-10*mat.Norm(y, 2) {
			t.Errorf("off by %.2g", worst)
		}
	}
}

func TestInputsAreNotWrittenTo(t *testing.T) {
	g, x := small(20)
	_, full := randomWords(20, 40, 12)
	before, features := bits(g.CSR()), bits(full)
	for _, c := range cases {
		must(Train(ctx, g, full, smallOptions(c.opts...)...))
		must(Train(ctx, g, x, smallOptions(c.opts...)...))
	}
	if !slices.Equal(bits(g.CSR()), before) || !slices.Equal(bits(full), features) || !slices.Equal(bits(x), features) {
		t.Error("the graph or its features have changed")
	}
}

func TestParametersHaveNames(t *testing.T) {
	g, x := small(21)
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(SAGE(6), PReLU(), GCN(4)))...))
	want := []string{"0.self", "0.neighbors", "0.bias", "1.slope", "2.weight", "2.bias"}
	if got := m.Parameters(); !slices.Equal(got, want) {
		t.Errorf("parameters %v, want %v", got, want)
	}
	p, ok := m.Parameter("0.self")
	if r, c := p.Dims(); !ok || r != 12 || c != 6 {
		t.Errorf("0.self is %d×%d", r, c)
	}
	p.Set(0, 0, 1000) // a copy
	if again, _ := m.Parameter("0.self"); again.At(0, 0) == 1000 {
		t.Error("Parameter hands out what the model keeps")
	}
	if _, ok := m.Parameter("nothing"); ok {
		t.Error("there is a parameter called nothing")
	}
}

func TestSettingsSurviveJSON(t *testing.T) {
	all := []Settings{DefaultSettings(), StiefelSettings(), LinearSettings(), AugmentedSettings(), ClassifierSettings()}
	for _, c := range cases {
		all = append(all, must(newConfig(DefaultSettings(), c.opts)).Settings)
	}
	for _, s := range all {
		text := must(json.Marshal(s))
		var read Settings
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(read, s) {
			t.Errorf("%s is read as %s", text, must(json.Marshal(read)))
		}
	}
	for _, text := range []string{
		`{"network":[{"kind":"attention"}]}`, `{"network":[{"kind":"dropout","rate":2}]}`,
		`{"objective":{"kind":"none"}}`, `{"optimizer":{"kind":"adam"}}`, `{"schedule":{"kind":"exponential"}}`,
	} {
		wantError(t, json.Unmarshal([]byte(text), new(Settings)), coles.ErrSetting)
	}
}

func TestReportTellsWhatWasDone(t *testing.T) {
	g, x := small(22)
	m := must(Train(ctx, g, x, smallOptions(WithValidation(rising, 1, 2))...))
	r := m.Report()
	if r.Epochs != 6 || r.BestEpoch != 4 || r.Dim != 5 || r.Features != 12 || r.Parameters != 12*8+8+8*5+5 || r.Memory <= 0 || r.Rank <= 0 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"40 nodes", "149 parameters", "6 epochs, the best 4"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("the report lacks %q:\n%v", want, r)
		}
	}
}

// The parameters are those of the best epoch: a training that ends there has the same.
func TestValidationGoesBackToTheBest(t *testing.T) {
	g, x := small(23)
	judged := must(Train(ctx, g, x, smallOptions(WithEpochs(50), WithValidation(rising, 1, 3))...))
	if e := judged.Report().Epochs; e != 7 {
		t.Errorf("%d epochs, want 3 more than the 4 of the best", e)
	}
	short := must(Train(ctx, g, x, smallOptions(WithEpochs(4))...))
	if !slices.Equal(bits(judged.Embedding()), bits(short.Embedding())) {
		t.Error("the embedding is not that of the best epoch")
	}
}

func TestRankStopEndsAtTheFirstEpochThatLow(t *testing.T) {
	g, x := small(24)
	var ranks []float64
	m := must(Train(ctx, g, x, smallOptions(WithObjective(COLES(0)), WithEpochs(200), WithRankStop(2.5), WithProgress(func(p Progress) { ranks = append(ranks, p.Rank) }))...))
	if m.Report().Epochs == 200 || len(ranks) != m.Report().Epochs {
		t.Fatalf("%d epochs, %d reports", m.Report().Epochs, len(ranks))
	}
	for k, rank := range ranks {
		if (rank <= 2.5) != (k == len(ranks)-1) {
			t.Errorf("rank %.3f after %d of %d epochs", rank, k+1, len(ranks))
		}
	}
}

func TestNormIsThatOfTheCentredRows(t *testing.T) {
	g, x := small(25)
	y := must(Train(ctx, g, x, smallOptions(WithNorm(3))...)).Embedding()
	n, d := y.Dims()
	mean, sum := make([]float64, d), 0.0
	for i := range n {
		for j := range d {
			mean[j] += y.At(i, j) / float64(n)
		}
	}
	for i := range n {
		v := mat.NewVecDense(d, nil)
		v.SubVec(y.RowView(i), mat.NewVecDense(d, mean))
		sum += mat.Norm(v, 2)
	}
	if got := sum / float64(n); got < 3-1e-12 || got > 3+1e-12 {
		t.Errorf("the mean norm is %v", got)
	}
}
