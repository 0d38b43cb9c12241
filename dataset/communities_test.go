package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"coles/internal/race"

	"github.com/james-bowman/sparse"
)

func generate(t testing.TB, c Communities) *Dataset {
	t.Helper()
	d, err := c.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The drawn graph has the statistics asked for. The bounds are four standard
// deviations of the number of draws (100,000 edges, 400,000 words), plus for
// the degree the share of merged pairs, which is below 1 % here.
func TestCommunitiesStatistics(t *testing.T) {
	c := Communities{Nodes: 20000, Classes: 5, Degree: 10, Homophily: 0.8, DegreeExponent: 3.5, Features: 2000, Words: 20, Topic: 0.4, Seed: 7}
	d := generate(t, c)
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	raw := d.Adjacency.RawMatrix()
	inside, largest := 0, 0
	for i := range raw.I {
		row := raw.Ind[raw.Indptr[i]:raw.Indptr[i+1]]
		largest = max(largest, len(row))
		for k, j := range row {
			if j == i || k > 0 && j <= row[k-1] {
				t.Fatalf("row %d is %v: loop, repetition or disorder", i, row)
			}
			if _, ok := slices.BinarySearch(raw.Ind[raw.Indptr[j]:raw.Indptr[j+1]], i); !ok {
				t.Fatalf("(%d, %d) without (%d, %d)", i, j, j, i)
			}
			if d.Labels[i] == d.Labels[j] {
				inside++
			}
		}
	}
	edges := float64(len(raw.Ind))
	if degree := edges / 20000; degree < 9.9-0.13 || degree > 10+0.13 {
		t.Errorf("mean degree %.3f, want 10", degree)
	}
	if h := float64(inside) / edges; math.Abs(h-0.8) > 0.008 {
		t.Errorf("share of edges inside a class %.4f, want 0.8", h)
	}
	// The first place of a class of 4,000 has (1/4000)^(1−1/2.5) of the class's
	// 40,000 ends, 276 of them.
	if largest < 210 || largest > 350 {
		t.Errorf("largest degree %d, want about 276", largest)
	}
	sizes := make([]int, 5)
	for _, l := range d.Labels {
		sizes[l]++
	}
	if !slices.Equal(sizes, []int{4000, 4000, 4000, 4000, 4000}) {
		t.Errorf("classes of %v nodes", sizes)
	}
	own, words := 0.0, 0.0
	d.Features.(*sparse.CSR).DoNonZero(func(i, j int, v float64) {
		words += v
		if j%5 == d.Labels[i] {
			own += v
		}
	})
	if mean := words / 20000; math.Abs(mean-20) > 4*math.Sqrt(20.0/20000) {
		t.Errorf("%.3f words a node, want 20", mean)
	}
	// A background word belongs to the class by chance: a fifth of them, but
	// more for the first classes, whose words rank higher.
	if share := own / words; math.Abs(share-(0.4+0.6/5)) > 0.004 {
		t.Errorf("share of words of the own class %.4f, want %.4f", share, 0.4+0.6/5)
	}
}

// Equal expectations give a plain block model: degrees are Poisson, whose
// variance is the mean.
func TestCommunitiesWithoutHubs(t *testing.T) {
	d := generate(t, Communities{Nodes: 20000, Classes: 1, Degree: 6, DegreeExponent: math.Inf(1), Features: -1})
	if d.Features != nil {
		t.Error("features although none were asked for")
	}
	variance := 0.0
	for i := range 20000 {
		k := float64(d.Adjacency.RowNNZ(i)) - 6
		variance += k * k / 20000
	}
	// The standard deviation of a Poisson sample's variance is some √((1/λ+2)/n)·λ = 0.062.
	if math.Abs(variance-6) > 4*0.062 {
		t.Errorf("variance of the degrees %.3f, want 6", variance)
	}
}

func TestCommunitiesDefaults(t *testing.T) {
	d := generate(t, Communities{})
	_, words := d.Features.Dims()
	if d.Nodes() != 3000 || d.NumClasses() != 7 || words != 1000 {
		t.Errorf("%d nodes, %d classes, %d words", d.Nodes(), d.NumClasses(), words)
	}
}

// The defaults make a graph on which neighbours help: the nearest class
// centre, from 20 nodes a class, is right far more often after two steps of
// averaging over neighbours than on the words alone.
func TestCommunitiesRewardSmoothing(t *testing.T) {
	d := generate(t, Communities{})
	splits, err := d.RandomSplits(20, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := d.Features.(*sparse.CSR).ToDense()
	rows := make([][]float64, d.Nodes())
	for i := range rows {
		rows[i] = x.RawRowView(i)
	}
	raw := nearestCentre(d, rows, splits)
	smooth := nearestCentre(d, average(d, average(d, rows)), splits)
	if raw < 0.25 || raw > 0.65 || smooth < raw+0.15 {
		t.Errorf("accuracy %.3f on words, %.3f smoothed", raw, smooth)
	}
}

// average replaces a row by the mean over its node and the neighbours.
func average(d *Dataset, rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i := range out {
		sum := slices.Clone(rows[i])
		d.Adjacency.DoRowNonZero(i, func(_, j int, _ float64) {
			for k, v := range rows[j] {
				sum[k] += v
			}
		})
		for k := range sum {
			sum[k] /= float64(1 + d.Adjacency.RowNNZ(i))
		}
		out[i] = sum
	}
	return out
}

// nearestCentre returns the accuracy of choosing, by cosine, the class whose
// training rows have the nearest mean.
func nearestCentre(d *Dataset, rows [][]float64, splits []Split) float64 {
	right, all := 0, 0
	for _, s := range splits {
		centres := make([][]float64, d.NumClasses())
		norms := make([]float64, len(centres))
		for _, i := range s.Train {
			c := d.Labels[i]
			if centres[c] == nil {
				centres[c] = make([]float64, len(rows[i]))
			}
			for k, v := range rows[i] {
				centres[c][k] += v
			}
		}
		for c := range centres {
			norms[c] = math.Sqrt(dot(centres[c], centres[c]))
		}
		for _, i := range s.TestNodes(d.Nodes()) {
			best := 0
			for c := range centres {
				if dot(rows[i], centres[c])/norms[c] > dot(rows[i], centres[best])/norms[best] {
					best = c
				}
			}
			all++
			if best == d.Labels[i] {
				right++
			}
		}
	}
	return float64(right) / float64(all)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func TestCommunitiesAreDeterministic(t *testing.T) {
	for name, c := range map[string]Communities{
		"words": {Nodes: 9000, Seed: 3}, // more than one group of rows
		"dense": {Nodes: 3000, Seed: 3, Features: 50, Dense: true},
	} {
		want := sumOf(generate(t, c))
		for _, procs := range []int{1, 2, 3, 8, 16} {
			before := runtime.GOMAXPROCS(procs)
			got := sumOf(generate(t, c))
			runtime.GOMAXPROCS(before)
			if got != want {
				t.Fatalf("%s, GOMAXPROCS %d: sum %s, want %s", name, procs, got, want)
			}
		}
		c.Seed = 4
		if sumOf(generate(t, c)) == want {
			t.Errorf("%s: another seed gives the same graph", name)
		}
	}
}

func TestCommunitiesOptions(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		c     Communities
		cause error
		place string
	}{
		{Communities{Nodes: -1}, ErrOption, "Nodes"},
		{Communities{Nodes: 3}, ErrOption, "Classes"},
		{Communities{Classes: -2}, ErrOption, "Classes"},
		{Communities{Degree: -1}, ErrOption, "Degree"},
		{Communities{Degree: nan}, ErrOption, "Degree"},
		{Communities{Degree: 3000}, ErrOption, "Degree"},
		{Communities{Homophily: 1.5}, ErrOption, "Homophily"},
		{Communities{Homophily: nan}, ErrOption, "Homophily"},
		{Communities{DegreeExponent: 2}, ErrOption, "DegreeExponent"},
		{Communities{Features: 3}, ErrOption, "Features"},
		{Communities{Words: math.Inf(1)}, ErrOption, "Words"},
		{Communities{Topic: -0.1}, ErrOption, "Topic"},
		{Communities{Nodes: 1 << 24, Features: 1 << 10, Dense: true}, ErrTooLarge, "features"},
		{Communities{Nodes: min(1<<40, math.MaxInt)}, ErrTooLarge, "nodes"},
		{Communities{Features: min(1<<40, math.MaxInt), Dense: true}, ErrTooLarge, "features"},
		{Communities{Nodes: 1 << 30, Degree: 1 << 20}, ErrTooLarge, "degree"},
		{Communities{Words: 1e30}, ErrTooLarge, "words"},
	} {
		_, err := c.c.Generate(t.Context())
		wantError(t, err, c.cause, c.place)
	}
}

func TestCommunitiesCancelled(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("the graphs are too large for addresses of 32 bits")
	}
	for name, c := range map[string]Communities{
		"edges": {Nodes: 1 << 21, Degree: 20, Features: -1},
		"hub":   {Nodes: 1 << 20, Classes: 1, Degree: 1 << 15, DegreeExponent: 2.001, Features: -1},
		"words": {Nodes: 1 << 10, Degree: 1, Words: 1 << 20},
		"dense": {Nodes: 1 << 10, Degree: 1, Features: 1 << 15, Dense: true},
	} {
		t.Run(name, func(t *testing.T) {
			// Other programs on the machine can only make it longer: the best of five counts.
			late := time.Hour
			for k := 0; k < 5 && late > 100*time.Millisecond*race.Slowdown; k++ {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
				deadline, _ := ctx.Deadline()
				_, err := c.Generate(ctx)
				late = min(late, time.Since(deadline))
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v", err)
				}
			}
			if late > 100*time.Millisecond*race.Slowdown {
				t.Errorf("returned %v late", late)
			}
		})
	}
}

func TestKarateClub(t *testing.T) {
	d := KarateClub()
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	if n := len(undirected(d.Adjacency)); d.Nodes() != 34 || n != 78 || d.Adjacency.NNZ() != 156 {
		t.Errorf("%d nodes, %d ties, %d entries", d.Nodes(), n, d.Adjacency.NNZ())
	}
	// The degrees in the order of the members, as the literature lists them.
	want := []int{16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2, 2, 2, 2, 3, 2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17}
	inside, administrator := 0, 0
	for i := range want {
		if got := d.Adjacency.RowNNZ(i); got != want[i] {
			t.Errorf("member %d has %d ties, want %d", i+1, got, want[i])
		}
		administrator += d.Labels[i]
	}
	for _, e := range undirected(d.Adjacency) {
		if d.Labels[e[0]] == d.Labels[e[1]] {
			inside++
		}
	}
	// The club split into halves of 17, across 11 of the 78 ties.
	if administrator != 17 || inside != 67 {
		t.Errorf("%d members left with the administrator, %d ties inside", administrator, inside)
	}
	d.Labels[0] = 5
	if KarateClub().Labels[0] != 0 {
		t.Error("two calls share memory")
	}
}

func BenchmarkCommunities(b *testing.B) {
	for name, c := range map[string]Communities{
		"edges": {Features: -1},
		"words": {},
		"dense": {Features: 128, Dense: true},
	} {
		for _, n := range []int{10_000, 100_000} {
			c.Nodes, c.Degree = n, 20
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					generate(b, c)
				}
			})
		}
	}
}
