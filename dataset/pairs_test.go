package dataset

import (
	"bytes"
	"io"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Every type of whole numbers, in both orders, gives the same edges.
func TestPairs(t *testing.T) {
	pairs, _ := FormatNamed("pairs")
	want := mat.NewDense(5, 5, nil)
	want.Set(0, 3, 2)
	want.Set(4, 1, 1)
	for _, file := range [][]byte{
		npyArray("<i4", "(3, 2)", []int32{0, 3, 4, 1, 0, 3}),
		npyFile("{'descr': '<i8', 'fortran_order': True, 'shape': (3, 2)}", []int64{0, 4, 0, 3, 1, 3}),
		npyArray("|u1", "(3, 2)", []byte{0, 3, 4, 1, 0, 3}),
	} {
		d := testkit.Must(pairs.Read(bytes.NewReader(file), parse.Options{}))
		if d.Nodes() != 5 || d.IDs != nil || d.Adjacency.NNZ() != 3 || d.Adjacency.ToDense().At(4, 1) != 1 {
			t.Errorf("%d nodes, ids %v, edges\n%v", d.Nodes(), d.IDs, mat.Formatted(d.Adjacency))
		}
		g := testkit.Must(testkit.Must(pairs.Read(bytes.NewReader(file), parse.Options{Rows: 7, Undirected: true})).Graph())
		testkit.WantSame(t, "graph", g.String(), "7 nodes, 2 edges, 1 repeat joined, 2 directed entries mirrored, 3 isolated nodes, weighted")
		named := testkit.Must(pairs.Read(bytes.NewReader(file), parse.Options{Nodes: []string{"a", "b", "c", "d", "e"}}))
		testkit.WantSame(t, "ids", named.IDs, []string{"a", "b", "c", "d", "e"})
	}
	for name, c := range map[string]struct {
		file []byte
		opts parse.Options
		err  error
		text string
	}{
		"three columns":    {npyArray("<i4", "(2, 3)", make([]int32, 6)), parse.Options{}, coles.ErrShape, "m × 2"},
		"one dimension":    {npyArray("<i4", "(2,)", make([]int32, 2)), parse.Options{}, coles.ErrShape, "m × 2"},
		"no edge":          {npyArray("<i4", "(0, 2)", []int32{}), parse.Options{}, coles.ErrShape, "m × 2"},
		"floats":           {npyArray("<f4", "(1, 2)", make([]float32, 2)), parse.Options{}, coles.ErrFormat, "whole numbers"},
		"a negative row":   {npyArray("<i8", "(2, 2)", []int64{0, 1, 2, -1}), parse.Options{}, coles.ErrIndex, "edge 1: node -1"},
		"a huge row":       {npyArray("<i8", "(2, 2)", []int64{0, 1 << 40, 2, 1}), parse.Options{}, coles.ErrTooLarge, "edge 0: node 1099511627776"},
		"a row beyond":     {npyFile("{'descr': '<i8', 'fortran_order': True, 'shape': (2, 2)}", []int64{0, 1, 2, 3}), parse.Options{Rows: 3}, coles.ErrIndex, "edge 1: node 3 of 0 to 2"},
		"beyond the names": {npyArray("<u2", "(1, 2)", []uint16{0, 1}), parse.Options{Nodes: []string{"a"}}, coles.ErrIndex, "node 1 of 0 to 0"},
		"cut off":          {npyArray("<i4", "(2, 2)", make([]int32, 3)), parse.Options{}, coles.ErrChecksum, "ends here"},
		"too long":         {npyArray("<i4", "(1, 2)", make([]int32, 3)), parse.Options{}, coles.ErrFormat, "after the end"},
		"bad options":      {npyArray("<i4", "(1, 2)", make([]int32, 2)), parse.Options{Rows: -1}, coles.ErrSetting, "Rows = -1"},
	} {
		_, err := pairs.Read(bytes.NewReader(c.file), c.opts)
		wantError(t, err, c.err, c.text)
		if err == nil {
			t.Error(name)
		}
	}
}

func readPairs(r io.Reader, opts parse.Options) (*Dataset, error) {
	f, _ := FormatNamed("pairs")
	return f.Read(r, opts)
}
