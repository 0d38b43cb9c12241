package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// Entries of each kind, by the names of their ends, as they stand in the file.
func TestKindsOfEdges(t *testing.T) {
	for _, c := range []struct {
		name, edges string
		opts        parse.Options
		want        string
		err         error
	}{
		{name: "by a header", edges: "source,target,type\na,b,x\nc,a,y\na,b,y\nb,a,x\n", want: "x: a>b b>a; y: a>b c>a"},
		{name: "triples", edges: "a likes b\nb likes c\nb hates a\n", want: "hates: b>a; likes: a>b b>c"},
		{name: "a number first", edges: "1 17 18\n2 18 19\n1 19 17\n", opts: parse.Options{Type: "1"}, want: "1: 17>18 19>17; 2: 18>19"},
		{name: "without weights", edges: "a x b\nb y c\n", opts: parse.Options{Type: "2", Unweighted: true}, want: "x: a>b; y: b>c"},
		{name: "by name, and weights", edges: "u,v,how,w\na,b,x,2\nb,c,x,3\nb,c,x,4\n", opts: parse.Options{Type: "how"}, want: "x: a>b*2 b>c*3 b>c*4"},
		{name: "the largest of repeats", edges: "u,v,how,w\nb,c,x,3\nb,c,x,4\n", opts: parse.Options{Type: "how", Repeats: "max"}, want: "x: b>c*4"},
		{name: "of two kinds of nodes", edges: "user,item,type\n1,1,saw\n1,2,bought\n", want: "bought: user:1>item:2; saw: user:1>item:1"},
		{name: "wanted alone", edges: "u,v,type\na,p1,x\na,p2,x\nb,p2,y\n", opts: parse.Options{Only: []string{"p*"}}, want: "x: a>p1 a>p2; y: "},
		{name: "one kind", edges: "u,v,type\na,b,x\nb,c,x\n"},
		{name: "in files", edges: "u,v,type\na,b,x\nb,c,y\n", opts: parse.Options{Scratch: t.TempDir(), Undirected: true}},
		{name: "no column", edges: "a b x\n", opts: parse.Options{Type: "how"}, err: ErrMissing},
		{name: "an end", edges: "source,target,x\na,b,c\n", opts: parse.Options{Type: "target"}, err: coles.ErrSetting},
		{name: "no column of text", edges: `{"source": "a", "target": "b", "type": "x"}`, opts: parse.Options{Type: "type"}, err: coles.ErrSetting},
		{name: "a short line", edges: "a b x\nb c\n", opts: parse.Options{Columns: []int{1, 2}, Type: "3"}, err: coles.ErrFormat},
	} {
		d, err := readWith(c.edges, "", "", c.opts)
		if c.err != nil || err != nil {
			testkit.WantError(t, err, c.err)
			continue
		}
		var kinds []string
		for kind, a := range d.Kinds {
			var entries []string
			a.DoNonZero(func(u, v int, w float64) {
				entry := d.IDs[u] + ">" + d.IDs[v]
				if w != 1 {
					entry += fmt.Sprint("*", w)
				}
				entries = append(entries, entry)
			})
			slices.Sort(entries)
			kinds = append(kinds, kind+": "+strings.Join(entries, " "))
		}
		slices.Sort(kinds)
		if got := strings.Join(kinds, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		testkit.Check(t, d.Close())
	}
	many := "source,target,type\n"
	for k := range 10_001 {
		many += fmt.Sprintf("%d,%d,%d\n", k, k+1, k)
	}
	if d := testkit.Must(readWith(many, "", "", parse.Options{})); d.Kinds != nil {
		t.Errorf("%d kinds", len(d.Kinds))
	}
	testkit.WantError(t, testkit.Err(readWith(many, "", "", parse.Options{Type: "type"})), coles.ErrSetting)
}
