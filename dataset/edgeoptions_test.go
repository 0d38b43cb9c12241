package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func TestEdgeColumns(t *testing.T) {
	for _, c := range []struct {
		name, edges string
		opts        parse.Options
		want        string
	}{
		{"two of four", "a,b,x,2020-01-01\nb,c,y,2020-01-02\n", parse.Options{Columns: []int{1, 2}}, "a b 1, b c 1"},
		{"any order", "0.5,b,x,a\n2,c,y,b\n", parse.Options{Columns: []int{4, 2, 1}}, "a b 0.5, b c 2"},
		{"no weights of integers", "1 2 7\n2 3 8\n", parse.Options{Columns: []int{1, 2}}, "1 2 1, 2 3 1"},
		{"lines of several lengths", "a b\nb c 3 4 5\n", parse.Options{Columns: []int{1, 2}}, "a b 1, b c 1"},
		{"a header by the weight", "u,v,w,t\na,b,2,x\n", parse.Options{Columns: []int{1, 2, 3}}, "a b 2"},
		{"a header by a column left out", "u,v,when\na,b,3\nb,c,4\n", parse.Options{Columns: []int{1, 2}}, "a b 1, b c 1"},
		{"a header by two words", "source,target,when\na,b,x\n", parse.Options{Columns: []int{1, 2}}, "a b 1"},
		{"no header by a column of text", "p,q,x\na,b,y\n", parse.Options{Columns: []int{1, 2}}, "p q 1, a b 1"},
		{"no header by a gap", "p,q,\na,b,3\n", parse.Options{Columns: []int{1, 2}}, "p q 1, a b 1"},
		{"unknown words are data", "x y\na b\n", parse.Options{}, "x y 1, a b 1"},
		{"known words that are data", "from to\na b\n", parse.Options{Header: parse.NoHeader}, "from to 1, a b 1"},
		{"unknown words that are a header", "x y\na b\n", parse.Options{Header: parse.WithHeader}, "a b 1"},
		{"one line", "p,q,x\n", parse.Options{Columns: []int{1, 2}}, "p q 1"},
		{"unweighted", "a b 2020-01-01\nb c now\n", parse.Options{Unweighted: true}, "a b 1, b c 1"},
		{"unweighted integers", "1 2 1082040961\n2 3 1082040962\n", parse.Options{Unweighted: true}, "1 2 1, 2 3 1"},
		{"unweighted pairs", "1 2\n2 3\n", parse.Options{Unweighted: true}, "1 2 1, 2 3 1"},
		{"unweighted under a header", "who,whom,since\na,b,1082040961\nb,c,1082040962\n", parse.Options{Unweighted: true}, "a b 1, b c 1"},
		{"unweighted by columns", "a b 2\n", parse.Options{Columns: []int{1, 2, 3}, Unweighted: true}, "a b 1"},
		{"bipartite", "7 7\n8 7\n", parse.Options{Bipartite: true}, "1:7 2:7 1, 1:8 2:7 1"},
		{"bipartite with a header", "user,item,n\n7,7,2\n8,7,3\n", parse.Options{Bipartite: true}, "user:7 item:7 2, user:8 item:7 3"},
		{"bipartite, the other way", "user,item,n\n7,7,2\n", parse.Options{Bipartite: true, Columns: []int{2, 1, 3}}, "item:7 user:7 2"},
		{"bipartite without a header", "user,item\n7,7\n", parse.Options{Bipartite: true, Header: parse.NoHeader}, "1:user 2:item 1, 1:7 2:7 1"},
		{"bipartite, columns of one name", "id,id\n7,7\n", parse.Options{Bipartite: true}, "1:7 2:7 1"},
		{"bipartite, names that could meet", "a,a:b\nb:c,c\nc,b:c\n", parse.Options{Bipartite: true, Header: parse.WithHeader}, "1:b:c 2:c 1, 1:c 2:b:c 1"},
		{"bipartite, a short header", "a,b\n7,0,8\n7,0,7\n", parse.Options{Bipartite: true, Header: parse.WithHeader, Columns: []int{1, 3}}, "1:7 2:8 1, 1:7 2:7 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := testkit.Must(readWith(c.edges, "", "", c.opts))
			testkit.WantSame(t, "edges", strings.Join(entries(d), ", "), c.want)
		})
	}
}

func TestBadEdgeOptions(t *testing.T) {
	const edges, features = "a,b\nb,c\n", "a,1,2\nb,3,4\n"
	read := func(edges, features string, opts parse.Options) func() error {
		opts.EdgesName, opts.FeaturesName = "edges.csv", "features.csv"
		return func() error { return testkit.Err(readWith(edges, features, "", opts)) }
	}
	wide := "a" + strings.Repeat(",1", 1<<10) + "\n"
	many := strings.Builder{}
	for i := range 3000 {
		fmt.Fprintf(&many, "%d,%d\n", i, i+1)
	}
	refuse(t, []bad{
		{"one column", read(edges, "", parse.Options{Columns: []int{1}}), coles.ErrSetting, "[1]"},
		{"four columns", read(edges, "", parse.Options{Columns: []int{1, 2, 3, 4}}), coles.ErrSetting, "[1 2 3 4]"},
		{"column 0", read(edges, "", parse.Options{Columns: []int{0, 1}}), coles.ErrSetting, "[0 1]"},
		{"a column twice", read(edges, "", parse.Options{Columns: []int{2, 2}}), coles.ErrSetting, "[2 2]"},
		{"a column that is not there", read(edges, "", parse.Options{Columns: []int{1, 9}}), coles.ErrFormat, "edges.csv:1: malformed"},
		{"a column not on every line", read("a,b,1\nb,c\n", "", parse.Options{Columns: []int{1, 2, 3}}), coles.ErrFormat, "edges.csv:2"},
		{"a weight of text by columns", read("a,x,b,1\nb,x,c,y\n", "", parse.Options{Columns: []int{1, 3, 4}}), coles.ErrFormat, "edges.csv:2:7"},
		{"a first line wrong by itself", read("a,,x\nb,c,y\n", "", parse.Options{Unweighted: true}), coles.ErrFormat, "edges.csv:1:3"},
		{"a guess by two lines that is wrong", read("u,v,when\na,u,3\n", "", parse.Options{Unweighted: true}), coles.ErrFormat, `edges.csv:1: malformed: looks like a header, but "u"`},
		{"a guess of two kinds that is wrong", read("user,item\nuser,7\n", "", parse.Options{Bipartite: true}), coles.ErrFormat, `edges.csv:1: malformed: looks like a header, but "user:user"`},
		{"a header without the column", read("from,weight\na,1\n", "", parse.Options{Columns: []int{1, 9, 2}}), coles.ErrFormat, "edges.csv:2: malformed: 2 fields, and column 9"},
		{"a negative width", read(edges, features, parse.Options{Width: -1}), coles.ErrSetting, "Width = -1"},
		{"a feature beyond the width", read("a b\n", "a 0:1\nb 1:1 3:1\n", parse.Options{Width: 3}), coles.ErrIndex, "features.csv:2:7: feature 3 of 0 to 2"},
		{"missing of no kind", read(edges, features, parse.Options{Missing: "median"}), coles.ErrSetting, `"median"`},
		{"missing is an error", read(edges, features, parse.Options{MissingRows: "error"}), coles.ErrIDs, `edges.csv:2:3: bad node ids: no line in features.csv for node "c"`},
		{"a bipartite id without features", read("7,7\n", "1:7,1\n", parse.Options{Bipartite: true}), coles.ErrIDs, `edges.csv: bad node ids: no line in features.csv for node "2:7"`},
		{"a mean of sparse features", read("a b\nb c\n", "a 0:1\nb 1:1\n", parse.Options{MissingRows: "mean"}), coles.ErrSetting, "features.csv"},
		{"a mean that overflows", read("a b\n", "a 1e308\nb 1e308\nc ?\n", parse.Options{Missing: "mean"}), coles.ErrNotFinite, "features.csv: the mean of column 0"},
		{"every node is dropped", read("a,b\n", "a,?,1\nb,1,?\n", parse.Options{Missing: "drop"}), ErrMissing, "every node"},
		{"nobody has an edge", read("", features, parse.Options{SkipUnknown: true}), ErrMissing, "every node"},
		{"nobody with features has an edge", read("x y\n", "a 1\nb 2\n", parse.Options{SkipUnknown: true, MissingRows: "zero"}), ErrMissing, "no node with features"},
		{"columns far behind what is left", read("a a\n", "a 1048676:1\nb 0:1\n", parse.Options{SkipUnknown: true}), coles.ErrTooLarge, "features.csv: features of 1048677 columns"},
		{"zeros beyond measure", read(many.String(), wide, parse.Options{MissingRows: "zero"}), coles.ErrTooLarge, "features.csv: 3001 nodes of 3002"},
	})
}

// Every way to deal with a gap, against a file in which it was dealt with by hand.
func TestMissingFeatures(t *testing.T) {
	const edges = "a b 1\nb c 2\nc d 3\nd a 4\nd e 5\n"
	const labels = "a,p\nb,q\nc,p\nd,q\ne,p\n"
	const dense = "id,x,y\na,1,NA\nb,nan,4\nc,3,5\n"
	const sparse = "a 0:1\nb 1:4\nc 0:3\n"
	for _, c := range []struct {
		name, features, missing     string
		edges, filledIn, leftLabels string
	}{
		{"zero", dense, "zero", edges, "a,1,0\nb,0,4\nc,3,5\nd,0,0\ne,0,0\n", labels},
		{"mean", dense, "mean", edges, "a,1,4.5\nb,2,4\nc,3,5\nd,2,4.5\ne,2,4.5\n", labels},
		{"drop", dense, "drop", "c c 9\n", "c,3,5\n", "c,p\n"},
		{"zero, sparse", sparse, "zero", edges, "a 0:1\nb 1:4\nc 0:3\nd\ne\n", labels},
		{"drop, sparse", sparse, "drop", "a b 1\nb c 2\n", "a 0:1\nb 1:4\nc 0:3\n", "a,p\nb,q\nc,p\n"},
		{"a column of gaps", "a,1,?\nb,2,\nc,3,-\n", "mean", edges, "a,1,0\nb,2,0\nc,3,0\nd,2,0\ne,2,0\n", labels},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := edges
			if c.name == "drop" {
				text += "c c 9\n"
			}
			got := testkit.Must(readWith(text, c.features, labels, parse.Options{Missing: c.missing, MissingRows: c.missing}))
			wantSame(t, got, testkit.Must(readText(c.edges, c.filledIn, c.leftLabels)))
			if c.features == dense && !slices.Equal(got.FeatureNames, []string{"x", "y"}) {
				t.Errorf("features are called %q", got.FeatureNames)
			}
		})
	}
}

// Nodes that are dropped or skipped are as if no file had their lines.
func TestLeavingOutIsAsIfNeverThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		const n = 12
		var edges, features, labels, fewEdges, fewFeatures, fewLabels strings.Builder
		missing, linked := make([]bool, n), make([]bool, n)
		pairs := make([][2]int, 8)
		for i := range missing {
			missing[i] = rng.IntN(4) == 0
		}
		for k := range pairs {
			pairs[k] = [2]int{rng.IntN(n), rng.IntN(n)}
			linked[pairs[k][0]], linked[pairs[k][1]] = true, true
		}
		stays := func(i int) bool { return linked[i] && !missing[i] }
		for _, p := range pairs {
			line := fmt.Sprintf("%d %d %v\n", p[0], p[1], rng.Float64())
			edges.WriteString(line)
			if stays(p[0]) && stays(p[1]) {
				fewEdges.WriteString(line)
			}
		}
		for i := range n {
			feature, label := fmt.Sprintf("%d %v %d\n", i, rng.Float64(), i), fmt.Sprintf("%d c%d\n", i, i%3)
			labels.WriteString(label)
			if !missing[i] {
				features.WriteString(feature)
			}
			if stays(i) {
				fewFeatures.WriteString(feature)
				fewLabels.WriteString(label)
			}
		}
		if fewFeatures.Len() == 0 {
			continue
		}
		got := testkit.Must(readWith(edges.String(), features.String(), labels.String(), parse.Options{Missing: "drop", MissingRows: "drop", SkipUnknown: true}))
		wantSame(t, got, testkit.Must(readText(fewEdges.String(), fewFeatures.String(), fewLabels.String())))
	}
}

func TestSkipUnknown(t *testing.T) {
	opts := parse.Options{SkipUnknown: true}
	want := testkit.Must(readText("a b\nb a\n", "", "a x\n"))
	wantSame(t, testkit.Must(readWith("a b\nb a\n", "", "zoe y\na x\n", opts)), want)
	d := testkit.Must(readWith("a b\nb a\n", "zoe 3\nb 2\na 1\n", "a x\nzoe y\n", opts))
	if !slices.Equal(d.IDs, []string{"b", "a"}) || !mat.Equal(d.Features, mat.NewDense(2, 1, []float64{2, 1})) || !slices.Equal(d.Classes, []string{"x"}) {
		t.Errorf("%q, %v, classes %q", d.IDs, d.Features, d.Classes)
	}
	// Nodes without an edge go first, so that they do not count for the mean.
	d = testkit.Must(readWith("a b\nb c\n", "zoe 30\nb 2\na 1\n", "", parse.Options{SkipUnknown: true, MissingRows: "mean"}))
	if !slices.Equal(d.IDs, []string{"b", "a", "c"}) || !mat.Equal(d.Features, mat.NewDense(3, 1, []float64{2, 1, 1.5})) {
		t.Errorf("%q, %v", d.IDs, d.Features)
	}
}

func TestWarnings(t *testing.T) {
	const header, times = "occur on no other line", "the third column looks like times"
	for _, c := range []struct {
		name, edges, features string
		opts                  parse.Options
		want                  []string
	}{
		{"a header of unknown words", "# c\nwho,whom\na,b\nb,c\n", "", parse.Options{}, []string{`edges:2: "who" and "whom" ` + header}},
		{"the same before integers", "who whom\n1 2\n2 3\n", "", parse.Options{}, []string{`edges:1: "who whom" is taken for a header`}},
		{"of two kinds", "who whom\n1 2\n2 3\n", "", parse.Options{Bipartite: true}, []string{`edges:1: "who whom" is taken for a header`}},
		{"of a column left out", "a b x\nc d y\n", "", parse.Options{Unweighted: true}, []string{`edges:1: "a" and "b" ` + header}},
		{"no line but one", "a b\n", "", parse.Options{}, nil},
		{"one id again", "who whom\na b\nwhom b\n", "", parse.Options{}, nil},
		{"integers", "1 2\n3 4\n", "", parse.Options{}, nil},
		{"one integer", "a 2\nb 4\n", "", parse.Options{}, nil},
		{"it is said", "who whom\na b\n", "", parse.Options{Header: parse.NoHeader}, nil},
		{"it is a header", "from to\na b\nb c\n", "", parse.Options{}, nil},
		{"ids with features", "a b\nc d\n", "a 1\nb 1\nc 1\nd 1\n", parse.Options{}, nil},
		{"ids without features", "who whom\nc d\n", "c 1\nd 1\n", parse.Options{MissingRows: "zero"}, []string{header}},
		{"SNAP's times", "1 2 1082040961\n2 3 1082040999\n", "", parse.Options{}, []string{"edges: " + times + ", from 1082040961 to 1082040999, and is no weight"}},
		{"milliseconds of words", "a b 1082040961000\nb c 1082040999000\n", "", parse.Options{Header: parse.NoHeader}, []string{times}},
		{"both", "who whom 1082040961\na b 1082040999\n", "", parse.Options{}, []string{header, times}},
		{"times left out", "1 2 1082040961\n2 3 1082040999\n", "", parse.Options{Unweighted: true}, nil},
		{"one is small", "1 2 1082040961\n2 3 1\n", "", parse.Options{}, nil},
		{"fractions of seconds", "1 2 1082040961\n2 3 1082040961.5\n", "", parse.Options{}, []string{times}},
		{"nanoseconds", "1 2 1.6e18\n2 3 1600000100000000000\n", "", parse.Options{}, []string{times}},
		{"seconds and milliseconds", "1 2 1082040961\n2 3 1082040961000\n", "", parse.Options{}, nil},
		{"times that are asked for", "1 2 1082040961\n2 3 1082040962\n", "", parse.Options{Columns: []int{1, 2, 3}}, []string{"the weights look like times"}},
		{"all the same", "1 2 1082040961\n2 3 1082040961\n", "", parse.Options{}, nil},
		{"one is beyond", "1 2 1082040961\n2 3 10000000000001\n", "", parse.Options{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			c.opts.Warn = func(err error) { got = append(got, err.Error()) }
			testkit.Must(readWith(c.edges, c.features, "", c.opts))
			if len(got) != len(c.want) {
				t.Fatalf("warnings %q, want %q", got, c.want)
			}
			for k, want := range c.want {
				if !strings.Contains(got[k], want) {
					t.Errorf("warning %q, want %q", got[k], want)
				}
			}
		})
	}
}
