package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
)

// Random labels of each kind, of which neither graph nor features know anything, are predicted by chance, and that is
// what is said, by the choice and by what then learns from the embedding chosen.
func TestRandomLabelsAreChance(t *testing.T) {
	const n, known = 150, 120
	draws := testkit.Few(6, 40)
	d := testkit.Must(synthetic.Communities{Nodes: n, Classes: 3, Degree: 4, Features: 30, Homophily: 0.7, Topic: 0.6, Seed: 4}.Generate(context.Background()))
	g := testkit.Must(d.Graph())
	small := coles.With(func(s *coles.Settings) { s.Dim = 8 })
	how := Smoothing{Seed: 1}
	for name, c := range map[string]struct {
		chance, deviation float64 // of one draw
		of                func(seed uint64) Labels
		learnt            func(l Labels, c *Choice) float64
	}{
		"classes": {0.5, 0.5 / math.Sqrt(known), func(seed uint64) (l Labels) {
			l.Classes = slices.Repeat([]int{-1}, n)
			for i, q := range testkit.Random(seed).Perm(known) {
				l.Classes[i] = q % 2
			}
			return l
		}, func(l Labels, c *Choice) float64 {
			return testkit.Must(LogisticRegression{Cs: []float64{0.25, 4}}.LearnSmoothed(context.Background(), g, c.Model.Embedding(), l.Classes, how)).Found.Accuracy()
		}},
		"several": {0.25, 0.45 / math.Sqrt(known), func(seed uint64) (l Labels) {
			l.Sets = make([][]int, n)
			for i, q := range testkit.Random(seed).Perm(known) {
				l.Sets[i] = []int{q % 4}
			}
			return l
		}, func(l Labels, c *Choice) float64 {
			return testkit.Must(LogisticRegression{Cs: []float64{0.25, 4}}.LearnSets(context.Background(), g, c.Model.Embedding(), l.Sets, how)).Found.MicroKnown
		}},
		// R² of the mean of the others is 0, and what a fit adds to its errors makes it less.
		"numbers": {0, 0.05, func(seed uint64) (l Labels) {
			l.Values = testkit.Normal(n, 1, 1, seed).RawMatrix().Data
			for i := known; i < n; i++ {
				l.Values[i] = math.NaN()
			}
			return l
		}, func(l Labels, c *Choice) float64 {
			return testkit.Must(LearnSmoothedRidge(context.Background(), g, c.Model.Embedding(), l.Values, how)).Found.R2
		}},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, learnt := 0.0, 0.0
			for k := range draws {
				l := c.of(uint64(500 + k))
				choice := testkit.Must(ChooseModel(context.Background(), g, d.Features, l, how, small))
				chosen += choice.Score / float64(draws)
				learnt += c.learnt(l, choice) / float64(draws)
			}
			// As many of a class as of another leave fewer of it for the other parts, which lowers what is right by a point or two.
			for _, found := range []float64{chosen, learnt} {
				if noise := 3 * c.deviation / math.Sqrt(float64(draws)); found > c.chance+noise || found < c.chance-noise-0.02 {
					t.Errorf("%.4f in %d draws, chance is %.3f ± %.3f", found, draws, c.chance, noise)
				}
			}
		})
	}
}
