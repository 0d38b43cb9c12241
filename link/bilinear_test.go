package link

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// TestOneOfSeveralKinds: papers 0 to 39 and authors 40 to 59, whose vectors tell groups of five, by edges that are not there,
// too; 60 has edges of other kinds alone. What rows are asked for is the formula with dense matrices and inverses.
func TestOneOfSeveralKinds(t *testing.T) {
	ctx, n, d := context.Background(), 61, 7
	y, sides := testkit.Normal(n, d, 0.3, 5), make([]bool, n)
	var edges []coles.Edge
	for u := range n - 1 {
		sides[u] = u >= 40
		y.Set(u, u%5, y.At(u, u%5)+1)
		for v := 40; v < 60 && u < 40; v++ {
			if u%5 == v%5 && (u+v)%3 > 0 {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	g := testkit.Must(coles.NewGraph(n, edges))
	units, _, err := matrix.Unit(ctx, testkit.Must(given.Read(ctx, y)))
	testkit.Must(0, err)
	got := matrix.ToDense(testkit.Must(bilinear(ctx, g, units)).Dense)

	z, ends := mat.DenseCopyOf(matrix.ToDense(units.Dense)), mat.NewDense(n, d, nil)
	for u := range n - 1 {
		ends.SetRow(u, z.RawRowView(u))
	}
	var gram, inverse, w, asks mat.Dense
	gram.Mul(ends.T(), ends)
	for k := range d {
		gram.Set(k, k, gram.At(k, k)+1)
	}
	testkit.Must(0, inverse.Inverse(&gram))
	w.Product(&inverse, ends.T(), g.CSR().ToDense(), ends, &inverse)
	asks.Mul(z, &w)
	for u := range n {
		length := mat.Norm(asks.RowView(u), 2)
		for k := range d {
			if want := asks.At(u, k)/length + z.At(u, k)/2; math.Abs(got.At(u, k)-want) > 1e-12 {
				t.Fatalf("row %d: %v, want %v", u, got.At(u, k), want)
			}
		}
	}

	embed := func(context.Context, *coles.Graph) (mat.Matrix, error) { return y, nil }
	r := testkit.Must(Fit(ctx, g, Options{Sides: sides, Embed: embed, OneOfSeveral: true, VectorsAlone: true}))
	if r.Worth.Recall != r.Worth.Vectors || r.Worth.Vectors < 0.9 {
		t.Errorf("%v", r.Worth)
	}
	for q, found := range testkit.Must(r.Recommend(ctx, []int{0, 60}, 3, nil)) {
		u, last := []int{0, 60}[q], math.Inf(1)
		for _, m := range found {
			s := mat.Dot(got.RowView(u), z.RowView(m.Row))
			if m.Row < 40 || m.Row == 60 || s > last {
				t.Errorf("%d is recommended to %d, by %v behind %v", m.Row, u, s, last)
			}
			last = s
		}
		if len(found) != 3 || u == 0 && found[0].Row%5 != 0 {
			t.Errorf("node %d: %v", u, found)
		}
	}
	testkit.WantError(t, testkit.Err(Fit(ctx, g, Options{OneOfSeveral: true})), coles.ErrSetting)
}
