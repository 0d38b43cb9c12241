package live_test

import (
	"errors"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// Any history of additions is refused with an error or ends in the M of a fit from scratch. The
// ring is long enough for additions to leave most of it alone. Three bytes of the history are an
// edge and its weight, from 128 up with a new node or three.
func FuzzAdd(f *testing.F) {
	f.Add(uint64(1), []byte{1, 2, 3, 200, 9, 30})
	f.Add(uint64(2), []byte{255, 0, 0, 7, 7, 7, 1, 1})
	f.Add(uint64(3), []byte{128, 12, 11, 128, 11, 12})
	f.Add(uint64(28), []byte{130, 60, 3, 3, 60, 61, 5, 60, 3, 131, 62, 62, 4, 62, 62, 2, 62, 9})
	f.Fuzz(func(t *testing.T, seed uint64, bytes []byte) {
		const n, d = 60, 4
		bytes = bytes[:min(len(bytes), 60)]
		rng := testkit.Random(seed)
		filters := []coles.Filter{coles.SGC(2), coles.SGC(0), coles.S2GCSum(3), coles.Polynomial(0.1, -0.4, 0.2)}
		negatives := []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.ExpectedUniformNegatives(), {}}
		h := ring(testkit.RandomDense(rng, n+3*len(bytes), d), n, 1,
			coles.With(func(s *coles.Settings) {
				s.Dim = d
				s.Preparation = coles.PrepareNone
				if s.Kind = coles.Kind(1 + seed/12%2); s.Kind == coles.UseFeatures {
					return // which has no use for the others
				}
				s.Filter = filters[seed%4]
				s.Negatives = negatives[seed/4%3]
				if s.Negatives == (coles.NegativeSampler{}) {
					s.Kappa, s.Eta = 0, 0
				}
			}))
		h.loops = seed/24%2 > 0
		h.edges, h.weights = append(h.edges, coles.Edge{U: 7, V: 7}), append(h.weights, 2)
		_, g := h.follow(n)
		for ; len(bytes) >= 3; bytes = bytes[3:] {
			what := live.Change{
				Edges:   []coles.Edge{{U: int(bytes[1] % 80), V: int(bytes[2] % 80)}},
				Weights: []float64{[]float64{1, 0.5, 3, 0, 1e-3, 50, 1.5, 2}[bytes[0]%8]},
			}
			if now := g.Nodes(); bytes[0] >= 128 {
				what.Features = h.features(now, now+1+int(bytes[0]%3))
			}
			if _, err := g.Add(ctx, what); err != nil {
				if !errors.Is(err, coles.ErrIndex) {
					t.Fatal(err)
				}
				continue
			}
			h.edges, h.weights = append(h.edges, what.Edges...), append(h.weights, what.Weights...)
		}
		wantM(t, g, h.fit(g.Nodes()))
	})
}

// Whatever joins a frozen graph is refused by a named error or has the vectors of the formula.
func FuzzFrozen(f *testing.F) {
	f.Add([]byte{20, 3, 1, 21, 20, 5}, []byte{0x40, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0, 1, 9, 20, 20, 9, 22, 20, 0}, []byte{0x7f, 0xf0, 0, 0, 0, 0, 0, 0, 0x7f, 0xef, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	const n, d = 20, 3
	h := ring(testkit.RandomDense(testkit.Random(15), n, d), n, 2, coles.With(func(s *coles.Settings) { s.Preparation, s.Filter = coles.PrepareNone, coles.SGC(2) }))
	m, _ := h.follow(n)
	frozen := testkit.Must(live.Freeze(ctx, m, h.graph(n), h.x))
	f.Fuzz(func(t *testing.T, bytes, numbers []byte) {
		x := mat.NewDense(2, d, nil)
		for q, v := range floats(numbers[:min(len(numbers), 8*2*d)]) {
			x.Set(q/d, q%d, v)
		}
		var edges []coles.Edge
		var weights []float64
		for bytes = bytes[:min(len(bytes), 90)]; len(bytes) >= 3; bytes = bytes[3:] {
			edges = append(edges, coles.Edge{U: int(bytes[0] % 24), V: int(bytes[1] % 24)})
			weights = append(weights, float64(bytes[2])/8)
		}
		got, err := frozen.Embed(ctx, x, edges, weights)
		if err != nil {
			if !testkit.IsNamed(err) {
				t.Fatal(err)
			}
			return
		}
		var all mat.Dense
		all.Stack(h.x, x)
		want := frozenOracle(m, h.graph(n), &all, edges, weights)
		// Relative to the largest number there is, since sums may cancel. Squares overflow before
		// it does.
		if largest := max(1, mat.Norm(&all, 2), mat.Norm(want, 2)); largest < 1e150 {
			testkit.WantClose(t, "vectors", got, want, 1e-5*largest)
		}
	})
}

// floats are numbers as bytes hold them, eight for each, of every kind that there is: for fuzzing.
func floats(data []byte) []float64 {
	var out []float64
	for ; len(data) >= 8; data = data[8:] {
		bits := uint64(0)
		for _, b := range data[:8] {
			bits = bits<<8 | uint64(b)
		}
		out = append(out, math.Float64frombits(bits))
	}
	return out
}
