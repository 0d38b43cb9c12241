package gnn

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Files with a checksum that is right, and parts that do not belong together.

func TestModelOfAnotherPreparer(t *testing.T) {
	g, x := small(45)
	m := must(Train(ctx, g, x, smallOptions()...))
	other := must(coles.FitPreparation(ctx, mat.NewDense(40, 7, nil), coles.PrepareNone))
	var file bytes.Buffer
	must(modelFormat.Write(&file, modelHeader{Settings: m.settings, Report: m.report, Prepare: other, Factor: 1, Params: m.params}, arraysOf(m.params)...))
	wantRefusal(t, "Embed", coles.ErrShape, func() error {
		read, err := ReadModel(&file)
		if err != nil {
			return err
		}
		return second(read.Embed(ctx, g, mat.NewDense(40, 7, nil)))
	})
}

func TestDoctoredModels(t *testing.T) {
	g, x := small(45)
	m := must(Train(ctx, g, x, smallOptions()...))
	for name, c := range map[string]struct {
		factor  float64
		classes []int
		read    func(io.Reader) error
	}{
		"a factor of 0":       {0, nil, func(r io.Reader) error { return second(ReadModel(r)) }},
		"a factor below 0":    {-1, nil, func(r io.Reader) error { return second(ReadModel(r)) }},
		"classes of a model":  {1, []int{1, 2, 3, 4, 5}, func(r io.Reader) error { return second(ReadModel(r)) }},
		"no classes":          {1, nil, func(r io.Reader) error { return second(ReadClassifier(r)) }},
		"too few classes":     {1, []int{1, 2, 3, 4}, func(r io.Reader) error { return second(ReadClassifier(r)) }},
		"classes in no order": {1, []int{1, 2, 4, 3, 5}, func(r io.Reader) error { return second(ReadClassifier(r)) }},
	} {
		var file bytes.Buffer
		must(modelFormat.Write(&file, modelHeader{Settings: m.settings, Report: m.report, Prepare: m.prepare, Factor: c.factor, Params: m.params, Classes: c.classes}, arraysOf(m.params)...))
		wantRefusal(t, name, coles.ErrFormat, func() error { return c.read(&file) })
	}
}

func TestDoctoredCheckpoints(t *testing.T) {
	g, x := small(46)
	var c *Checkpoint
	must(Train(ctx, g, x, smallOptions(WithEpochs(3), WithCheckpoints(3, func(now *Checkpoint) error { c = now; return nil }))...))
	// narrow is the first weight for six features.
	narrow := c.params[0]
	narrow.Rows, narrow.data = 6, narrow.data[:6*narrow.Cols]
	for _, d := range []struct {
		name   string
		change func(h *checkpointHeader)
		want   error
	}{
		{"a classifier's objective", func(h *checkpointHeader) { h.Settings.Objective = Objective{kind: classObjective} }, coles.ErrSetting},
		{"other features", func(h *checkpointHeader) { h.Features, h.Params[0] = 6, narrow }, ErrCheckpoint},
		{"another fingerprint", func(h *checkpointHeader) { h.Fingerprint = "00" + h.Fingerprint[2:] }, ErrCheckpoint},
		{"more epochs than asked for", func(h *checkpointHeader) { h.Epoch, h.Steps = math.MaxInt/2, math.MaxInt/2 }, coles.ErrSetting},
		{"no epoch", func(h *checkpointHeader) { h.Epoch = 0 }, coles.ErrFormat},
		{"fewer steps than epochs", func(h *checkpointHeader) { h.Steps = 2 }, coles.ErrFormat},
		{"the best to come", func(h *checkpointHeader) { h.BestEpoch = 4 }, coles.ErrFormat},
		{"no precision", func(h *checkpointHeader) { h.Settings.Precision = coles.PrecisionAuto }, coles.ErrFormat},
		{"a width to be found", func(h *checkpointHeader) { h.Settings.Network = Network{GCN(AutoWidth)} }, coles.ErrFormat},
		{"parameters by other names", func(h *checkpointHeader) { h.Params[0].Name = "1.weight" }, coles.ErrFormat},
	} {
		h := c.header
		h.Params = slices.Clone(c.params)
		d.change(&h)
		h.Moments = false
		var file bytes.Buffer
		must(checkpointFormat.Write(&file, h, arraysOf(h.Params)...))
		wantRefusal(t, d.name, d.want, func() error {
			read, err := ReadCheckpoint(&file)
			if err != nil {
				return err
			}
			return second(Resume(ctx, read, g, x))
		})
	}
	wantRefusal(t, "fewer epochs than are done", coles.ErrSetting, func() error { return second(Resume(ctx, c, g, x, WithEpochs(2))) })
}

// tight is a disk with room for so many bytes.
type tight struct{ room int }

var errFull = errors.New("disk full")

func (w *tight) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWritersThatFail(t *testing.T) {
	g, x := small(47)
	labels := make([]int, 40)
	labels[0] = 1
	var c *Checkpoint
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(2)), WithCheckpoints(6, func(now *Checkpoint) error { c = now; return nil }))...))
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{0}, WithNetwork(GCN(AutoWidth)), WithEpochs(1)))
	for name, w := range map[string]io.WriterTo{"model": m, "checkpoint": c, "classifier": k} {
		size := len(fileOf(w))
		for room := range size {
			if n, err := w.WriteTo(&tight{room}); !errors.Is(err, errFull) || n != int64(room) {
				t.Fatalf("%s, room for %d of %d bytes: %d written, %v", name, room, size, n, err)
			}
		}
		if n, err := w.WriteTo(&tight{size}); err != nil || n != int64(size) {
			t.Errorf("%s, room for all: %d of %d bytes, %v", name, n, size, err)
		}
	}
}

// Files may follow one another in a stream.
func TestReadersTakeNoByteMore(t *testing.T) {
	var stream bytes.Buffer
	all := files(t)
	order := []string{"classifier", "model", "checkpoint", "model"}
	for _, name := range order {
		stream.Write(all[name].bytes)
	}
	for k, name := range order {
		if err := all[name].read(&stream); err != nil {
			t.Fatalf("%s, the file number %d: %v", name, k+1, err)
		}
	}
	if stream.Len() != 0 {
		t.Errorf("%d bytes are left", stream.Len())
	}
}
