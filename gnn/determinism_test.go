package gnn

import (
	"slices"
	"testing"

	"coles"
)

func TestTrainingDoesNotDependOnProcessors(t *testing.T) {
	g, x := small(5)
	for _, c := range cases {
		for _, precision := range []coles.Precision{coles.Float64, coles.Float32} {
			t.Run(c.name+", "+precision.String(), func(t *testing.T) {
				var want []uint64
				forProcessors(t, func(procs int) {
					m := must(Train(ctx, g, x, smallOptions(append(c.opts, WithPrecision(precision), WithEpochs(3))...)...))
					got := bits(m.Embedding())
					if want == nil {
						want = got
					}
					if !slices.Equal(got, want) {
						t.Errorf("other bytes with %d processors", procs)
					}
				})
			})
		}
	}
}

func TestSeedDecides(t *testing.T) {
	g, x := small(6)
	for _, c := range cases {
		train := func(seed uint64) []uint64 {
			return bits(must(Train(ctx, g, x, smallOptions(append(c.opts, WithSeed(seed))...)...)).Embedding())
		}
		if !slices.Equal(train(1), train(1)) {
			t.Errorf("%s: the same seed gives other bytes", c.name)
		}
		if slices.Equal(train(1), train(2)) {
			t.Errorf("%s: another seed gives the same bytes", c.name)
		}
	}
}

// Float32 follows Float64: 1e-3 is some thousand roundings of 1e-7, grown over six steps.
func TestPrecisionsAgree(t *testing.T) {
	g, x := small(7)
	for _, c := range cases {
		double := must(Train(ctx, g, x, smallOptions(c.opts...)...)).Embedding()
		single := must(Train(ctx, g, x, smallOptions(append(c.opts, WithPrecision(coles.Float32))...)...)).Embedding()
		if d := maxDiff(single, double); !(d < 1e-3) {
			t.Errorf("%s: off by %.2g", c.name, d)
		}
	}
}
