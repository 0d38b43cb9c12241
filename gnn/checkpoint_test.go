package gnn

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"coles"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A training that goes on from any of its checkpoints has the bytes of one without interruption.
func TestResumedTrainingEqualsOneWithoutInterruption(t *testing.T) {
	g, x := small(8)
	type training struct {
		name  string
		opts  []Option
		order bool
	}
	anew := map[string]bool{"validation": true, "patience": true, "phases": true, "own layers and objective": true, "samples": true} // files hold no functions
	all := []training{
		{name: "validation", opts: []Option{withEpochs(9), WithValidation(2, 2, rising)}},
		{name: "patience", opts: []Option{withObjective(valley()), withEpochs(20), withPatience(3)}},
		{name: "phases", opts: []Option{withObjective(alternating()), withOptimizer(optim.Adam(0.1))}},
		{name: "rank", opts: []Option{withObjective(COLES(0)), withOptimizer(optim.Adam(0.01)), withRankStop(1.8), withEpochs(200)}},
		{name: "float32", opts: []Option{withPrecision(coles.Float32)}},
	}
	for _, c := range cases {
		all = append(all, training(c))
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			straight := trained(t, g, x, c.opts...)
			checkpoints := checkpointsOf(t, g, x, c.opts...)
			if e := straight.Report().Epochs; len(checkpoints) < 3 || c.name == "rank" && e == 200 {
				t.Fatalf("%d checkpoints, %d epochs: nothing to resume in the midst of, or no early stop", len(checkpoints), e)
			}
			for k, kept := range checkpoints {
				file := fileOf(kept)
				read := testkit.Must(ReadCheckpoint(bytes.NewReader(file)))
				if read.Epoch() != k+1 || !bytes.Equal(fileOf(read), file) {
					t.Fatalf("checkpoint %d is of epoch %d, or is written otherwise than it was read", k, read.Epoch())
				}
				var last *Checkpoint
				opts := []Option{WithCheckpoints(1, func(c *Checkpoint) error { last = c; return nil })}
				if anew[c.name] {
					opts = append(opts, c.opts...)
				}
				resumed := testkit.Must(Resume(ctx, read, g, x, opts...))
				if !slices.Equal(testkit.Bits(resumed.Embedding()), testkit.Bits(straight.Embedding())) {
					t.Errorf("resumed after epoch %d: another embedding", k+1)
				}
				if last != nil && !bytes.Equal(fileOf(last), fileOf(checkpoints[len(checkpoints)-1])) {
					t.Errorf("resumed after epoch %d: another last checkpoint", k+1)
				}
			}
		})
	}
}

func TestResumeRefusesWhatIsNotTheSame(t *testing.T) {
	g, x := small(9)
	other, words := small(10)
	networks := withNetwork(Dropout(0.2), GCN(3))
	c := checkpointsOf(t, g, x, networks)[2]
	for name, attempt := range map[string]func() (*Model, error){
		"another graph":                   func() (*Model, error) { return Resume(ctx, c, other, x) },
		"other features":                  func() (*Model, error) { return Resume(ctx, c, g, words) },
		"features that were sparse":       func() (*Model, error) { return Resume(ctx, c, g, x.ToDense()) },
		"another network":                 func() (*Model, error) { return Resume(ctx, c, g, x, withNetwork(GCN(3))) },
		"another precision":               func() (*Model, error) { return Resume(ctx, c, g, x, withPrecision(coles.Float32)) },
		"a seed that differs in its bits": func() (*Model, error) { return Resume(ctx, c, g, x, withSeed(1<<63)) },
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, testkit.Err(attempt()), ErrCheckpoint) })
	}
	testkit.WantError(t, testkit.Err(Resume(ctx, c, g, x, withEpochs(2))), coles.ErrSetting) // three are done
}

// A function that draws is in no file: it is given again, by its name it is the same.
func TestResumeWithAFunctionThatDraws(t *testing.T) {
	g, x := small(14)
	named := func(name string) Option {
		return With(func(s *Settings) {
			s.Negatives, s.Kappa, s.Eta = coles.NegativeFunc(name, coles.UniformNegatives(2).Sample), 1, 1
		})
	}
	straight := trained(t, g, x, named("mine"))
	file := fileOf(checkpointsOf(t, g, x, named("mine"))[2])
	read := testkit.Must(ReadCheckpoint(bytes.NewReader(file)))
	testkit.WantError(t, testkit.Err(Resume(ctx, read, g, x)), coles.ErrSetting)
	testkit.WantError(t, testkit.Err(Resume(ctx, read, g, x, named("another"))), ErrCheckpoint)
	resumed := testkit.Must(Resume(ctx, read, g, x, named("mine")))
	testkit.WantSame(t, "the embedding", testkit.Bits(resumed.Embedding()), testkit.Bits(straight.Embedding()))
}

// What a checkpoint cannot go on with as if nothing had happened is refused, and what it goes on
// without is forgotten.
func TestResumeByMoreEpochs(t *testing.T) {
	g, x := small(78)
	c := checkpointsOf(t, g, x, withEpochs(3), withSchedule(optim.Cosine(1)))[2]
	testkit.WantError(t, testkit.Err(Resume(ctx, c, g, x, withEpochs(6))), ErrCheckpoint)
	testkit.Must(Resume(ctx, c, g, x))

	falling := func(_ context.Context, epoch int, _ *mat.Dense) (float64, error) { return -float64(epoch), nil }
	c = checkpointsOf(t, g, x, withEpochs(3), WithValidation(1, 9, falling))[2]
	resumed := testkit.Must(Resume(ctx, c, g, x, withEpochs(6)))
	testkit.WantSame(t, "the embedding of the last epoch", testkit.Bits(resumed.Embedding()), testkit.Bits(trained(t, g, x).Embedding()))
}

// The scores of before an interruption are still known after it.
func TestResumedProgressKnowsTheScores(t *testing.T) {
	g, x := small(87)
	c := checkpointsOf(t, g, x, withEpochs(9), WithValidation(2, 9, rising))[4]
	c = testkit.Must(ReadCheckpoint(bytes.NewReader(fileOf(c))))
	var all []EpochReport
	var told []string
	testkit.Must(Resume(ctx, c, g, x, withEpochs(7), WithValidation(4, 9, rising), WithEpochReport(func(p EpochReport) { all = append(all, p) }),
		WithProgress(func(stage string, done, total int) { told = append(told, fmt.Sprint(stage, done, total)) })))
	testkit.WantSame(t, "progress", told, []string{"train5 7", "train6 7", "train7 7"})
	// After epoch 5 the newest judgement is the fourth epoch's, −|4 − 4|; the next is the eighth's.
	if first := all[0]; first.Epoch != 6 || first.Score != 0 || first.Best != 0 {
		t.Errorf("%+v", first)
	}
}
