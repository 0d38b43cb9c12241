package gnn

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"coles"
)

// Every method of a nil pointer or of a zero value may be called: nothing but zero
// values go in, nothing but an error or a zero value may come out.
func TestNilAndZeroReceivers(t *testing.T) {
	for _, zero := range []any{
		Model{}, Classifier{}, Checkpoint{}, Layer{}, Network{}, Objective{}, Optimizer{}, Schedule{}, Settings{}, Augmentation{}, Report{}, Progress{}, Provenance{},
	} {
		value := reflect.TypeOf(zero)
		pointer := reflect.PointerTo(value)
		for i := range pointer.NumMethod() {
			name := pointer.Method(i).Name
			if strings.HasPrefix(name, "Unmarshal") {
				continue // a reader needs a place to read to
			}
			receivers := []reflect.Value{reflect.New(value)}
			if _, ofValue := value.MethodByName(name); !ofValue {
				receivers = append(receivers, reflect.Zero(pointer))
			}
			for _, r := range receivers {
				t.Run(fmt.Sprintf("%v, nil %v, %s", value, r.IsNil(), name), func(t *testing.T) {
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("panic: %v", r)
						}
					}()
					m := r.MethodByName(name)
					var in []reflect.Value
					for j := range m.Type().NumIn() {
						if in = append(in, reflect.Zero(m.Type().In(j))); m.Type().In(j) == reflect.TypeFor[context.Context]() {
							in[j] = reflect.ValueOf(ctx)
						}
					}
					m.Call(in)
				})
			}
		}
	}
}

func TestNilOptionsChangeNothing(t *testing.T) {
	g, x := small(72)
	want := bits(must(Train(ctx, g, x, smallOptions(WithEpochs(2))...)).Embedding())
	var kept *Checkpoint
	save := func(c *Checkpoint) error { kept = c; return nil }
	with := append([]Option{nil, WithCheckpoints(1, save)}, smallOptions(WithEpochs(2), nil)...)
	if got := bits(must(Train(ctx, g, x, with...)).Embedding()); !slices.Equal(got, want) {
		t.Error("nil options change what is trained")
	}
	must(Resume(ctx, kept, g, x, nil))
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, WithEpochs(1), nil))
	// Nor do callbacks that are not there.
	must(Train(ctx, g, x, smallOptions(WithEpochs(1), WithProgress(nil), WithValidation(nil, 0, 0), WithCheckpoints(0, nil), WithNegatives(coles.NoNegatives()))...))
}

// Models that are not there refuse to work.
func TestNilModelsRefuse(t *testing.T) {
	g, x := small(73)
	wantRefusal(t, "Embed", coles.ErrEmpty, func() error { return second((*Model)(nil).Embed(ctx, g, x)) })
	wantRefusal(t, "Predict", coles.ErrEmpty, func() error { return second((*Classifier)(nil).Predict(ctx, g, x)) })
	wantRefusal(t, "Scores", coles.ErrEmpty, func() error { return second((*Classifier)(nil).Scores(ctx, g, x)) })
	wantRefusal(t, "WriteTo", coles.ErrEmpty, func() error { return second((*Classifier)(nil).WriteTo(nil)) })
	wantRefusal(t, "Resume", ErrCheckpoint, func() error { return second(Resume(ctx, nil, g, x)) })
}

func TestNilReadersAndWriters(t *testing.T) {
	g, x := small(74)
	labels := make([]int, g.Nodes())
	labels[0] = 1
	var kept *Checkpoint
	m := must(Train(ctx, g, x, smallOptions(WithEpochs(1), WithCheckpoints(1, func(c *Checkpoint) error { kept = c; return nil }))...))
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2}, WithEpochs(1)))
	for name, open := range map[string]func() error{
		"ReadModel":          func() error { return second(ReadModel(nil)) },
		"ReadClassifier":     func() error { return second(ReadClassifier(nil)) },
		"ReadCheckpoint":     func() error { return second(ReadCheckpoint(nil)) },
		"Model.WriteTo":      func() error { return second(m.WriteTo(nil)) },
		"Classifier.WriteTo": func() error { return second(k.WriteTo(nil)) },
		"Checkpoint.WriteTo": func() error { return second(kept.WriteTo(nil)) },
	} {
		wantRefusal(t, name, coles.ErrEmpty, open)
	}
}

// Every function that takes a context refuses a nil one.
func TestNilContext(t *testing.T) {
	var none context.Context
	g, x := small(82)
	labels := make([]int, g.Nodes())
	labels[0] = 1
	var kept *Checkpoint
	m := must(Train(ctx, g, x, smallOptions(WithEpochs(1), WithCheckpoints(1, func(c *Checkpoint) error { kept = c; return nil }))...))
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2}, WithEpochs(1)))
	for name, open := range map[string]func() error{
		"Train":           func() error { _, err := Train(none, g, x); return err },
		"Resume":          func() error { _, err := Resume(none, kept, g, x); return err },
		"TrainClassifier": func() error { _, err := TrainClassifier(none, g, x, labels, []int{0, 1}, []int{2}); return err },
		"Embed":           func() error { _, err := m.Embed(none, g, x); return err },
		"Scores":          func() error { _, err := k.Scores(none, g, x); return err },
		"Predict":         func() error { _, err := k.Predict(none, g, x); return err },
	} {
		t.Run(name, func(t *testing.T) { wantError(t, open(), coles.ErrSetting) })
	}
}
