package gnn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"coles"
	"coles/internal/archive"

	"gonum.org/v1/gonum/mat"
)

// rising is a score that has its best in the middle of a training.
func rising(_ context.Context, epoch int, _ *mat.Dense) (float64, error) {
	return -math.Abs(float64(epoch) - 4), nil
}

func TestResumedTrainingEqualsOneWithoutInterruption(t *testing.T) {
	g, x := small(8)
	judged := []struct {
		name string
		opts []Option
	}{
		{"validation", []Option{WithEpochs(9), WithValidation(rising, 2, 2)}},
		{"rank", []Option{WithObjective(COLES(0)), WithOptimizer(Adam(0.01)), WithRankStop(1.8), WithEpochs(200)}},
		{"float32", []Option{WithPrecision(coles.Float32)}},
	}
	for _, c := range append(cases, judged...) {
		t.Run(c.name, func(t *testing.T) {
			var files [][]byte
			keep := WithCheckpoints(1, func(c *Checkpoint) error {
				files = append(files, fileOf(c))
				return nil
			})
			straight := must(Train(ctx, g, x, smallOptions(append(c.opts, keep)...)...))
			if e := straight.Report().Epochs; len(files) < 3 || c.name == "rank" && e == 200 {
				t.Fatalf("%d checkpoints, %d epochs: nothing to resume in the midst of, or no early stop", len(files), e)
			}
			for k, file := range files {
				c1 := must(ReadCheckpoint(bytes.NewReader(file)))
				if c1.Epoch() != k+1 || !bytes.Equal(fileOf(c1), file) {
					t.Fatalf("checkpoint %d is of epoch %d, or is written otherwise than it was read", k, c1.Epoch())
				}
				var last *Checkpoint
				opts := []Option{WithCheckpoints(1, func(c *Checkpoint) error { last = c; return nil })}
				if c.name == "validation" {
					opts = append(opts, WithValidation(rising, 2, 2))
				}
				resumed := must(Resume(ctx, c1, g, x, opts...))
				if !slices.Equal(bits(resumed.Embedding()), bits(straight.Embedding())) {
					t.Errorf("resumed after epoch %d: another embedding", k+1)
				}
				if k+1 < len(files) && !bytes.Equal(fileOf(last), files[len(files)-1]) {
					t.Errorf("resumed after epoch %d: another last checkpoint", k+1)
				}
			}
		})
	}
}

func TestResumeRefusesWhatIsNotTheSame(t *testing.T) {
	g, x := small(9)
	other, words := small(10)
	var c *Checkpoint
	must(Train(ctx, g, x, smallOptions(WithCheckpoints(3, func(now *Checkpoint) error { c = now; return nil }))...))
	for name, attempt := range map[string]func() (*Model, error){
		"another graph":     func() (*Model, error) { return Resume(ctx, c, other, x) },
		"other features":    func() (*Model, error) { return Resume(ctx, c, g, words) },
		"another network":   func() (*Model, error) { return Resume(ctx, c, g, x, WithNetwork(GCN(3))) },
		"another precision": func() (*Model, error) { return Resume(ctx, c, g, x, WithPrecision(coles.Float32)) },
		"no checkpoint":     func() (*Model, error) { return Resume(ctx, nil, g, x) },
	} {
		if _, err := attempt(); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := Resume(ctx, c, g, x, WithEpochs(9)); err != nil || m.Report().Epochs != 9 {
		t.Errorf("more epochs: %v", err)
	}
}

func TestCheckpointThatCannotBeSavedEndsTheTraining(t *testing.T) {
	g, x := small(11)
	full := errors.New("no space left")
	_, err := Train(ctx, g, x, smallOptions(WithCheckpoints(2, func(*Checkpoint) error { return full }))...)
	wantError(t, err, full)
}

// files are one of each kind, and what reads them.
func files(t *testing.T) map[string]struct {
	of    io.WriterTo
	bytes []byte
	read  func(io.Reader) error
} {
	t.Helper()
	g, x := small(12)
	var c *Checkpoint
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(3)), WithCheckpoints(6, func(now *Checkpoint) error { c = now; return nil }))...))
	labels := make([]int, 40)
	labels[0], labels[2] = 7, 7
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, WithNetwork(GCN(AutoWidth)), WithEpochs(2)))
	type file = struct {
		of    io.WriterTo
		bytes []byte
		read  func(io.Reader) error
	}
	return map[string]file{
		"model":      {m, fileOf(m), func(r io.Reader) error { _, err := ReadModel(r); return err }},
		"checkpoint": {c, fileOf(c), func(r io.Reader) error { _, err := ReadCheckpoint(r); return err }},
		"classifier": {k, fileOf(k), func(r io.Reader) error { _, err := ReadClassifier(r); return err }},
	}
}

// A limitedWriter takes so many bytes and then fails.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	n := w.left
	w.left = 0
	return n, w.err
}

func TestFailingWriterIsReported(t *testing.T) {
	broken := errors.New("the disk is full")
	for name, f := range files(t) {
		for at := range f.bytes {
			if n, err := f.of.WriteTo(&limitedWriter{left: at, err: broken}); !errors.Is(err, broken) || n != int64(at) {
				t.Fatalf("%s: the writer fails at byte %d: %d bytes, %v", name, at, n, err)
			}
			if _, err := f.of.WriteTo(&limitedWriter{left: at}); !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("%s: the writer stops without an error at byte %d: %v", name, at, err)
			}
		}
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	for name, f := range files(t) {
		if err := f.read(iotest.OneByteReader(bytes.NewReader(f.bytes))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		broken := errors.New("the cable came out")
		for at := range f.bytes {
			damaged := bytes.Clone(f.bytes)
			damaged[at] ^= 0x11
			for _, b := range [][]byte{f.bytes[:at], damaged} {
				if err := f.read(bytes.NewReader(b)); !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) {
					t.Fatalf("%s, damaged at byte %d of %d: %v", name, at, len(f.bytes), err)
				}
			}
			if err := f.read(io.MultiReader(bytes.NewReader(f.bytes[:at]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
				t.Fatalf("%s: the reader fails at byte %d: %v", name, at, err)
			}
		}
		for other, g := range files(t) {
			if err := g.read(bytes.NewReader(f.bytes)); (err == nil) != (name == other) {
				t.Errorf("a %s read as a %s: %v", name, other, err)
			}
		}
	}
}

// Headers that are JSON of the right shape but declare what cannot be.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	g, x := small(13)
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(3)))...))
	for name, spoil := range map[string]func(h *modelHeader){
		"a parameter of 2⁴⁰ rows": func(h *modelHeader) { h.Params[0].Rows = min(1<<40, math.MaxInt) },
		"2⁴⁰ features": func(h *modelHeader) {
			h.Report.Features = min(1<<40, math.MaxInt)
			h.Params[0].Rows = min(1<<40, math.MaxInt)
		},
		"a width of 2⁴⁰": func(h *modelHeader) {
			h.Settings.Network = Network{GCN(min(1<<40, math.MaxInt))}
			h.Params[0].Cols, h.Params[1].Cols = min(1<<40, math.MaxInt), min(1<<40, math.MaxInt)
		},
		"no preparer":         func(h *modelHeader) { h.Prepare = nil },
		"no factor":           func(h *modelHeader) { h.Factor = 0 },
		"a parameter missing": func(h *modelHeader) { h.Params = h.Params[:1] },
		"no layers":           func(h *modelHeader) { h.Settings.Network = nil },
	} {
		h := modelHeader{Settings: m.settings, Report: m.report, Prepare: m.prepare, Factor: 1, Params: slices.Clone(m.params)}
		spoil(&h)
		var b bytes.Buffer
		must(modelFormat.Write(&b, h))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadModel(&b)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, archive.ErrFormat) && !errors.Is(err, archive.ErrChecksum) {
			t.Errorf("%s: %v", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
			t.Errorf("%s: %d bytes taken", name, taken)
		}
	}
}

// A function that draws is in no file: it is given again, by its name it is the same.
func TestResumeWithAFunctionThatDraws(t *testing.T) {
	g, x := small(14)
	mine := coles.NegativeFunc("mine", coles.UniformNegatives(2).Sample)
	var file []byte
	straight := must(Train(ctx, g, x, smallOptions(WithNegatives(mine), WithCheckpoints(3, func(c *Checkpoint) error {
		if c.Epoch() == 3 {
			file = fileOf(c)
		}
		return nil
	}))...))
	read := must(ReadCheckpoint(bytes.NewReader(file)))
	_, err := Resume(ctx, read, g, x)
	wantError(t, err, coles.ErrSetting)
	_, err = Resume(ctx, read, g, x, WithNegatives(coles.NegativeFunc("another", coles.UniformNegatives(2).Sample)))
	wantError(t, err, ErrCheckpoint)
	resumed := must(Resume(ctx, read, g, x, WithNegatives(mine)))
	if !slices.Equal(bits(resumed.Embedding()), bits(straight.Embedding())) {
		t.Error("resumed: another embedding")
	}
}

// What a checkpoint cannot go on with as if nothing had happened is refused, and what
// it goes on without is forgotten.
func TestResumeByMoreEpochs(t *testing.T) {
	g, x := small(78)
	var kept *Checkpoint
	keep := WithCheckpoints(1, func(c *Checkpoint) error { kept = c; return nil })
	must(Train(ctx, g, x, smallOptions(WithEpochs(3), WithSchedule(Cosine(1)), keep)...))
	_, err := Resume(ctx, kept, g, x, WithEpochs(6))
	wantError(t, err, ErrCheckpoint)
	must(Resume(ctx, kept, g, x))

	falling := func(_ context.Context, epoch int, _ *mat.Dense) (float64, error) { return -float64(epoch), nil }
	must(Train(ctx, g, x, smallOptions(WithEpochs(3), WithValidation(falling, 1, 9), keep)...))
	resumed := must(Resume(ctx, kept, g, x, WithEpochs(6)))
	if want := must(Train(ctx, g, x, smallOptions(WithEpochs(6))...)); !mat.Equal(resumed.Embedding(), want.Embedding()) {
		t.Error("without the validation it is not the last epoch that stands")
	}
}
