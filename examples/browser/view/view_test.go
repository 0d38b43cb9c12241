package view_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/examples/browser/view"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// ask returns the answer of a view: its graph, its maps, its table, its error's text.
func ask(t *testing.T, v *view.View, r view.Request) (graph view.Graph, maps []view.Map, table view.Table, failure string) {
	t.Helper()
	v.Answer(t.Context(), r, func(message any) {
		if failure != "" {
			t.Errorf("%T after a failure", message)
		}
		switch m := message.(type) {
		case view.Graph:
			graph = m
		case view.Map:
			maps = append(maps, m)
		case view.Table:
			table = m
		case view.Failure:
			failure = m.Error
		}
	})
	return graph, maps, table, failure
}

func text(name, data string) view.File { return view.File{Name: name, Data: []byte(data)} }

// archive is a graph of n nodes as it is dropped on the page.
func archive(t *testing.T, n int) view.File {
	d := testkit.Must(synthetic.Communities{Nodes: n, Classes: 2, Features: 20}.Generate(t.Context()))
	d.Unlabeled = []int{3}
	var b bytes.Buffer
	testkit.Check(t, dataset.WriteNPZ(&b, d))
	return view.File{Name: "graph.npz", Data: b.Bytes()}
}

func TestGraphsAreMapped(t *testing.T) {
	for _, c := range []struct {
		name    string
		request view.Request
		graph   string
		nodes   int
		methods string // of the maps, the last of them final
	}{
		{"karate club", view.Request{Sample: "karate"}, "34 nodes, 78 edges, no features", 34, "principal components, t-SNE"},
		{"sample", view.Request{Sample: "communities"}, "400 nodes, 7", 400, "principal components, t-SNE"},
		{"edge list", view.Request{Files: map[string]view.File{
			"edges":  text("friends.tsv", "ann bob\nbob cy\n"),
			"labels": text("teams.tsv", "ann red\ncy blue\n"),
		}}, "3 nodes, 2 edges, no features", 3, "principal components"},
		{"one feature", view.Request{Files: map[string]view.File{
			"edges":    text("friends.tsv", "ann bob\nbob cy\n"),
			"features": text("age.tsv", "ann 30\nbob 40\ncy 50\n"),
		}}, "3 nodes, 2 edges, 1 feature", 3, "principal components"},
		{"rows alone", view.Request{Files: map[string]view.File{
			"features": text("people.csv", "id,age,town\nann,30,Oslo\nbob,31,Oslo\ncy,70,Rome\ndan,72,Rome\n"),
			"labels":   text("teams.csv", "ann red\ncy blue\n"),
		}}, "4 nodes, 2 edges, 3 features", 4, "principal components, t-SNE"},
		{"archive of many nodes", view.Request{Files: map[string]view.File{"edges": archive(t, 1501)}}, "1501 nodes, ", 1501, "principal components"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v view.View
			graph, maps, _, failure := ask(t, &v, c.request)
			if failure != "" || !strings.HasPrefix(graph.Graph, c.graph) || len(graph.IDs) != c.nodes {
				t.Fatalf("%q, %d ids, error %q", graph.Graph, len(graph.IDs), failure)
			}
			var methods []string
			for k, m := range maps {
				methods = append(methods, m.Method)
				if m.Final != (k == len(maps)-1) || len(m.Map) != c.nodes {
					t.Errorf("map %d of %d: final %v, %d places", k, len(maps), m.Final, len(m.Map))
				}
				for _, p := range m.Map {
					if math.IsNaN(p[0]) || math.IsInf(p[0], 0) || math.IsNaN(p[1]) || math.IsInf(p[1], 0) {
						t.Fatalf("a place at %v", p)
					}
				}
			}
			testkit.WantSame(t, "maps", strings.Join(methods, ", "), c.methods)
			_, _, table, failure := ask(t, &v, view.Request{Node: 1})
			if failure != "" || table.Node != 1 || len(table.Table) != min(10, c.nodes-1) {
				t.Errorf("node %d has the nearest %v, error %q", table.Node, table.Table, failure)
			}
		})
	}
}

// The two sides of the karate club lie apart on the map: a node is closer to the middle of its own.
func TestMapPartsTheKarateClub(t *testing.T) {
	var v view.View
	graph, maps, _, _ := ask(t, &v, view.Request{Sample: "karate"})
	places := maps[len(maps)-1].Map
	var middle [2][2]float64
	var size [2]float64
	for i, l := range graph.Labels {
		size[l]++
		middle[l][0] += places[i][0]
		middle[l][1] += places[i][1]
	}
	far := func(p [2]float64, l int) float64 {
		return math.Hypot(p[0]-middle[l][0]/size[l], p[1]-middle[l][1]/size[l])
	}
	wrong := 0
	for i, l := range graph.Labels {
		if far(places[i], l) > far(places[i], 1-l) {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d of 34 members lie with the others", wrong)
	}
}

func TestLabels(t *testing.T) {
	var v view.View
	graph, _, _, _ := ask(t, &v, view.Request{Files: map[string]view.File{"edges": archive(t, 40)}})
	if graph.Labels[3] != -1 || graph.Labels[4] < 0 {
		t.Errorf("labels %v: node 3 alone has none", graph.Labels)
	}
}

// A graph of one node has a place, and nothing near it.
func TestOneNode(t *testing.T) {
	var v view.View
	_, maps, _, failure := ask(t, &v, view.Request{Files: map[string]view.File{"edges": text("e.csv", "a,a\n")}})
	_, _, table, _ := ask(t, &v, view.Request{Node: 0})
	if failure != "" || len(maps) != 1 || len(maps[0].Map) != 1 || table.Table == nil || len(table.Table) != 0 {
		t.Errorf("%v, %v, error %q", maps, table, failure)
	}
}

// A broken file gets the library's text, and leaves the graph before.
func TestBrokenFiles(t *testing.T) {
	good := archive(t, 40)
	var v view.View
	if _, _, _, failure := ask(t, &v, view.Request{}); failure == "" {
		t.Error("neighbours of a node of no graph")
	}
	ask(t, &v, view.Request{Sample: "karate"})
	var wide strings.Builder // half of a million columns have an entry
	for j := 0; j <= 1_000_000; j += 2 {
		fmt.Fprintf(&wide, " %d:1", j)
	}
	for _, c := range []struct {
		name  string
		files map[string]view.File
		text  string
		is    error
	}{
		{"no edges", map[string]view.File{"labels": text("l.csv", "a,1")}, "a graph, or features", dataset.ErrMissing},
		{"one row", map[string]view.File{"features": text("f.csv", "a,1,2\n")}, "f.csv: ", coles.ErrShape},
		{"bad weight", map[string]view.File{"edges": text("e.csv", "a,b,1\nb,c,x\n")}, "e.csv:2:5: ", coles.ErrFormat},
		{"bad feature", map[string]view.File{"edges": text("e.csv", "a,b\n"), "features": text("f.csv", "a,1\nb,\"2\n")}, "f.csv:2:3: ", nil},
		{"cut archive", map[string]view.File{"edges": {Name: "graph.npz", Data: good.Data[:len(good.Data)/2]}}, "graph.npz: ", nil},
		{"archive and features", map[string]view.File{"edges": good, "features": text("f.csv", "a,1")}, "f.csv: ", coles.ErrShape},
		{"too large", map[string]view.File{"edges": text("e.csv", "a,b\n"), "features": text("f.csv", "a"+wide.String()+"\nb 0:1\n")}, "the fit takes ", coles.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, maps, _, failure := ask(t, &v, view.Request{Files: c.files})
			if failure == "" || !strings.Contains(failure, c.text) || maps != nil {
				t.Errorf("error %q and %d maps, want %q", failure, len(maps), c.text)
			}
			if c.is != nil {
				testkit.WantText(t, failure, c.is.Error())
			}
			_, _, table, _ := ask(t, &v, view.Request{Node: 33})
			testkit.WantSame(t, "neighbours in the karate club", len(table.Table), 10)
		})
	}
}

// wanted returns what a view sends of its graph.
func wanted(t *testing.T, v *view.View, want string, clusters int) (groups view.Groups, file view.Download, failure string) {
	t.Helper()
	v.Answer(t.Context(), view.Request{Want: want, Clusters: clusters}, func(message any) {
		switch m := message.(type) {
		case view.Groups:
			groups = m
		case view.Download:
			file = m
		case view.Failure:
			failure = m.Error
		}
	})
	return groups, file, failure
}

// The labels that the sample hides are predicted better than the largest class would, and five clusters
// are its communities; the tables agree with the colours.
func TestGroups(t *testing.T) {
	var v view.View
	graph, _, _, _ := ask(t, &v, view.Request{Sample: "communities"})
	truth := testkit.Must(synthetic.Communities{Nodes: 400, Classes: 5, Features: 200}.Generate(t.Context())).Labels

	found, _, failure := wanted(t, &v, "predictions", 0)
	lines := strings.Split(strings.TrimSpace(found.CSV.Text), "\n")[1:]
	right := 0
	for i, l := range graph.Labels {
		if l >= 0 {
			testkit.WantSame(t, "a label that is known", found.Groups[i], l)
			continue
		}
		var class int
		var chance float64
		if _, err := fmt.Sscanf(lines[0], graph.IDs[i]+",%d,%g", &class, &chance); err != nil || class != found.Groups[i] || chance < .2 || chance > 1 {
			t.Fatalf("node %d of class %d: %q, %v", i, found.Groups[i], lines[0], err) // the likeliest of five classes has a fifth at least
		}
		if lines = lines[1:]; class == truth[i] {
			right++
		}
	}
	if failure != "" || len(lines) != 0 || right < 90 { // of 133; the largest class has some thirty
		t.Errorf("%d of 133 predictions are right, %d lines too many, error %q", right, len(lines), failure)
	}

	found, _, failure = wanted(t, &v, "clusters", 5)
	if same := testkit.Must(eval.NMI(truth, found.Groups)); failure != "" || same < .5 || strings.Count(found.CSV.Text, "\n") != 401 {
		t.Errorf("clusters and communities share %.2f of their information, error %q", same, failure)
	}
	found, _, _ = wanted(t, &v, "clusters", 0)
	if last := slices.Max(found.Groups); last < 1 || last > 19 {
		t.Errorf("%d clusters", last+1)
	}

	_, file, _ := wanted(t, &v, "vectors", 0)
	csv, _ := dataset.FormatNamed("csv")
	y := testkit.Must(csv.Read(strings.NewReader(file.Text), parse.Options{}))
	testkit.WantSame(t, "ids", y.IDs, graph.IDs)

	ask(t, &v, view.Request{Sample: "karate"})
	for _, c := range []struct {
		want     string
		clusters int
		text     string
	}{{"predictions", 0, "every one has a label"}, {"clusters", 35, "35"}, {"clusters", -1, "setting"}} {
		if found, _, failure := wanted(t, &v, c.want, c.clusters); found.Groups != nil || !strings.Contains(failure, c.text) {
			t.Errorf("%d %s: error %q, want %q", c.clusters, c.want, failure, c.text)
		}
	}
	ask(t, &v, view.Request{Files: map[string]view.File{"edges": text("e.csv", "a,b\n")}})
	_, _, failure = wanted(t, &v, "clusters", 0)
	testkit.WantText(t, failure, "say how many")
}

// Files that are packed, in another format or with options are those of plain ones; what may help comes apart from the error.
func TestFilesAreReadAsTheCommandReadsThem(t *testing.T) {
	packed := func(name, data string) view.File {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		testkit.Must(w.Write([]byte(data)))
		testkit.Check(t, w.Close())
		return view.File{Name: name, Data: b.Bytes()}
	}
	edges := text("e.csv", "from;x;to\nann;1;bob\nbob;2;cy\n")
	var numbers bytes.Buffer
	testkit.Check(t, dataset.WriteNPY(&numbers, mat.NewDense(3, 2, []float64{1, 0, 1, 0, 1, 1})))
	var v view.View
	for name, c := range map[string]struct {
		request view.Request
		want    string
	}{
		"packed":             {view.Request{Files: map[string]view.File{"edges": packed("e.tsv.gz", "ann bob\nbob cy\n")}}, "3 nodes, 2 edges, no features"},
		"by names":           {view.Request{Files: map[string]view.File{"edges": edges}}, "3 nodes, 2 edges, no features"},
		"by places":          {view.Request{Files: map[string]view.File{"edges": edges}, Options: parse.Options{Columns: []int{1, 2}, Header: parse.WithHeader}}, "4 nodes, 2 edges, no features"},
		"a table with holes": {view.Request{Files: map[string]view.File{"edges": edges, "features": text("f.csv", "id,city,age\nann,Rome,30\nbob,,\ncy,Oslo,50\n")}}, "3 nodes, 2 edges, "},
		"Matrix Market": {view.Request{Files: map[string]view.File{
			"edges":    text("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"),
			"features": {Name: "x.npy", Data: numbers.Bytes()},
			"labels":   text("l.tsv", "0 red\n2 blue\n"),
		}}, "3 nodes, 2 edges, 2 features"},
		"repeats":        {view.Request{Files: map[string]view.File{"edges": text("e.csv", "a,b,1\na,b,2\n")}, Options: parse.Options{Repeats: "max"}}, "2 nodes, 1 edge, no features"},
		"names of nodes": {view.Request{Files: map[string]view.File{"edges": text("e.adjlist", "1 2\n"), "labels": text("l.csv", "id,label,team\n1,ann,x\n2,bob,y\n")}, Options: parse.Options{LabelColumn: "team"}}, "2 nodes, 1 edge, no features"},
		"rows left out":  {view.Request{Files: map[string]view.File{"edges": edges, "features": text("f.csv", "id,a\nann,1\nbob,2\n")}, Options: parse.Options{MissingRows: "drop"}}, "2 nodes, 1 edge, 1 feature"},
	} {
		graph, _, _, failure := ask(t, &v, c.request)
		if failure != "" || !strings.HasPrefix(graph.Graph, c.want) {
			t.Errorf("%s: %q, %q", name, graph.Graph, failure)
		}
	}
	var asMapped, npz bytes.Buffer
	testkit.Check(t, dataset.WriteNPZ(&npz, testkit.Must(dataset.ReadEdgeList(strings.NewReader("ann bob\n"), nil, parse.Options{}))))
	testkit.Check(t, dataset.WriteCSR(&asMapped, testkit.Must(dataset.ReadEdgeList(strings.NewReader("ann bob\n"), nil, parse.Options{}))))
	ofTools := map[string]string{
		"gml": "graph [ node [ id 1 label \"ann\" ] node [ id 2 label \"bob\" ] edge [ source 1 target 2 ] ]", "json-graph": `{"nodes": [{"id": "ann"}, {"id": "bob"}], "links": [{"source": "ann", "target": "bob"}]}`,
		"graphml": `<graphml><graph><node id="ann"/><node id="bob"/><edge source="ann" target="bob"/></graph></graphml>`, "pajek": "*Vertices 2\n1 \"ann\"\n2 \"bob\"\n*Edges\n1 2\n", "metis": "2 1\n2\n1\n",
		"gexf": `<gexf><graph><nodes><node id="ann"/><node id="bob"/></nodes><edges><edge source="ann" target="bob"/></edges></graph></gexf>`, "dimacs": "p edge 2 1\ne 1 2\n", "sif": "ann knows bob\n",
		"edges": "ann bob\n", "adjacency": "ann bob\n", "baskets": "ann\n", "csr": asMapped.String(), "pairs": "\x93NUMPY\x01\x00\x46\x00" + fmt.Sprintf("%-69s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }") + "\x00\x01",
		"npz": npz.String(), "matrixmarket": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
	}
	for _, f := range dataset.Formats() {
		if !f.Graph || f.Read == nil {
			continue
		}
		for _, extension := range f.Extensions {
			graph, _, _, failure := ask(t, &v, view.Request{Files: map[string]view.File{"edges": text("g"+extension, ofTools[f.Name])}})
			if failure != "" || graph.Graph != "2 nodes, 1 edge, no features" {
				t.Errorf("%s as %s: %q, %q", f.Name, extension, graph.Graph, failure)
			}
		}
	}
	if graph, _, _, _ := ask(t, &v, view.Request{Sample: "karate"}); len(graph.Edges) != 2*78 || graph.First[0] != 33 {
		t.Errorf("karate: %d ends, first %v", len(graph.Edges), graph.First)
	}
	v.Answer(t.Context(), view.Request{Files: map[string]view.File{"edges": text("e.tsv", "a b 1\nb NA 1\n")}}, func(message any) {
		if m, ok := message.(view.Failure); ok {
			testkit.WantText(t, m.Error, "e.tsv:2:3: malformed")
			if strings.Contains(m.Error, "coles:") || len(m.Advice) == 0 || m.Advice[0].Field != "SkipUnknown" {
				t.Errorf("%+v", m)
			}
		}
	})
	for name, c := range map[string]struct {
		file view.File
		want [][]string
	}{
		"text":   {text("e.csv", "a,b\n\"x, y\",2\n\n"), [][]string{{"a", "b"}, {"x, y", "2"}}},
		"packed": {packed("e.csv.gz", "a b\n"), [][]string{{"a", "b"}}},
		"binary": {view.File{Name: "x.npz", Data: []byte("PK\x03\x04\x00\x00")}, nil},
		"empty":  {text("e", ""), nil},
	} {
		v.Answer(t.Context(), view.Request{Preview: &c.file}, func(message any) {
			testkit.WantSame(t, name, message.(view.Preview).Preview, c.want)
		})
	}
}
