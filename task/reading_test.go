package task

import (
	"bytes"
	"errors"
	"fmt"
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
