package dataset

import (
	"bytes"
	"io"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Members as NumPy writes them: both orders, both precisions, one dimension.
func TestMatricesOfNumPy(t *testing.T) {
	file := zipFile([]member{
		{"rows", npyArray("<f8", "(2, 3)", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)},
		{"columns", npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", float32(1), float32(4), float32(2), float32(5), float32(3), float32(6))},
		{"line", npyArray("<i8", "(2,)", int64(7), int64(8))},
	})
	all, err := ReadMatrices(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if len(all) != 3 || !mat.Equal(all["rows"], want) || !mat.Equal(all["columns"], want) || !mat.Equal(all["line"], mat.NewDense(2, 1, []float64{7, 8})) {
		t.Errorf("got %v", all)
	}
}

func TestMatricesMalformed(t *testing.T) {
	good := member{"a", npyArray("<f8", "(1, 1)", 1.0)}
	for _, c := range []struct {
		name  string
		file  []byte
		cause error
		place string
	}{
		{"nothing", nil, ErrTruncated, "npz"},
		{"no members", zipFile(nil), ErrMissing, "npz"},
		{"an archive cut short", zipFile([]member{good})[:40], ErrTruncated, "npz"},
		{"no array", zipFile([]member{{"a", []byte("text")}}), ErrTruncated, "npz/a.npy"},
		{"text", zipFile([]member{{"a", npyArray("<U1", "(1,)", uint32('x'))}}), ErrFormat, "npz/a.npy"},
		{"objects", zipFile([]member{{"a", npyArray("|O", "(1,)")}}), ErrObject, "npz/a.npy"},
		{"three dimensions", zipFile([]member{{"a", npyArray("<f8", "(1, 1, 1)", 1.0)}}), ErrShape, "npz/a.npy"},
		{"an empty matrix", zipFile([]member{{"a", npyArray("<f8", "(0, 3)")}}), ErrShape, "npz/a.npy"},
		{"a declared size", zipFile([]member{{"a", npyArray("<f8", "(1048576, 1048576)")}}), ErrTooLarge, "npz/a.npy"},
		{"too few numbers", zipFile([]member{{"a", npyArray("<f8", "(2, 1)", 1.0)}}), ErrTruncated, "npz/a.npy"},
		{"a name twice", zipFile([]member{good, good}), ErrDuplicate, "npz/a.npy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			taken := allocated(func() {
				_, err := ReadMatrices(bytes.NewReader(c.file), int64(len(c.file)))
				wantError(t, err, c.cause, c.place)
			})
			if taken > 4<<20 {
				t.Errorf("%d bytes for a file of %d", taken, len(c.file))
			}
		})
	}
}

func TestMatricesRoundTrip(t *testing.T) {
	narrow, err := coles.NewDense32(2, 2, []float32{1, 0.1, -3, 1e-30})
	if err != nil {
		t.Fatal(err)
	}
	wide := mat.NewDense(2, 1, []float64{0.1, 1e300})
	var b bytes.Buffer
	if err := WriteMatrices(&b, map[string]mat.Matrix{"narrow": narrow, "wide": wide, "Y": wide.T()}); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	all, err := ReadMatrices(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || !mat.Equal(all["narrow"], narrow) || !mat.Equal(all["wide"], wide) || !mat.Equal(all["Y"], wide.T()) {
		t.Errorf("got %v", all)
	}
	if bytes.Count(file, []byte("'<f4'")) != 1 {
		t.Error("the float32 matrix is not written as one")
	}
	for at := range file {
		wantError(t, WriteMatrices(&limited{w: io.Discard, left: at}, map[string]mat.Matrix{"narrow": narrow, "wide": wide, "Y": wide.T()}), errDisk, "npz")
	}
	for at := range len(file) - 1 {
		if _, err := ReadMatrices(failingFrom{file, int64(at)}, int64(len(file))); err == nil {
			t.Errorf("no error with a disk that fails at byte %d", at)
		}
	}
	wantError(t, WriteMatrices(io.Discard, nil), ErrMissing, "no matrices")
	wantError(t, WriteMatrices(io.Discard, map[string]mat.Matrix{"a": nil}), ErrMissing, "nil")
	wantError(t, WriteMatrices(io.Discard, map[string]mat.Matrix{"a": &mat.Dense{}}), ErrShape, "a is an empty")
	for _, name := range []string{"", "a/b", "\xff"} {
		wantError(t, WriteMatrices(io.Discard, map[string]mat.Matrix{name: wide}), ErrID, "matrix")
	}
}

func FuzzReadMatrices(f *testing.F) {
	f.Add(zipFile([]member{{"a", npyArray("<f8", "(1, 1)", 1.0)}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := ReadMatrices(bytes.NewReader(file), int64(len(file)))
		if err == nil && len(all) == 0 {
			t.Error("neither matrices nor an error")
		}
	})
}
