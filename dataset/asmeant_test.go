package dataset

import (
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// asMeant is what was read, in a few words: edges as "u-v" or "u-v weight", rows as "id: values" and labels as "id=class".
func asMeant(d *Dataset) string {
	var all []string
	var edges []string
	if d.Adjacency != nil {
		edges = entries(d)
	}
	for _, e := range edges {
		u, v, _ := strings.Cut(strings.TrimSuffix(e, " 1"), " ")
		all = append(all, u+"-"+v)
	}
	if d.Table != nil {
		for i, id := range d.IDs {
			row := id + ":"
			for _, c := range d.Table.Columns {
				row += " " + c.Name + "=" + c.Cells[i]
			}
			all = append(all, row)
		}
	} else if d.Features != nil {
		x := mat.DenseCopyOf(d.Features)
		for i, id := range d.IDs {
			all = append(all, fmt.Sprint(id, ": ", strings.Trim(fmt.Sprint(x.RawRowView(i)), "[]")))
		}
	}
	for i, class := range d.Labels {
		if class >= 0 {
			all = append(all, d.IDs[i]+"="+d.Classes[class])
		}
	}
	return strings.Join(all, ", ")
}

// A reading is text to be read, and what is wanted of it.
type reading struct {
	name, edges, features, labels string
	opts                          parse.Options
	want                          string // what is read, or a part of the error
	said                          string // parts of the warnings, between "; "
}

// check reads the text and compares, in the words of meant.
func (c reading) check(t *testing.T, meant func(*Dataset) string) {
	t.Run(c.name, func(t *testing.T) {
		var said []string
		c.opts.Warn = func(err error) { said = append(said, err.Error()) }
		d, err := readWith(c.edges, c.features, c.labels, c.opts)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			return
		}
		if got := meant(d); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		for part := range strings.SplitSeq(c.said, "; ") {
			if !strings.Contains(strings.Join(said, "\n"), part) || c.said == "" && said != nil {
				t.Errorf("said %q, want %q", said, part)
			}
		}
	})
}

// Situations that users of other tools have reported as trouble: what their files mean is read, or an error, or said.
func TestFilesAreReadAsMeant(t *testing.T) {
	bipartite := parse.Options{Bipartite: true}
	skip, weighted := parse.Options{SkipUnknown: true}, parse.Options{Columns: []int{1, 2, 3}}
	for _, c := range []reading{
		// Names of columns decide.
		{name: "a header of more names than fields", edges: "u\t\tA\n0\n", want: "1 field, an edge has 2"},
		{name: "a header of labels that is longer", edges: "a b\n", labels: "id,l,label\na,x\nb,y\n", want: "2 fields, the header has 3"},
		{name: "a header of labels by its id", edges: "a b\n", labels: "id,zone\na,x\nb,y\nz,x\n", opts: skip, want: "a-b, a=x, b=y", said: `no such node: 1, such as of "z"`},
		{name: "an index by pandas", edges: ",source,target\n0,10,20\n1,20,30\n", want: "10-20, 20-30", said: `not read: ""`},
		{name: "an index by R", edges: "\"\",\"from\",\"to\"\n\"1\",10,20\n\"2\",20,30\n", want: "10-20, 20-30", said: "not read"},
		{name: "an index read and written again", edges: "Unnamed: 0,u,v\n0,10,20\n", want: "10-20", said: "not read"},
		{name: "R's write.table", edges: "\"source\" \"target\"\n\"1\" 10 20\n\"2\" 20 30\n\"3\" 30 10\n", want: "10-20, 20-30, 30-10", said: "not read"},
		{name: "the weight first", edges: "weight,source,target\n5,10,20\n6,20,30\n", want: "10-20 5, 20-30 6"},
		{name: "an id of each edge first", edges: "id,source,target\n7,10,20\n8,20,30\n", want: "10-20, 20-30", said: `not read: "id"`},
		{name: "a time first", edges: "timestamp,from,to\n1600000000,a,b\n1600000001,b,c\n", want: "a-b, b-c", said: `"timestamp"`},
		{name: "a small time", edges: "source,target,timestamp\n1,2,31\n2,3,70\n", want: "1-2, 2-3", said: `"timestamp"`},
		{name: "a year", edges: "source,target,year\n1,2,1999\n2,3,2001\n", want: "1-2, 2-3", said: `"year"`},
		{name: "edge_id", edges: "source,target,edge_id\n1,2,31\n2,3,70\n", want: "1-2, 2-3", said: `"edge_id"`},
		{name: "a name that may be a weight's", edges: "a,b,distance\nx,y,2\ny,z,3\n", want: "x-y 2, y-z 3", said: `"distance" is taken for the weight`},
		{name: "Gephi's seven columns", edges: "Source,Target,Type,Id,Label,timeset,Weight\na,b,Undirected,0,,,2.5\nb,c,Undirected,1,,,1\n", want: "a-b 2.5, b-c", said: `"Id", "Label", "timeset"; column 3 is not read, as all edges are of one kind, "Undirected"`},
		{name: "the ends that are left", edges: "paper,cites,count\na,b,2\nb,c,3\n", want: "a-b 2, b-c 3"},
		{name: "Neo4j", edges: ":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n2,3,KNOWS\n", want: "1-2, 2-3", said: `column 3 is not read, as all edges are of one kind, "KNOWS"`},
		{name: "target and source", edges: "target,source\na,b\nb,c\n", want: "b-a, c-b"},
		{name: "KONECT's four", edges: "% sym\n1 2 1 1082040961\n2 3 1 1082040962\n5 1 1 1082040962\n", want: "1-2, 2-3, 5-1", said: "columns 1 and 2 are taken for the ends of an edge; not read: 3; 4, which looks like times"},
		{name: "ids of features tell the columns", edges: "x,10,KL,20,0\ny,20,LM,10,0\nx,20,LM,30,0\nz,30,MK,10,0\n", features: "10,1\n20,2\n30,4\n",
			want: "10-20, 20-10, 20-30, 30-10, 10: 1, 20: 2, 30: 4", said: "columns 2 and 4 hold ids of features"},
		{name: "an index before ids", edges: "0,4\n1,3\n", features: ",id,x\n0,4,40\n1,3,30\n2,1,10\n3,0,0\n", want: "1-3, 0-4, 4: 40, 3: 30, 1: 10, 0: 0"},
		{name: "the id last", edges: "0,1\n1,2\n", features: "rank,x,id\n2,7,0\n0,8,1\n1,9,2\n", want: "0-1, 1-2, 0: 2 7, 1: 0 8, 2: 1 9"},
		{name: "ids as an index", edges: "a,b\n", features: ",x,y\na,1,2\nb,3,5\n", want: "a-b, a: 1 2, b: 3 5"},
		{name: "node_id in JSON", edges: "0,4\n", features: "{\"x\":5,\"node_id\":4}\n{\"x\":7,\"node_id\":0}\n", want: "0-4, 4: 5, 0: 7"},
		{name: "no column of ids by name", edges: "a,b\n", features: "code,name,x\na,Ann,1\nb,Bob,2\n", want: `Ann-Bob, Ann: name=Ann x=1, Bob: name=Bob x=2`, said: `"code", is taken for the ids`},
		{name: "names that are numbers", edges: "a,b\n", features: "id,0,1,2\na,0.5,1,2\nb,1.5,2,3\n", want: "a-b, a: 0.5 1 2, b: 1.5 2 3", said: "some of its names are numbers"},
		{name: "names that are years", edges: "a,b\n", features: "name,2019,2020\na,5,1\nb,6,2\n", want: "a-b, a: 5 1, b: 6 2", said: "some of its names"},
		{name: "years and a city", edges: "a,b\n", features: "name,2019,city\na,5,Rome\nb,6,Oslo\n", want: "a-b, a: 2019=5 city=Rome, b: 2019=6 city=Oslo", said: "some of its names"},
		{name: "numbers under an index", edges: "a,b\n", features: ",0,1\na,0.5,1\nb,1.5,2\n", want: "a-b, a: 0.5 1, b: 1.5 2", said: "some of its names"},
		{name: "labels the other way", edges: "a,b\n", labels: "class,node\nx,a\ny,b\n", want: "a-b, a=x, b=y"},
		{name: "labels of three columns", edges: "a,b\n", labels: ",id,label\n0,a,x\n1,b,y\n", want: "a-b, a=x, b=y", said: `not read: ""`},
		{name: "labels of three columns without names", edges: "a,b\n", labels: "a,5,x\n", want: "3 fields, a label line is an id and a label"},

		// Nodes 0 to n − 1 are in the order of their numbers, so that row i of a matrix is node i.
		{name: "order", edges: "2,0\n0,3\n3,4\n4,1\n", labels: "2 x\n0 y\n", want: "0-3, 2-0, 3-4, 4-1, 0=y, 2=x"},
		{name: "order of features", edges: "2,0\n", features: "2,5\n1,6\n0,7\n", want: "2-0, 0: 7, 1: 6, 2: 5"},
		{name: "order of a table", edges: "2,0\n", features: "2,red,1\n1,blue,1\n0,red,1\n", want: "2-0, 0: 2=red 3=1, 1: 2=blue 3=1, 2: 2=red 3=1"},
		{name: "others as they come", edges: "2,0\n0,4\n", want: "2-0, 0-4"},

		// Marks of nothing.
		{name: "labels that are none", edges: "a,b\nb,c\n", labels: "a,x\nb,NaN\nc,?\n", want: "a-b, b-c, a=x", said: "have none: 2"},
		{name: "no label at all", edges: "a,b\n", labels: "a,x\nb,\n", want: "a-b, a=x", said: "have none: 1"},
		{name: "−1 among numbers", edges: "a,b\nb,c\n", labels: "a,0\nb,-1\nc,2\n", want: "a-b, b-c, a=0, c=2", said: "have none: 1"},
		{name: "−1 and +1", edges: "a,b\n", labels: "a,+1\nb,-1\n", want: "a-b, a=+1, b=-1"},
		{name: "a label in quotes", edges: "a,b\n", labels: "a,\"NA\"\nb,x\n", want: "a-b, a=NA, b=x"},
		{name: "an end that is none", edges: "a,b\nb,NULL\n", want: `edges:2:3: malformed: "NULL" stands for nothing and is no node; parse.Options.SkipUnknown`},
		{name: "an end of MySQL", edges: "1,2\n2,\\N\n", want: `"\\N" stands for nothing`},
		{name: "they are skipped", edges: "a,b\nb,NULL\n,a\nb,c\n", opts: skip, want: "a-b, b-c", said: `such as "NULL": 2`},
		{name: "Namibia in quotes", edges: "\"NA\",\"b\"\nb,c\n", want: "NA-b, b-c"},
		{name: "Old Nan", edges: "Nan,Bran\nBran,Sam\n", want: "Nan-Bran, Bran-Sam"},
		{name: "no marks but one", edges: "NA,b\nb,c\nc,99\n", opts: parse.Options{MissingMarks: []string{"99"}}, want: `edges:3:3: malformed: "99" stands for nothing`},
		{name: "a mark in a table", edges: "a,b\n", features: "a,red,1\nb,\\N,2\n", want: "a-b, a: 2=red 3=1, b: 2= 3=2"},
		{name: "a cell in quotes", edges: "a,b\n", features: "a,\"NA\",1\nb,NA,2\n", want: "a-b, a: 2=NA 3=1, b: 2= 3=2"},
		{name: "a mark of one's own", edges: "a,b\n", features: "a,-999\nb,2\n", opts: parse.Options{MissingMarks: []string{"-999"}, Missing: "zero"}, want: "a-b, a: 0, b: 2"},

		// Separators and forms.
		{name: "NetworkX, two attributes", edges: "1 2 {'weight': 1, 'kind': 'x'}\n2 3 {'weight': 2.5, 'kind': 'y'}\n", want: "1-2, 2-3 2.5"},
		{name: "NetworkX, none", edges: "1 2 {}\n2 3 {}\n", want: "1-2, 2-3"},
		{name: "NetworkX by commas", edges: "a,b,{\"weight\": 3}\nb,c,{}\n", want: "a-b 3, b-c"},
		{name: "tuples", edges: "(1,2)\n(1,3)\n(2,3),\n", want: "1-2, 1-3, 2-3"},
		{name: "nodes that are tuples", edges: "(0, 1) (0, 2) {}\n(0, 2) (1, 2) {}\n", want: "nodes are tuples"},
		{name: "tuples without a space", edges: "(0,1) (0,2)\n(0,2) (1,2)\n", want: "nodes are tuples"},
		{name: "tuples between tabs", edges: "(0,1)\t(0,2)\t{'weight': 3}\n(0,2)\t(1,2)\t{}\n", want: "(0,1)-(0,2) 3, (0,2)-(1,2)"},
		{name: "MovieLens", edges: "1::1193::5::978300760\n1::661::3::978302109\n2::661::4::978301968\n", opts: weighted, want: "1-1193 5, 1-661 3, 2-661 4"},
		{name: "MovieLens' films", edges: "1 2\n", features: "id::title::genre\n1::Toy Story: (1995)::Comedy\n2::Heat (1995)::Action\n", want: "Toy-Story: (1995) Heat (1995), Toy Story: (1995): title=Toy Story: (1995) genre=Comedy, Heat (1995): title=Heat (1995) genre=Action"},
		{name: "addresses", edges: "fe80::1 fe80::2\nfe80::3 fe80::1\n", want: "fe80::1-fe80::2, fe80::3-fe80::1"},
		{name: "bars", edges: "a|b\nb|c d\n", want: "a-b, b-c d"},
		{name: "Excel's line", edges: "sep=;\na;b\nb;c\n", want: "a-b, b-c"},
		{name: "a comma in some lines", edges: "a,x b\nb c\nc d\n", want: "a,x-b, b-c, c-d"},
		{name: "comments behind edges", edges: "1,2 # friends\n2,3\n3,1 # too\n", want: "1-2, 2-3, 3-1", said: "lines that have some: 2"},
		{name: "an id with a # inside", edges: "http://x/#a,C#\nC#,b\n", want: "http://x/#a-C#, C#-b"},
		{name: "carriage returns alone", edges: "Source,Target\r1,2\r2,3\r", want: "1-2, 2-3"},
		{name: "neighbours of a node", edges: "a b c d\nb c\nd a b\n", want: "adjacency"},

		// Comments.
		{name: "hashtags", edges: "source,target\n#go,#rust\n#rust,go\n%x,go\n", want: "#go-#rust, #rust-go, %x-go"},
		{name: "a hashtag first", edges: "#go,#rust\nrust,go\n#c,go\n", want: "rust-go, #c-go", said: `start with # or % are left out as comments: 1, the last "#go,#rust"`},
		{name: "hashtags with numbers", edges: "a,#b\n", features: "a,1\n#b,2\n", want: "a-#b, a: 1, #b: 2"},
		{name: "labels of hashtags", edges: "a,#b\n", labels: "a,x\n#b,y\n", want: "a-#b, a=x, #b=y"},

		// Numbers and times.
		{name: "codes", edges: "a,b\n", features: "a,1_2,5\nb,10_2,6\n", want: "a-b, a: 2=1_2 3=5, b: 2=10_2 3=6"},
		{name: "thousands", edges: "a,b,1\nb,c,1_000\n", want: `"1_000" is not a number`},
		{name: "nanoseconds", edges: "1,2,1600000000000000000\n2,3,1600000001000000000\n", want: "1-2, 2-3", said: "looks like times"},
		{name: "fractions of seconds", edges: "1,2,1600000000.5\n2,3,1600000001.25\n", want: "1-2, 2-3", said: "looks like times"},
		{name: "days", edges: "1,2,2020-01-31\n2,3,2020-02-01\n", want: "1-2, 2-3", said: "looks like times"},
		{name: "times that are wanted", edges: "1,2,1600000000\n2,3,1600000001\n", opts: weighted, want: "1-2 1.6e+09, 2-3 1.600000001e+09", said: "look like times"},

		// Two kinds of nodes.
		{name: "other ids", edges: "ann,1\nbob,2\nann,2\n", opts: bipartite, want: "ann-1, ann-2, bob-2"},
		{name: "some the same", edges: "user,item\n7,7\n8,9\n", opts: bipartite, want: "user:7-item:7, user:8-item:9"},
		{name: "features of one kind", edges: "user,item\n7,7\n8,9\n7,9\n", features: "item:7,1\n9,2\n", opts: parse.Options{Bipartite: true, MissingRows: "zero"},
			want: "user:7-item:7, user:7-item:9, user:8-item:9, item:7: 1, item:9: 2, user:7: 0, user:8: 0"},
		{name: "features of either kind", edges: "user,item\n7,7\n", features: "7,1\n", opts: parse.Options{Bipartite: true, MissingRows: "zero"},
			want: `nodes of several kinds are called "7": it is "user:7" or "item:7"`},
		{name: "labels of one kind", edges: "1,7\n2,7\n2,8\n", labels: "1,x\n8,y\n", opts: bipartite, want: "1-7, 2-7, 2-8, 1=x, 8=y"},
		{name: "labels without the kind", edges: "1,7\n2,7\n2,1\n", labels: "2,x\n2:1,y\n", opts: bipartite, want: "1:1-2:7, 1:2-2:7, 1:2-2:1, 1:2=x, 2:1=y"},
		{name: "labels of either kind", edges: "1,7\n7,8\n", labels: "7,x\n", opts: bipartite, want: `nodes of several kinds are called "7": it is "2:7" or "1:7"`},

		{name: "kinds on each line", edges: "from,from_type,to,to_type\n1,user,1,item\n1,user,2,item\n3,item,1,user\n", want: "user:1-item:1, user:1-item:2, item:3-user:1", said: "called user:…, item:…"},
		{name: "kinds without an id in common", edges: "from,from_type,to,to_type,weight\nann,user,tea,item,2\n", labels: "tea,x\n", want: "ann-tea 2, tea=x"},
		{name: "three kinds", edges: "from,from_type,to,to_type\n7,person,7,firm\n7,firm,7,place\n", features: "person:7,1\nfirm:7,2\n7,3\n", want: `"person:7" or "firm:7" or "place:7"`},
		{name: "no kind", edges: "from,from_type,to,to_type\n7,user,7,item\n7,,8,item\n", want: "edges:3:3: malformed: a node without a kind"},

		// What another file lacks.
		{name: "no row", edges: "a,b\nb,c\n", features: "a,1\nb,2\n", want: "parse.Options.MissingRows says what to do with such nodes; parse.Options.SkipUnknown"},
		{name: "no row, skipped", edges: "a,b\nb,c\n", features: "a,1\nb,2\nd,3\n", opts: skip, want: "a-b, a: 1, b: 2", said: `no line in features for node: 1, such as of "c"; left out: 1 of 3`},
		{name: "no row, but a gap", edges: "a,b\nb,c\n", features: "a,NA\nb,2\n", opts: parse.Options{Missing: "mean", MissingRows: "zero"}, want: "a-b, b-c, a: 2, b: 2, c: 0"},
		{name: "labels of strangers", edges: "a,b\n", labels: "a,x\nzoe,y\n", opts: skip, want: "a-b, a=x", said: `no such node: 1, such as of "zoe"`},
	} {
		c.check(t, asMeant)
	}
}

// Lists of neighbours and of words, of nodes that they name alone, too.
func TestListsOfNodes(t *testing.T) {
	read := func(format, file string) (*Dataset, error) {
		f, _ := FormatNamed(format)
		return f.Read(strings.NewReader(file), parse.Options{})
	}
	for _, file := range []string{"a b c\nb c\nd\n", "# of NetworkX\na,b,c\nb,c,\nd\n", `{"a": ["b", "c"], "b": ["c"], "d": []}`} {
		d := testkit.Must(read("adjacency", file))
		testkit.WantSame(t, file, []any{asMeant(d), d.IDs}, []any{"a-b, a-c, b-c", []string{"a", "b", "c", "d"}})
	}
	d := testkit.Must(read("json", `{"0": [3, "x"], "1": [], "2": ["x"]}`))
	testkit.WantSame(t, "words", []any{asMeant(d), d.FeatureNames}, []any{"0: 1 1, 1: 0 0, 2: 0 1", []string{"3", "x"}})
	for _, bad := range []string{"", "[1]", `{"a": 5}`, `{"a": [[1]]}`, `{"a": ["b"]`, `{"nodes": [{"id": 1}], "links": []}`} {
		testkit.WantError(t, testkit.Err(read("json", bad)), coles.ErrFormat)
		if bad != "" && bad[0] == '{' {
			testkit.WantError(t, testkit.Err(read("adjacency", bad)), coles.ErrFormat)
		}
	}
}
