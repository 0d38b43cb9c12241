package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// snapText is an edge list as SNAP's are: comments, then two integers a line.
func snapText(nodes, edges int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	text := []byte("# Directed graph\n# FromNodeId\tToNodeId\n")
	for range edges {
		u := rng.IntN(nodes)
		text = strconv.AppendInt(text, int64(u), 10)
		text = append(text, '\t')
		text = strconv.AppendInt(text, int64((u+rng.IntN(1000))%nodes), 10)
		text = append(text, '\n')
	}
	return text
}

// Most lines are read by a shortcut for two integers. In quotes they take the long way,
// and must come to the same.
func TestPlainIntegersAreReadAsAnyID(t *testing.T) {
	lines := []string{"7 0", "0 7", "12 7", "0012 7", "18446744073709551616 3", "999999999999999999 1", "1000000000000000000 2",
		"12345678901 7", "a 7", "7 a", "-3 7", "+3 7", "3 3", "12345678901 12", "4 12345678901"}
	for k := range 3000 { // more than are numbered together
		lines = append(lines, fmt.Sprintf("%d %d", k*k, 3*k))
	}
	weights := []string{"1", "0.5", "-2e-3", " 3", "4 ", "0x1p-2", "+7"}
	var fast *Dataset
	for _, weighted := range []bool{true, false} {
		plain, quoted := make([]string, len(lines)), make([]string, len(lines))
		for k, l := range lines {
			u, v, _ := strings.Cut(l, " ")
			plain[k], quoted[k] = u+"\t"+v, `"`+u+`"`+"\t"+`"`+v+`"`
			if weighted {
				weight := "\t" + weights[k%len(weights)]
				plain[k], quoted[k] = plain[k]+weight, quoted[k]+weight
			}
		}
		slow, err := readText(strings.Join(quoted, "\n"), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if fast, err = readText(strings.Join(plain, "\n"), "", ""); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(fast.IDs, slow.IDs) {
			t.Errorf("weighted %t: other ids", weighted)
		}
		if diff := cmp.Diff(slow.Adjacency.RawMatrix(), fast.Adjacency.RawMatrix()); diff != "" {
			t.Errorf("weighted %t: another matrix: %s", weighted, diff)
		}
	}
	for k, want := range []string{"7", "0", "12", "0012", "18446744073709551616"} {
		if fast.IDs[k] != want {
			t.Errorf("id %d is %q, want %q", k, fast.IDs[k], want)
		}
	}
}

// Memory follows the graph: the same edges between many comments, and given ten
// times, take what they do once, and an id near 2⁶⁰ takes what a small one does.
func TestEdgeListMemoryIsThatOfTheGraph(t *testing.T) {
	small := []byte("1 2\n2 3\n")
	read := func(text []byte) uint64 {
		return allocated(func() {
			if _, err := ReadEdgeList(bytes.NewReader(text), nil, EdgeListOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	base := read(small)
	comments := append(bytes.Repeat([]byte("# nothing to see here\n"), 1<<20), small...)
	if got := read(comments); got > base+1<<12 {
		t.Errorf("%d bytes for two edges among %d bytes of comments, %d without", got, len(comments), base)
	}
	if got := read([]byte("1 2\n2 999999999999999999\n")); got > base+1<<12 {
		t.Errorf("%d bytes with a large id, %d without", got, base)
	}
	text := snapText(20_000, 200_000)
	// 16 bytes an edge in the matrix, 8 before; an id and its places; growing takes three times that.
	if got, most := read(text), uint64(3*(24*200_000+100*20_000)); got > most {
		t.Errorf("%d bytes for 200,000 edges, at most %d", got, most)
	}
}

// Megabytes a second of SNAP edge lists: two million edges, the same with weights, and 200 MB.
func BenchmarkReadEdgeList(b *testing.B) {
	for _, c := range []struct {
		name         string
		nodes, edges int
		end          string
	}{{"30MB", 300_000, 2_000_000, "\n"}, {"weights", 300_000, 2_000_000, "\t0.5\n"}, {"200MB", 2_000_000, 14_000_000, "\n"}} {
		b.Run(c.name, func(b *testing.B) {
			if testing.Short() && c.edges > 2_000_000 {
				b.Skip("a large input in a short run")
			}
			text := bytes.ReplaceAll(snapText(c.nodes, c.edges), []byte("\n"), []byte(c.end))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadEdgeList(bytes.NewReader(text), nil, EdgeListOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
