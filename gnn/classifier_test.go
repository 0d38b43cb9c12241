package gnn

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// separated is a graph of three communities that are easy to tell apart, their
// labels 3, 5 and 9, with four nodes of each to train on and four to stop by.
func separated(t *testing.T) (g *coles.Graph, x mat.Matrix, labels, train, val []int) {
	t.Helper()
	d := must(dataset.Communities{Nodes: 240, Classes: 3, Degree: 8, Homophily: 0.85, Topic: 0.5, Seed: 4}.Generate(ctx))
	seen := make(map[int]int)
	for i, l := range d.Labels {
		labels = append(labels, []int{3, 5, 9}[l])
		switch k := seen[l]; {
		case k < 4:
			train = append(train, i)
		case k < 8:
			val = append(val, i)
		}
		seen[l]++
	}
	return must(coles.FromCSR(d.Adjacency)), d.Features, labels, train, val
}

func TestClassifierLearns(t *testing.T) {
	g, x, labels, train, val := separated(t)
	c := must(TrainClassifier(ctx, g, x, labels, train, val))
	if !slices.Equal(c.Classes(), []int{3, 5, 9}) || c.Report().Dim != 3 {
		t.Errorf("classes %v, %d outputs", c.Classes(), c.Report().Dim)
	}
	predicted := must(c.Predict(ctx, g, x))
	scores := must(c.Scores(ctx, g, x))
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
	// A guess is right in a third; features and edges tell nearly all.
	if right < 200 {
		t.Errorf("%d of %d labels are right", right, len(labels))
	}
	file := fileOf(c)
	read := must(ReadClassifier(bytes.NewReader(file)))
	if !bytes.Equal(fileOf(read), file) || !slices.Equal(must(read.Predict(ctx, g, x)), predicted) {
		t.Error("a classifier that was read is another")
	}
}

func TestClassifierReadsNoLabelsButThoseItIsGiven(t *testing.T) {
	g, x, labels, train, val := separated(t)
	hidden := make([]int, len(labels))
	for i := range hidden {
		hidden[i] = -1000
	}
	for _, rows := range [][]int{train, val} {
		for _, i := range rows {
			hidden[i] = labels[i]
		}
	}
	a := must(TrainClassifier(ctx, g, x, labels, train, val))
	b := must(TrainClassifier(ctx, g, x, hidden, train, val))
	if !bytes.Equal(bytesOf(must(a.Scores(ctx, g, x))), bytesOf(must(b.Scores(ctx, g, x)))) {
		t.Error("labels of other nodes change the result")
	}
}

func bytesOf(m *mat.Dense) []byte { return must(m.MarshalBinary()) }

func TestClassifierDoesNotDependOnProcessors(t *testing.T) {
	g, x, labels, train, val := separated(t)
	var want []uint64
	forProcessors(t, func(procs int) {
		got := bits(must(must(TrainClassifier(ctx, g, x, labels, train, val, WithEpochs(5))).Scores(ctx, g, x)))
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("other bytes with %d processors", procs)
		}
	})
}

func TestClassifierRefuses(t *testing.T) {
	g, x := small(33)
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	all := []int{0, 1}
	for _, c := range []struct {
		name       string
		labels     []int
		train, val []int
		opts       []Option
		want       error
	}{
		{"a label missing", labels[:39], all, all, nil, ErrLabels},
		{"nothing to train on", labels, nil, all, nil, ErrLabels},
		{"nothing to stop by", labels, all, nil, nil, ErrLabels},
		{"a row below 0", labels, []int{0, -1}, all, nil, ErrLabels},
		{"a row of 40", labels, all, []int{40}, nil, ErrLabels},
		{"one class", labels, []int{1, 3}, []int{4, 5}, nil, ErrLabels},
		{"a class that is not trained on", append([]int{7}, labels[1:]...), []int{1, 2}, []int{0}, nil, ErrLabels},
		{"another objective", labels, all, all, []Option{WithObjective(COLES(1))}, coles.ErrSetting},
		{"batches", labels, all, all, []Option{WithBatchSize(5)}, coles.ErrSetting},
		{"checkpoints", labels, all, all, []Option{WithCheckpoints(1, func(*Checkpoint) error { return nil })}, coles.ErrSetting},
		{"validation", labels, all, all, []Option{WithValidation(rising, 1, 1)}, coles.ErrSetting},
		{"outputs for other classes", labels, all, all, []Option{WithNetwork(GCN(5))}, coles.ErrSetting},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := TrainClassifier(ctx, g, x, c.labels, c.train, c.val, c.opts...)
			wantError(t, err, c.want)
		})
	}
	_, err := TrainClassifier(ctx, nil, x, nil, all, all)
	wantError(t, err, ErrLabels)
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := TrainClassifier(stopped, g, x, labels, all, all); err == nil {
		t.Error("a cancelled context trains")
	}
}

// Softmax cross-entropy at first is that of a guess, log of the number of classes, or
// near it.
func TestClassifierBeginsWithAGuess(t *testing.T) {
	g, x, labels, train, val := separated(t)
	var first float64
	must(TrainClassifier(ctx, g, x, labels, train, val, WithEpochs(1), WithProgress(func(p Progress) { first = p.Loss })))
	if math.Abs(first-math.Log(3)) > 0.1 {
		t.Errorf("the first loss is %v, log 3 is %v", first, math.Log(3))
	}
}
