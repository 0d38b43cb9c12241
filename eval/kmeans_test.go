package eval

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"coles/internal/stream"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// large is a matrix of as many entries as are clustered in float32, and of more
// rows than are summed up together.
func large(seed uint64) *mat.Dense {
	x, _ := blobs(singlePrecision/64, 64, 12, seed)
	return x
}

// What k-means promises of its result, computed from the rows themselves: each is
// with its nearest centre, each centre is the mean of its rows, and the inertia is
// that of the result. At the tolerance near zero it stops when nothing moves.
// In float32 rows of norm 4 may be taken for as near as others that are nearer by
// their rounding.
func TestKMeansSettlesWhereLloydStops(t *testing.T) {
	small, _ := blobs(5000, 9, 6, 61)
	for _, c := range []struct {
		name string
		x    mat.Matrix
		near float64
	}{
		{"float64", small, 1e-12},
		{"sparse", toCSR(small), 1e-12},
		{"float32", large(62), 1e-5},
	} {
		const k = 7
		m, err := KMeans{Clusters: k, Starts: 1, Tolerance: 1e-300, Seed: 3}.Fit(background, c.x)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Converged {
			t.Errorf("%s: no end after %d iterations", c.name, m.Iterations)
		}
		x := mat.DenseCopyOf(c.x)
		n, d := x.Dims()
		means, size, inertia := mat.NewDense(k, d, nil), make([]float64, k), 0.0
		for i := range n {
			row := x.RawRowView(i)
			own := apart(row, m.Centres.RawRowView(m.Labels[i]))
			inertia += own
			for q := range k {
				if r := apart(row, m.Centres.RawRowView(q)); r < own-c.near {
					t.Fatalf("%s: row %d is at %v from its centre and at %v from another", c.name, i, own, r)
				}
			}
			axpy(1, row, means.RawRowView(m.Labels[i]))
			size[m.Labels[i]]++
		}
		for q := range k {
			for j, sum := range means.RawRowView(q) {
				if got, want := m.Centres.At(q, j), sum/size[q]; math.Abs(got-want) > 1e-2*c.near {
					t.Fatalf("%s: centre %d, column %d is %v, the mean is %v", c.name, q, j, got, want)
				}
			}
		}
		if math.Abs(m.Inertia-inertia) > 1e-10*inertia {
			t.Errorf("%s: inertia %v, want %v", c.name, m.Inertia, inertia)
		}
		labels, err := m.Predict(background, c.x)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range labels {
			row := x.RawRowView(i)
			if r, own := apart(row, m.Centres.RawRowView(l)), apart(row, m.Centres.RawRowView(m.Labels[i])); math.Abs(r-own) > c.near {
				t.Fatalf("%s: row %d is predicted for a centre at %v, its own is at %v", c.name, i, r, own)
			}
		}
	}
}

func apart(x, y []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += (v - y[j]) * (v - y[j])
	}
	return sum
}

// Of eight rows every division in two is tried.
func TestKMeansOfManyStartsIsTheBestDivision(t *testing.T) {
	for seed := range uint64(20) {
		x := normal(8, 2, 1, seed)
		best := math.Inf(1)
		for mask := 1; mask < 1<<7; mask++ {
			means, size := mat.NewDense(2, 2, nil), [2]float64{}
			for i := range 8 {
				axpy(1, x.RawRowView(i), means.RawRowView(mask>>i&1))
				size[mask>>i&1]++
			}
			inertia := 0.0
			for i := range 8 {
				side := mask >> i & 1
				inertia += apart(x.RawRowView(i), []float64{means.At(side, 0) / size[side], means.At(side, 1) / size[side]})
			}
			best = min(best, inertia)
		}
		m, err := KMeans{Clusters: 2, Starts: 50, Seed: seed}.Fit(background, x)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.Inertia-best) > 1e-12*best {
			t.Errorf("seed %d: inertia %v, the least is %v", seed, m.Inertia, best)
		}
	}
}

// Rows at most 1 from centres that are 100 apart, wherever the whole lies and on
// whatever scale: the squares of 1e-170 vanish in float64, those near 1e6 lose the
// distances of 1, in products of rows that are not centred.
func TestKMeansFindsClustersThatAreApart(t *testing.T) {
	const n, d, k = 400, 3, 5
	noise := normal(n, d, 0.1, 63)
	for _, c := range []struct{ scale, shift float64 }{{1, 0}, {1e-170, 0}, {1e120, 0}, {1, 1e9}} {
		x, planted := mat.NewDense(n, d, nil), make([]int, n)
		for i := range n {
			planted[i] = i * i % k
			for j := range d {
				v := noise.At(i, j)
				if j == 0 {
					v += 100 * float64(planted[i])
				}
				x.Set(i, j, v*c.scale+c.shift)
			}
		}
		m, err := KMeans{Clusters: k - 2, Seed: 1}.Fit(background, x) // i² mod 5 is 0, 1 or 4
		if err != nil {
			t.Fatal(err)
		}
		if agreement, err := ARI(m.Labels, planted); err != nil || agreement != 1 {
			t.Errorf("scale %g, shift %g: adjusted Rand index %v, %v", c.scale, c.shift, agreement, err)
		}
	}
}

func TestKMeansIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	small, _ := blobs(7000, 9, 6, 64)
	for _, x := range []mat.Matrix{small, toCSR(small), large(65)} {
		var first *KMeansModel
		for _, procs := range []int{1, 2, 3, 8, 16} {
			runtime.GOMAXPROCS(procs)
			m, err := KMeans{Clusters: 9, Starts: 3, MaxIterations: 4, Seed: 5}.Fit(background, x)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = m
			}
			if !slices.Equal(m.Labels, first.Labels) || m.Inertia != first.Inertia || !mat.Equal(m.Centres, first.Centres) {
				t.Errorf("another result with %d processors", procs)
			}
		}
	}
}

// Three places, each of several rows: more clusters than places cannot be filled.
// To take the mean away and add it again leaves an error of 2 units of 2⁻⁵² in each of
// 60 numbers of at most 2: 60·(2·2⁻⁵²)² = 1.2e-29.
func TestKMeansOfFewDistinctRowsHasThemAsCentres(t *testing.T) {
	x := mat.NewDense(30, 2, nil)
	for i := range 30 {
		x.Set(i, 0, float64(i%3))
		x.Set(i, 1, float64(i%3*i%3))
	}
	for _, k := range []int{3, 5, 30} {
		m, err := KMeans{Clusters: k}.Fit(background, x)
		if err != nil {
			t.Fatal(err)
		}
		if m.Inertia > 1.2e-29 || len(distinct(m.Labels)) != 3 || !m.Converged {
			t.Errorf("k = %d: inertia %v, %d clusters with rows", k, m.Inertia, len(distinct(m.Labels)))
		}
	}
	m, err := KMeans{Clusters: 30, Starts: 1}.Fit(background, normal(30, 2, 1, 66))
	if err != nil {
		t.Fatal(err)
	}
	if len(distinct(m.Labels)) != 30 || m.Inertia > 1e-28 {
		t.Errorf("30 rows in 30 clusters: %d have rows, inertia %g", len(distinct(m.Labels)), m.Inertia)
	}
}

// The share of draws that fall on a row against its squared distance to the one
// centre there is, in five standard deviations.
func TestSeedingDrawsBySquaredDistance(t *testing.T) {
	const n, draws = 40, 100_000
	f, err := newFeatures(background, normal(n, 3, 1, 67))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPoints[float64](background, f)
	if err != nil {
		t.Fatal(err)
	}
	s := newSeeding(p, 2)
	if _, err := s.choose(background, []int{7, 7}); err != nil {
		t.Fatal(err)
	}
	rng := stream.New()
	rng.Reseed(1, 1)
	count, total := make([]int, n), 0.0
	for range draws {
		count[s.sample(rng.Rand)]++
	}
	for i := range n {
		total += f.squaredDistance(i, 7)
	}
	for i, got := range count {
		share := f.squaredDistance(i, 7) / total
		if off := math.Abs(float64(got) - draws*share); off > 5*math.Sqrt(draws*share*(1-share)) {
			t.Errorf("row %d is drawn %d times, expected %.0f", i, got, draws*share)
		}
	}
}

func TestKMeansStopsWhenCancelled(t *testing.T) {
	x := large(68)
	for _, wait := range []time.Duration{5 * time.Millisecond, 100 * time.Millisecond} {
		late := cancelled(t, wait, func(ctx context.Context) error {
			_, err := KMeans{Clusters: 60, Tolerance: 1e-300}.Fit(ctx, x)
			return err
		})
		if late > promptly {
			t.Errorf("returned %v after the cancellation", late)
		}
	}
}

func TestKMeansRefusals(t *testing.T) {
	x := normal(4, 2, 1, 69)
	nan := mat.DenseCopyOf(x)
	nan.Set(1, 0, math.NaN())
	for _, c := range []struct {
		name string
		k    KMeans
		x    mat.Matrix
		want error
	}{
		{"no clusters", KMeans{}, x, ErrClusters},
		{"negative clusters", KMeans{Clusters: -1}, x, ErrClusters},
		{"more clusters than rows", KMeans{Clusters: 5}, x, ErrClusters},
		{"negative starts", KMeans{Clusters: 2, Starts: -1}, x, ErrParameter},
		{"negative iterations", KMeans{Clusters: 2, MaxIterations: -1}, x, ErrParameter},
		{"negative tolerance", KMeans{Clusters: 2, Tolerance: -1}, x, ErrParameter},
		{"NaN as tolerance", KMeans{Clusters: 2, Tolerance: math.NaN()}, x, ErrParameter},
		{"no matrix", KMeans{Clusters: 2}, nil, ErrShape},
		{"NaN", KMeans{Clusters: 2}, nan, ErrNotFinite},
		{"squares overflow", KMeans{Clusters: 2}, normal(4, 2, 1e200, 69), ErrNotFinite},
		{"sums overflow", KMeans{Clusters: 2}, mat.NewDense(3, 1, []float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}), ErrNotFinite},
	} {
		if _, err := c.k.Fit(background, c.x); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	m, err := KMeans{Clusters: 2}.Fit(background, x)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(background, normal(3, 3, 1, 1)); !errors.Is(err, ErrShape) {
		t.Errorf("three columns for two: %v", err)
	}
	if _, err := new(KMeansModel).Predict(background, x); !errors.Is(err, ErrShape) {
		t.Errorf("no centres: %v", err)
	}
}

func TestClusterIsKMeansOfUnitRowsJudged(t *testing.T) {
	x, labels := blobs(600, 8, 4, 70)
	before := mat.DenseCopyOf(x)
	got, err := Cluster(background, x, labels, WithKMeans(KMeans{Seed: 9, Starts: 2}), WithRuns(3))
	if err != nil {
		t.Fatal(err)
	}
	unit := mat.DenseCopyOf(x)
	for i := range 600 {
		row := mat.NewVecDense(8, unit.RawRowView(i))
		row.ScaleVec(1/row.Norm(2), row)
	}
	want := &Clustering{}
	for run := range uint64(3) {
		m, err := KMeans{Clusters: 4, Seed: stream.Seed(9, run), Starts: 2}.Fit(background, unit)
		if err != nil {
			t.Fatal(err)
		}
		if err := want.add(m.Labels, labels); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []*Measurements{&want.Accuracy, &want.NMI, &want.F1} {
		m.Mean, m.Std, _ = MeanStd(m.Each)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !mat.Equal(x, before) {
		t.Error("the rows were written to")
	}
	for _, c := range []struct {
		name   string
		labels []int
		runs   int
		want   error
	}{
		{"no runs", labels, 0, ErrParameter},
		{"too few labels", labels[:5], 1, ErrShape},
		{"negative label", slices.Concat(labels[:599], []int{-1}), 1, ErrLabel},
	} {
		if _, err := Cluster(background, x, c.labels, WithRuns(c.runs)); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}
