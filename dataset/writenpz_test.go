package dataset

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func archiveOf(t *testing.T, d *Dataset) []byte {
	t.Helper()
	return written(t, func(w io.Writer) error { return WriteNPZ(w, d) })
}

// wantReadBack writes an archive, which keeps the nodes of a split in ascending order, and reads it.
func wantReadBack(t *testing.T, d *Dataset) {
	t.Helper()
	want := *d
	want.Splits = slices.Clone(d.Splits)
	for i := range want.Splits {
		for _, p := range want.Splits[i].parts() {
			*p.nodes = slices.Sorted(slices.Values(*p.nodes))
		}
	}
	wantSame(t, testkit.Must(readBytes(archiveOf(t, d))), &want)
}

// smallDataset has a loop, a repeated pair, an unsorted row, and every optional part.
func smallDataset() *Dataset {
	return &Dataset{
		Name:      "small",
		Adjacency: sparse.NewCSR(4, 4, []int{0, 3, 4, 4, 6}, []int{2, 1, 1, 1, 3, 0}, []float64{1, 0.5, 2, 1, -3, 4}),
		Features:  sparse.NewCSR(4, 6, []int{0, 1, 1, 3, 3}, []int{5, 4, 0}, []float64{0.1, 1, 1e300}),
		Labels:    []int{1, 0, -1, 1},
		Unlabeled: []int{2, 3},
		Classes:   []string{"", "Größe"},
		IDs:       []string{"a", "\x00b", "一二三", "😀"},
		Splits: []Split{
			{Train: []int{3, 0}, Val: []int{1}, Test: []int{2}},
			{Train: []int{1}, Val: []int{}, Test: []int{0, 3}},
		},
	}
}

func TestNPZRoundTrip(t *testing.T) {
	featured := func(x mat.Matrix) *Dataset {
		d := KarateClub()
		d.Features = x
		return d
	}
	dense := &coles.Dense32{Rows: 34, Cols: 20, Stride: 20, Data: make([]float32, 34*20)}
	for i := range dense.Data {
		dense.Data[i] = float32(i) / 7
	}
	karate := KarateClub()
	karate.IDs = make([]string, karate.Nodes())
	for i := range karate.IDs {
		karate.IDs[i] = strings.Repeat("member ", i) + fmt.Sprint(i)
	}
	words := featured(sparse.NewCSR(34, 5, append(make([]int, 33), 2, 3), []int{1, 4, 0}, []float64{1, 3, 2}))
	words.Splits = testkit.Must(words.RandomSplits(5, 10, 1)) // in no order, without Test
	wide := smallDataset()
	wide.Features = mat.NewDense(4, 2, []float64{1. / 3, math.Copysign(0, -1), math.MaxFloat64, 5e-324, 1, 2, 3, 4})
	transposed := smallDataset()
	transposed.Features = mat.NewDense(2, 4, []float64{1, 2, 3, 4, 5, 6, 7, 0.5}).T()
	for name, d := range map[string]*Dataset{
		"karate club":       KarateClub(),
		"karate, ids":       karate,
		"words, splits":     words,
		"dense float32":     featured(dense),
		"everything":        smallDataset(),
		"dense float64":     wide,
		"no matrix of rows": transposed,
		"adjacency alone":   {Adjacency: sparse.NewCSR(2, 2, []int{0, 0, 0}, nil, nil)},
		"no nodes":          {Adjacency: sparse.NewCSR(0, 0, []int{0}, nil, nil)},
	} {
		t.Run(name, func(t *testing.T) { wantReadBack(t, d) })
	}
}

// What other readers see: members, element types, shapes and bytes. The bytes are spelled out here,
// not made by the writer.
func TestNPZMembers(t *testing.T) {
	d := smallDataset()
	file := archiveOf(t, d)
	if again := archiveOf(t, smallDataset()); !bytes.Equal(file, again) {
		t.Error("the same dataset gave other bytes")
	}
	z := testkit.Must(zip.NewReader(bytes.NewReader(file), int64(len(file))))
	got := map[string][]byte{}
	for _, f := range z.File {
		if f.Method != zip.Store || !f.Modified.IsZero() && f.Modified.Year() > 1980 || len(f.Extra) > 0 {
			t.Errorf("%s: method %d, modified %v, extra %x", f.Name, f.Method, f.Modified, f.Extra)
		}
		got[f.Name] = testkit.Must(fs.ReadFile(z, f.Name))
	}
	text := func(width int, names ...string) []uint32 {
		var out []uint32
		for _, name := range names {
			at := len(out)
			for _, r := range name {
				out = append(out, uint32(r))
			}
			out = append(out, make([]uint32, at+width-len(out))...)
		}
		return out
	}
	for name, want := range map[string][]byte{
		"adj_data":     npyArray("<f4", "(6,)", []float32{1, 0.5, 2, 1, -3, 4}),
		"adj_indices":  npyArray("<i4", "(6,)", []int32{2, 1, 1, 1, 3, 0}),
		"adj_indptr":   npyArray("<i4", "(5,)", []int32{0, 3, 4, 4, 6}),
		"adj_shape":    npyArray("<i8", "(2,)", []int64{4, 4}),
		"attr_data":    npyArray("<f8", "(3,)", []float64{0.1, 1, 1e300}),
		"attr_indices": npyArray("<i4", "(3,)", []int32{5, 4, 0}),
		"attr_indptr":  npyArray("<i4", "(5,)", []int32{0, 1, 1, 3, 3}),
		"attr_shape":   npyArray("<i8", "(2,)", []int64{4, 6}),
		"labels":       npyArray("<i8", "(4,)", []int64{1, 0, -1, 1}),
		"has_label":    npyArray("|b1", "(4,)", []uint8{1, 1, 0, 0}),
		"node_names":   npyArray("<U3", "(4,)", text(3, "a", "\x00b", "一二三", "😀")),
		"class_names":  npyArray("<U5", "(2,)", text(5, "", "Größe")),
		"train_masks":  npyArray("|b1", "(2, 4)", []uint8{1, 0, 0, 1, 0, 1, 0, 0}),
		"val_masks":    npyArray("|b1", "(2, 4)", []uint8{0, 1, 0, 0, 0, 0, 0, 0}),
		"test_masks":   npyArray("|b1", "(2, 4)", []uint8{0, 0, 1, 0, 1, 0, 0, 1}),
	} {
		// The header is padded so that the elements start at a multiple of 64.
		end := bytes.IndexByte(want, '\n')
		header, elements := want[10:end], want[end+1:]
		written := got[name+".npy"]
		delete(got, name+".npy")
		at := bytes.IndexByte(written, '\n') + 1
		if at%64 != 0 || !bytes.HasPrefix(written, []byte("\x93NUMPY\x01\x00")) || !bytes.HasPrefix(written[10:], header) || strings.TrimSpace(string(written[10+len(header):at])) != "" {
			t.Errorf("%s begins %q", name, written[:at])
		}
		if !bytes.Equal(written[at:], elements) {
			t.Errorf("%s holds %x, want %x", name, written[at:], elements)
		}
	}
	for name := range got {
		t.Errorf("%s is there, too", name)
	}
}

func TestNPZElementTypes(t *testing.T) {
	for _, c := range []struct {
		x    mat.Matrix
		want string
	}{
		{dense32(4, 1, []float32{0.1, 1, 2, 3}), "<f4"},
		{mat.NewDense(4, 1, []float64{0.5, 1 << 24, -7, math.MaxFloat32}), "<f4"},
		{mat.NewDense(4, 1, []float64{0, 1, 2, 0.1}), "<f8"},                   // rounded
		{mat.NewDense(4, 1, []float64{0, 1, 2, 1<<24 + 1}), "<f8"},             // rounded
		{mat.NewDense(4, 1, []float64{0, 2 * math.MaxFloat32, 1, 0.1}), "<f8"}, // overflow
		{mat.NewDense(4, 1, []float64{0, 1e-50, 1, 0.5}), "<f8"},               // underflow
	} {
		d := smallDataset()
		d.Features = c.x
		if file := archiveOf(t, d); !bytes.Contains(file, []byte("{'descr': '"+c.want+"', 'fortran_order': False, 'shape': (4, 1), }")) {
			t.Errorf("%v are not written as %s", mat.Formatted(c.x), c.want)
		}
	}
}

// Memory does not grow with the features.
func TestNPZStreams(t *testing.T) {
	d := &Dataset{Adjacency: KarateClub().Adjacency, Features: mat.NewDense(34, 1<<16, nil)} // 17 MB
	if n := allocated(func() {
		if err := WriteNPZ(io.Discard, d); err != nil {
			t.Error(err)
		}
	}); n > 2<<20 {
		t.Errorf("%d bytes for features of %d", n, 34<<19)
	}
}
