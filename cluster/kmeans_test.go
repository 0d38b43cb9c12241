package cluster

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The rows are whole numbers, so that both start from the same ones, and large, so that no row is
// as near to one centre as to another. Half of the cases start with a centre that is nearest to no
// row.
func TestKMeansStepsEqualScikitLearn(t *testing.T) {
	cases := testkit.OpenCases[testkit.ClusteringCases](t, "testdata/clustering").KMeans
	testkit.WantSame(t, "cases", len(cases), 1000)
	for i, c := range cases {
		for _, form := range testkit.Forms(testkit.MatrixOf(c.X, 1)) {
			k := testkit.Must(KMeans{Clusters: len(c.Start)}.withDefaults())
			f := testkit.Must(given.Read(context.Background(), form))
			p := testkit.Must(newPoints[float64](context.Background(), f))
			l := newLloyd(p, k)
			for q, row := range c.Start {
				for j, v := range row {
					l.centres.Row(q)[j] = v*p.scale - p.mean[j]
				}
			}
			err := l.descend(context.Background())
			m := l.model()
			err = cmp.Or(err, m.judge(context.Background(), f))
			testkit.Comparer{T: t, Index: i}.Equal("inertia", m.Inertia, c.Inertia, 0, err)
			if !slices.Equal(m.Of, c.Labels) || m.Iterations != c.Iterations {
				t.Errorf("case %d: %v after %d iterations, want %v after %d", i, m.Of, m.Iterations, c.Labels, c.Iterations)
			}
			for q, row := range c.Centres {
				for j, want := range row {
					testkit.Comparer{T: t, Index: i}.Equal("centre", m.Centres.At(q, j), want, 1000, nil)
				}
			}
		}
	}
}

// large is a matrix of as many entries as are clustered in float32, and of more rows than are
// summed up together.
func large(seed uint64) *mat.Dense {
	x, _ := testkit.Blobs(singlePrecision/64, 64, 12, seed)
	return x
}

// apart is a squared distance.
func apart(x, y []float64) float64 {
	r := floats.Distance(x, y, 2)
	return r * r
}

// The promises of k-means, from the rows themselves: each is with its nearest centre, each centre is
// the mean of its rows, and the inertia follows. At a tolerance near zero it stops when nothing moves.
// In float32 rows of norm 4 may be taken for as near as others that are nearer by their rounding.
func TestKMeansSettlesWhereLloydStops(t *testing.T) {
	small, _ := testkit.Blobs(5000, 9, 6, 61)
	for _, c := range []struct {
		name string
		x    mat.Matrix
		near float64
	}{
		{"float64", small, 1e-12},
		{"sparse", testkit.SparseOf(small), 1e-12},
		{"float32", large(62), 1e-5},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := testkit.Must(KMeans{Clusters: 7, Starts: 1, Tolerance: 1e-300, Seed: 3}.Fit(context.Background(), c.x))
			if !m.Converged {
				t.Errorf("no end after %d iterations", m.Iterations)
			}
			wantSettled(t, m, mat.DenseCopyOf(c.x), c.near)
		})
	}
}

// wantSettled checks labels, centres and inertia of a model against the rows.
func wantSettled(t *testing.T, m *KMeansModel, x *mat.Dense, near float64) {
	t.Helper()
	n, d := x.Dims()
	k, _ := m.Centres.Dims()
	means, size, inertia := mat.NewDense(k, d, nil), make([]float64, k), 0.0
	for i := range n {
		row := x.RawRowView(i)
		own := apart(row, m.Centres.RawRowView(m.Of[i]))
		inertia += own
		for q := range k {
			if r := apart(row, m.Centres.RawRowView(q)); r < own-near {
				t.Fatalf("row %d is at %v from its centre and at %v from another", i, own, r)
			}
		}
		matrix.AddScaled(means.RawRowView(m.Of[i]), 1, row)
		size[m.Of[i]]++
	}
	for q := range k {
		matrix.Scale(means.RawRowView(q), 1/size[q])
	}
	testkit.WantClose(t, "centres", m.Centres, means, 1e-2*near)
	testkit.WantNear(t, "inertia", m.Inertia, inertia, 1e-10)
}

// Of eight rows every division in two is tried.
func TestKMeansOfManyStartsIsTheBestDivision(t *testing.T) {
	for seed := range uint64(20) {
		x := testkit.Normal(8, 2, 1, seed)
		best := math.Inf(1)
		for mask := 1; mask < 1<<7; mask++ {
			means, size := mat.NewDense(2, 2, nil), [2]float64{}
			for i := range 8 {
				matrix.AddScaled(means.RawRowView(mask>>i&1), 1, x.RawRowView(i))
				size[mask>>i&1]++
			}
			inertia := 0.0
			for i := range 8 {
				side := mask >> i & 1
				inertia += apart(x.RawRowView(i), []float64{means.At(side, 0) / size[side], means.At(side, 1) / size[side]})
			}
			best = min(best, inertia)
		}
		m := testkit.Must(KMeans{Clusters: 2, Starts: 50, Seed: seed}.Fit(context.Background(), x))
		testkit.WantNear(t, "the least inertia", m.Inertia, best, 1e-12)
	}
}

// Rows at most 1 from centres that are 100 apart, wherever the whole lies and on whatever scale:
// the squares of 1e-170 vanish in float64, those near 1e9 lose the distances of 1, in products of
// rows that are not centred.
func TestKMeansFindsClustersThatAreApart(t *testing.T) {
	const n, d = 400, 3
	noise := testkit.Normal(n, d, 0.1, 63)
	for _, c := range []struct{ scale, shift float64 }{{1, 0}, {1e-170, 0}, {1e120, 0}, {1, 1e9}} {
		x, planted := mat.NewDense(n, d, nil), make([]int, n)
		for i := range n {
			planted[i] = i * i % 5 // 0, 1 or 4
			for j := range d {
				v := noise.At(i, j)
				if j == 0 {
					v += 100 * float64(planted[i])
				}
				x.Set(i, j, v*c.scale+c.shift)
			}
		}
		m := testkit.Must(KMeans{Clusters: 3, Seed: 1}.Fit(context.Background(), x))
		if met := testkit.Must(contingency.Of(m.Of, planted)).Cells; len(met) != 3 {
			t.Errorf("scale %g, shift %g: clusters and planted ones meet as %v", c.scale, c.shift, met)
		}
	}
}

// Three places, each of several rows: more clusters than places cannot be filled. To take the mean
// away and add it again leaves an error of 2 units of 2⁻⁵² in each of 60 numbers of at most 2:
// 60·(2·2⁻⁵²)² = 1.2e-29.
func TestKMeansOfFewDistinctRowsHasThemAsCentres(t *testing.T) {
	x := mat.NewDense(30, 2, nil)
	for i := range 30 {
		x.SetRow(i, []float64{float64(i % 3), float64(i % 3 * i % 3)})
	}
	for _, k := range []int{3, 5, 30} {
		m := testkit.Must(KMeans{Clusters: k}.Fit(context.Background(), x))
		if filled := len(contingency.Distinct(m.Of)); m.Inertia > 1.2e-29 || filled != 3 || !m.Converged {
			t.Errorf("k = %d: inertia %v, %d clusters with rows", k, m.Inertia, filled)
		}
	}
	m := testkit.Must(KMeans{Clusters: 30, Starts: 1}.Fit(context.Background(), testkit.Normal(30, 2, 1, 66)))
	if filled := len(contingency.Distinct(m.Of)); filled != 30 || m.Inertia > 1e-28 {
		t.Errorf("30 rows in 30 clusters: %d have rows, inertia %g", filled, m.Inertia)
	}
}

// Rows that are passed over have the labels that a comparison with all centres gives them, at every
// step and in both precisions.
func TestRowsPassedOverKeepTheNearestCentre(t *testing.T) {
	x, _ := testkit.Blobs(5000, 20, 6, 3)
	near, _ := testkit.Blobs(5000, 3, 2, 4)
	near.Apply(func(_, _ int, v float64) float64 { return math.Round(8*v) / 8 }, near) // many are as near to two centres
	for _, x := range []*mat.Dense{x, near} {
		for _, form := range testkit.Forms(x) {
			f := testkit.Must(given.Read(context.Background(), form))
			passedOver[float32](t, f, 9)
			passedOver[float64](t, f, 9)
		}
	}
}

func passedOver[T kernel.Float](t *testing.T, f *matrix.Matrix[float64], k int) {
	t.Helper()
	p := testkit.Must(newPoints[T](context.Background(), f))
	l := newLloyd(p, KMeans{Clusters: k})
	for c := range k {
		p.addTo(l.centres.Row(c), 31*c, 1)
	}
	for step := range 40 {
		testkit.Check(t, l.assign(context.Background()))
		all := newLloyd(p, l.KMeans)
		copy(all.centres.Data, l.centres.Data)
		testkit.Check(t, all.assign(context.Background()))
		if !slices.Equal(l.labels, all.labels) {
			t.Fatalf("step %d: other labels than by a comparison of all rows", step)
		}
		if _, _, err := l.update(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := all.update(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i, sum := range l.sums.Data {
			testkit.WantNear(t, "a sum of rows", sum, all.sums.Data[i], 1e-10)
		}
	}
	if rows := l.doubtful(nil, 0, f.Rows()); len(rows) > f.Rows()/2 {
		t.Errorf("%d of %d rows are compared at the end", len(rows), f.Rows())
	}
}
