package published

import (
	"runtime"
	"strconv"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
)

// gone stands for a part that is not there.
const gone = "gone"

// changed replaces a part, or takes it away.
func changed(parts map[string]string, part, text string) map[string]string {
	if parts[part] = text; text == gone {
		delete(parts, part)
	}
	return parts
}

func ogb(part, text string) func() error {
	fsys := files(changed(smallOGB(), part, text), true)
	return func() error { return testkit.Err(readOGB(fsys, ".")) }
}

func graphSAGE(part, text string) func() error {
	fsys := files(changed(smallGraphSAGE(), part, text), false)
	return func() error { return testkit.Err(readGraphSAGE(fsys, "toy", "")) }
}

// pastInt32 is the error for a size that is declared and not there, past the numbers that a machine
// of 32 bits can count to.
var pastInt32 = map[int]error{32: coles.ErrTooLarge, 64: coles.ErrChecksum}[strconv.IntSize]

// A declared size without data takes no memory.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		read  func() error
		want  error
		place string
	}{
		{"GraphSAGE: no ids", graphSAGE("toy-id_map.json", "{}"), dataset.ErrMissing, "toy-id_map.json"},
		{"GraphSAGE: no id map", graphSAGE("toy-id_map.json", gone), dataset.ErrMissing, "toy-id_map.json"},
		{"GraphSAGE: a list of ids", graphSAGE("toy-id_map.json", `["a"]`), coles.ErrFormat, "toy-id_map.json: byte 1"},
		{"GraphSAGE: an id twice", graphSAGE("toy-id_map.json", `{"a": 0, "b": 1, "a": 2}`), coles.ErrIDs, "byte 23"},
		{"GraphSAGE: a row twice", graphSAGE("toy-id_map.json", `{"a": 0, "b": 1, "7": 1, "c": 3}`), dataset.ErrDuplicate, "row 1"},
		{"GraphSAGE: a row too many", graphSAGE("toy-id_map.json", `{"a": 0, "b": 1, "7": 3}`), coles.ErrIndex, "3 ids for rows up to 3"},
		{"GraphSAGE: the largest row", graphSAGE("toy-id_map.json", `{"a": 2147483646}`), coles.ErrIndex, "toy-id_map.json"},
		{"GraphSAGE: a row below 0", graphSAGE("toy-id_map.json", `{"a": -1}`), coles.ErrIndex, "byte 8"},
		{"GraphSAGE: a row of null", graphSAGE("toy-id_map.json", `{"a": null}`), coles.ErrIndex, "byte 10"},
		{"GraphSAGE: half a row", graphSAGE("toy-id_map.json", `{"a": 0.5}`), coles.ErrFormat, "byte 9"},
		{"GraphSAGE: more after the end", graphSAGE("toy-id_map.json", `{"a": 0, "b": 1, "7": 2} x`), coles.ErrFormat, "toy-id_map.json: byte 2"},
		{"GraphSAGE: a graph of text", graphSAGE("toy-G.json", "nodes"), coles.ErrFormat, "toy-G.json: byte 0"},
		{"GraphSAGE: no links", graphSAGE("toy-G.json", `{"nodes": []}`), dataset.ErrMissing, "toy-G.json"},
		{"GraphSAGE: nodes twice", graphSAGE("toy-G.json", `{"nodes": [], "nodes": []}`), dataset.ErrDuplicate, "byte 21"},
		{"GraphSAGE: a node twice", graphSAGE("toy-G.json", `{"nodes": [{"id": "a"}, {"id": "a"}], "links": []}`), dataset.ErrDuplicate, "byte 35"},
		{"GraphSAGE: a node without a name", graphSAGE("toy-G.json", `{"nodes": [{}], "links": []}`), dataset.ErrMissing, "byte 13"},
		{"GraphSAGE: a node without a row", graphSAGE("toy-G.json", `{"nodes": [{"id": "d"}], "links": []}`), coles.ErrIDs, "byte 22"},
		{"GraphSAGE: a node in two parts", graphSAGE("toy-G.json", `{"nodes": [{"id": "a", "val": true, "test": true}], "links": []}`), dataset.ErrDuplicate, "val and in test"},
		{"GraphSAGE: a place too far", graphSAGE("toy-G.json", `{"nodes": [{"id": "a"}], "links": [{"source": 0, "target": 1}]}`), coles.ErrIndex, "place 1 of 1 nodes"},
		{"GraphSAGE: a place below 0", graphSAGE("toy-G.json", `{"nodes": [], "links": [{"source": -1, "target": 0}]}`), coles.ErrIndex, "byte 51"},
		{"GraphSAGE: the largest place", graphSAGE("toy-G.json", `{"nodes": [], "links": [{"source": 2147483647, "target": 0}]}`), coles.ErrIndex, "place 2147483647"},
		{"GraphSAGE: a link with one end", graphSAGE("toy-G.json", `{"nodes": [], "links": [{"source": "a"}]}`), dataset.ErrMissing, "byte 39"},
		{"GraphSAGE: a link to nowhere", graphSAGE("toy-G.json", `{"nodes": [], "links": [{"source": "a", "target": "d"}]}`), coles.ErrIDs, `"d"`},
		{"GraphSAGE: a class of nobody", graphSAGE("toy-class_map.json", `{"d": 1}`), coles.ErrIDs, "toy-class_map.json: byte 4"},
		{"GraphSAGE: two classes", graphSAGE("toy-class_map.json", `{"a": 1, "a": 2}`), dataset.ErrDuplicate, "toy-class_map.json"},
		{"GraphSAGE: several classes", graphSAGE("toy-class_map.json", `{"a": [0, 1, 1]}`), coles.ErrFormat, "toy-class_map.json"},
		{"GraphSAGE: a class beyond measure", graphSAGE("toy-class_map.json", `{"a": 1048576}`), coles.ErrIndex, "toy-class_map.json"},
		{"GraphSAGE: features of text", graphSAGE("toy-feats.npy", "1,2"), coles.ErrChecksum, "toy-feats.npy: byte 3"},
		{"GraphSAGE: features of integers", graphSAGE("toy-feats.npy", string(npyArray("<i8", "(3, 1)", []int64{1, 2, 3}))), coles.ErrFormat, "toy-feats.npy"},
		{"GraphSAGE: features of two nodes", graphSAGE("toy-feats.npy", string(npyArray("<f8", "(2, 1)", []float64{1, 2}))), coles.ErrShape, "2 rows for 3 nodes"},
		{"GraphSAGE: features declared only", graphSAGE("toy-feats.npy", string(npyArray("<f8", "(3, 100000000)", []float64{1, 2}))), pastInt32, "toy-feats.npy"},
		{"GraphSAGE: a feature beyond float32", graphSAGE("toy-feats.npy", string(npyArray("<f8", "(3, 1)", []float64{1, 2, 1e39}))), coles.ErrNotFinite, "toy-*"},
		{"OGB: no number of nodes", ogb("raw/num-node-list.csv", ""), dataset.ErrMissing, "raw/num-node-list.csv"},
		{"OGB: two graphs", ogb("raw/num-node-list.csv", "3\n4\n"), coles.ErrFormat, "raw/num-node-list.csv.gz:2"},
		{"OGB: two graphs, one empty", ogb("raw/num-node-list.csv", "0\n3\n"), coles.ErrFormat, "raw/num-node-list.csv.gz:2"},
		{"OGB: a number of text", ogb("raw/num-node-list.csv", "three\n"), coles.ErrFormat, "raw/num-node-list.csv.gz:1:1"},
		{"OGB: nodes beyond an index", ogb("raw/num-node-list.csv", "1099511627776\n"), coles.ErrTooLarge, "raw/num-node-list.csv.gz:1:1"},
		{"OGB: nodes declared only", ogb("raw/num-node-list.csv", "2000000000\n"), coles.ErrTooLarge, "raw"},
		{"OGB: no edges", ogb("raw/edge.csv", "-"), coles.ErrFormat, "raw/edge.csv.gz:1"},
		{"OGB: an edge to nowhere", ogb("raw/edge.csv", "0,1\n1,3\n"), coles.ErrIndex, "raw/edge.csv.gz:2:3"},
		{"OGB: a negative node", ogb("raw/edge.csv", "0,1\n-1,0\n"), coles.ErrIndex, "raw/edge.csv.gz:2:1"},
		{"OGB: three ends", ogb("raw/edge.csv", "0,1,2\n"), coles.ErrFormat, "raw/edge.csv.gz:1"},
		{"OGB: features of two nodes", ogb("raw/node-feat.csv", "1,2\n3,4\n"), coles.ErrShape, "2 lines for 3 nodes"},
		{"OGB: features of four nodes", ogb("raw/node-feat.csv", "1\n2\n3\n4\n"), coles.ErrShape, "raw/node-feat.csv.gz:4"},
		{"OGB: features of two lengths", ogb("raw/node-feat.csv", "1,2\n3\n4,5\n"), coles.ErrShape, "raw/node-feat.csv.gz:2"},
		{"OGB: a feature of text", ogb("raw/node-feat.csv", "1\n2\nx\n"), coles.ErrFormat, "raw/node-feat.csv.gz:3:1"},
		{"OGB: a feature beyond float32", ogb("raw/node-feat.csv", "1\n2\n1e39\n"), coles.ErrNotFinite, "raw/node-feat.csv.gz:3:1"},
		{"OGB: labels of two nodes", ogb("raw/node-label.csv", "1\n2\n"), coles.ErrShape, "2 lines for 3 nodes"},
		{"OGB: labels of four nodes", ogb("raw/node-label.csv", "1\n2\n3\n4\n"), coles.ErrShape, "raw/node-label.csv.gz:4"},
		{"OGB: half a label", ogb("raw/node-label.csv", "1\n0.5\n0\n"), coles.ErrIndex, "raw/node-label.csv.gz:2:1"},
		{"OGB: a label beyond measure", ogb("raw/node-label.csv", "1\n1e12\n0\n"), coles.ErrIndex, "raw/node-label.csv.gz:2:1"},
		{"OGB: several labels", ogb("raw/node-label.csv", "1\n1 2\n0\n"), coles.ErrFormat, "raw/node-label.csv.gz:2"},
		{"OGB: a split of text", ogb("split/time/train.csv", "x\n"), coles.ErrFormat, "split/time/train.csv.gz:1:1"},
		{"OGB: a split of nobody", ogb("split/time/valid.csv", "3\n"), coles.ErrIndex, "split/time/valid.csv.gz:1:1"},
		{"OGB: a node in two parts", ogb("split/time/test.csv", "0\n"), dataset.ErrDuplicate, "train"},
		{"OGB: no edge list", ogb("raw/edge.csv", gone), dataset.ErrMissing, "raw/edge.csv"},
		{"OGB: a part of a split is not there", ogb("split/time/valid.csv", gone), dataset.ErrMissing, "split/time/valid.csv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			err := c.read()
			runtime.ReadMemStats(&after)
			if wantError(t, err, c.want, c.place); after.TotalAlloc-before.TotalAlloc > 4<<20 {
				t.Errorf("%d bytes for a few", after.TotalAlloc-before.TotalAlloc)
			}
		})
	}
}
