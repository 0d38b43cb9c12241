package dataset

import (
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
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
	for _, pack := range []bool{true, false} {
		d := testkit.Must(readGraphSAGE(files(smallGraphSAGE(), pack), "toy", "."))
		edges := d.Adjacency.RawMatrix()
		if !slices.Equal(edges.Indptr, []int{0, 1, 1, 3}) || !slices.Equal(edges.Ind, []int{1, 1, 2}) || !slices.Equal(edges.Data, []float64{1, 1, 1}) {
			t.Errorf("edges %v", edges)
		}
		x, ok := d.Features.(*coles.Dense32)
		if !ok || !mat.EqualApprox(x, mat.NewDense(3, 2, []float64{0.5, 1, -1, 0.2, 3, 4}), 1e-7) { // float32
			t.Errorf("features %v", d.Features)
		}
		if !slices.Equal(d.Labels, []int{3, -1, 0}) || d.Name != "toy" {
			t.Errorf("labels %v of %s", d.Labels, d.Name)
		}
		s := d.Splits[0]
		if len(d.Splits) != 1 || !slices.Equal(s.Train, []int{2}) || !slices.Equal(s.Val, []int{0}) || !slices.Equal(s.Test, []int{1}) {
			t.Errorf("splits %v", d.Splits)
		}
	}
	// Features by column, of float32; no classes; a node without marks, and one that is not listed.
	parts := smallGraphSAGE()
	parts["toy-feats.npy"] = string(npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", []float32{1, 2, 3, 4, 5, 6}))
	parts["toy-G.json"] = `{"links": [{"source": "b", "target": 0}], "nodes": [{"id": "a", "val": false}]}`
	delete(parts, "toy-class_map.json")
	d := testkit.Must(readGraphSAGE(files(parts, false), "toy", "."))
	if want := mat.NewDense(3, 2, []float64{1, 4, 2, 5, 3, 6}); d.Labels != nil || !mat.Equal(d.Features, want) {
		t.Errorf("labels %v, features %v", d.Labels, d.Features)
	}
	if edges, s := d.Adjacency.RawMatrix(), d.Splits[0]; !slices.Equal(edges.Ind, []int{0}) || len(s.Train)+len(s.Val)+len(s.TestNodes(3)) != 0 {
		t.Errorf("edges %v, split %v", edges, s)
	}
	delete(parts, "toy-feats.npy")
	if d := testkit.Must(readGraphSAGE(files(parts, false), "toy", ".")); d.Features != nil {
		t.Errorf("features %v", d.Features)
	}
}

func FuzzReadGraphSAGE(f *testing.F) {
	small := smallGraphSAGE()
	f.Add(small["toy-id_map.json"], small["toy-G.json"], small["toy-class_map.json"], []byte(small["toy-feats.npy"]))
	f.Add(`{"a": 0}`, `{"nodes": [], "links": [{"source": "a", "target": "a"}]}`, "{}", []byte("\x93NUMPY"))
	f.Fuzz(func(t *testing.T, ids, graph, classes string, features []byte) {
		fsys := files(map[string]string{"toy-id_map.json": ids, "toy-G.json": graph, "toy-class_map.json": classes, "toy-feats.npy": string(features)}, false)
		d, err := readGraphSAGE(fsys, "toy", "")
		if err != nil {
			if !testkit.IsNamed(err, ErrMissing, ErrDuplicate, ErrObject) {
				t.Error(err)
			}
			return
		}
		wantValid(t, d)
	})
}
