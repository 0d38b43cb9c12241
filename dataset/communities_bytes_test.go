package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
)

// The numbers that are squared most of the time come out as math.Pow's.
func TestPowerIsPow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, exponent := range []float64{2, 1, 1.5, 1.9999999999999998, 2.0000000000000004, 11} {
		for range 20000 {
			u := rng.Float64()
			if got, want := power(u, exponent), math.Pow(u, exponent); got != want {
				t.Fatalf("%v^%v = %v, want %v", u, exponent, got, want)
			}
		}
	}
	for _, u := range []float64{0, 0x1p-53, 1 - 0x1p-53} { // the ends of what is drawn
		if power(u, 2) != math.Pow(u, 2) {
			t.Errorf("%v² = %v", u, power(u, 2))
		}
	}
}

// The bytes of a graph are kept from version to version, because tables are
// computed on them. The sums of graphs with words are those of the first
// implementation, which drew place after place on one processor and sorted row
// after row.
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
		{Communities{Nodes: 5000, Classes: 41, Degree: 10, Features: 33, Dense: true, Seed: 5}, "e40c46c149bb19cd"},
	} {
		if got := sumOf(generate(t, c.c)); got != c.want {
			t.Errorf("%+v: sum %s, want %s", c.c, got, c.want)
		}
	}
}

// sumOf is the beginning of the SHA-256 of all numbers of a dataset.
func sumOf(d *Dataset) string {
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
