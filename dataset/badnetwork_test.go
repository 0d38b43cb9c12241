package dataset

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
	"coles/internal/text"
)

func network(format, file string) func() error {
	return func() error {
		return testkit.Err(readWith(file, "", "", parse.Options{Format: format}))
	}
}

func TestBadNetworks(t *testing.T) {
	const nodes = `<node id="a"/><node id="b"/>`
	xml := func(body string) string { return "<graphml>\n<graph>\n" + body + "\n</graph></graphml>" }
	refuse(t, []bad{
		{"gml: nothing", network("gml", ""), coles.ErrFormat, "edges:1"},
		{"gml: no graph", network("gml", "Creator \"x\"\nVersion 1\n"), coles.ErrFormat, "edges:2"},
		{"gml: no node", network("gml", "graph [ directed 0 ]"), ErrMissing, "edges"},
		{"gml: it ends in a list", network("gml", "graph [\nnode [ id 1"), coles.ErrChecksum, "edges:2"},
		{"gml: it ends in a text", network("gml", "graph [\nnode [ id \"1"), coles.ErrChecksum, "edges:2"},
		{"gml: it ends behind a key", network("gml", "graph [\nnode"), coles.ErrChecksum, "edges:2"},
		{"gml: no value", network("gml", "graph [\nnode [ id ]\n]"), coles.ErrFormat, "edges:2"},
		{"gml: a value without a key", network("gml", "graph [\nnode [ \"x\" 3 ]\n]"), coles.ErrFormat, "edges:2"},
		{"gml: a list that is not open", network("gml", "graph [\n]\n]"), coles.ErrFormat, "edges:3"},
		{"gml: no id", network("gml", "graph [\nnode [ label \"x\" ]\n]"), coles.ErrFormat, "edges:2"},
		{"gml: a node twice", network("gml", "graph [\nnode [ id 1 ]\nnode [ id 1 ] ]"), coles.ErrIDs, `edges:3: bad node ids: node "1" twice`},
		{"gml: no target", network("gml", "graph [\nnode [ id 1 ]\nedge [ source 1 ] ]"), coles.ErrFormat, "edges:3"},
		{"gml: a weight of words", network("gml", "graph [ node [ id 1 ]\nedge [ source 1 target 1 weight \"heavy\" ] ]"), coles.ErrFormat, `edges:2: the weight of an edge: malformed: "heavy"`},
		{"gml: an infinite weight", network("gml", "graph [ node [ id 1 ]\nedge [ source 1 target 1 weight Inf ] ]"), coles.ErrNotFinite, "edges:2"},
		{"gml: lists in lists", network("gml", strings.Repeat("graph [\n", 1<<12)), coles.ErrTooLarge, "edges:"},
		{"gml: attributes of all names", network("gml", "graph [ node [ id 1 "+keys(2000)+" ] ]"), coles.ErrTooLarge, "edges:1"},

		{"xml: another root", network("graphml", "<svg/>"), coles.ErrFormat, "edges:1: malformed: <svg>"},
		{"xml: no graph", network("graphml", "<graphml/>"), coles.ErrFormat, "edges:1"},
		{"xml: it ends early", network("graphml", "<graphml>\n<graph>"), coles.ErrChecksum, "edges:2"},
		{"xml: an element that is not open", network("graphml", xml("</node>")), coles.ErrFormat, "edges:3"},
		{"xml: no id", network("graphml", xml("<node/>")), coles.ErrFormat, "edges:3"},
		{"xml: a node twice", network("graphml", xml(nodes+"\n"+nodes)), coles.ErrIDs, "edges:4"},
		{"xml: an edge of no node", network("graphml", xml(nodes+"\n<edge source=\"a\" target=\"c\"/>")), coles.ErrIDs, `edges:4: bad node ids: an edge has the end "c"`},
		{"xml: a second graph", network("graphml", "<graphml><graph>"+nodes+"</graph>\n<graph/></graphml>"), coles.ErrFormat, "edges:2"},
		{"xml: not UTF-8", network("graphml", xml("<node id=\"\xff\"/>")), coles.ErrFormat, "edges:3"},
		{"xml: elements in elements", network("graphml", "<graphml>"+strings.Repeat("<a>\n", 1<<12)), coles.ErrTooLarge, "edges:64"},
		// Entities that unfold to ten times another, ten deep.
		{"xml: a bomb", network("graphml", `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`+xml("<node id=\"&b;\"/>")), coles.ErrFormat, "edges:3"},
		{"gexf: a weight of words", network("gexf", "<gexf><graph><nodes>"+nodes+"</nodes><edges>\n<edge source=\"a\" target=\"b\" weight=\"x\"/></edges></graph></gexf>"), coles.ErrFormat, "edges:2"},

		{"json: nothing", network("json-graph", ""), coles.ErrChecksum, "edges:1"},
		{"json: a number", network("json-graph", "3"), coles.ErrFormat, "edges:1"},
		{"json: it ends early", network("json-graph", "{\"nodes\": [\n{\"id\": 1},"), coles.ErrChecksum, "edges:2"},
		{"json: no JSON", network("json-graph", "{\"nodes\": [\n{\"id\": 1;}]}"), coles.ErrFormat, "edges:2"},
		{"json: a node that is none", network("json-graph", "{\"nodes\": [\n3]}"), coles.ErrFormat, "3, want an object"},
		{"json: nodes that are no list", network("json-graph", "{\"nodes\":\n{\"a\": 1}, \"links\": []}"), coles.ErrFormat, "edges:2"},
		{"json: a node twice", network("json-graph", "{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}]}"), coles.ErrIDs, "nodes[1]"},
		{"json: a link of no node", network("json-graph", "{\"nodes\": [{\"id\": \"a\"}],\n\"links\": [{\"source\": \"a\", \"target\": \"b\"}]}"), coles.ErrIDs, "edges:2: links[0]"},
		{"json: a link by a number beyond", network("json-graph", "{\"nodes\": [{\"id\": \"a\"}], \"links\": [{\"source\": 0, \"target\": 1}]}"), coles.ErrIDs, "links[0]"},
		{"json: a weight of words", network("json-graph", "[[1, 2, \"x\"]]"), coles.ErrFormat, `edges:1: the weight of an edge: malformed: "x"`},
		{"json: neighbours of no node", network("json-graph", "{\"nodes\": [{\"id\": \"a\"}], \"adjacency\": [[], []]}"), coles.ErrIndex, "adjacency[1]"},
		{"json: lists of neighbours", network("json-graph", `{"a": ["b"]}`), coles.ErrFormat, "the format adjacency"},
		{"json: text behind", network("json-graph", "[[1, 2]]\n{}"), coles.ErrFormat, "edges:2"},
		{"json: a link of four", network("json-graph", "[[1, 2, 3, 4]]"), coles.ErrFormat, "edges:1"},
		{"json: lists in lists", network("json-graph", strings.Repeat("[", 1<<16)), coles.ErrFormat, "edges:1"},
		{"json: elements in elements", network("json-graph", strings.Repeat("{\"elements\":\n", 1<<14)), coles.ErrFormat, "edges:"},

		{"pajek: nothing", network("pajek", ""), coles.ErrFormat, "edges"},
		{"pajek: no number", network("pajek", "*Vertices\n"), coles.ErrFormat, "edges:1"},
		{"pajek: a vertex beyond", network("pajek", "*Vertices 2\n3 \"x\"\n"), coles.ErrIndex, "edges:2"},
		{"pajek: an end beyond", network("pajek", "*Vertices 2\n*Edges\n1 3\n"), coles.ErrIndex, "edges:3"},
		{"pajek: one end", network("pajek", "*Vertices 2\n*Edges\n1\n"), coles.ErrFormat, "edges:3"},
		{"pajek: a row of a matrix", network("pajek", "*Vertices 2\n*Matrix\n0 1 0\n"), coles.ErrShape, "edges:3"},
		{"pajek: vertices declared only", network("pajek", "*Vertices 2000000000\n"), coles.ErrTooLarge, "edges:2"},
		{"pajek: a vertex far behind", network("pajek", "*Vertices 2000000000\n1999999999 x\n"), coles.ErrTooLarge, "edges:2"},

		{"dimacs: nothing", network("dimacs", "c\n"), coles.ErrFormat, "edges:2"},
		{"dimacs: an edge first", network("dimacs", "e 1 2\n"), coles.ErrFormat, "edges:1"},
		{"dimacs: an end beyond", network("dimacs", "p edge 2 1\ne 1 3\n"), coles.ErrIndex, "edges:2"},
		{"dimacs: an end of words", network("dimacs", "p edge 2 1\ne 1 b\n"), coles.ErrFormat, "edges:2"},
		{"dimacs: too few edges", network("dimacs", "p edge 2 2\ne 1 2\n"), coles.ErrChecksum, "edges:3"},
		{"dimacs: nodes declared only", network("dimacs", "p edge 2000000000 0\n"), coles.ErrTooLarge, "edges:2"},

		{"metis: nothing", network("metis", "% x\n"), coles.ErrFormat, "edges:2"},
		{"metis: one number", network("metis", "3\n"), coles.ErrFormat, "edges:1"},
		{"metis: too few lines", network("metis", "2000000000 1\n2\n"), coles.ErrChecksum, "edges:3"},
		{"metis: too many lines", network("metis", "2 1\n2\n1\n2\n"), coles.ErrShape, "edges:4"},
		{"metis: an edge from one end", network("metis", "2 1\n2\n\n"), coles.ErrShape, "edges"},
		{"metis: a neighbour beyond", network("metis", "2 1\n3\n1\n"), coles.ErrIndex, "edges:2"},
		{"metis: no weight", network("metis", "2 1 1\n2\n1 5\n"), coles.ErrShape, "edges:2"},
		{"metis: weights that differ", network("metis", "2 1 x\n2\n1\n"), coles.ErrFormat, "edges:1"},

		{"sif: no other node", network("sif", "a pp b\na pp\n"), coles.ErrFormat, "edges:2"},
		{"sif: an empty node", network("sif", "a\tpp\t\tb\n"), coles.ErrFormat, "edges:1"},
	})
	for _, long := range []string{"graph [ x " + strings.Repeat("x", text.MaxLine+1), "graph [ x \"" + strings.Repeat("x", text.MaxLine+1), "*Vertices 2 " + strings.Repeat("x", text.MaxLine+1)} {
		wantError(t, network("", long)(), coles.ErrTooLarge, "edges:1")
	}
}

// keys are attributes of different names.
func keys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k" + strings.Repeat("x", i%40) + strings.Repeat("y", i/40) + " 1 ")
	}
	return b.String()
}

// smallNetworks has a file of each format.
var smallNetworks = map[string]string{
	"gml":        newman,
	"graphml":    graphML + `<key id="k" for="all" attr.name="kind"><default>x</default></key><graph edgedefault="directed">` + bothNodes + `<edge source="n0" target="n1"><data key="k">y</data></edge></graph></graphml>`,
	"gexf":       gexfHead + `<attributes class="node"><attribute id="0" title="x"/></attributes><nodes><node id="a"><attvalues><attvalue for="0" value="1"/></attvalues></node></nodes><edges><edge source="a" target="a" weight="2"/></edges></graph></gexf>`,
	"json-graph": `{"graph": {}, "nodes": [{"id": 1, "x": [1, 2]}, {"id": "b"}], "links": [{"source": 1, "target": "b", "value": 3}]}`,
	"pajek":      "*Vertices 3 1\n1 \"a b\"\n*Arcs\n1 2 5\n*Edgeslist\n1 2 3\n*Matrix\n0 1 2\n",
	"dimacs":     "c x\np sp 3 2\na 1 2 7\na 2 3 8\n",
	"metis":      "3 2 11\n1 2 5\n1 1 5 3 6\n1 2 6\n",
	"sif":        "a pp b c\nd\n",
}

func TestNetworksFailAtEveryByte(t *testing.T) {
	for format, file := range smallNetworks {
		read := func(data string) error {
			return testkit.Err(ReadEdgeList(failAfter([]byte(data)), nil, parse.Options{Format: format}))
		}
		for k := range len(file) {
			wantError(t, read(file[:k]), errDisk, "edges")
			if err := network(format, file[:k])(); !slices.Contains([]string{"sif", "pajek", "dimacs"}, format) && err == nil && strings.TrimSpace(file[k:]) != "" {
				t.Errorf("%s cut at byte %d was read", format, k)
			}
		}
		if err := network(format, file)(); err != nil {
			t.Error(err)
		}
	}
}

// Whatever is read is a dataset that is valid, of files of graph tools and of lists in other forms.
func FuzzNetworks(f *testing.F) {
	for format, file := range smallNetworks {
		f.Add(format, []byte(file))
	}
	f.Add("baskets", []byte("egg,milk\nmilk,\"a, b\",milk\n"))
	f.Add("adjacency", []byte("a b c\nb a\n"))
	f.Add("adjacency", []byte(`{"a": ["b", 7], "7": []}`))
	f.Add("pairs", npyArray("<i4", "(2, 2)", []int32{0, 1, 1, 2}))
	f.Fuzz(func(t *testing.T, format string, file []byte) {
		for _, features := range []io.Reader{nil, bytes.NewReader(file)} {
			opts := parse.Options{Format: format, FeaturesName: "x.json", Labels: bytes.NewReader(file), LabelColumn: "value"}
			if d, err := ReadEdgeList(bytes.NewReader(file), features, opts); err == nil {
				wantValid(t, d)
			}
		}
	})
}
