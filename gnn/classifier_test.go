package gnn

import (
	"bytes"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// separated is a graph of three communities that are easy to separate, their labels 3, 5 and 9,
// with four nodes of each to train on and four to stop by.
func separated() (g *coles.Graph, x *mat.Dense, labels, train, val []int) {
	const n = 240
	g, x = testkit.Topics(4, n, 30, 0.8)
	for u := range n {
		labels = append(labels, []int{3, 5, 9}[u%3])
	}
	return g, x, labels, testkit.UpTo(12), testkit.UpTo(24)[12:]
}

func TestClassifierLearns(t *testing.T) {
	g, x, labels, train, val := separated()
	c := testkit.Must(TrainClassifier(ctx, g, x, labels, train, val))
	if !slices.Equal(c.Classes(), []int{3, 5, 9}) || c.Report().Dim != 3 {
		t.Errorf("classes %v, %d outputs", c.Classes(), c.Report().Dim)
	}
	predicted := testkit.Must(c.Predict(ctx, g, x))
	scores := testkit.Must(c.Scores(ctx, g, x))
	right := 0
	for i, l := range predicted {
		if l == labels[i] {
			right++
		}
		row := scores.RawRowView(i)
		if l != c.Classes()[slices.Index(row, slices.Max(row))] {
			t.Errorf("node %d: label %d for scores %v", i, l, row)
		}
	}
	// A guess is right in a third; features and edges determine nearly all.
	if right < 200 {
		t.Errorf("%d of %d labels are right", right, len(labels))
	}
	file := fileOf(c)
	read := testkit.Must(ReadClassifier(bytes.NewReader(file)))
	if !bytes.Equal(fileOf(read), file) || !slices.Equal(testkit.Must(read.Predict(ctx, g, x)), predicted) {
		t.Error("a classifier that was read is another")
	}
	c.Classes()[0] = 17
	if c.Classes()[0] != 3 || c.Settings().Network.String() != "gcn:16 → relu → dropout:0.5 → gcn:3" {
		t.Errorf("classes %v of the network %v", c.Classes(), c.Settings().Network)
	}
}

// Only the labels of the given rows are read, and the bytes are the same for every
// GOMAXPROCS and after a file, in blocks too.
func TestClassifierHasTheBytesOfTheLabelsThatItIsGiven(t *testing.T) {
	g, x, labels, train, val := separated()
	hidden := slices.Repeat([]int{-1000}, len(labels))
	for _, i := range slices.Concat(train, val) {
		hidden[i] = labels[i]
	}
	for _, size := range []int{0, 5} {
		trained := func(labels []int) *Classifier {
			return testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, With(func(s *Settings) { s.BatchSize, s.Epochs = size, 5 })))
		}
		scores := func(c *Classifier) []uint64 { return testkit.Bits(testkit.Must(c.Scores(ctx, g, x))) }
		want := scores(trained(labels))
		testkit.ForProcessors(t, func(int) {
			c := trained(hidden)
			testkit.WantSame(t, "the scores", scores(c), want)
			testkit.WantSame(t, "what was read", scores(testkit.Must(ReadClassifier(bytes.NewReader(fileOf(c))))), want)
		})
	}
}

// Layers without edges make a multilayer perceptron: the same on any graph.
func TestPerceptronDoesNotSeeTheGraph(t *testing.T) {
	g, x, labels, train, val := separated()
	empty := testkit.Must(coles.NewGraph(g.Nodes(), nil))
	var scores []*mat.Dense
	for _, g := range []*coles.Graph{g, empty} {
		c := testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, withNetwork(Linear(16), ReLU(), Dropout(0.5), Linear(AutoWidth))))
		scores = append(scores, testkit.Must(c.Scores(ctx, g, x)))
	}
	testkit.WantSame(t, "the scores", testkit.Bits(scores[1]), testkit.Bits(scores[0]))
}

func TestClassifierRefuses(t *testing.T) {
	g, x := small(33)
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	all, others := []int{0, 1}, []int{2, 3}
	train := func(labels, train, val []int, opts ...Option) error {
		return testkit.Err(TrainClassifier(ctx, g, x, labels, train, val, opts...))
	}
	testkit.WantRefusals(t, map[string][2]error{
		"a label missing":                  {train(labels[:39], all, all), coles.ErrShape},
		"nothing to train on":              {train(labels, nil, all), coles.ErrShape},
		"nothing to stop by":               {train(labels, all, nil), coles.ErrShape},
		"a row below 0":                    {train(labels, []int{0, -1}, all), coles.ErrIndex},
		"a row of 40":                      {train(labels, all, []int{40}), coles.ErrIndex},
		"one class":                        {train(labels, []int{1, 3}, []int{4, 5}), coles.ErrShape},
		"a class that is not trained on":   {train(append([]int{7}, labels[1:]...), []int{1, 2}, []int{0}), coles.ErrIndex},
		"no label to train on":             {train(append([]int{-1}, labels[1:]...), all, others), coles.ErrIndex},
		"no label to stop by":              {train(append([]int{1, 0, -1}, labels[3:]...), all, others), coles.ErrIndex},
		"a row to train on and to stop by": {train(labels, all, []int{2, 1}), coles.ErrIndex},
		"another objective":                {train(labels, all, others, withObjective(COLES(1))), coles.ErrSetting},
		"augmentation":                     {train(labels, all, others, withAugmentation(Drop([2]float64{0.1, 0}, [2]float64{}))), coles.ErrSetting},
		"checkpoints":                      {train(labels, all, others, WithCheckpoints(1, func(*Checkpoint) error { return nil })), coles.ErrSetting},
		"validation":                       {train(labels, all, others, WithValidation(1, 1, rising)), coles.ErrSetting},
		"outputs for other classes":        {train(labels, all, others, withNetwork(GCN(5))), coles.ErrSetting},
	})
}
