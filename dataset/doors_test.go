package dataset

import (
	"bytes"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Every matrix goes into every format, or is refused before the first byte.
func TestMatrixWriters(t *testing.T) {
	const n, d = 3, 2
	of := func(v float64) *mat.Dense { return mat.NewDense(n, d, []float64{1, 2, v, 4, 5, 6}) }
	finite := map[string]error{"npz": coles.ErrNotFinite, "word2vec binary": coles.ErrNotFinite, "json lines": coles.ErrNotFinite} // the others write NaN
	empty := map[string]error{"npy": coles.ErrShape, "npz": coles.ErrShape}
	for _, c := range []struct {
		name string
		m    mat.Matrix
		want map[string]error
	}{
		{"plain", of(3), nil},
		{"float32", testkit.SingleOf(of(3)), nil},
		{"transposed", mat.NewDense(d, n, []float64{1, 2, 3, 4, 5, 6}).T(), nil},
		{"sparse", testkit.SparseOf(of(0)), nil},
		{"of another type", testkit.Foreign{Of: of(3)}, nil},
		{"empty", new(mat.Dense), empty},
		{"empty float32", new(coles.Dense32), empty},
		{"NaN", of(math.NaN()), finite},
		{"-Inf", of(math.Inf(-1)), finite},
		{"the largest", of(math.MaxFloat64), map[string]error{"word2vec binary": coles.ErrNotFinite}},
		{"the smallest", of(5e-324), nil},
		{"columns out of range", sparse.NewCSR(n, d, []int{0, 0, 0, 1}, []int{33}, []float64{1}), map[string]error{"npz": coles.ErrIndex}},
	} {
		for name, write := range matrixWriters {
			if c.name == "columns out of range" && c.want[name] == nil {
				continue // a caller's bug, which panics
			}
			t.Run(c.name+", "+name, func(t *testing.T) {
				var b bytes.Buffer
				if err := write(&b, c.m); !errors.Is(err, c.want[name]) || err != nil && b.Len() > 0 {
					t.Errorf("error %v, want %v; %d bytes are written", err, c.want[name], b.Len())
				}
			})
		}
	}
}

// Settings and parts that do not fit, for splits and writers.
func TestDoors(t *testing.T) {
	labels := slices.Repeat([]int{0, 1, 2}, 6)
	random := func(labels []int, perClass, count int) error {
		splits, err := RandomSplits(labels, perClass, count, 1)
		if err != nil {
			return err
		}
		return WriteSplits(io.Discard, len(labels), splits)
	}
	splits := func(n int, s ...Split) error { return WriteSplits(io.Discard, n, s) }
	ids := func(write func(w io.Writer, ids []string, m mat.Matrix) error, ids ...string) error {
		var b bytes.Buffer
		err := write(&b, ids, mat.NewDense(1, 1, nil))
		if b.Len() > 0 && err != nil {
			t.Errorf("%d bytes of what is refused", b.Len())
		}
		return err
	}
	for name, c := range map[string]struct{ want, got error }{

		"of no labels":           {nil, random(nil, 1, 2)},
		"of negative labels":     {nil, random([]int{-1, math.MinInt}, 1, 2)},
		"of the largest labels":  {coles.ErrIndex, random([]int{0, math.MaxInt}, 1, 1)},
		"none a class":           {coles.ErrSetting, random(labels, 0, 1)},
		"the most a class":       {nil, random(labels, math.MaxInt, 1)},
		"no random splits":       {coles.ErrSetting, random(labels, 1, math.MinInt)},
		"the most splits":        {coles.ErrTooLarge, random(labels, 1, math.MaxInt)},
		"of a zero dataset":      {ErrMissing, testkit.Err(new(Dataset).RandomSplits(1, 1, 1))},
		"unlabeled out of range": {coles.ErrIndex, testkit.Err((&Dataset{Labels: labels, Unlabeled: []int{math.MinInt}}).RandomSplits(1, 1, 1))},

		"no splits":             {nil, splits(3)},
		"a zero split":          {nil, splits(3, Split{})},
		"a split of nobody":     {coles.ErrIndex, splits(3, Split{Val: []int{math.MaxInt}})},
		"of negative nodes":     {coles.ErrIndex, splits(3, Split{Train: []int{math.MinInt}})},
		"of a negative graph":   {coles.ErrIndex, splits(-1, Split{Train: []int{0}})},
		"a node twice":          {ErrDuplicate, splits(3, Split{Train: []int{1}, Test: []int{1}})},
		"only some with a test": {coles.ErrShape, splits(3, Split{}, Split{Test: []int{}})},

		"no ids":               {nil, ids(WriteTSV)},
		"an empty id":          {coles.ErrIDs, ids(WriteTSV, "")},
		"an id of lines":       {coles.ErrIDs, ids(WriteTSV, "a\nb")},
		"an id not UTF-8":      {coles.ErrIDs, ids(writeWord2Vec, "\xc3")},
		"an id with wide room": {coles.ErrIDs, ids(writeWord2Vec, "a\u00a0b")},
		"an id too many":       {coles.ErrShape, ids(writeWord2Vec, "a", "b")},
		"a CSV id of lines":    {coles.ErrIDs, ids(WriteCSV, "a\rb")},
		"a JSON id of lines":   {nil, ids(writeJSONLines, "a\nb")},
		"a JSON id not UTF-8":  {coles.ErrIDs, ids(writeJSONLines, "\xff")},
		"an id of two words":   {coles.ErrIDs, ids(writeWord2VecBinary, "a b")},
		"a folder":             {coles.ErrSetting, WriteFile(filepath.Dir(t.TempDir()), func(io.Writer) error { return nil })},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: error %v, want %v", name, c.got, c.want)
		}
	}
	tooMany := int64(bounds.Dim) + 1 // below zero as an int of 32 bits
	for _, n := range []int{math.MinInt, -1, 0, int(tooMany)} {
		if test := (Split{Train: []int{0}}).TestNodes(n); len(test) != 0 {
			t.Errorf("of %d nodes %d are tested", n, len(test))
		}
	}
}
