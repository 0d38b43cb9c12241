package dataset

import (
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// joined is the undirected graph of a dataset in a few words: nodes without an edge, edges as "u-v" or "u-v weight", and
// what [asMeant] says of rows and labels.
func joined(d *Dataset) string {
	g := testkit.Must(d.Graph())
	var all []string
	for i := range g.Nodes() {
		if nodes, _ := g.Neighbors(i); len(nodes) == 0 {
			all = append(all, d.IDs[i])
		}
	}
	for e, w := range g.Edges() {
		all = append(all, strings.TrimSuffix(fmt.Sprintf("%s-%s %v", d.IDs[e.U], d.IDs[e.V], w), " 1"))
	}
	bare := *d
	if bare.Adjacency = nil; d.Table != nil || d.Labels != nil {
		all = append(all, asMeant(&bare))
	}
	return strings.Join(all, ", ")
}

const (
	newman = "Creator \"Mark Newman on Fri Jul 21 2006\"\ngraph\n[\n  directed 0\n  node\n  [\n    id 0\n    label \"Ann\"\n    value 7\n  ]\n" +
		"  node [ id 1 label \"Bob\" value 3 ] node [ id 2 label \"Cid\" value 7 ]\n  edge\n  [\n    source 0\n    target 1\n    value 2\n  ]\n]\n"
	gexfHead  = `<?xml version="1.0" encoding="UTF-8"?><gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3"><graph defaultedgetype="undirected">`
	graphML   = `<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">`
	bothNodes = `<node id="n0"/><node id="n1"/>`
)

// Files as tools of graphs write them are told by their content, and read with names, weights and attributes.
func TestNetworksAreReadAsMeant(t *testing.T) {
	own := parse.Options{LabelColumn: "value"}
	for _, c := range []struct {
		name, file string
		opts       parse.Options
		whole      bool   // with features and, by LabelColumn, labels of the file itself
		want, said string // as of a reading
	}{
		{name: "GML of Newman", file: newman, want: "Cid, Ann-Bob 2", said: "what is not used: of nodes value; parse.Options.LabelColumn"},
		{name: "with labels", file: newman, opts: own, want: "Cid, Ann-Bob 2, Ann=7, Bob=3, Cid=7"},
		{name: "features and labels of GML", file: strings.NewReplacer("value 7", "value 7 size 0.5", "value 3", "value 3 size 2").Replace(newman), opts: own, whole: true, want: "Cid, Ann-Bob 2, Ann: size=0.5, Bob: size=2, Cid: size=0.5, Ann=7, Bob=3, Cid=7"},
		{name: "GML of igraph", file: "Version 1\ngraph\n[ directed 1 node [ id 5 name \"a\" ] node [ id 7 name \"b\" ] edge [ source 7 target 5 weight 0.5 ] ]", want: "a-b 0.5"},
		{name: "GML without names", file: "graph [ node [ id 5 ] node [ id 7 ] edge [ source 7 target 5 ] ]", want: "5-7"},
		{name: "labels that repeat", file: "graph [ node [ id 5 label \"x\" ] node [ id 7 label \"x\" ] edge [ source 7 target 5 ] ]", want: "5-7", said: "of nodes label"},
		{name: "titles under labels that are numbers", file: "graph [ node [ id 5 label \"8\" title \"Alien\" ] node [ id 7 label \"9\" name \"Ripley\" ] node [ id 1 ] edge [ source 7 target 5 ] ]", want: "1, Alien-Ripley", said: "of nodes label"},
		{name: "a mark, comments, entities and text over lines", file: "\ufeff# one\ngraph [\n# two\n node [ id 1 label \"Mot&#246;rhead &amp;\nCo\" ] node[id 2 label \"[\"]\nedge [ source 1 target 2 ] ]", want: "Motörhead &\nCo-["},
		{name: "ISO-8859-1 in GML", file: "graph [ node [ id 1 label \"Jos\xe9\" ] node [ id 2 label \"Ann\" ] edge [ source 1 target 2 ] ]", want: "José-Ann", said: "taken for ISO-8859-1"},
		{name: "edges before nodes, lists and graphics", file: "graph [ edge [ source 1 target 2 roles \"_networkx_list_start\" roles \"x\" ] node [ id 1 tag \"x\" tag \"y\" size 1 graphics [ x 1 y [ z 2 ] ] ] node [ id 2 size 2 ] ]",
			whole: true, want: "1-2, 1: tag=x|y size=1, 2: tag= size=2", said: "of edges roles; graphics of nodes"},
		{name: "an edge of no node", file: "graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]", want: `edges:2: bad node ids: an edge has the end "2"`},

		{name: "a weight before a value, whatever their order", file: "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 3 weight 2 ] ]", want: "1-2 2", said: "of edges value"},
		{name: "a count beside a value that never differs", file: "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 value 1.0 count \"3\" ] edge [ source 3 target 2 value 1.0 count \"2\" ] ]", want: "1-2 3, 2-3 2", said: "of edges value"},
		{name: "a value that is no number", file: "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value \"friend\" ] ]", want: "1-2", said: "of edges value"},
		{name: "a weight by name", file: "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 dur 5 weight 2 ] ]", opts: parse.Options{Weight: "dur"}, want: "1-2 5", said: "of edges weight"},
		{name: "a weight of another name", file: newman, opts: parse.Options{Weight: "dur"}, want: `no attribute "dur" of edges, which have value`},
		{name: "no weight wanted", file: newman, opts: parse.Options{Unweighted: true, LabelColumn: "value"}, want: "Cid, Ann-Bob, Ann=7, Bob=3, Cid=7", said: "of edges value"},
		{name: "a weight on some edges", file: "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 3 ] edge [ source 1 target 1 ] ]", want: "1-2 3", said: "edges without a weight get 1: 1"},

		{name: "GraphML of igraph", file: graphML + `<!-- by igraph --><key id="v_name" for="node" attr.name="name"/><key id="e" for="edge" attr.name="weight"/><graph edgedefault="undirected"><node id="n0"><data key="v_name">ann</data></node><node id="n1"><data key="v_name">bob &amp; co</data></node><edge source="n0" target="n1"><data key="e"> 2 </data></edge></graph></graphml>`, want: "ann-bob & co 2"},
		{name: "GraphML of yEd, with a group", file: graphML + `<key for="node" id="d6" yfiles.type="nodegraphics"/><key id="d1" for="edge" attr.name="Edge Weight"/><graph edgedefault="directed"><node id="n0"><data key="d6"><y:ShapeNode><y:Fill color="#FFCC00"/><y:NodeLabel>Ann<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>` +
			`<node id="n1"><graph edgedefault="directed"><node id="n1::n0"><data key="d6"><y:NodeLabel>Bob</y:NodeLabel></data></node></graph></node><edge source="n0" target="n1::n0"><data key="d1">4</data></edge></graph></graphml>`, want: "n1, Ann-Bob 4"},
		{name: "defaults of GraphML", file: graphML + `<key id="k" for="node" attr.name="kind"><default>plain</default></key><graph edgedefault="undirected"><node id="n0"><data key="k">odd</data></node><node id="n1"/><node id="n2"/><node id="n3"><data key="k">odd</data></node></graph></graphml>`, whole: true,
			want: "n0, n1, n2, n3, n0: kind=odd, n1: kind=plain, n2: kind=plain, n3: kind=odd"},
		{name: "a default weight of no edges", file: graphML + `<key id="k" for="edge" attr.name="weight"><default>1</default></key><graph>` + bothNodes + `</graph></graphml>`, want: "n0, n1", said: "of edges weight"},
		{name: "a key that nothing declares", file: graphML + `<graph edgedefault="undirected"><node id="n0"><data key="x">1</data></node><node id="n1"/></graph></graphml>`, want: "n0, n1", said: "of nodes x"},
		{name: "hyperedges", file: graphML + `<graph edgedefault="undirected">` + bothNodes + `<hyperedge><endpoint node="n0"/></hyperedge></graph></graphml>`, want: "n0, n1", said: "not used: hyperedges"},
		{name: "ISO-8859-1 in XML", file: "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><graphml><graph><node id=\"Jos\xe9\"/></graph></graphml>", want: "José"},
		{name: "another encoding", file: "<?xml version=\"1.0\" encoding=\"EBCDIC\"?><graphml><graph><node id=\"a\"/></graph></graphml>", want: `the encoding "EBCDIC" is not read`},

		{name: "GEXF 1.3", file: gexfHead + `<attributes class="node"><attribute id="0" title="frog" type="boolean"><default>true</default></attribute><attribute id="1" title="url"/></attributes><attributes class="edge"><attribute id="0" title="kind"/></attributes>` +
			`<nodes><node id="0" label="Ann"><attvalues><attvalue for="0" value="false"/></attvalues><viz:color r="1"/></node><node id="1" label="Bob"><nodes><node id="2" label="Cid"/></nodes></node></nodes><edges><edge source="0" target="1" weight="2.0"><attvalues><attvalue for="0" value="friend"/></attvalues></edge></edges></graph></gexf>`,
			whole: true, want: "Cid, Ann-Bob 2, Ann: frog=false, Bob: frog=true, Cid: frog=true", said: "of edges kind; color"},
		{name: "GEXF 1.1", file: `<gexf version="1.1"><graph type="static"><nodes><node id="a" label="Ann"/><node id="b" label="Bob"/></nodes><edges><edge source="a" target="b" cardinal="1"/></edges></graph></gexf>`, want: "Ann-Bob"},

		{name: "links of NetworkX", file: `{"directed": false, "multigraph": false, "graph": {"name": "x"}, "nodes": [{"id": "ann", "club": "x"}, {"id": 7, "club": "y"}], "links": [{"weight": 2.5, "source": "ann", "target": 7}]}`, opts: parse.Options{LabelColumn: "club"}, whole: true, want: "no attributes, to make features of"},
		{name: "edges of NetworkX", file: `{"nodes": [{"id": "ann"}, {"id": "bob", "pos": {"x": 1}}], "edges": [{"source": "ann", "target": "bob"}]}`, want: "ann-bob", said: "not used: pos"},
		{name: "d3 by numbers", file: `{"nodes": [{"name": "ann", "group": 1}, {"name": "bob"}], "links": [{"source": 0, "target": 1, "value": 2}]}`, want: "ann-bob 2", said: "of nodes group"},
		{name: "d3 by numbers of nodes with ids", file: `{"links": [{"source": 0, "target": 1}], "nodes": [{"id": "ann"}, {"id": "bob"}]}`, want: "ann-bob"},
		{name: "Cytoscape", file: `{"elements": {"nodes": [{"data": {"id": "1", "name": "ann"}, "position": {"x": 1}}, {"data": {"id": "2", "name": "bob"}}], "edges": [{"data": {"id": "3", "source": "1", "target": "2", "weight": 4}, "selected": false}]}}`, want: "ann-bob 4", said: "of edges selected; position"},
		{name: "a list of Cytoscape", file: `[{"group": "nodes", "data": {"id": "n1", "name": "ann"}}, {"data": {"id": "n2", "name": "bob"}}, {"data": {"id": "n3"}},
			{"group": "edges", "data": {"id": "e", "source": "n1", "target": "n2", "weight": 4}, "position": {"x": 1}}]`, want: "n3, ann-bob 4", said: "not used: position"},
		{name: "a list of Cytoscape as elements", file: `{"elements": [{"data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"source": "a", "target": "b"}}]}`, want: "a-b"},
		{name: "a list of Cytoscape, a stranger", file: "[{\"data\": {\"id\": \"a\"}},\n{\"data\": {\"source\": \"a\", \"target\": \"b\"}}]", want: "edges:2: links[0]: bad node ids: the end \"b\""},
		{name: "JSON Graph Format", file: `{"graph": {"directed": false, "nodes": {"a": {"label": "Ann", "metadata": {"age": 30}}, "b": {"label": "Bob"}, "c": {}}, "edges": [{"source": "a", "target": "b", "relation": "knows", "metadata": {"weight": 2}}]}}`,
			opts: parse.Options{LabelColumn: "age"}, want: "c, Ann-Bob 2, Ann=30", said: "of edges relation"},
		{name: "JSON Graph Format of lists, arcs", file: `{"graphs": [{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "edges": [{"source": "a", "target": "b"}, {"source": "b", "target": "c", "directed": false}]}, {"nodes": []}]}`,
			want: "a-b, b-c", said: "graphs behind the first"},
		{name: "adjacency of NetworkX", file: `{"directed": false, "nodes": [{"id": "a"}, {"id": "b"}], "adjacency": [[{"id": "b", "weight": 3}, {"id": "a"}], [{"id": "a", "weight": 3}]]}`, want: "a-b 3", said: "edges without a weight get 1: 1"},
		{name: "pairs", file: `[["a", "b"], ["b", 3, 0.5]]`, want: "a-b, b-3 0.5", said: "edges without a weight get 1: 1"},
		{name: "records", file: "[{\"from\": \"a\", \"to\": \"b\"},\n{\"from\": \"b\"}]", want: "links[1]: malformed: an edge without a source or a target"},

		{name: "Pajek", file: "*Network x\n*Vertices 3\n1 \"Ann B\" 0.1 0.2 ic Red\n3 cid\n% a comment\n*Arcs\n1 2 5 c Blue\n*Edges\n2 3\n*Partition x\n", want: "Ann B-2 5, 2-cid", said: "not used: *Partition"},
		{name: "lists of Pajek", file: "*vertices 3\n*arcslist\n1 2 3\n*edgeslist\n2 3\n", want: "1-2, 1-3, 2-3"},
		{name: "a matrix of Pajek", file: "*Vertices 3\r\n*Matrix\r\n0 2 0\r\n2 0 0\r\n0 0 0\r\n", want: "3, 1-2 2"},
		{name: "two kinds of Pajek", file: "*Vertices 3 1\n1 \"u\"\n2 \"i\"\n3 \"j\"\n*Edges\n1 2\n1 3\n", want: "u-i, u-j"},
		{name: "DIMACS", file: "c c\nc a comment\np edge 4 2\ne 1 2\ne 2 3\n", want: "4, 1-2, 2-3"},
		{name: "lengths are no weights", file: "p sp 2 2\na 1 2 7\na 2 1 7\n", want: "1-2", said: "of edges length"},
		{name: "METIS", file: "% a comment\n4 2 011 2\n9 9 2 5\n9 9 1 5 3 7\n9 9 2 7\n9 9\n", opts: parse.Options{Format: "metis"}, want: "4, 1-2 5, 2-3 7"},
		{name: "SIF", file: "a pp b c\nb pd c\ne\n", opts: parse.Options{Format: "sif"}, want: "e, a-b, a-c, b-c", said: "of edges interaction"},

		{name: "KONECT, unweighted", file: "% sym unweighted\n% 2 3 3\n1 2\n2 3\n", want: "1-2, 2-3"},
		{name: "KONECT, weights and times", file: "% asym posweighted\n1\t2\t3\t1217567877\n2\t3\t4\t1217573801\n", want: "1-2 3, 2-3 4", said: "the fourth column, times, is not read"},
		{name: "KONECT, times of no weights", file: "% asym unweighted\n1 2 1 12\n2 3 1 13\n", want: "1-2, 2-3", said: "times"},
		{name: "KONECT, two kinds", file: "% bip weighted\n1 1 2\n2 1 5\n", want: "1:1-2:1 2, 2:1-1:2 5"},
		{name: "lines that begin like a format", file: "graph,value\np,c\nc,q\n", want: "graph-value, p-c, c-q", said: "not for a header"},
	} {
		r := reading{name: c.name, edges: c.file, opts: c.opts, want: c.want, said: c.said}
		if c.whole {
			if r.features = c.file; c.opts.LabelColumn != "" {
				r.labels = c.file
			}
			r.opts.EdgesName, r.opts.FeaturesName = "edges", "edges"
			if c.file[0] == '{' {
				r.opts.FeaturesName = "edges.json"
			}
		}
		r.check(t, joined)
	}
}

// An adjacency has a direction of arcs alone, and two kinds are told.
func TestDirectionsOfNetworks(t *testing.T) {
	for file, want := range map[string]string{
		graphML + `<graph edgedefault="directed">` + bothNodes + `<edge source="n1" target="n0"/></graph></graphml>`:                        "n1-n0",
		graphML + `<graph edgedefault="directed">` + bothNodes + `<edge source="n1" target="n0" directed="false"/></graph></graphml>`:       "n0-n1, n1-n0",
		"graph [ node [ id 1 ] node [ id 2 ] edge [ source 2 target 1 ] edge [ source 2 target 2 ] ]":                                       "1-2, 2-1, 2-2",
		"graph [ node [ id 1 ] node [ id 2 ] edge [ source 2 target 1 ] directed 1 ]":                                                       "2-1",
		gexfHead + `<nodes><node id="a"/><node id="b"/></nodes><edges><edge source="b" target="a" type="directed"/></edges></graph></gexf>`: "b-a",
		`{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "adjacency": [[{"id": "b"}], [{"id": "a"}]]}`:                              "a-b, b-a",
		"*Vertices 3 1\n*Arcs\n1 2\n*Edges\n1 3\n":                                                                                          "1-2, 1-3, 3-1",
	} {
		d := testkit.Must(readWith(file, "", "", parse.Options{}))
		testkit.WantSame(t, file, asMeant(d), want)
		if (d.Sides != nil) != strings.HasPrefix(file, "*") || d.Sides != nil && (d.Sides[0] || !d.Sides[1]) {
			t.Errorf("%s: sides %v", file, d.Sides)
		}
	}
	testkit.WantError(t, testkit.Err(readWith(newman, "", "", parse.Options{Bipartite: true})), coles.ErrSetting)
}

// A network goes with features and labels of other files by the names of its nodes or else their ids, and lends its own.
func TestNetworksBesideText(t *testing.T) {
	for _, c := range []reading{
		{name: "by names", edges: newman, features: "Bob,1\nAnn,2\nCid,3\n", want: "Bob-Ann 2, Ann-Bob 2, Bob: 1, Ann: 2, Cid: 3"},
		{name: "by ids", edges: newman, features: "1,1\n0,2\n2,3\n", want: "0-1 2, 1-0 2, 0: 2, 1: 1, 2: 3"},
		{name: "a stranger", edges: newman, features: "Bob,1\nAnn,2\n", want: `no line in features for node "Cid"`},
		{name: "a stranger, skipped", edges: newman, features: "Bob,1\nAnn,2\n", opts: parse.Options{SkipUnknown: true}, want: "Bob-Ann 2, Ann-Bob 2, Bob: 1, Ann: 2"},
		{name: "a row of its own", edges: newman, features: "Bob,1\nAnn,2\n", opts: parse.Options{MissingRows: "zero"}, want: "Bob-Ann 2, Ann-Bob 2, Bob: 1, Ann: 2, Cid: 0"},
		{name: "labels in text", edges: newman, labels: "Ann,x\nCid,y\n", want: "Ann-Bob 2, Bob-Ann 2, Ann=x, Cid=y"},
		{name: "labels for text", edges: "Ann Bob\nBob Cid\n", labels: newman, opts: parse.Options{LabelColumn: "value"}, want: "Ann-Bob, Bob-Cid, Ann=7, Bob=3, Cid=7"},
		{name: "labels for text by ids", edges: "0 1\n1 2\n", labels: newman, opts: parse.Options{LabelColumn: "value"}, want: "0-1, 1-2, 0=7, 1=3, 2=7"},
		{name: "features for text", edges: "Ann Bob\n", features: newman, want: "Ann-Bob, Ann: value=7, Bob: value=3, Cid: value=7"},
		{name: "nodes of Neo4j", edges: ":START_ID,:END_ID,:TYPE\n1,2,A\n2,3,B\n", features: "name,personId:ID(Person),age:int\nAnn,1,30\nBob,2,31\nCid,3,32\n", labels: "id,name\n1,x\n",
			want: "Ann-Bob, Bob-Cid, Ann: name=Ann age:int=30, Bob: name=Bob age:int=31, Cid: name=Cid age:int=32, Ann=x"},
		{name: "nodes of Gephi", edges: "Source,Target,Type,Id\n1,0,Directed,5\n1,2,Directed,6\n", features: "Label,Id\nBob,1\nAnn,0\nCid,2\n",
			want: "Bob-Ann, Bob-Cid, Ann: 0, Bob: 0, Cid: 0"},
		{name: "labels that repeat", edges: "1 2\n2 3\n", features: "Id,Label\n1,Ann\n2,Ann\n3,Cid\n", want: "1-2, 2-3, 1: Label=Ann, 2: Label=Ann, 3: Label=Cid"},
		{name: "labels that are numbers, beside names", edges: "1 2\n", features: "id,label,name\n1,5.5,Ann\n2,6,Bob\n", want: "Ann-Bob, Ann: label=5.5 name=Ann, Bob: label=6 name=Bob"},
		{name: "labels that are numbers", edges: "1 2\n", features: "id,label,town\n1,2,Rome\n2,1,Oslo\n", want: "1-2, 1: label=2 town=Rome, 2: label=1 town=Oslo"},
		{name: "a node without a label", edges: "1 2\n", features: "id,label\n1,Ann\n2,\n", want: "Ann-2, Ann: 0, 2: 0"},
		{name: "a label that is another's id", edges: "a b\n", features: "id,label\na,b\nb,\n", want: "a-b, a: 0, b: 0"},
		{name: "labels of Neo4j are kinds", edges: ":START_ID,:END_ID\n1,2\n", features: ":ID,:LABEL\n1,Film\n2,Person\n", want: "1-2, 1: 0, 2: 0"},
		{name: "names in JSON", edges: "1 2\n", features: `{"id": 2, "name": "Bob"}` + "\n" + `{"id": 1, "name": "Ann"}`, want: "Ann-Bob, Bob: 0, Ann: 0"},
		{name: "names beside labels", edges: "2 1\n1 0\n", labels: "name,Id,team\nBob,1,x\nAnn,0,y\nCid,2,x\n", opts: parse.Options{LabelColumn: "team"}, want: "Bob-Ann, Cid-Bob, Ann=y, Bob=x, Cid=x"},
		{name: "names for labels", edges: "2 1\n", labels: "Id,Label\n1,Ann\n2,Bob\n", want: "2-1, 2=Bob, 1=Ann"},
		{name: "a column of labels in a table", edges: "1,2\n", features: "id,age,team\n1,30,5\n2,31,5\n", labels: "id,age,team\n1,30,5\n2,31,5\n", opts: parse.Options{LabelColumn: "team"},
			want: "1-2, 1: age=30 team=5, 2: age=31 team=5, 1=5, 2=5"},
		{name: "no such column of labels", edges: "1,2\n", labels: "id,age\n1,30\n", opts: parse.Options{LabelColumn: "team"}, want: `no column "team" of labels beside one of ids: id, age`},
		{name: "two columns of labels", edges: "1,2\n", labels: "id,age,age\n1,30,40\n", opts: parse.Options{LabelColumn: "age"}, want: `columns 2 and 3 of the header are both called "age"`},
		{name: "no column of labels", edges: newman, labels: newman, want: "no attribute \"class\" of nodes, which have label, value"},
		{name: "a usual column", edges: newman, labels: strings.ReplaceAll(newman, "value", "group"), want: "Ann-Bob 2, Bob-Ann 2, Ann=7, Bob=3, Cid=7"},
	} {
		switch d, err := readWith(c.edges, c.features, c.labels, c.opts); {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		case err == nil && asMeant(d) != c.want:
			t.Errorf("%s: %s, want %s", c.name, asMeant(d), c.want)
		}
	}
}
