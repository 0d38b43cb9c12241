package dataset

import (
	"fmt"
	"strings"
	"testing"

	"coles/dataset/parse"
	"coles/internal/testkit"
)

// What becomes of lines that repeat an edge, counted by hand, is the same by every way to the graph: through the adjacency,
// undirected at once, and in a folder's files.
func TestRepeatsOfAnEdge(t *testing.T) {
	const said = "edges that repeat an earlier one: "
	times := parse.Options{Columns: []int{2, 3}}
	first, most, plain := parse.Options{Repeats: "first"}, parse.Options{Repeats: "max"}, parse.Options{Unweighted: true}
	for name, c := range map[string]struct {
		lines string
		opts  parse.Options
		want  string // edges with their weights
		said  string // "" for nothing
	}{
		"purchases":                  {"a x\na x\na x\na x\nb x\n", parse.Options{}, "a-x 4, x-b 1", said + "3 of 5"},
		"payments, one of them back": {"a b 10\na b 20\nb c 1\na b 30\nb a 5\n", parse.Options{}, "a-b 65, b-c 1", said + "2 of 5"},
		"the first":                  {"a b 10\na b 30\na b 20\n", first, "a-b 10", ""},
		"the largest":                {"a b 10\na b 30\na b 20\nb a 40\n", most, "a-b 40", ""},
		"the sum, as asked":          {"a b 10\na b 30\n", parse.Options{Repeats: "sum"}, "a-b 40", ""},
		"contacts with times":        {"9 a b\n9 b c\n10 b a\n10 b a\n", times, "a-b 3, b-c 1", said + "1 of 4"},
		"both directions":            {"a b\nb a\nb c\nc b\n", parse.Options{}, "a-b 1, b-c 1", ""},
		"both directions, weights":   {"a b 2\nb a 2\nb c 3\nc b 3\n", parse.Options{}, "a-b 2, b-c 3", ""},
		"both directions, twice":     {"a b\nb a\na b\nb c\nb a\nc b\n", parse.Options{}, "a-b 2, b-c 1", said + "2 of 6"},
		"links, some of them back":   {"a b\nb a\nb c\n", parse.Options{}, "a-b 1, b-c 1", ""},
		"unweighted, as asked":       {"a b 3\na b 4\nb c 1\n", plain, "a-b 1, b-c 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, way := range []parse.Options{{}, {Undirected: true}, {Undirected: true, Scratch: t.TempDir()}} {
				var told []string
				opts := c.opts
				opts.Undirected, opts.Scratch, opts.Warn = way.Undirected, way.Scratch, func(err error) { told = append(told, err.Error()) }
				d, err := ReadEdgeList(strings.NewReader(c.lines), nil, opts)
				if opts.Scratch != "" && err != nil && strings.Contains(err.Error(), "unsupported") {
					continue // Linux alone
				}
				testkit.Check(t, err)
				defer d.Close()
				var edges []string
				g := testkit.Must(d.Graph())
				for e, w := range g.Edges() {
					edges = append(edges, fmt.Sprintf("%s-%s %v", d.IDs[e.U], d.IDs[e.V], w))
				}
				testkit.WantSame(t, "edges", strings.Join(edges, ", "), c.want)
				if warnings := strings.Join(told, "; "); c.said == "" && warnings != "" || !strings.Contains(warnings, c.said) {
					t.Errorf("undirected %v: said %q, want %q", way.Undirected, warnings, c.said)
				}
			}
		})
	}
}
