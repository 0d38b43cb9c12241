package published

import (
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

// smallGraphSAGE is a graph of three nodes in the layout of GraphSAGE's Reddit, called toy. The second node
// has a number for a name, keys come in another case, too, and the links in both ways that there are.
func smallGraphSAGE() map[string]string {
	return map[string]string{
		"toy-id_map.json": `{"b": 2, "a": 0, "7": 1}`,
		"toy-G.json": `{"directed": false, "graph": {"name": ["x", {"y": []}]},
			"nodes": [{"id": "b", "val": false, "test": false, "feature": [1, 2]}, {"test": true, "id": 7, "val": false, "ID": "a", "Val": 3}, {"id": "a", "val": true, "test": false}],
			"links": [{"source": 0, "target": 1, "Source": 2, "TARGET": null, "test_removed": true}, {"source": "a", "target": "7"}, {"source": 0, "target": 0}], "multigraph": false}`,
		"toy-class_map.json": `{"a": 3, "b": 0}`,
		"toy-feats.npy":      string(npyArray("<f8", "(3, 2)", []float64{0.5, 1, -1, 0.2, 3, 4})),
	}
}

func TestGraphSAGEKeepsWhatTheFilesHold(t *testing.T) {
	want := &dataset.Dataset{
		Adjacency: csr3([]int{0, 1, 1, 3}, []int{1, 1, 2}),
		Features:  dense32(3, 2, []float32{0.5, 1, -1, 0.2, 3, 4}),
		Labels:    []int{3, -1, 0},
		Splits:    []dataset.Split{{Train: []int{2}, Val: []int{0}, Test: []int{1}}},
	}
	for _, pack := range []bool{true, false} {
		d := testkit.Must(readGraphSAGE(files(smallGraphSAGE(), pack), "toy", "."))
		if wantSame(t, d, want); d.Name != "toy" {
			t.Errorf("the dataset is called %q", d.Name)
		}
	}
	// Features by column, of float32; no classes; a node without marks, and one that is not listed.
	parts := smallGraphSAGE()
	parts["toy-feats.npy"] = string(npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", []float32{1, 2, 3, 4, 5, 6}))
	parts["toy-G.json"] = `{"links": [{"source": "b", "target": 0}], "nodes": [{"id": "a", "val": false}]}`
	delete(parts, "toy-class_map.json")
	want = &dataset.Dataset{
		Adjacency: csr3([]int{0, 0, 0, 1}, []int{0}),
		Features:  dense32(3, 2, []float32{1, 4, 2, 5, 3, 6}),
		Splits:    []dataset.Split{{Train: []int{}, Val: []int{}, Test: []int{}}},
	}
	wantSame(t, testkit.Must(readGraphSAGE(files(parts, false), "toy", ".")), want)
	delete(parts, "toy-feats.npy")
	want.Features = nil
	wantSame(t, testkit.Must(readGraphSAGE(files(parts, false), "toy", ".")), want)
}

func FuzzReadGraphSAGE(f *testing.F) {
	small := smallGraphSAGE()
	f.Add(small["toy-id_map.json"], small["toy-G.json"], small["toy-class_map.json"], []byte(small["toy-feats.npy"]))
	f.Add(`{"a": 0}`, `{"nodes": [], "links": [{"source": "a", "target": "a"}]}`, "{}", []byte("\x93NUMPY"))
	f.Fuzz(func(t *testing.T, ids, graph, classes string, features []byte) {
		fsys := files(map[string]string{"toy-id_map.json": ids, "toy-G.json": graph, "toy-class_map.json": classes, "toy-feats.npy": string(features)}, false)
		d, err := readGraphSAGE(fsys, "toy", "")
		if err != nil {
			if !testkit.IsNamed(err, dataset.ErrMissing, dataset.ErrDuplicate, dataset.ErrObject) {
				t.Error(err)
			}
			return
		}
		testkit.Check(t, d.Validate())
	})
}
