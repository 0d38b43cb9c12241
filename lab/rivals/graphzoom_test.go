package rivals

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/embedtest"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// smallZoom is GraphZoom with little of everything.
func smallZoom() GraphZoom {
	z := DefaultGraphZoom()
	z.Embedding.Walks, z.Embedding.Length, z.Embedding.Window, z.Embedding.Dim = 2, 10, 3, 8
	return z
}

// zoomed is the embedding by GraphZoom.
func zoomed(ctx context.Context, z GraphZoom, g *coles.Graph) (*mat.Dense, error) {
	coarse, group, err := z.Coarsen(ctx, g)
	if err != nil {
		return nil, err
	}
	y, err := z.Embedding.Fit(ctx, coarse, nil)
	if err != nil {
		return nil, err
	}
	return z.Refine(ctx, g, group, y)
}

// filterOf is F by its definition.
func filterOf(g *coles.Graph, lambda float64) *mat.Dense {
	f := testkit.DenseOf(g.CSR())
	n, _ := f.Dims()
	degrees := make([]float64, n)
	for i := range n {
		f.Set(i, i, f.At(i, i)+lambda)
		degrees[i] = mat.Sum(f.RowView(i))
	}
	for i := range n {
		for j := range n {
			f.Set(i, j, f.At(i, j)/math.Sqrt(degrees[i]*degrees[j]))
		}
	}
	return f
}

// The vectors that show which nodes are alike, the merging, and the coarse graph, by their definitions; and the
// embedding from the one of the coarse graph.
func TestGraphZoomByTheFormula(t *testing.T) {
	const n = 60
	g, _ := weighted(n, 3)
	for _, threshold := range []float64{0, 0.3, 0.8, 1} {
		t.Run(fmt.Sprint(threshold), func(t *testing.T) {
			z := smallZoom()
			z.Threshold = threshold
			seed := stream.Seed(z.Seed, 0)
			first, rng := mat.NewDense(n, 7, nil), stream.New()
			for i := range n {
				rng.Reseed(seed, uint64(i))
				for j := range 7 {
					first.Set(i, j, 2*rng.Float64()-1)
				}
			}
			for j := range 7 {
				mean := mat.Sum(first.ColView(j)) / n
				for i := range n {
					first.Set(i, j, first.At(i, j)-mean)
				}
			}
			f := filterOf(g, 0.1)
			vectors := testkit.Product(f, f, first)
			testkit.WantClose(t, "vectors", denseOf(testkit.Must(z.likeness(ctx, g, seed))), unitRows(vectors, 2), 1e-12)

			order := upTo(n)
			a := testkit.DenseOf(g.CSR())
			degree := func(i int) (count int) {
				for j := range n {
					if a.At(i, j) != 0 {
						count++
					}
				}
				return count
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(degree(i), degree(j)) })
			want, count := slices.Repeat([]int{-1}, n), 0
			for _, i := range order {
				if want[i] >= 0 {
					continue
				}
				want[i] = count
				for j := range n {
					x, y := vectors.RowView(i), vectors.RowView(j)
					if a.At(i, j) != 0 && want[j] < 0 && math.Pow(mat.Dot(x, y), 2)/(mat.Dot(x, x)*mat.Dot(y, y)) > threshold {
						want[j] = count
					}
				}
				count++
			}
			coarse, group, err := z.Coarsen(ctx, g)
			if err != nil {
				t.Fatal(err)
			}
			testkit.WantSame(t, "groups", group, want)

			p := mat.NewDense(n, count, nil)
			for i, u := range want {
				p.Set(i, u, 1)
			}
			merged := testkit.Product(p.T(), a, p)
			for u := range count {
				merged.Set(u, u, 0)
			}
			testkit.WantClose(t, "coarse graph", testkit.DenseOf(coarse.CSR()), merged, 1e-12)
			y := testkit.Must(z.Embedding.Fit(ctx, coarse, nil))
			testkit.WantClose(t, "embedding", testkit.Must(zoomed(ctx, z, g)), testkit.Product(f, f, p, y), 1e-12)
			switch {
			case threshold == 1 && count != n:
				t.Errorf("%d of %d nodes are left above a cosine of 1", count, n)
			case threshold < 0.5 && count > 3*n/4:
				t.Errorf("%d of %d nodes are left", count, n)
			}
		})
	}
}

// Two levels are one of the other, the seed of the second being another.
func TestLevelsOfGraphZoom(t *testing.T) {
	g := testkit.RandomGraph(3, 200, 0.03)
	z := smallZoom()
	once, first, _ := z.Coarsen(ctx, g)
	z.Levels = 2
	twice, both, err := z.Coarsen(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	if n, c := once.Nodes(), twice.Nodes(); n >= 200 || c >= n {
		t.Errorf("200 nodes, then %d, then %d", n, c)
	}
	second := map[int]int{}
	for i, u := range first {
		if v, ok := second[u]; ok && v != both[i] {
			t.Errorf("node %d was merged with others before", i)
		}
		second[u] = both[i]
	}
	z.Levels = 0
	whole, group, _ := z.Coarsen(ctx, g)
	if whole != g || group[7] != 7 {
		t.Error("no level is another graph")
	}
}

func TestRefineRefusesGroupsOfOthers(t *testing.T) {
	g, y := testkit.RandomGraph(3, 4, 0.5), mat.NewDense(2, 3, nil)
	refine := smallZoom().Refine
	testkit.WantError(t, testkit.Err(refine(ctx, g, []int{0, 1, 1}, y)), coles.ErrShape)
	testkit.WantError(t, testkit.Err(refine(ctx, g, []int{0, 1, 1, 2}, y)), coles.ErrIndex)
	testkit.WantError(t, testkit.Err(refine(ctx, g, []int{0, -1, 1, 0}, y)), coles.ErrIndex)
}

func TestGraphZoomConforms(t *testing.T) {
	embedtest.Test(t, embedtest.Embedder{
		Fit: func(ctx context.Context, g *coles.Graph, _ mat.Matrix) (embedtest.Model, error) {
			y, err := zoomed(ctx, smallZoom(), g)
			return still{y}, err
		},
		NoFeatures: true, Transductive: true, OrderMatters: true,
	})
}

func TestGraphZoomRefusesSenselessSettings(t *testing.T) {
	g := testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1)))
	for name, change := range map[string]func(z *GraphZoom){
		"levels":       func(z *GraphZoom) { z.Levels = -1 },
		"many levels":  func(z *GraphZoom) { z.Levels = 31 },
		"threshold":    func(z *GraphZoom) { z.Threshold = -0.1 },
		"no threshold": func(z *GraphZoom) { z.Threshold = math.NaN() },
		"cosines":      func(z *GraphZoom) { z.Threshold = 1.1 },
		"lambda":       func(z *GraphZoom) { z.Lambda = 0 },
		"no lambda":    func(z *GraphZoom) { z.Lambda = math.NaN() },
		"infinity":     func(z *GraphZoom) { z.Lambda = math.Inf(1) },
		"small lambda": func(z *GraphZoom) { z.Lambda = math.SmallestNonzeroFloat64 },
		"embedding":    func(z *GraphZoom) { z.Embedding.Dim = 0 },
	} {
		z := DefaultGraphZoom()
		change(&z)
		for _, err := range []error{z.Check(), testkit.Err(zoomed(ctx, z, g))} {
			if !testkit.IsNamed(err, coles.ErrSetting) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := DefaultGraphZoom().Check(); err != nil {
		t.Error(err)
	}
}
