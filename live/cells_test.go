package live_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// shop is a row of cells: a price, a colour and words, with holes, in columns of the kinds that are detected.
func shop(rng interface{ IntN(int) int }) []any {
	row := []any{float64(rng.IntN(100)) / 4, []string{"red", "green", "blue", ""}[rng.IntN(4)], []string{"a small box", "a large box", "a small and a large box", "no box"}[rng.IntN(4)]}
	if rng.IntN(9) == 0 {
		row[0] = nil
	}
	return row
}

func shopTable(ids []string, rows map[string][]any) *table.Table {
	t := table.New("price", "colour", "words")
	t.Columns[2].Kind = table.Text
	for _, id := range ids {
		t.Add(id, rows[id]...)
	}
	return t
}

// A graph that keeps cells has, after changes of all kinds, those that were given, and the vectors of the graph and the features that the
// encoder makes of them from scratch; written and read it is the same. Readers go on meanwhile.
func TestCellsAreKept(t *testing.T) {
	rng := testkit.Random(1)
	rows, ids, edges := map[string][]any{}, []string{}, []coles.Edge{}
	fresh := func() string {
		id := fmt.Sprint("node ", len(rows))
		rows[id] = shop(rng)
		return id
	}
	for i := range 60 {
		ids = append(ids, fresh())
		edges = append(edges, coles.Edge{U: i, V: (i + 1) % 60}, coles.Edge{U: i, V: rng.IntN(60)})
	}
	first := shopTable(ids, rows)
	e := testkit.Must(table.Fit(ctx, first))
	x := testkit.Must(e.Encode(ctx, first))
	graph := testkit.Must(coles.NewGraph(60, edges, coles.WithIDs(ids)))
	m := testkit.Must(coles.Fit(ctx, graph, x, coles.With(func(s *coles.Settings) {
		s.Dim, s.Filter, s.Kind, s.Precision = 3, coles.SGC(2), coles.UseGraph, coles.Float64
	})))
	g := testkit.Must(live.Follow(ctx, m, graph, mat.DenseCopyOf(x)))
	testkit.Check(t, g.KeepCells(ctx, e, first))
	stop, reading := make(chan struct{}), sync.WaitGroup{}
	reading.Add(1)
	go func() {
		defer reading.Done()
		for {
			select {
			case <-stop:
				return
			default:
				testkit.Must(g.Rows([]int{0, 1}))
			}
		}
	}()
	for range 150 {
		n := g.Nodes()
		switch u := rng.IntN(n); rng.IntN(3) {
		case 0:
			id := fresh()
			ids = append(ids, id)
			testkit.Must(g.Add(ctx, live.Change{Rows: shopTable([]string{id}, rows), IDs: []string{id}, Edges: []coles.Edge{{U: n, V: u}}}))
		case 1:
			id := ids[rng.IntN(len(ids))]
			rows[id] = shop(rng)
			at, _ := g.Row(id)
			testkit.Must(g.SetRows(ctx, []int{at}, shopTable([]string{id}, rows)))
		case 2:
			if n > 20 {
				k := rng.IntN(len(ids))
				at, _ := g.Row(ids[k])
				testkit.Must(g.Remove(ctx, []int{at}))
				ids = slices.Delete(ids, k, k+1)
			}
		}
	}
	close(stop)
	reading.Wait()
	file := saved(t, g)
	back := testkit.Must(live.Read(bytes.NewReader(file)))
	if !bytes.Equal(saved(t, back), file) {
		t.Error("the graph that was read is written otherwise")
	}
	for _, g := range []*live.Graph{g, back} {
		now := testkit.Must(g.Graph())
		order := now.IDs()
		all := make([]int, len(order))
		for i := range all {
			all[i] = i
		}
		want := shopTable(order, rows)
		testkit.WantSame(t, "cells", testkit.Must(g.Rows(all)), want)
		scratch := testkit.Must(m.Embed(ctx, now, testkit.Must(g.Encoder().Encode(ctx, want))))
		testkit.WantClose(t, "vectors", testkit.Must(g.Embed(ctx, all)), mat.DenseCopyOf(scratch), 1e-9)
	}
	for name, err := range map[string]error{
		"features as numbers":      testkit.Err(g.Add(ctx, live.Change{Features: mat.NewDense(1, e.Features(), nil), IDs: []string{"x"}})),
		"features to set":          testkit.Err(g.SetFeatures(ctx, []int{0}, mat.NewDense(1, e.Features(), nil))),
		"an unknown column":        testkit.Err(g.SetRows(ctx, []int{0}, table.New("size"))),
		"cells of other nodes":     g.KeepCells(ctx, e, first),
		"rows of one without":      testkit.Err(testkit.Must(live.Follow(ctx, m, graph, x)).Rows([]int{0})),
		"rows to one without":      testkit.Err(testkit.Must(live.Follow(ctx, m, graph, x)).SetRows(ctx, []int{0}, first)),
		"as many rows, other ones": testkit.Must(live.Follow(ctx, m, graph, x)).KeepCells(ctx, e, first.Select(append([]int{1, 0}, make([]int, 58)...))),
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, err, coles.ErrShape) })
	}
	testkit.WantError(t, testkit.Err(g.Rows([]int{g.Nodes()})), coles.ErrIndex)
}
