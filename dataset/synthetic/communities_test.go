package synthetic

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
)

func generate(t testing.TB, c Communities) *dataset.Dataset {
	t.Helper()
	return testkit.Must(c.Generate(t.Context()))
}

// The drawn graph has the statistics asked for. The bounds are four standard deviations of the
// number of draws (100,000 edges, 400,000 words), plus for the degree the share of merged pairs,
// which is below 1 % here.
func TestCommunitiesStatistics(t *testing.T) {
	c := Communities{Nodes: 20000, Classes: 5, Degree: 10, Homophily: 0.8, DegreeExponent: 3.5, Features: 2000, Words: 20, Topic: 0.4, Seed: 7}
	d := generate(t, c)
	if err := d.Validate(); err != nil {
		t.Error(err)
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
	testkit.WantNear(t, "mean degree, 9.9 to 10", edges/20000, 9.95, (0.05+0.13)/9.95)
	testkit.WantNear(t, "share of edges inside a class", float64(inside)/edges, 0.8, 0.008/0.8)
	// The first place of a class of 4,000 has (1/4000)^(1−1/2.5) of the class's 40,000 ends, 276 of
	// them.
	testkit.WantNear(t, "largest degree", float64(largest), 280, 70.0/280)
	sizes := make([]int, 5)
	for _, l := range d.Labels {
		sizes[l]++
	}
	testkit.WantSame(t, "nodes of each class", sizes, []int{4000, 4000, 4000, 4000, 4000})
	own, words := 0.0, 0.0
	d.Features.(*sparse.CSR).DoNonZero(func(i, j int, v float64) {
		words += v
		if j%5 == d.Labels[i] {
			own += v
		}
	})
	testkit.WantNear(t, "words a node", words/20000, 20, 4*math.Sqrt(20.0/20000)/20)
	// A background word belongs to the class by chance: a fifth of them, but more for the first
	// classes, whose words rank higher.
	testkit.WantNear(t, "share of words of the own class", own/words, 0.4+0.6/5, 0.004/(0.4+0.6/5))
}

// Equal expectations give a plain block model: degrees are Poisson, whose variance is the mean.
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
	testkit.WantNear(t, "variance of the degrees", variance, 6, 4*0.062/6)
}

func TestCommunitiesAreDeterministic(t *testing.T) {
	for name, c := range map[string]Communities{
		"words": {Nodes: 9000, Seed: 3}, // more than one group of rows
		"dense": {Nodes: 3000, Seed: 3, Features: 50, Dense: true},
	} {
		want := sumOf(generate(t, c))
		testkit.ForProcessors(t, func(procs int) {
			if got := sumOf(generate(t, c)); got != want {
				t.Errorf("%s, GOMAXPROCS %d: sum %s, want %s", name, procs, got, want)
			}
		})
		c.Seed = 4
		if sumOf(generate(t, c)) == want {
			t.Errorf("%s: another seed gives the same graph", name)
		}
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
			testkit.Stops(t, func(ctx context.Context) error { return testkit.Err(c.Generate(ctx)) })
		})
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

// The numbers that are squared most of the time come out as math.Pow's.
func TestPowerIsPow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	drawn := []float64{0, 0x1p-53, 1 - 0x1p-53} // the ends of what is drawn
	for range 20000 {
		drawn = append(drawn, rng.Float64())
	}
	for _, exponent := range []float64{2, 1, 1.5, 1.9999999999999998, 2.0000000000000004, 11} {
		for _, u := range drawn {
			if got, want := power(u, exponent), math.Pow(u, exponent); got != want {
				t.Fatalf("%v^%v = %v, want %v", u, exponent, got, want)
			}
		}
	}
}

// The bytes of a graph are kept from version to version, because tables are computed on them. The
// sums of graphs with words come from the first implementation, which drew place after place on
// one processor and sorted row after row.
func TestCommunitiesKeepTheirBytes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the sums are those of amd64: elsewhere a compiler may round a power or a logarithm otherwise")
	}
	for _, c := range []struct {
		c    Communities
		want string
	}{
		{Communities{}, "84b84a91adca45da"},
		{Communities{Seed: 1}, "9cf991122bd9674b"},
		{Communities{Nodes: 2708, Features: 1433, Seed: 1}, "021eeffed7ab28e3"},
		{Communities{Nodes: 1, Classes: 1, Degree: 0.5, Features: 1}, "07deace663bfc88b"},
		{Communities{Nodes: 5, Degree: 4.5, Classes: 5, Features: 5, Words: 3, Seed: 2}, "81bef75bd5ad03fe"},
		{Communities{Nodes: 30000, Classes: 3, Degree: 12, Homophily: 1, DegreeExponent: 2.1, Words: 0.5, Seed: 9}, "ea1f9f8c670d1108"},
		{Communities{Nodes: 20000, Classes: 40, Degree: 14, DegreeExponent: math.Inf(1), Topic: 1, Words: 60, Features: 100, Seed: 3}, "bea902b15a240d40"},
		{Communities{Nodes: 70000, Classes: 1, Degree: 20, DegreeExponent: 2.5, Features: -1, Seed: 4}, "a6b794e0dfcfa810"},
		{Communities{Nodes: 9, Classes: 3, Degree: 2, Words: 1e5, Features: 70001, Seed: 6}, "c4fc52c0399ad606"}, // sorted in parts
		{Communities{Nodes: 9, Classes: 3, Degree: 2, Words: 1e5, Features: 3, Seed: 6}, "8acae2c6bdea552c"},     // more of a word than is sorted
		{Communities{Nodes: 5000, Classes: 41, Degree: 10, Features: 33, Dense: true, Seed: 5}, "e40c46c149bb19cd"},
	} {
		if got := sumOf(generate(t, c.c)); got != c.want {
			t.Errorf("%+v: sum %s, want %s", c.c, got, c.want)
		}
	}
}

// sumOf is the beginning of the SHA-256 of all numbers of a dataset.
func sumOf(d *dataset.Dataset) string {
	h := sha256.New()
	put := func(numbers ...int) {
		buf := make([]byte, 0, 8*len(numbers))
		for _, v := range numbers {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(v))
		}
		h.Write(buf)
	}
	matrix := func(m *sparse.CSR) {
		raw := m.RawMatrix()
		put(raw.I, raw.J)
		put(raw.Indptr...)
		put(raw.Ind...)
		binary.Write(h, binary.LittleEndian, raw.Data)
	}
	put(d.Labels...)
	matrix(d.Adjacency)
	switch x := d.Features.(type) {
	case *sparse.CSR:
		matrix(x)
	case *coles.Dense32:
		binary.Write(h, binary.LittleEndian, x.RawMatrix().Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
