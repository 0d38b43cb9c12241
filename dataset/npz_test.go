package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func readBytes(file []byte) (*Dataset, error) { return ReadNPZ(bytes.NewReader(file)) }

func TestNPZKeepsWhatTheFileHolds(t *testing.T) {
	mask := func(v ...uint8) []byte { return npyArray("|b1", "(2, 3)", v) }
	members := with(smallNPZ(), "has_label", npyArray("|b1", "(3,)", []uint8{1, 0, 1}))
	members = with(members, "train_masks", mask(1, 0, 0, 0, 1, 0))
	members = with(members, "val_masks", mask(0, 1, 0, 0, 0, 1))
	// Column-major, as NumPy writes a transposed array.
	members = with(members, "test_masks", npyFile("{'descr': '|b1', 'fortran_order': True, 'shape': (2, 3)}", []uint8{0, 1, 0, 0, 1, 0}))
	members = with(members, "node_names", npyArray("<U2", "(3,)", []uint32{'a', 0, 'ß', 'b', 'c', 0}))
	members = with(members, "class_names", npyArray("|S3", "(2,)", []byte("no\x00yes")))
	members = with(members, "attr_names", npyArray("|O", "(1,)", []byte("anything"))) // not looked at
	d := testkit.Must(readBytes(zipFile(members)))
	wantSame(t, d, &Dataset{
		Adjacency: sparse.NewCSR(3, 3, []int{0, 1, 3, 3}, []int{1, 2, 2}, []float64{1, 2, 0.5}), // the repeated pair stays
		Features:  sparse.NewCSR(3, 5, []int{0, 1, 1, 2}, []int{4, 0}, []float64{1, 1}),
		Labels:    []int{1, 0, 1}, Unlabeled: []int{1}, IDs: []string{"a", "ßb", "c"}, Classes: []string{"no", "yes"},
		Splits: []Split{{Train: []int{0}, Val: []int{1}, Test: []int{2}}, {Train: []int{1}, Val: []int{2}, Test: []int{0}}},
	})
}

func TestNPZDenseFeaturesAndNone(t *testing.T) {
	none := smallNPZ()[:4]
	d, err := readBytes(zipFile(none))
	if err != nil || d.Features != nil || d.Labels != nil || d.NumClasses() != 0 {
		t.Errorf("without features and labels: %+v, %v", d, err)
	}
	dense := with(none, "attr_matrix", npyFile("{'descr': '<i2', 'fortran_order': True, 'shape': (3, 2)}", []int16{1, 3, 5, 2, 4, 6}))
	d, err = readBytes(zipFile(dense))
	if err != nil || !mat.Equal(d.Features, mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})) {
		t.Errorf("dense features: %+v, %v", d, err)
	}
	// Names stored as pickled objects, as in the first files of this form, count as absent.
	d, err = readBytes(zipFile(with(none, "node_names", npyArray("|O", "(3,)", []byte("\x80\x03]q\x00.")))))
	if err != nil || d.IDs != nil {
		t.Errorf("pickled names: %+v, %v", d, err)
	}
}

// Whatever bit of an archive is flipped, it reads as what was written, or not at all.
func TestNPZNeverShrinks(t *testing.T) {
	file := zipFile(with(smallNPZ(), "node_names", npyArray("|S1", "(3,)", []byte("abc"))))
	want := testkit.Must(readBytes(file))
	read := 0
	for at := range file {
		for bit := range 8 {
			if bit != at%8 && testkit.Draws(1) == 1 {
				continue // a bit of every byte, and all of them where there is time
			}
			file[at] ^= 1 << bit
			d, err := readBytes(file)
			file[at] ^= 1 << bit
			if err != nil {
				continue
			}
			read++
			if wantSame(t, d, want); t.Failed() {
				t.Fatalf("bit %d of byte %d flipped: %+v", bit, at, d)
			}
		}
	}
	t.Logf("%d of %d flips were harmless", read, 8*len(file))
}

// Integers that an int of 32 bits cannot hold are refused there, not cut down: on no machine is one
// of these files read as another.
func TestNPZIntegersPast32Bits(t *testing.T) {
	const past = 1 << 32
	for name, v := range map[string][]int64{
		"labels":       {past + 1, 0, 1},
		"adj_indices":  {past + 1, 2, 2},
		"adj_indptr":   {0, past + 1, 3, 3},
		"adj_shape":    {past + 3, past + 3},
		"attr_indices": {past + 4, 0},
		"attr_indptr":  {0, 1, 1, past + 2},
		"attr_shape":   {3, past + 5},
	} {
		for _, kind := range []string{"<i8", "<u8", "<f8"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				numbers := make([]any, len(v))
				for i := range v {
					if numbers[i] = v[i]; kind == "<f8" {
						numbers[i] = float64(v[i])
					}
				}
				array := npyArray(kind, fmt.Sprintf("(%d,)", len(v)), numbers...)
				if d, err := readBytes(zipFile(with(smallNPZ(), name, array))); err == nil {
					t.Errorf("read as %+v", d)
				}
			})
		}
	}
	// An unknown label stays one, or the file is refused.
	d, err := readBytes(zipFile(with(smallNPZ(), "labels", npyArray("<i8", "(3,)", []int64{-past, 0, 1}))))
	if err == nil && d.Labels[0] >= 0 {
		t.Errorf("label −2³² became %d", d.Labels[0])
	}
}

// A small archive whose member unpacks to a lot stops at the budget, and what the directory claims
// about sizes takes nothing.
func TestNPZBombTakesLittleMemory(t *testing.T) {
	zeros := make([]byte, 40<<20)
	bomb := zipFile(with(smallNPZ(), "labels", npyArray("<i8", "(1073741824,)", zeros)))
	if n := allocated(func() {
		_, err := readBytes(bomb)
		wantError(t, err, coles.ErrTooLarge, "labels.npy")
	}); n > 2<<20 {
		t.Errorf("%d bytes for an archive of %d", n, len(bomb))
	}
	claims := zipFile(smallNPZ())
	for at := range claims {
		if bytes.HasPrefix(claims[at:], []byte("PK\x01\x02")) {
			binary.LittleEndian.PutUint32(claims[at+24:], 0xfffffff0) // uncompressed size
		}
	}
	if n := allocated(func() { readBytes(claims) }); n > 4<<20 {
		t.Errorf("%d bytes for claimed sizes", n)
	}
}

func FuzzReadNPZ(f *testing.F) {
	f.Add(zipFile(smallNPZ()))
	f.Add(zipFile(smallNPZ()[:4]))
	f.Add(zipFile(with(smallNPZ(), "attr_matrix", npyArray("<f8", "(3, 1)", []float64{0, 1, 2}))))
	f.Add(zipFile([]member{{"a", npyArray("<f8", "(1, 1)", 1.0)}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		if d, err := readBytes(file); err == nil {
			wantValid(t, d)
		}
	})
}

// The fuzzer seldom gets a packed member right, so this target builds the archive around the bytes
// it is given.
func FuzzNPZMembers(f *testing.F) {
	for i, m := range smallNPZ() {
		f.Add(i, m.data)
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		members := smallNPZ()
		if i < 0 || i >= len(members) {
			return
		}
		members[i].data = data
		if d, err := readBytes(zipFile(members)); err == nil {
			wantValid(t, d)
		}
	})
}
