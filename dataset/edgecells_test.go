package dataset

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// manyLines are lines of a form with numbers that meet often enough to be ids: a of 40, b another.
func manyLines(form string, count int) string {
	var b strings.Builder
	for k := range count {
		fmt.Fprintf(&b, form+"\n", 100+k*7%40, 100+(k*11+3)%40, k)
	}
	return b.String()
}

// Lists of edges as they are published, most without names of their columns: the ends are told by the cells of all, and what
// is guessed is said. Wanted are the first edges, or a part of the error.
func TestColumnsByTheirCells(t *testing.T) {
	for _, c := range []reading{
		// Triples.
		{name: "triples of words", edges: "paris\tcapital_of\tfrance\nberlin\tcapital_of\tgermany\nfrance\tborders\tgermany\nrome\tcapital_of\titaly\nitaly\tborders\tfrance\n",
			want: "paris-france, france-germany, berlin-germany, rome-italy, italy-france", said: "columns 1 and 3 are taken for the ends of an edge, column 2 for its kind; column 2 tells kinds of edges: 2"},
		{name: "triples of numbers", edges: "015953116 _hypernym 05586803\n05586803 _part 07777777\n07777777 _hypernym 015953116\n", want: "015953116-05586803, 05586803-07777777, 07777777-015953116", said: "columns 1 and 3"},
		{name: "triples with a header", edges: "head,relation,tail\n1,knows,2\n2,knows,3\n", want: "1-2, 2-3", said: `all edges are of one kind, "knows"`},
		{name: "subject, predicate, object", edges: "subject\tpredicate\tobject\n1\tknows\t2\n", want: "1-2", said: `all edges are of one kind, "knows"`},
		{name: "head, tail, relation", edges: "head,tail,relation\n1,2,0\n2,3,1\n", want: "1-2, 2-3", said: "column 3 tells kinds of edges: 2"},
		{name: "words that never meet", edges: "ann,likes,tea\nbob,hates,rum\n", want: "neither names nor cells tell the ends of an edge: 1 \"ann\", 2 \"likes\", 3 \"tea\"; parse.Options.Columns says"},
		{name: "a relation or a weight", edges: "u1,rated,17\nu2,rated,17\nu2,bought,18\nu1,bought,19\n", want: "u1-rated 17, u1-bought 19, u2-rated 17, u2-bought 18", said: "the second, of 2 different cells; parse.Options.Columns 1,3"},
		{name: "a relation behind the ends", edges: "1 2 friend\n2 3 foe\n3 1 friend\n", want: "1-2, 2-3, 3-1", said: "columns 1 and 2; not read: 3"},
		{name: "a weight between", edges: ":START_ID(Person),weight:double,:END_ID(Person)\np1,2.5,p2\np2,1.5,p3\n", want: "p1-p2 2.5, p2-p3 1.5"},

		// Times and numbers of lines.
		{name: "contacts", edges: "1480486100 1 2\n1480486100 2 3\n1480486120 1 2\n1480486120 3 1\n", want: "1-2, 1-2, 2-3, 3-1", said: "columns 2 and 3; not read: 1, which looks like times"},
		{name: "contacts with a header", edges: "t,i,j\n20,1,2\n40,2,3\n60,3,1\n", want: "1-2, 2-3, 3-1", said: `not read: "t"`},
		{name: "a date first", edges: "2020-01-31,a,b\n2020-02-01,b,c\n", want: "a-b, b-c", said: "columns 2 and 3; looks like times"},
		{name: "seconds since the start", edges: manyLines("%[3]d %[1]d %[2]d", 90), want: "100-103, 100-103", said: "columns 2 and 3; not read: 1, which numbers the lines"},
		{name: "row numbers", edges: "1 10 20\n2 20 30\n3 30 10\n4 10 30\n5 20 10\n", want: "10-20, 10-30, 20-30, 20-10, 30-10", said: "which numbers the lines"},
		{name: "a path with weights", edges: "0 1 5\n1 2 3\n2 3 8\n3 4 2\n4 5 2\n", want: "0-1 5, 1-2 3, 2-3 8, 3-4 2, 4-5 2"},
		{name: "sources in order, as large as times", edges: "1480486100 5 2\n1480486120 6 3\n1480486140 7 4\n", want: "1480486100-5 2, 1480486120-6 3, 1480486140-7 4"},
		{name: "times that begin at 0", edges: "5 7 0\n1 4 27\n1 9 33\n2 7 45\n5 1 80\n", want: "5-7 0, 5-1 80, 1-4 27, 1-9 33, 2-7 45", said: "the third column never falls"},
		{name: "times that begin at 1", edges: "1 2 1\n2 3 1\n3 4 2\n4 5 3\n5 6 4\n", want: "1-2, 2-3, 3-4 2, 4-5 3, 5-6 4", said: "the third column never falls"},
		{name: "weights that rise and fall", edges: "1 2 1\n2 3 1\n3 4 2\n4 5 3\n5 6 2\n", want: "1-2, 2-3, 3-4 2, 4-5 3, 5-6 2"},
		{name: "years", edges: "a,b,2015\na,c,2016\nb,c,2018\n", want: "a-b 2015, a-c 2016, b-c 2018", said: "may be years, from 2015 to 2018"},
		{name: "KONECT's weights and times", edges: "1\t2\t1\t1217567877\n2\t3\t4\t1217573801\n3\t1\t2\t1217606247\n", want: "1-2, 2-3 4, 3-1 2", said: "column 3 for the weight; not read: 4, which looks like times"},

		// Two readings that are as good, and none.
		{name: "either two", edges: manyLines("%[1]d a%[3]d %[2]d %[2]d1 %[1]d1", 90), want: `parse.Options.Columns 1,3 says that columns 1 and 3 are the ends of an edge; parse.Options.Columns 4,5 says that columns 4 and 5`},
		{name: "ratings of items", edges: "1001 1 4\n1002 3 4\n1003 4 3\n1004 1 1\n", want: `parse.Options.Columns 1,2,3 says that columns 1 and 2 are the ends of an edge; parse.Options.Columns 2,3 says that columns 2 and 3`},
		{name: "a column that is there twice", edges: "101,pp,A,A\n102,pp,B,B\n103,pd,C,C\n", want: "parse.Options.Columns says which columns an edge is in"},

		// Names of columns.
		{name: "weight before value", edges: "source,target,value,weight\na,b,1,2\nb,c,2,3\n", want: "a-b 2, b-c 3", said: `not read: "value"`},
		{name: "an amount", edges: "payer,payee,amount\na,b,7\nb,c,9\n", want: "a-b 7, b-c 9"},
		{name: "a header behind #", edges: "#weight\tsource\ttarget\n5\t1\t2\n7\t2\t3\n", want: "1-2 5, 2-3 7"},
		{name: "STRING's", edges: "#node1\tnode2\tnode1_id\tnode2_id\tscore\nARF5\tRAB1A\t9606.1\t9606.2\t0.9\nRAB1A\tGBF1\t9606.2\t9606.3\t0.8\n", want: "ARF5-RAB1A, RAB1A-GBF1", said: `"score"`},
		{name: "JODIE's", edges: "u,i,ts,label,idx\n1,2,0.0,0,1\n2,3,36.0,0,2\n", want: "1-2, 2-3", said: `"ts", "label", "idx"`},
		{name: "names with 1 and 2", edges: "txId1,txId2\n230425980,5530458\n232022460,232438397\n", want: "230425980-5530458, 232022460-232438397"},
		{name: "words of one's own", edges: "business,clerk\nb0,u0\nb1,u0\n", want: "b0-u0, b1-u0", said: `"business clerk" is taken for a header`},
		{name: "names of nodes without digits", edges: "ann,bob\nb0,u0\nann,u0\n", want: "ann-bob, ann-u0, b0-u0"},

		// Other forms.
		{name: "objects", edges: "{\"source\": \"ann\", \"target\": 7, \"weight\": 2}\n{\"weight\": 1.5, \"target\": \"bob\", \"source\": \"ann\"}\n", want: "ann-7 2, ann-bob 1.5"},
		{name: "objects without ends", edges: "{\"name\": \"ann\", \"age\": 7, \"zip\": 2}\n", want: "no two are the ends of an edge by their names"},
		{name: "an object without its weight", edges: "{\"source\": \"a\", \"target\": \"b\", \"weight\": 2}\n{\"source\": \"a\", \"target\": \"c\"}\n", want: `edges:2: missing part: an object without the members ["source" "target" "weight"]`},
		{name: "a matrix", edges: "0,1,0,0\n1,0,2.5,0\n0,2.5,0,1\n0,0,1,0\n", want: "0-1, 1-0, 1-2 2.5, 2-1 2.5, 2-3, 3-2", said: "4 lines of as many numbers are taken for an adjacency matrix"},
		{name: "a matrix with names", edges: ",a,b,c\na,0,7,3\nb,7,0,0\nc,3,0,0\n", want: "a-b 7, a-c 3, b-a 7, c-a 3", said: "adjacency matrix"},
		{name: "numbers of a square that are no matrix", edges: "1 2 7 1217567877\n2 3 4 1217573801\n3 1 2 1217606247\n4 2 2 1217606248\n", want: "parse.Options.Columns 1,2 says that columns 1 and 2 are the ends of an edge; parse.Options.Columns 1,3"},
		{name: "baskets", edges: "egg,milk,flour\nmilk,sugar\n", want: "a basket or a recipe of the format baskets"},

		{name: "pairs in square brackets", edges: "[0, 1]\n[1, 2]\n[2,0]\n", want: "0-1, 1-2, 2-0"},
		{name: "lists of JSON", edges: "[\"a b\", \"c\", 2],\n[\"c\", \"d\", 1.5]\n", want: "a-b c 2, c-d 1.5"},
		{name: "ids in square brackets", edges: "[a] [b]\n[b] [c]\n", want: "[a]-[b], [b]-[c]"},
		{name: "a separator at the end", edges: "a,b,\nb,c,\nc,a,\n", want: "a-b, b-c, c-a", said: "columns 1 and 2 are taken for the ends of an edge; not read: 3"},
		{name: "a weight that is missing", edges: "a,b,\nb,c,2\nc,a,1\n", want: `edges:1:5: malformed: "" is not a number`},
		{name: "a table of nodes", edges: "id,name,class\n1,ann,x\n2,bob,y\n", want: "ann-x, bob-y", said: `columns "id" and "name" are of nodes, not of edges`},
		{name: "labels of nodes", edges: "id,label\n1,x\n2,y\n3,x\n", want: "1-x, 2-y, 3-x", said: `columns "id" and "label" are of nodes`},
		{name: "edges with ids and labels", edges: "id,source,target,label\n1,a,b,x\n2,b,c,y\n", want: "a-b, b-c", said: `not read: "id", "label"`},
		{name: "edges that never meet", edges: "a,1.5\nb,2.5\nc,3.5\nd,4.5\n", want: "a-1.5, b-2.5, c-3.5, d-4.5", said: "no two edges have a node in common"},

		// What is not seen.
		{name: "a mark within a file", edges: "\ufeffann,bob\nbob,cid\n\ufeffann,cid\n", want: "ann-bob, ann-cid, bob-cid"},
		{name: "a character without width", edges: "ann\u200b,bob\nann,cid\n", want: "ann\u200b-bob, ann-cid", said: `"ann\u200b" begins or ends with a character that nobody sees`},
		{name: "numbers of nodes and edges", edges: "5 4\n0 1\n1 2\n2 3\n3 4\n", want: "0-1, 1-2, 2-3, 3-4, 5-4", said: "5 4 may be the numbers of nodes and edges"},
		{name: "numbers of nodes and edges above words", edges: "3 3\na b\nb c\nc a\n", want: "3-3, a-b, b-c, c-a", said: "3 3 may be the numbers of nodes and edges"},
		{name: "a pair of numbers above words", edges: "3 9\na b\nb c\nc a\n", want: "3-9, a-b, b-c, c-a"},
		{name: "numbers of nodes and edges above weights", edges: "3 3\n0 1 5\n1 2 6\n2 0 7\n", want: "it may be the numbers of nodes and edges; parse.Options.Header says"},
		{name: "numbers and a word above edges", edges: "3 3 undirected\n0 1\n1 2\n2 0\n", want: "it may be the numbers of nodes and edges; parse.Options.Header says"},
		{name: "how many triples follow", edges: "3\n0 1 0\n1 2 1\n2 0 0\n", want: "the first line has 1 field, others have 3: it may be"},
		{name: "METIS", edges: "3 3\n2 3\n1 3\n1 2\n", want: "3-3, 2-3, 1-3, 1-2", said: "so begins a file of the format metis"},
		{name: "METIS as a list of neighbours", edges: "4 3 1\n2 5 3 1\n1 5\n1 1\n1 2\n", opts: parse.Options{Format: "adjacency"}, want: "4-3, 4-1, 1-5, 1-1, 1-2, 2-5, 2-3, 2-1", said: "so begins a file of the format metis"},
		{name: "a list of neighbours", edges: "4 3 1\n2 5 3 1\n1 5\n", opts: parse.Options{Format: "adjacency"}, want: "4-3, 4-1, 1-5, 2-5, 2-3, 2-1"},
		{name: "JSON as a list of neighbours", edges: "[[1, 2], [2, 3]]\n", opts: parse.Options{Format: "adjacency"}, want: "ids alone, without brackets"},
		{name: "a large id first", edges: "9 4\n0 1\n1 12\n2 3\n3 4\n", want: "9-4, 0-1, 1-12, 2-3, 3-4"},

		// Two kinds by their names.
		{name: "users and items", edges: "user,item\n1,1\n1,3\n2,1\n", want: "user:1-item:1, user:1-item:3, user:2-item:1", said: "kinds of nodes, which have ids in common"},
		{name: "ratings by name", edges: "userId,movieId,rating\n1,1,4\n2,3,5\n", want: "userId:1-movieId:1 4, userId:2-movieId:3 5", said: "kinds of nodes"},
		{name: "two kinds of other ids", edges: "customer,product\nu1,1\nu2,3\n", want: "u1-1, u2-3"},
		{name: "users and items behind #", edges: "#user\titem\n1\t1\n2\t1\n", want: "user:1-item:1, user:2-item:1", said: "kinds of nodes"},
		{name: "SNAP's header behind #", edges: "# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n", want: "1-2, 2-3"},
		{name: "two spaces of ids in Neo4j", edges: ":START_ID(Person),weight:double,:END_ID(Film)\n1,5,1\n2,6,1\n", want: "Person:1-Film:1 5, Person:2-Film:1 6", said: "Person:…, Film:…"},
		{name: "one space of ids in Neo4j", edges: ":START_ID(Person),:END_ID(Person)\n1,2\n2,1\n", want: "1-2, 2-1"},
		{name: "people of one kind", edges: "user,friend\n1,2\n2,3\n", want: "1-2, 2-3"},
	} {
		c.check(t, func(d *Dataset) string {
			all := asMeant(d)
			if len(c.edges) < 500 {
				return all
			}
			return all[:min(len(all), len(c.want))]
		})
	}
}

// What a graph leaves out of a list is said, with the option for two kinds, unless the header says that there is one; a loop
// that names an isolated node is none of it.
func TestEdgesThatAreLeftOut(t *testing.T) {
	for lines, want := range map[string]string{
		"1 1\n1 3\n2 1\n2 2\n":      "a graph leaves out edges from a node to itself: 2; parse.Options.Bipartite says",
		"from,to\n1,1\n1,3\n2,1\n":  "",
		"1 3\n2 1\n7 7\n":           "",
		"1 3 0\n2 1 1\n2 3 4\n":     "a graph leaves out edges of weight 0: 1; parse.Options.Unweighted says that every edge weighs 1",
		"source,target\na,a\nb,b\n": "no edge joins two nodes: from a node to itself are 2 of 2",
		"a b 0\nb c 0\n":            "no edge joins two nodes: from a node to itself are 0 of 2",
	} {
		for _, opts := range []parse.Options{{}, {Undirected: true}, {Undirected: true, Scratch: t.TempDir()}} {
			var said []string
			opts.Warn = func(err error) { said = append(said, err.Error()) }
			d, err := readWith(lines, "", "", opts)
			if errors.Is(err, errors.ErrUnsupported) {
				continue
			}
			testkit.Must(0, errors.Join(err, d.Close()))
			if all := strings.Join(said, "\n"); !strings.Contains(all, want) || want == "" && all != "" {
				t.Errorf("%q: said %q, want %q", lines, said, want)
			}
		}
	}
}

// Baskets are nodes of their own kind, and an item that is twice in one weighs twice; labels that are words for none are none;
// in a file called .csv commas are the separators, whatever blanks there are.
func TestOtherLists(t *testing.T) {
	baskets, _ := FormatNamed("baskets")
	d := testkit.Must(baskets.Read(strings.NewReader("egg,milk,flour\nmilk,sugar,milk\n"), parse.Options{}))
	testkit.WantSame(t, "baskets", asMeant(d), "basket:1-egg, basket:1-milk, basket:1-flour, basket:2-milk, basket:2-sugar, basket:2-milk")
	testkit.WantSame(t, "kinds", d.Sides, []bool{false, true, true, true, false, true})
	testkit.WantError(t, testkit.Err(baskets.Read(strings.NewReader("# none\n"), parse.Options{})), ErrMissing)
	testkit.WantError(t, testkit.Err(baskets.Read(strings.NewReader("egg,basket:1\n"), parse.Options{})), coles.ErrIDs)

	var said []string
	d = testkit.Must(readWith("a,b\nb,c\nc,d\n", "", "a,1\nb,Unknown\nc,2\nd,--\n", parse.Options{Warn: func(err error) { said = append(said, err.Error()) }}))
	testkit.WantSame(t, "labels", d.Labels, []int{0, -1, 1, -1})
	if len(said) != 1 || !strings.Contains(said[0], `2, such as "Unknown"; parse.Options.MissingMarks`) {
		t.Errorf("said %q", said)
	}

	const rows = "dating 0,4:1,20:-0.73\ndating 1,2:1\ndating 2,0:2,3:1\n"
	opts := parse.Options{FeaturesName: "x.csv", EdgesName: "e.csv"}
	d = testkit.Must(ReadEdgeList(strings.NewReader("dating 0,dating 1\ndating 1,dating 2\n"), strings.NewReader(rows), opts))
	testkit.WantSame(t, "ids", d.IDs, []string{"dating 0", "dating 1", "dating 2"})
	testkit.WantSame(t, "features", []float64{d.Features.At(0, 4), d.Features.At(0, 20), d.Features.At(1, 2), d.Features.At(2, 0)}, []float64{1, -0.73, 1, 2})

	for _, cell := range []string{`"0.5, 0.25, 3"`, `"0.5 0.25 3"`, `"(0.5, 0.25, 3)"`, `"{0.5,0.25,3}"`, `"array([0.5, 0.25, 3.], dtype=float32)"`, `"[0.5,0.25,3]"`} {
		d := testkit.Must(readWith("a,b\n", "id,v\na,"+cell+"\nb,"+strings.Replace(cell, "3", "4", 1)+"\n", "", parse.Options{}))
		if _, columns := d.Features.Dims(); columns != 3 {
			t.Errorf("%s: %d features", cell, columns)
		}
	}
	d = testkit.Must(readWith("a,b\nb,c\n", "id,v\na,\"1, 2, 3\"\nb,\"4, 5, 6, 7\"\nc,\"1, 2, 4\"\n", "", parse.Options{}))
	if d.Features == nil {
		t.Error("lists of other lengths are no words")
	}
	testkit.WantError(t, testkit.Err(readWith("0,1,0,0\n1,0,2,0\n0,2,0,1\n0,0,1\n", "", "", parse.Options{})), coles.ErrFormat)
}
