package rivals

import (
	"testing"

	"coles/gnn"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestSparsestCutEqualsTorch(t *testing.T) {
	f := readFixture("sce")
	// N = s·I − B, and Tr(ZᵀNZ) does not change if B has a pair above the diagonal only.
	const s = 2
	negative := matrixOf(f.Rows("N"))
	var us, vs []int
	for i := range negative.Rows {
		for j := i; j < negative.Cols; j++ {
			pairs := -2 * negative.Data[i*negative.Stride+j]
			if i == j {
				pairs = s - negative.Data[i*negative.Stride+i]
			}
			for range int(pairs) {
				us, vs = append(us, i), append(vs, j)
			}
		}
	}
	trace := cut(f.Tape, f.variable("Z"), us, vs)
	testkit.WantNear(t, "the trace", trace.Scalar(), f.Number("trace"), 1e-12)
	f.check(t, f.Scale(f.Reciprocal(trace), f.Number("alpha")))
}

// Z = ½·(PXΘ₁ + P²XΘ₂Θ₃) by dense products, on a graph with weights and self loops.
func TestSCEEncoderByItsFormula(t *testing.T) {
	const n = 12
	g, x := weighted(n, 5)
	m := train(t, g, x, narrowed(SCE, gnn.Network{sceLayer(4)}, 2))

	p := testkit.DenseOf(g.CSR())
	for i := range n {
		p.Set(i, i, p.At(i, i)+1)
	}
	p = unitRows(p, 1)
	theta := func(name string) *mat.Dense {
		p, _ := m.Parameter("0." + name)
		return p
	}
	var want mat.Dense
	want.Add(testkit.Product(p, x, theta("near")), testkit.Product(p, p, x, theta("far"), theta("mix")))
	want.Scale(0.5, &want)
	testkit.WantClose(t, "embedding", m.Embedding(), &want, 1e-12)
}

// The negative graph is drawn once.
func TestSCEKeepsItsNegatives(t *testing.T) {
	losses := lossesAtRest(t, narrowed(SCE, gnn.Network{sceLayer(4)}, 3))
	if losses[0] != losses[1] || losses[1] != losses[2] {
		t.Errorf("losses %v of the same parameters", losses)
	}
}

// α scales the gradient alone, so that without decay Adam goes the same way, but for its ε.
func TestAlphaIsDeadUnderAdam(t *testing.T) {
	g, x := words(8, 30, 8)
	of := func(alpha float64) mat.Matrix {
		s := narrowed(SCE, gnn.Network{sceLayer(4)}, 10)
		s.Objective, s.Optimizer = sparsestCut(alpha), optim.Adam(1e-3)
		return train(t, g, x, s).Embedding()
	}
	// Entries of the gradient are some 10 here, of which ε = 1e-8 is 1e-9, in each of ten steps.
	testkit.WantClose(t, "ten times α", of(2e4), of(2e5), 1e-7)
}
