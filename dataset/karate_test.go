package dataset

import (
	"testing"

	"coles/internal/testkit"
)

func TestKarateClub(t *testing.T) {
	d := KarateClub()
	wantValid(t, d)
	if n := len(undirected(d.Adjacency)); d.Nodes() != 34 || n != 78 || d.Adjacency.NNZ() != 156 {
		t.Errorf("%d nodes, %d ties, %d entries", d.Nodes(), n, d.Adjacency.NNZ())
	}
	// The degrees in the order of the members, as the literature lists them.
	want := []int{16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2, 2, 2, 2, 3, 2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17}
	got := make([]int, len(want))
	inside, administrator := 0, 0
	for i := range want {
		got[i] = d.Adjacency.RowNNZ(i)
		administrator += d.Labels[i]
	}
	testkit.WantSame(t, "ties of each member", got, want)
	for _, e := range undirected(d.Adjacency) {
		if d.Labels[e[0]] == d.Labels[e[1]] {
			inside++
		}
	}
	// The club split into halves of 17, across 11 of the 78 ties.
	if administrator != 17 || inside != 67 {
		t.Errorf("%d members left with the administrator, %d ties inside", administrator, inside)
	}
	d.Labels[0] = 5
	if KarateClub().Labels[0] != 0 {
		t.Error("two calls share memory")
	}
}
