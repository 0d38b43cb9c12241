package coles_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"coles/internal/race"

	"coles"
)

func TestFitStopsPromptly(t *testing.T) {
	g := randomSparseGraph(86, 20_000, 100_000)
	x := randomDense(random(87), 20_000, 300)
	for _, opts := range [][]coles.Option{
		{coles.WithSolver(coles.SolverDirect)},
		{coles.WithSolver(coles.SolverKrylov)},
		{coles.WithNegatives(coles.UniformNegatives(20)), coles.WithKappa(50)},
	} {
		wantPromptCancel(t, func(ctx context.Context) error {
			_, err := coles.Fit(ctx, g, x, opts...)
			return err
		})
	}
	wantPromptCancel(t, func(ctx context.Context) error {
		_, err := coles.Fit(ctx, g, nil)
		return err
	})
}

// Every stage is cancelled at its beginning and, where it says so, in its midst.
func TestFitStopsPromptlyInEveryStage(t *testing.T) {
	n, d := 6000, 800
	if race.Enabled {
		n, d = 2000, 300
	}
	g := randomSparseGraph(88, n, 5*n)
	words, _ := randomWords(random(89), n, d)
	at := func(stage string, done int) coles.Progress { return coles.Progress{Stage: stage, Done: done} }
	for solver, moments := range map[coles.Solver][]coles.Progress{
		coles.SolverDirect: {at("prepare", 0), at("prepare", 1), at("filter", 0), at("solve", 0), at("solve", 1), at("embed", 0)},
		coles.SolverKrylov: {at("prepare", 0), at("prepare", 2), at("solve", 0), at("embed", 0)},
	} {
		for _, moment := range moments {
			t.Run(fmt.Sprint(solver, ", ", moment.Stage, " ", moment.Done), func(t *testing.T) {
				wantPrompt(t, func() time.Duration {
					stoppable, cancel := context.WithCancel(ctx)
					defer cancel()
					var asked time.Time
					_, err := coles.Fit(stoppable, g, words, coles.WithSolver(solver), coles.WithProgress(func(p coles.Progress) {
						if asked.IsZero() && p.Stage == moment.Stage && p.Done >= moment.Done {
							asked = time.Now()
							cancel()
						}
					}))
					if asked.IsZero() {
						t.Fatal("the stage was never reached")
					}
					if !errors.Is(err, context.Canceled) {
						t.Errorf("error is %v, want context.Canceled", err)
					}
					return time.Since(asked)
				})
			})
		}
	}
}

func TestDrawingStopsPromptly(t *testing.T) {
	g := randomSparseGraph(90, 40_000, 100_000)
	for _, s := range []coles.NegativeSampler{coles.UniformNegatives(50), coles.ErdosRenyiNegatives(0.003)} {
		wantPromptCancel(t, func(ctx context.Context) error {
			_, err := s.Sample(ctx, g, 1)
			return err
		})
	}
}
