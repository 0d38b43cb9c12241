package gnn

import (
	"context"
	"slices"
	"sync"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

func TestModelsAreUsedByManyGoroutines(t *testing.T) {
	g, x := small(48)
	for _, p := range []coles.Precision{coles.Float64, coles.Float32} {
		m := must(Train(ctx, g, x, smallOptions(WithPrecision(p))...))
		want := bits(m.Embedding())
		var all sync.WaitGroup
		for range 4 {
			all.Add(2)
			go func() {
				defer all.Done()
				if y, err := m.Embed(ctx, g, x); err != nil || !slices.Equal(bits(y), want) {
					t.Errorf("%v: Embed beside others: other bytes, %v", p, err)
				}
			}()
			go func() {
				defer all.Done()
				if n, err := Train(ctx, g, x, smallOptions(WithPrecision(p))...); err != nil || !slices.Equal(bits(n.Embedding()), want) {
					t.Errorf("%v: Train beside others: other bytes, %v", p, err)
				}
			}()
		}
		all.Wait()
	}
}

// What a model, a classifier or a checkpoint hands out is the caller's to change.
func TestNothingHandedOutIsShared(t *testing.T) {
	g, x := small(49)
	labels := make([]int, 40)
	labels[0] = 1
	var c *Checkpoint
	layers := []Layer{GCN(8), ReLU(), GCN(5)}
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(layers...), WithCheckpoints(6, func(now *Checkpoint) error { c = now; return nil }))...))
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{0}, WithEpochs(1)))
	want := bits(m.Embedding())
	layers[0] = GCN(99)
	for _, s := range []Settings{m.Settings(), c.Settings(), k.Settings()} {
		s.Network[0] = GCN(99)
	}
	m.Embedding().Zero()
	m.Parameters()[0] = "another"
	k.Classes()[0] = 17
	if m.Settings().Network.String() != "gcn(8) → relu → gcn(5)" || c.Settings().Network.String() != m.Settings().Network.String() || m.Parameters()[0] != "0.weight" || k.Classes()[0] != 0 {
		t.Error("what was handed out is shared")
	}
	if !slices.Equal(bits(m.Embedding()), want) || !slices.Equal(bits(must(m.Embed(ctx, g, x))), want) {
		t.Error("the model embeds otherwise now")
	}
	must(k.Predict(ctx, g, x))
}

// Callbacks look on: with them a training has the same bytes. A score may keep, and
// change, what it is shown.
func TestCallbacksChangeNothing(t *testing.T) {
	g, x := small(50)
	for _, c := range cases {
		plain := must(Train(ctx, g, x, smallOptions(c.opts...)...))
		epochs := 0
		watched := must(Train(ctx, g, x, smallOptions(append(c.opts,
			WithProgress(func(p Progress) {
				if epochs++; p.Epoch != epochs || p.Epochs != 6 {
					t.Errorf("%s: epoch %d of %d, want %d of 6", c.name, p.Epoch, p.Epochs, epochs)
				}
			}),
			WithCheckpoints(1, func(*Checkpoint) error { return nil }),
			WithValidation(func(_ context.Context, epoch int, y *mat.Dense) (float64, error) {
				y.Zero()
				return float64(epoch), nil
			}, 1, 1))...)...))
		if epochs != 6 || !slices.Equal(bits(watched.Embedding()), bits(plain.Embedding())) {
			t.Errorf("%s: %d epochs reported, or other bytes", c.name, epochs)
		}
	}
}
