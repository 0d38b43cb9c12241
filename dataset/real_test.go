package dataset

import (
	"path/filepath"
	"slices"
	"testing"

	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestRealArchives compares every archive with the published statistics, as the table in
// ../shared/data/README.md gives them, and with itself written and read again.
func TestRealArchives(t *testing.T) {
	dir := testkit.Shared(t, "data", "npz")
	type published struct {
		name                            string
		nodes, edges, features, classes int
		splits, unlabeled               int
	}
	for _, want := range []published{
		{"cora", 2708, 5278, 1433, 7, 0, 0},
		{"citeseer", 3327, 4552, 3703, 6, 0, 15},
		{"pubmed", 19717, 44324, 500, 3, 0, 0},
		{"coauthor_cs", 18333, 81894, 6805, 15, 0, 0},
		{"amazon_photo", 7650, 119081, 745, 8, 0, 0},
		{"flickr", 7575, 239738, 12047, 9, 0, 0},
		{"tolokers", 11758, 519000, 10, 2, 10, 0},
		{"squirrel", 5201, 198353, 2089, 5, 10, 0},
		{"chameleon", 2277, 31371, 2325, 5, 10, 0},
		{"actor", 7600, 26659, 932, 5, 10, 0},
		{"texas", 183, 279, 1703, 5, 10, 0},
		{"cornell", 183, 277, 1703, 5, 10, 0},
		{"wisconsin", 251, 450, 1703, 5, 10, 0},
		{"cora_full_graph", 19793, 63421, 0, 70, 0, 0},
	} {
		t.Run(want.name, func(t *testing.T) {
			d := testkit.Must(Open(filepath.Join(dir, want.name+".npz"), ReadNPZ))
			wantReadBack(t, d)
			features := 0
			if d.Features != nil {
				_, features = d.Features.Dims()
			}
			got := published{d.Name, d.Nodes(), len(undirected(d.Adjacency)), features, d.NumClasses(), len(d.Splits), len(d.Unlabeled)}
			_, dense := d.Features.(*mat.Dense)
			if got != want || len(d.Labels) != want.nodes || dense != (want.name == "tolokers") {
				t.Errorf("%+v, %d labels, dense features: %v; want %+v", got, len(d.Labels), dense, want)
			}
			for i, s := range d.Splits {
				if len(s.Train) == 0 || len(s.Val) == 0 || len(s.Test) == 0 {
					t.Errorf("split %d: %d/%d/%d nodes", i, len(s.Train), len(s.Val), len(s.Test))
				}
			}
		})
	}
}

// undirected returns the distinct pairs i < j of a matrix, ascending.
func undirected(m *sparse.CSR) [][2]int {
	var pairs [][2]int
	m.DoNonZero(func(i, j int, _ float64) {
		if i != j {
			pairs = append(pairs, [2]int{min(i, j), max(i, j)})
		}
	})
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

// TestPlanetoidEqualsArchive checks one reader against the other: the two forms of each dataset
// hold the same graph, features and labels.
func TestPlanetoidEqualsArchive(t *testing.T) {
	npz, planetoid := testkit.Shared(t, "data", "npz"), testkit.Shared(t, "data", "planetoid")
	for _, name := range []string{"cora", "citeseer", "pubmed"} {
		t.Run(name, func(t *testing.T) {
			want := testkit.Must(Open(filepath.Join(npz, name+".npz"), ReadNPZ))
			got := testkit.Must(OpenPlanetoid(planetoid, name))
			testkit.WantSame(t, "edges", undirected(got.Adjacency), undirected(want.Adjacency))
			testkit.WantSame(t, "labels", got.Labels, want.Labels)
			testkit.WantSame(t, "unlabeled nodes", got.Unlabeled, want.Unlabeled)
			x, y := got.Features.(*sparse.CSR), want.Features.(*sparse.CSR)
			if x.NNZ() != y.NNZ() || !mat.Equal(x.ToDense(), y.ToDense()) {
				t.Error("the features differ")
			}
		})
	}
}

func TestRealSplits(t *testing.T) {
	dir := testkit.Shared(t, "data", "splits")
	for _, f := range []struct {
		name             string
		n, each, classes int
	}{{"cora_5", 2708, 5, 7}, {"cora_20", 2708, 20, 7}, {"citeseer_5", 3327, 5, 6}, {"citeseer_20", 3327, 20, 6}, {"pubmed_5", 19717, 5, 3}, {"pubmed_20", 19717, 20, 3}} {
		splits := testkit.Must(OpenSplits(filepath.Join(dir, f.name+".json"), f.n))
		if len(splits) != 50 {
			t.Errorf("%s: %d splits, want 50", f.name, len(splits))
		}
		for i, s := range splits {
			if want := f.each * f.classes; len(s.Train) != want || len(s.Val) != want {
				t.Errorf("%s: split %d has %d/%d nodes, want %d each", f.name, i, len(s.Train), len(s.Val), want)
			}
			if rest := s.TestNodes(f.n); len(rest) != f.n-2*f.each*f.classes {
				t.Errorf("%s: split %d leaves %d test nodes", f.name, i, len(rest))
			}
		}
	}
}
