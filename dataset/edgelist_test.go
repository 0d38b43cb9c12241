package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles/dataset/parse"
	"coles/internal/race"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func readText(edges, features, labels string) (*Dataset, error) {
	return readWith(edges, features, labels, parse.Options{})
}

func readWith(edges, features, labels string, opts parse.Options) (*Dataset, error) {
	if labels != "" {
		opts.Labels = strings.NewReader(labels)
	}
	if features == "" {
		return ReadEdgeList(strings.NewReader(edges), nil, opts)
	}
	return ReadEdgeList(strings.NewReader(edges), strings.NewReader(features), opts)
}

// entries lists the adjacency as "u v weight" by id, row by row.
func entries(d *Dataset) []string {
	var out []string
	raw := d.Adjacency.RawMatrix()
	for i := range raw.I {
		for p := raw.Indptr[i]; p < raw.Indptr[i+1]; p++ {
			out = append(out, fmt.Sprint(d.IDs[i], " ", d.IDs[raw.Ind[p]], " ", raw.Data[p]))
		}
	}
	return out
}

// What stands in quotes does not decide what separates, nor do spaces and semicolons next to a comma.
func TestSeparatorsInQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		"\"a,b\" \"c\"\n":            {"a,b", "c"},
		"\"a;\"\",b\";c\n":           {"a;\",b", "c"},
		"five\"inch,\"six;seven\"\n": {"five\"inch", "six;seven"},
		"1,18 to 24\n":               {"1", "18 to 24"},
		"part 2,7\n":                 {"part 2", "7"},
		"1,a;b\n":                    {"1", "a;b"},
		" 1, 2\n":                    {"1", "2"},
		"\"a,b\",\"say \"\"hi\"\"\"\n\"#x\", y z \n": {"a,b", `say "hi"`, "#x", "y z"},
	} {
		testkit.WantSame(t, text, testkit.Must(readText(text, "", "")).IDs, want)
	}
}

func TestEdgeListForms(t *testing.T) {
	plain := []string{"a b 1", "a b 1", "c a 1", "c c 1"}
	weighted := []string{"a b 2", "a b 0.5", "c a -1", "c c 1e-05"}
	for _, c := range []struct {
		name, edges string
		want        []string
	}{
		{"spaces", "a b\na b\nc a\nc c\n", plain},
		{"runs of spaces and tabs", "  a   b\na b \nc\ta\nc c", plain},
		{"tabs", "a\tb\na\tb\nc\ta\nc\tc\n", plain},
		{"commas, Windows line ends, byte order mark", "\ufeffa,b\r\na, b\r\nc,a\r\nc,c\r\n", plain},
		{"semicolons", "a;b\na;b\nc;a\nc;c\n", plain},
		{"comments and empty lines", "# c d\n\n% x\na b\n  # e\na b\nc a\n\nc c\n", plain},
		{"header of known words", "Source,Target\na,b\na,b\nc,a\nc,c\n", plain},
		{"quotes", "\"a\",\"b\"\na,\"b\" \nc,a\nc,c\n", plain},
		{"weights", "a b 2\na b 0.5\nc a -1\nc c 1e-5\n", weighted},
		{"weights under a header", "paper\tcites\tcount\na\tb\t2\na\tb\t0.5\nc\ta\t-1\nc\tc\t1e-5\n", weighted},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := testkit.Must(readText(c.edges, "", ""))
			testkit.WantSame(t, "entries", entries(d), c.want)
			testkit.WantSame(t, "ids, in the order of first mention", d.IDs, []string{"a", "b", "c"})
			wantValid(t, d)
		})
	}
}

func TestEdgeListFeatures(t *testing.T) {
	want := mat.NewDense(3, 2, []float64{0.5, -1, 0, 0, 3, 1e3})
	for _, c := range []struct {
		name, features string
		sparse         bool
	}{
		{"commas", "c,0.5,-1\nb,0,0\na,3,1e3\n", false},
		{"commas and header", "paper,x,y\nc,0.5,-1\nb,0,0\na,3,1e3\n", false},
		{"spaces", "# two numbers\nc 0.5 -1\nb 0 0\na 3 1e3", false},
		{"sparse by spaces", "c 0:0.5 1:-1\nb\na 1:1e3 0:3\n", true},
		{"sparse by a tab", "c\t0:0.5 1:-1\nb\t\na\t1:1e3 0:3\n", true},
		{"sparse by tabs, header", "id\twords\nc\t0:0.5\t1:-1\nb\t0:0\na\t1:1e3\t0:3\n", true},
		{"sparse, first node without", "c 0:0.5 1:-1\nb\na 0:3 1:1000\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := testkit.Must(readText("a b\nc a\n", c.features, ""))
			x := d.Features
			s, isSparse := x.(*sparse.CSR)
			if isSparse {
				x = s.ToDense()
			}
			if isSparse != c.sparse || !mat.Equal(x, want) {
				t.Errorf("sparse: %v\n%v", isSparse, mat.Formatted(x))
			}
			testkit.WantSame(t, "ids, in the order of the features file", d.IDs, []string{"c", "b", "a"})
			testkit.WantSame(t, "edges", entries(d), []string{"c a 1", "a b 1"})
		})
	}
}

// Of a known width columns may be empty at the end, were they millions.
func TestEdgeListWidth(t *testing.T) {
	for _, width := range []int{3, math.MaxInt32} {
		for features, entries := range map[string]int{"a 0:1\nb 2:1\n": 2, "a\nb\n": 0} {
			d := testkit.Must(ReadEdgeList(strings.NewReader("a b\n"), strings.NewReader(features), parse.Options{Width: width}))
			x := d.Features.(*sparse.CSR)
			_, cols := x.Dims()
			testkit.WantSame(t, "columns and entries", []int{cols, x.NNZ()}, []int{width, entries})
		}
	}
}

func TestEdgeListLabels(t *testing.T) {
	for _, c := range []struct {
		name, labels string
		classes      []string
		want         []int
		unlabeled    []int
	}{
		{"text", "a\tspam\nc\tham\n", []string{"ham", "spam"}, []int{1, -1, 0}, []int{1}},
		{"numbers sort as numbers", "id,label\na,10\nb,9\nc,10\n", []string{"9", "10"}, []int{1, 0, 1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := testkit.Must(readText("a b\nb c\n", "", c.labels))
			if !slices.Equal(d.Classes, c.classes) || !slices.Equal(d.Labels, c.want) || !slices.Equal(d.Unlabeled, c.unlabeled) {
				t.Errorf("classes %v, labels %v, unlabeled %v", d.Classes, d.Labels, d.Unlabeled)
			}
		})
	}
}

func FuzzEdgeList(f *testing.F) {
	f.Add([]byte("a b\nb c\n"), []byte("a,1\nb,2\nc,3\n"), []byte("a\tx\n"), byte(0))
	f.Add([]byte("source,target,weight\n\"a\",b,1\n"), []byte(""), []byte("b 1\n"), byte(1))
	f.Add([]byte("a\tb\n"), []byte("a\t0:1 3:2\nb\n"), []byte(""), byte(10))
	f.Add([]byte("u,v,t\n7,7,1082040961\n7,8,2\n"), []byte("x,y\nu:7,?\nv:7,NaN\n"), []byte("zoe,y\n"), byte(255))
	f.Fuzz(func(t *testing.T, edges, features, labels []byte, choice byte) {
		opts := parse.Options{
			Missing:    []string{"", "zero", "mean", "drop"}[choice&3],
			Unweighted: choice&4 != 0, SkipUnknown: choice&8 != 0, Bipartite: choice&16 != 0,
			Warn: func(error) {},
		}
		if choice&32 != 0 {
			opts.Columns = []int{1 + int(choice>>7), 2 + int(choice>>7), 3 + int(choice>>7)}[:2+choice>>6&1]
		}
		for _, x := range []io.Reader{nil, bytes.NewReader(features)} {
			opts.Labels = bytes.NewReader(labels)
			d, err := ReadEdgeList(bytes.NewReader(edges), x, opts)
			if err != nil {
				continue
			}
			wantValid(t, d)
			wantWrittenEdges(t, d)
			if x != nil {
				continue
			}
			opts.Undirected, opts.Labels = true, nil
			joined, err := ReadEdgeList(bytes.NewReader(edges), nil, opts)
			if g, bad := d.Graph(); bad == nil && (err != nil || joined.Undirected.Report() != g.Report()) {
				t.Errorf("undirected: %v, %v, want %v", joined, err, g)
			} else if bad != nil && err == nil {
				t.Errorf("undirected: no error, want %v", bad)
			}
			opts.Undirected = false
		}
	})
}

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

// Most lines are read by a shortcut for two integers. In quotes they take the long way, and must
// come to the same.
func TestPlainIntegersAreReadAsAnyID(t *testing.T) {
	lines := []string{"7 0", "0 7", "12 7", "0012 7", "18446744073709551616 3", "999999999999999999 1", "1000000000000000000 2",
		"12345678901 7", "a 7", "7 a", "-3 7", "+3 7", "3 3", "12345678901 12", "4 12345678901"}
	for k := range 3000 { // more than are numbered together
		lines = append(lines, fmt.Sprintf("%d %d", k*k, 3*k))
	}
	weights := []string{"1", "0.5", "-2e-3", " 3", "4 ", "0.25", "+7"}
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
		slow := testkit.Must(readText(strings.Join(quoted, "\n"), "", ""))
		fast = testkit.Must(readText(strings.Join(plain, "\n"), "", ""))
		testkit.WantSame(t, "ids", fast.IDs, slow.IDs)
		testkit.WantSame(t, "matrix", fast.Adjacency.RawMatrix(), slow.Adjacency.RawMatrix())
	}
	testkit.WantSame(t, "the first ids", fast.IDs[:5], []string{"7", "0", "12", "0012", "18446744073709551616"})
}

// Memory follows the graph: the same edges between many comments, and given ten times, take what
// they do once, and an id near 2⁶⁰ takes what a small one does.
func TestEdgeListMemoryIsThatOfTheGraph(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // each reads its own part of the text
	small := []byte("1 2\n2 3\n")
	read := func(text []byte) uint64 {
		return allocated(func() { testkit.Must(ReadEdgeList(bytes.NewReader(text), nil, parse.Options{})) })
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
	// 16 bytes an edge in the matrix, 8 before; an id and its places; growing takes three times
	// that.
	if got, most := read(text), uint64(3*(24*200_000+100*20_000)); got > most {
		t.Errorf("%d bytes for 200,000 edges, at most %d", got, most)
	}
	// The graph has 8 bytes an edge, the ends before it 8, and 4 say where each goes. A node has its id twice,
	// the places of an id in two tables, the first of which grew, its row and its degree; and 28 bytes, of its id and
	// two places, while nodes that come in another order are put in that of their numbers. The text that a
	// processor reads at a time, what stands on it, and a bucket of entries are some megabytes; the race
	// detector has buckets dropped.
	if race.Enabled {
		return
	}
	text = snapText(200_000, 2_000_000)
	once := parse.Options{Undirected: true, Repeats: "first"} // as sums are weights
	got := allocated(func() { testkit.Must(ReadEdgeList(bytes.NewReader(text), nil, once)) })
	if most := uint64(20*2_000_000 + 228*200_000 + 2<<22); got > most {
		t.Errorf("%d bytes for a graph of two million edges, at most %d", got, most)
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
				testkit.Must(ReadEdgeList(bytes.NewReader(text), nil, parse.Options{}))
			}
		})
	}
}
