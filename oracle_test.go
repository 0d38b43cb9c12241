package coles_test

import (
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An oracleModel is what the NumPy oracle of the default setting, which looks at no line of this
// module, makes of a graph: eigenvalues, P, the direction v and the embedding.
type oracleModel struct {
	Lam  []float64
	P, E [][]float64
	V    []float64
	Gram [][]float64 // of some rows of the embedding
}

func matrixOf(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

// wantOracle compares λ, P, v and EEᵀ, or that of every 180th row.
func wantOracle(t *testing.T, m *coles.Model, want oracleModel) {
	t.Helper()
	const tolerance = 1e-9
	lambda := m.Lambda()
	if len(lambda) != len(want.Lam) {
		t.Fatalf("%d eigenvalues, want %d", len(lambda), len(want.Lam))
	}
	if off := floats.Distance(lambda, want.Lam, math.Inf(1)); off > tolerance*want.Lam[0] {
		t.Errorf("eigenvalues are off by %.2g of %.2g", off, want.Lam[0])
	}
	if want.P != nil {
		dots := testkit.Product(m.P(), matrixOf(want.P).T())
		dots.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, dots)
		testkit.WantClose(t, "P, as directions", dots, eye(len(lambda)), tolerance)
	}
	v := m.Directions().RawRowView(m.Report().Dim - 1)
	for j, x := range want.V {
		if math.Abs(v[j]-x) > tolerance {
			t.Errorf("v is %v at %d, want %v", v[j], j, x)
		}
	}
	e, gram := m.Embedding(), new(mat.Dense)
	if want.E != nil {
		gram.Mul(matrixOf(want.E), matrixOf(want.E).T())
	} else {
		n, d := e.Dims()
		some := mat.NewDense(len(want.Gram), d, nil)
		for k, i := 0, 0; i < n; k, i = k+1, i+180 {
			some.SetRow(k, e.RawRowView(i))
		}
		e, gram = some, matrixOf(want.Gram)
	}
	testkit.WantClose(t, "EEᵀ", testkit.Product(e, e.T()), gram, tolerance*mat.Max(gram))
}

// Counts and stored reals on a graph of 36 nodes, d′ = 8, with an effective rank that chooses γ; and
// the default on Cora. The oracle is given d′ − 1 where it adds the column of degrees.
func TestDefaultEqualsOracle(t *testing.T) {
	f := testkit.ReadFixture("testdata", "oracle.json")
	var list []coles.Edge
	for _, e := range f.Rows("edges") {
		list = append(list, coles.Edge{U: int(e[0]), V: int(e[1])})
	}
	g := testkit.Must(coles.NewGraph(36, list))
	kinds := map[string]coles.ModelKind{"graph": coles.GraphModel, "features": coles.FeatureModel}
	of := func(f testkit.Fixture, kind string) (want oracleModel) {
		f.Decode(kind, &want)
		return want
	}
	exact := []coles.Option{coles.WithSolver(coles.SolverDirect), coles.WithPrecision(coles.Float64)}
	for name, how := range map[string]coles.Preparation{"counts": coles.PrepareDampedCounts, "reals": coles.PrepareDampedTFIDF} {
		c := f.Inner(name)
		x := matrixOf(c.Rows("x"))
		testkit.WantSame(t, name, testkit.Must(coles.PrepareAuto.Fit(ctx, x)).Preparation(), how)
		testkit.WantClose(t, name+", prepared", prepared(x, coles.PrepareAuto), matrixOf(c.Rows("prepared")), 1e-14)
		for kind, model := range kinds {
			t.Run(name+", "+kind, func(t *testing.T) {
				opts := append(exact, coles.WithModel(model), coles.WithDim(8), coles.WithScaling(coles.ScalingRule{Rank: 5, Floor: 2, Norm: 4}))
				wantOracle(t, fitted(g, x, opts...), of(c, kind))
			})
		}
	}
	for kind, model := range kinds {
		t.Run(fmt.Sprint("cora, ", kind), func(t *testing.T) {
			skipUnderRace(t)
			d, g := openGraph(t, "cora")
			wantOracle(t, fitted(g, d.Features, append(exact, coles.WithModel(model))...), of(f.Inner("cora"), kind))
		})
	}
}
