package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// TestOnlyWantedNodes: a fit with Only is that of the graph from which hubs of one paper were struck by hand, papers first,
// and the file of its model has another program want the same nodes.
func TestOnlyWantedNodes(t *testing.T) {
	var edges, struck strings.Builder
	const papers = 40
	for i := range papers {
		for _, to := range []int{i / 4, 10 + i%5} { // authors of four papers, subjects of eight
			for _, text := range []*strings.Builder{&edges, &struck} {
				fmt.Fprintf(text, "a%d p%d\n", to, i)
			}
		}
		fmt.Fprintf(&edges, "p%d leaf%d\n", i, i)
	}
	opts := parse.Options{Only: []string{"p3", "p*", "p4"}, Undirected: true}
	d := testkit.Must(New(testkit.Must(dataset.ReadEdgeList(strings.NewReader(edges.String()), nil, opts))))
	r := testkit.Must(dataset.ReadEdgeList(strings.NewReader(struck.String()), nil, parse.Options{Only: []string{"p*"}}))
	if d.Wanted != papers || !slices.Equal(d.IDs, r.IDs) || d.IDs[papers-1] != "p39" {
		t.Fatalf("%d wanted of %q, and by hand %q", d.Wanted, d.IDs, r.IDs)
	}
	f := testkit.Must(d.Fit(t.Context(), Fitting{}))
	wanted, y := d.Only(f.Rows)
	_, by := (&Data{Dataset: r}).Only(testkit.Must(testkit.Must(New(r)).Fit(t.Context(), Fitting{})).Rows)
	if rows, _ := y.Dims(); rows != papers || len(wanted.IDs) != papers || !mat.Equal(y, by) {
		t.Errorf("%d rows, not those of the graph that was struck by hand", rows)
	}
	var file bytes.Buffer
	testkit.Must(Keep(f.Model, opts, d).WriteTo(&file))
	kept := testkit.Must(ReadFile(&file))
	if !slices.Equal(kept.Only, opts.Only) || kept.Model.Hash() != f.Model.Hash() {
		t.Errorf("the file wants %q", kept.Only)
	}
	for _, bad := range []parse.Options{{Only: []string{"q*"}}, {Only: []string{"p1"}, Rows: 3}} {
		_, err := dataset.ReadEdgeList(strings.NewReader("0 1\n"), nil, bad)
		if where := (*parse.Error)(nil); !errors.As(err, &where) || !errors.Is(err, dataset.ErrMissing) && !errors.Is(err, coles.ErrSetting) {
			t.Errorf("%+v: %v", bad.Only, err)
		}
	}
}

// TestKindsOfEdges: links of kinds x and y, of which the first has hub a with three edges, weigh by degrees of their kinds,
// and who embeds by the file of a model does as the fit did.
func TestKindsOfEdges(t *testing.T) {
	read := func(edges string) *Data {
		return testkit.Must(New(testkit.Must(dataset.ReadEdgeList(strings.NewReader(edges), nil, parse.Options{}))))
	}
	const text = "source,target,type\na,b,x\na,c,x\na,d,x\nb,c,y\na,b,y\nd,e,y\n"
	d := read(text)
	testkit.Must(d.Fit(t.Context(), Fitting{For: ForLinks}))
	// a has 3 edges in x and 1 in y; b 1 and 2; c 1 and 1; d 1 and 1; e one in y.
	want := map[string]float64{"ab": 1/math.Sqrt(3*1) + 1/math.Sqrt(1*2), "ac": 1 / math.Sqrt(3), "ad": 1 / math.Sqrt(3), "bc": 1 / math.Sqrt(2), "de": 1}
	for e, w := range d.Graph.Edges() {
		if name := d.IDs[e.U] + d.IDs[e.V]; math.Abs(w-want[name]) > 1e-15 {
			t.Errorf("%s weighs %v, want %v", name, w, want[name])
		}
	}
	without := read(text)
	less := without.On(without.Graph.Without(func(e coles.Edge) bool { return without.IDs[e.U]+without.IDs[e.V] == "ad" }))
	testkit.Must(less.Fit(t.Context(), Fitting{For: ForLinks}))
	if w := less.Graph.CSR().At(0, 2); math.Abs(w-1/math.Sqrt(2)) > 1e-15 || less.Graph.Report().Edges != 4 || without.ByKinds {
		t.Errorf("an edge that is hidden counts: the other two of a weigh %v", w)
	}
	for _, c := range []struct {
		purpose Purpose
		weighed bool
		ab      float64
	}{{ForLinks, true, want["ab"]}, {General, false, 2}} {
		d := read(text)
		f := testkit.Must(d.Fit(t.Context(), Fitting{For: c.purpose}))
		var file bytes.Buffer
		testkit.Must(Keep(f.Model, parse.Options{}, d).WriteTo(&file))
		kept, again := testkit.Must(ReadFile(&file)), read(text)
		testkit.Must(kept.take(again))
		y := testkit.Must(again.Fit(t.Context(), Fitting{By: kept})).Rows
		if kept.ByKinds != c.weighed || math.Abs(again.Graph.CSR().At(0, 1)-c.ab) > 1e-15 || !mat.EqualApprox(y, f.Rows, 1e-9) {
			t.Errorf("purpose %d: by kinds %v, and weights %v", c.purpose, kept.ByKinds, again.Graph)
		}
		if _, err := kept.take(read("a b\nb c\n")); (err != nil) != c.weighed {
			t.Errorf("purpose %d, without kinds: %v", c.purpose, err)
		}
	}
}

// TestLinksOfAKind: papers are recommended to authors by edges of one kind, whose hidden ones no vector has seen.
func TestLinksOfAKind(t *testing.T) {
	edges := "source,target,type\n"
	for p := range 60 {
		edges += fmt.Sprintf("p%d,s%d,about\np%d,a%d,by\np%d,a%d,by\n", p, p%6, p, p%12, p, (p+6)%12)
	}
	d := testkit.Must(New(testkit.Must(dataset.ReadEdgeList(strings.NewReader(edges), nil, parse.Options{}))))
	var seen []int
	how := Linking{Kind: "by", Embed: func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
		seen = append(seen, g.Report().Edges)
		return testkit.Normal(g.Nodes(), 4, 1, 3), nil
	}}
	of := testkit.Must(d.Links(t.Context(), how))
	testkit.WantSame(t, "edges that vectors see", seen, []int{180 - 12, 180})
	a0, _ := d.Graph.Row("a0")
	for _, m := range testkit.Must(of.Recommend(t.Context(), []int{a0}, 5, nil))[0] {
		if !strings.HasPrefix(d.IDs[m.Row], "p") {
			t.Errorf("%s is recommended to an author", d.IDs[m.Row])
		}
	}
	if of, err := d.Links(t.Context(), Linking{Kind: "of"}); !errors.Is(err, coles.ErrShape) || of == nil {
		t.Errorf("a kind that is not there: %v", err)
	}
}
