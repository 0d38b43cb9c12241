package dataset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
)

// mixedLines are lines of edges, most of them plain, between lines that are not; quoted are the same lines
// with all ids in quotes, which are read one by one.
func mixedLines(rng *rand.Rand, count int, form func(u, v string) string) (mixed, quoted []string) {
	id := func() string {
		switch rng.IntN(8) {
		case 0:
			return fmt.Sprint("Zoë ", rng.IntN(3000))
		case 1:
			return fmt.Sprintf("%04d", rng.IntN(3000))
		case 2:
			return fmt.Sprint(rng.Uint64() >> rng.IntN(64))
		}
		return fmt.Sprint(rng.IntN(3000))
	}
	for k := range count {
		u, v := id(), id()
		line := form(`"`+u+`"`, `"`+v+`"`)
		quoted = append(quoted, line)
		switch k % 50 {
		case 7:
			mixed = append(mixed, "# "+line, line)
		case 13:
			mixed = append(mixed, "", "  "+form(u, v))
		case 29:
			mixed = append(mixed, form(u+" ", v), "   ", "  % "+line)
		default:
			mixed = append(mixed, form(u, v))
		}
	}
	return mixed, quoted
}

// Blocks of lines give what the lines do one by one, wherever a block and a line that is not plain meet,
// and however the bytes come.
func TestBlocksAreReadAsLines(t *testing.T) {
	rng := testkit.Random(11)
	for name, c := range map[string]struct {
		form func(u, v string) string
		opts parse.Options
	}{
		"two fields": {form: func(u, v string) string { return u + "\t" + v }},
		"weights": {form: func(u, v string) string {
			return u + "," + v + fmt.Sprintf(",%g", float64(len(strings.Trim(u, ` "`))+1)*1e-7)
		}},
		"unweighted":       {func(u, v string) string { return u + "\t" + v + "\tyesterday" }, parse.Options{Unweighted: true, Repeats: "sum"}},
		"other columns":    {func(u, v string) string { return "x;" + v + ";2.5;" + u + ";y" }, parse.Options{Columns: []int{4, 2, 3}}},
		"two kinds":        {func(u, v string) string { return u + "\t" + v }, parse.Options{Bipartite: true}},
		"their undirected": {form: func(u, v string) string { return u + "\t" + v + "\t0.5" }},
	} {
		mixed, quoted := mixedLines(rng, 30_000, c.form) // some three blocks
		for _, end := range []string{"\n", "\r\n"} {
			want := testkit.Must(readWith(strings.Join(quoted, "\n"), "", "", c.opts))
			got := testkit.Must(readWith(strings.Join(mixed, end), "", "", c.opts))
			if !slices.Equal(got.IDs, want.IDs) || !sameMatrix(got.Adjacency, want.Adjacency) {
				t.Errorf("%s, %q: ids or edges differ", name, end)
			}
			opts := c.opts
			opts.Undirected = true
			slowly := iotest.HalfReader(strings.NewReader(strings.Join(mixed, end)))
			graph := testkit.Must(testkit.Must(ReadEdgeList(slowly, nil, opts)).Graph())
			again := testkit.Must(want.Graph())
			if testkit.WantSame(t, name+": report", graph.Report(), again.Report()); !sameMatrix(graph.CSR(), again.CSR()) {
				t.Errorf("%s, %q: graphs differ", name, end)
			}
		}
	}
}

func sameMatrix(a, b *sparse.CSR) bool {
	x, y := a.RawMatrix(), b.RawMatrix()
	return slices.Equal(x.Indptr, y.Indptr) && slices.Equal(x.Ind, y.Ind) && slices.Equal(x.Data, y.Data)
}

// A fault has its line and column wherever it is in a block, and is the first.
func TestFaultsInBlocks(t *testing.T) {
	rng := testkit.Random(12)
	nodes := make([]string, 3000)
	for i := range nodes {
		nodes[i] = fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		bad    string
		column int
		err    error
	}{
		"an unknown number": {"1\t3000", 3, coles.ErrIDs},
		"an unknown name":   {"bob\t1", 1, coles.ErrIDs},
		"a third field":     {"1\t2\t3", 0, coles.ErrFormat},
		"one field":         {"1", 0, coles.ErrFormat},
		"no id":             {"1\t", 3, coles.ErrFormat},
		"no text":           {"1\t\xff", 0, coles.ErrFormat},
		"an open quote":     {"1\t\"2", 3, coles.ErrFormat},
	} {
		for _, at := range []int{1, 30_000, 59_999} {
			lines := make([]string, 60_000)
			for k := range lines {
				if lines[k] = fmt.Sprintf("%d\t%d", rng.IntN(3000), rng.IntN(3000)); k%100 == 99 {
					lines[k] = "# nothing"
				}
			}
			lines[at] = c.bad
			if at < 59_999 {
				lines[59_999] = "1\t2\t3\t4" // a later one
			}
			for _, opts := range []parse.Options{{Nodes: nodes}, {Rows: 3000}} {
				_, err := readWith(strings.Join(lines, "\n")+"\n", "", "", opts)
				var where *parse.Error
				if !errors.Is(err, c.err) || !errors.As(err, &where) || where.Line != at+1 || where.Column != c.column {
					t.Errorf("%s: %v, want line %d and column %d", name, err, at+1, c.column)
				}
			}
		}
	}
}

// Rows are names of the numbers below them, which need no storage.
func TestRowsAreNodes(t *testing.T) {
	d := testkit.Must(readWith("2 0\n0 1\n", "", "1 x\n", parse.Options{Rows: 4}))
	testkit.WantSame(t, "edges", []float64{d.Adjacency.At(0, 1), d.Adjacency.At(2, 0), float64(d.Adjacency.NNZ())}, []float64{1, 1, 2})
	testkit.WantSame(t, "nodes, ids and labels", []any{d.Nodes(), d.IDs, d.Labels}, []any{4, []string(nil), []int{-1, 0, -1, -1}})
	for _, opts := range []parse.Options{{Rows: -1}, {Rows: 3, Nodes: []string{"a"}}} {
		testkit.WantError(t, testkit.Err(readWith("0 1\n", "", "", opts)), coles.ErrSetting)
	}
	testkit.WantError(t, testkit.Err(readWith("0 1\n", "0,1\n", "", parse.Options{Rows: 2})), coles.ErrSetting)
}
