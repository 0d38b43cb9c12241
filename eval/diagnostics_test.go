package eval

import (
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// diagnosticCases is what testdata/diagnostics.py wrote; its head tells what the
// fields hold.
type diagnosticCases struct {
	Unit    float64
	Graphs  []graphCase
	Samples []samplesCase
}

type graphCase struct {
	X            [][]float64
	Edges, Pairs [][2]int
	Triples      [][3]int
	Labels       []int

	Node, Edge, Random    float64
	Dots, Repel           []float64
	Alpha, Align, Attract float64
	T, Uniform            float64
	Rank, Sep             float64
}

type samplesCase struct {
	X, Y             []float64
	H                float64
	Points           int
	Scott, Silverman float64
	At, Density      []float64
	JS, W            float64
	P, Q             []float64
	Discrete         float64
}

func openDiagnostics(t *testing.T) *diagnosticCases {
	t.Helper()
	cases := openCases[diagnosticCases](t, "diagnostics")
	if len(cases.Graphs) != 1000 || len(cases.Samples) != 1000 {
		t.Fatalf("%d graphs and %d samples, want 1000 of each", len(cases.Graphs), len(cases.Samples))
	}
	return cases
}

func (c graphCase) matrix(unit float64) *mat.Dense {
	x := mat.NewDense(len(c.X), len(c.X[0]), nil)
	for i, row := range c.X {
		for j, v := range row {
			x.Set(i, j, v/unit)
		}
	}
	return x
}

func (c graphCase) graph(t *testing.T) *coles.Graph {
	t.Helper()
	g, err := coles.NewGraph(len(c.X), toEdges(c.Edges))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func toEdges(pairs [][2]int) []coles.Edge {
	edges := make([]coles.Edge, len(pairs))
	for q, p := range pairs {
		edges[q] = coles.Edge{U: p[0], V: p[1]}
	}
	return edges
}

func divided(x []float64, unit float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / unit
	}
	return y
}

// comparer tells the numbers that differ from the fixture's by more than 1e-12 of
// it or, where numbers of the size of floor cancel, of floor.
type comparer struct {
	*testing.T
	index int
}

func (c comparer) equal(what string, got, want, floor float64, err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("case %d, %s: %v", c.index, what, err)
	}
	if !(math.Abs(got-want) <= 1e-12*max(math.Abs(want), floor)) {
		c.Errorf("case %d, %s: %v, want %v", c.index, what, got, want)
	}
}

func TestGraphDiagnosticsEqualSciPy(t *testing.T) {
	cases := openDiagnostics(t)
	for i, c := range cases.Graphs {
		is := comparer{t, i}
		g, x := c.graph(t), c.matrix(cases.Unit)
		edges, pairs := toEdges(c.Edges), toEdges(c.Pairs)
		got, err := NodeHomophily(g, c.Labels)
		is.equal("node homophily", got, c.Node, 0, err)
		got, err = EdgeHomophily(g, c.Labels)
		is.equal("edge homophily", got, c.Edge, 0, err)
		got, err = ExpectedHomophily(c.Labels)
		is.equal("expected homophily", got, c.Random, 0, err)
		for _, form := range []mat.Matrix{x, toCSR(x)} {
			scores, err := PairScores(background, form, pairs)
			for q, want := range c.Dots {
				is.equal("score", scores[q], want/cases.Unit/cases.Unit, 0, err)
			}
			got, err = Alignment(background, form, edges, c.Alpha)
			is.equal("alignment", got, c.Align, 0, err)
			// The logarithms of means near 1 are near 0.
			got, err = Uniformity(background, form, c.T)
			is.equal("uniformity", got, c.Uniform, 1, err)
			got, err = ContrastAlignment(background, form, edges)
			is.equal("contrast alignment", got, c.Attract, 0, err)
			for k, p := range []float64{0, 1, -1, 2} {
				got, err = ContrastUniformity(background, form, pairs, p)
				is.equal("contrast uniformity", got, c.Repel[k], 1, err)
			}
			got, err = EffectiveRank(background, form)
			is.equal("effective rank", got, c.Rank, 0, err)
			got, err = MeanSeparation(background, form, triplesOf(c.Triples))
			is.equal("separation", got, c.Sep, 0, err)
		}
	}
}

func triplesOf(triples [][3]int) []Triple {
	out := make([]Triple, len(triples))
	for q, t := range triples {
		out[q] = Triple{Node: t[0], Positive: t[1], Negative: t[2]}
	}
	return out
}

func TestSampleDiagnosticsEqualSciPy(t *testing.T) {
	cases := openDiagnostics(t)
	for i, c := range cases.Samples {
		is := comparer{t, i}
		x, y := divided(c.X, cases.Unit), divided(c.Y, cases.Unit)
		got, err := ScottBandwidth(x)
		is.equal("Scott's bandwidth", got, c.Scott, 0, err)
		got, err = SilvermanBandwidth(x)
		is.equal("Silverman's bandwidth", got, c.Silverman, 0, err)
		density, err := ParzenDensity(background, x, divided(c.At, cases.Unit), c.H)
		for q, want := range c.Density {
			is.equal("density", density[q], want, 0, err)
		}
		got, err = JensenShannonOfSamples(background, x, y, c.Points, c.H)
		is.equal("divergence of samples", got, c.JS, 0, err)
		got, err = Wasserstein(x, y)
		is.equal("Wasserstein distance", got, c.W, 0, err)
		got, err = JensenShannon(c.P, c.Q)
		// Its terms, of either sign and up to log 2, cancel for like distributions.
		is.equal("divergence", got, c.Discrete, math.Ln2, err)
	}
}
