package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func readBytes(file []byte) (*Dataset, error) {
	return ReadNPZ(bytes.NewReader(file), int64(len(file)))
}

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
	d, err := readBytes(zipFile(members))
	if err != nil {
		t.Fatal(err)
	}
	adj := d.Adjacency.RawMatrix()
	if !slices.Equal(adj.Indptr, []int{0, 1, 3, 3}) || !slices.Equal(adj.Ind, []int{1, 2, 2}) || !slices.Equal(adj.Data, []float64{1, 2, 0.5}) {
		t.Errorf("adjacency %v %v %v: the repeated pair must stay", adj.Indptr, adj.Ind, adj.Data)
	}
	want := mat.NewDense(3, 5, []float64{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0})
	if !mat.Equal(d.Features.(*sparse.CSR).ToDense(), want) {
		t.Errorf("features %v", mat.Formatted(d.Features))
	}
	if diff := cmp.Diff(&Dataset{
		Labels: []int{1, 0, 1}, Unlabeled: []int{1}, IDs: []string{"a", "ßb", "c"}, Classes: []string{"no", "yes"},
		Splits: []Split{{Train: []int{0}, Val: []int{1}, Test: []int{2}}, {Train: []int{1}, Val: []int{2}, Test: []int{0}}},
	}, &Dataset{Labels: d.Labels, Unlabeled: d.Unlabeled, IDs: d.IDs, Classes: d.Classes, Splits: d.Splits}); diff != "" {
		t.Error(diff)
	}
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

func TestNPZMalformed(t *testing.T) {
	small := smallNPZ()
	good := zipFile(small)
	ints := func(v ...int32) []byte { return npyArray("<i4", fmt.Sprintf("(%d,)", len(v)), v) }
	twice := append(smallNPZ(), member{"labels", ints(0, 0, 0)})
	for _, c := range []struct {
		name  string
		file  []byte
		cause error
		place string
	}{
		{"empty", nil, ErrTruncated, "npz"},
		{"not a zip", []byte("hello, I am no archive at all, only text"), ErrFormat, "npz"},
		{"no directory", good[:len(good)/2], ErrTruncated, "npz"},
		{"no adjacency", zipFile(without(small, "adj_indices")), ErrMissing, "adj_indices"},
		{"labelled, for other nodes", zipFile(with(small, "has_label", ints(1, 0))), ErrShape, "2 entries for 3 nodes"},
		{"2^30 columns", zipFile(with(small, "attr_shape", ints(3, 1<<30))), ErrTooLarge, "1073741824 columns"},
		{"features in part", zipFile(without(small, "attr_indptr")), ErrMissing, "attr_indptr"},
		{"member twice", zipFile(twice), ErrDuplicate, "labels"},
		{"member is not npy", zipFile(with(small, "labels", []byte("no array, but text"))), ErrFormat, "labels.npy"},
		{"member cut short", zipFile(with(small, "labels", npyArray("<i8", "(3,)", []int64{1, 2}))), ErrTruncated, "labels.npy"},
		{"pickled labels", zipFile(with(small, "labels", npyArray("|O", "(3,)", []byte("\x80\x03")))), ErrObject, "labels.npy"},
		{"text for numbers", zipFile(with(small, "adj_data", npyArray("|S1", "(3,)", []byte("abc")))), ErrFormat, "adj_data"},
		{"fractional index", zipFile(with(small, "adj_indices", npyArray("<f4", "(3,)", []float32{1, 1.5, 2}))), ErrFormat, "adj_indices"},
		{"column out of range", zipFile(with(small, "adj_indices", ints(1, 3, 2))), ErrIndex, "row 1, entry 0: column 3 of 3"},
		{"negative column", zipFile(with(small, "adj_indices", ints(1, -1, 2))), ErrIndex, "column -1"},
		{"row pointers fall", zipFile(with(small, "adj_indptr", ints(0, 3, 1, 3))), ErrIndex, "row 1"},
		{"row pointers begin at 1", zipFile(with(small, "adj_indptr", ints(1, 1, 3, 3))), ErrIndex, "row pointer"},
		{"row pointer past the end", zipFile(with(small, "adj_indptr", ints(0, 9, 3, 3))), ErrIndex, "row 0"},
		{"row pointers end early", zipFile(with(small, "adj_indptr", ints(0, 1, 2, 2))), ErrShape, "2 for 3 entries"},
		{"too few row pointers", zipFile(with(small, "adj_indptr", ints(0, 1, 3))), ErrShape, "3 row pointers for 3 rows"},
		{"more indices than values", zipFile(with(small, "adj_data", npyArray("<f4", "(2,)", []float32{1, 1}))), ErrShape, "3 column indices for 2"},
		{"not square", zipFile(with(small, "adj_shape", ints(3, 4))), ErrShape, "3 × 4"},
		{"shape of one number", zipFile(with(small, "adj_shape", ints(3))), ErrShape, "adj_shape"},
		{"2^40 nodes", zipFile(with(small, "adj_shape", npyArray("<i8", "(2,)", []int64{1 << 40, 1 << 40}))), ErrTooLarge, "adj"},
		{"2^40 labels", zipFile(with(small, "labels", npyArray("<i8", "(1099511627776,)"))), ErrTooLarge, "labels.npy"},
		{"NaN weight", zipFile(with(small, "adj_data", npyArray("<f4", "(3,)", []float32{1, float32(math.NaN()), 1}))), ErrNotFinite, "row 1, column 2"},
		{"infinite feature", zipFile(with(without(small, "attr_data"), "attr_matrix", npyArray("<f8", "(3, 1)", []float64{0, math.Inf(1), 0}))), ErrNotFinite, "row 1, column 0"},
		{"feature rows", zipFile(with(small, "attr_matrix", npyArray("<f8", "(2, 1)", []float64{0, 1}))), ErrShape, "2 feature rows for 3 nodes"},
		{"feature matrix of one dimension", zipFile(with(small, "attr_matrix", npyArray("<f8", "(2,)", []float64{0, 1}))), ErrShape, "attr_matrix"},
		{"labels too few", zipFile(with(small, "labels", ints(0, 1))), ErrShape, "2 labels for 3 nodes"},
		{"absurd label", zipFile(with(small, "labels", ints(0, 1, 1<<30))), ErrIndex, "node 2"},
		{"label without a name", zipFile(with(small, "class_names", npyArray("|S1", "(1,)", []byte("a")))), ErrIndex, "label 1 of 1"},
		{"masks of another graph", zipFile(with(small, "train_masks", npyArray("|b1", "(1, 2)", []uint8{0, 1}))), ErrShape, "train_masks"},
		{"overlapping masks", zipFile(with(with(small, "train_masks", npyArray("|b1", "(3,)", []uint8{1, 0, 0})), "val_masks", npyArray("|b1", "(3,)", []uint8{1, 0, 0}))), ErrDuplicate, "split 0: val[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readBytes(c.file)
			wantError(t, err, c.cause, c.place)
		})
	}
}

// A wrong checksum, in an archive whose bytes are otherwise in order.
func TestNPZChecksum(t *testing.T) {
	file := zipFile(smallNPZ())
	// The sum of the first member stands at byte 16 of its entry in the directory.
	at := bytes.Index(file, []byte("PK\x01\x02")) + 16
	binary.LittleEndian.PutUint32(file[at:], 12345)
	_, err := readBytes(file)
	wantError(t, err, ErrChecksum, "adj_data.npy")
}

// Whatever bit of an archive is flipped, what can still be read is what was written.
func TestNPZNeverShrinks(t *testing.T) {
	file := zipFile(with(smallNPZ(), "node_names", npyArray("|S1", "(3,)", []byte("abc"))))
	want, err := readBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for at := range file {
		for bit := range 8 {
			file[at] ^= 1 << bit
			d, err := readBytes(file)
			file[at] ^= 1 << bit
			if err != nil {
				continue
			}
			read++
			if d.Features == nil || !mat.Equal(d.Features, want.Features) || !mat.Equal(d.Adjacency, want.Adjacency) ||
				!slices.Equal(d.Labels, want.Labels) || !slices.Equal(d.IDs, want.IDs) {
				t.Fatalf("bit %d of byte %d flipped: %+v", bit, at, d)
			}
		}
	}
	t.Logf("%d of %d flips were harmless", read, 8*len(file))
}

// Integers that an int of 32 bits cannot hold are refused there, not cut down: on no machine
// is one of these files read as another.
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
				shape := fmt.Sprintf("(%d,)", len(v))
				array := npyArray(kind, shape, v)
				if kind == "<f8" {
					numbers := make([]float64, len(v))
					for i := range v {
						numbers[i] = float64(v[i])
					}
					array = npyArray(kind, shape, numbers)
				}
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

func TestNPZFailsAtEveryByte(t *testing.T) {
	file := zipFile(smallNPZ())
	for k := range len(file) {
		_, err := readBytes(file[:k])
		wantError(t, err, ErrTruncated, "npz")
		_, err = ReadNPZ(failingFrom{file, int64(k)}, int64(len(file)))
		wantError(t, err, errDisk, "npz")
	}
	if _, err := readBytes(file); err != nil {
		t.Error(err)
	}
}

// failingFrom fails to read any byte from at on.
type failingFrom struct {
	data []byte
	at   int64
}

func (f failingFrom) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.at {
		return 0, errDisk
	}
	return bytes.NewReader(f.data).ReadAt(p, off)
}

// A small archive whose member unpacks to a lot stops at the budget, and what
// the directory claims about sizes takes nothing.
func TestNPZBombTakesLittleMemory(t *testing.T) {
	zeros := make([]byte, 40<<20)
	bomb := zipFile(with(smallNPZ(), "labels", npyArray("<i8", "(1073741824,)", zeros)))
	if n := allocated(func() {
		_, err := readBytes(bomb)
		wantError(t, err, ErrTooLarge, "labels.npy")
	}); n > 2<<20 {
		t.Errorf("%d bytes for an archive of %d", n, len(bomb))
	}
	claims := zipFile(smallNPZ())
	for at := 0; ; {
		next := bytes.Index(claims[at:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += next
		binary.LittleEndian.PutUint32(claims[at+24:], 0xfffffff0) // uncompressed size
		at += 4
	}
	if n := allocated(func() { readBytes(claims) }); n > 4<<20 {
		t.Errorf("%d bytes for claimed sizes", n)
	}
}

func TestOpenNPZ(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"toy.npz": zipFile(smallNPZ()), "toy.npz.gz": gzipped(zipFile(smallNPZ()))} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := OpenNPZ(path)
		if err != nil || d.Name != "toy" || d.Nodes() != 3 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if err := os.WriteFile(path, data[:len(data)-9], 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = OpenNPZ(path)
		wantError(t, err, ErrTruncated, path)
	}
	_, err := OpenNPZ(filepath.Join(dir, "none.npz"))
	wantError(t, err, os.ErrNotExist, "none.npz")
	_, err = OpenNPZ(dir)
	if err == nil {
		t.Error("a folder was read as an archive")
	}
}

func FuzzReadNPZ(f *testing.F) {
	f.Add(zipFile(smallNPZ()))
	f.Add(zipFile(smallNPZ()[:4]))
	f.Add(zipFile(with(smallNPZ(), "attr_matrix", npyArray("<f8", "(3, 1)", []float64{0, 1, 2}))))
	f.Fuzz(func(t *testing.T, file []byte) {
		if d, err := readBytes(file); err == nil {
			if err := d.Validate(); err != nil {
				t.Errorf("read without error, but %v", err)
			}
		}
	})
}

// The fuzzer seldom gets a packed member right, so this target builds the
// archive around the bytes it is given.
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
			if err := d.Validate(); err != nil {
				t.Errorf("read without error, but %v", err)
			}
		}
	})
}
