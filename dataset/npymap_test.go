package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// saved puts bytes into a file.
func saved(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// mapped maps a file for the length of the test.
func mapped(t testing.TB, path string) *Mapped {
	t.Helper()
	m, err := MapNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// What WriteNPY puts into a file MapNPY finds there bit for bit, and ReadNPY
// finds the same numbers widened.
func TestFloat32RoundTrip(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), 0.1, -math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.NaN())}
	for _, shape := range [][2]int{{7, 1}, {1, 7}, {50, 333}, {4001, 17}} { // the last is several buffers long
		data := make([]float32, shape[0]*shape[1])
		for i := range data {
			data[i] = float32(i) / 3
		}
		copy(data, values)
		x, err := coles.NewDense32(shape[0], shape[1], data)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		if b.Len() != 128+4*len(data) {
			t.Errorf("%v: %d bytes, want a header of 128 and 4 a number", shape, b.Len())
		}
		got := mapped(t, saved(t, b.Bytes())).Matrix().RawMatrix()
		if got.Rows != shape[0] || got.Cols != shape[1] || !slices.EqualFunc(got.Data, data, sameBits) {
			t.Errorf("%v: mapped as %d × %d, or with other bits", shape, got.Rows, got.Cols)
		}
		wide, err := ReadNPY(&b)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range wide.RawMatrix().Data {
			if math.Float64bits(v) != math.Float64bits(float64(data[i])) {
				t.Fatalf("%v: number %d reads as %v, want %v", shape, i, v, data[i])
			}
		}
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func TestMapNPYForms(t *testing.T) {
	numbers := []float32{1, 2, 3, 4, 5, 6}
	aligned := func(shape string) []byte { // as NumPy pads a header
		header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape)
		return npyFile(fmt.Sprintf("%-*s\n", 117, header), numbers)
	}
	unaligned := func(by int) []byte {
		return npyFile(fmt.Sprintf("%-*s\n", 117+by, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"), numbers)
	}
	for _, c := range []struct {
		name       string
		file       []byte
		rows, cols int
		maps       bool
	}{
		{"matrix", aligned("(2, 3)"), 2, 3, true},
		{"one dimension", aligned("(6,)"), 6, 1, true},
		{"numbers at a multiple of 4 alone", unaligned(4), 2, 3, true},
		{"numbers at 4k + 1", unaligned(1), 2, 3, false},
		{"numbers at 4k + 2", unaligned(2), 2, 3, false},
		{"numbers at 4k + 3", unaligned(3), 2, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mapped(t, saved(t, c.file))
			if want := mat.NewDense(c.rows, c.cols, []float64{1, 2, 3, 4, 5, 6}); !mat.Equal(m.Matrix(), want) {
				t.Errorf("%v", mat.Formatted(m.Matrix()))
			}
			if maps := m.unmap != nil; runtime.GOOS == "linux" && runtime.GOARCH != "s390x" && maps != c.maps {
				t.Errorf("mapped: %v, want %v", maps, c.maps)
			}
		})
	}
}

func TestMapNPYMalformed(t *testing.T) {
	good := npyArray("<f4", "(2, 3)", []float32{1, 2, 3, 4, 5, 6})
	fortran := func(shape string) []byte {
		return npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': "+shape+"}", []float32{1, 2, 3, 4, 5, 6})
	}
	for _, c := range []struct {
		name  string
		file  []byte
		cause error
		place string
	}{
		{"float64", npyArray("<f8", "(2,)", []float64{1, 2}), ErrLayout, "OpenNPY"},
		{"big-endian", npyArray(">f4", "(2,)", []float32{1, 2}), ErrLayout, "OpenNPY"},
		{"integers", npyArray("<i4", "(2,)", []int32{1, 2}), ErrLayout, "OpenNPY"},
		{"text", npyArray("<U1", "(2,)", []int32{65, 66}), ErrLayout, "'<f4'"},
		{"column-major", fortran("(2, 3)"), ErrLayout, "column-major"},
		{"gzipped", gzipped(good), ErrLayout, "gzipped"},
		{"not npy", []byte("GIF89a, a picture"), ErrFormat, "byte 0"},
		{"empty", nil, ErrTruncated, "byte 0"},
		{"one byte", []byte{0x1f}, ErrTruncated, "byte 1"},
		{"cut in the header", good[:30], ErrTruncated, "byte 30"},
		{"cut before the numbers", good[:len(good)-24], ErrTruncated, fmt.Sprint("byte ", len(good)-24)},
		{"cut in the numbers", good[:len(good)-1], ErrTruncated, fmt.Sprint("byte ", len(good)-1)},
		{"bytes after the end", append(slices.Clone(good), 0), ErrFormat, fmt.Sprint("byte ", len(good))},
		{"2^35 numbers of one", npyArray("<f4", "(34359738368,)", []float32{1}), pastInt32, "34359738368"},
		{"2^40 numbers", npyArray("<f4", "(1099511627776,)"), ErrTooLarge, "byte 10"},
		{"product past 64 bits", npyArray("<f4", "(4294967296, 4294967296)"), ErrTooLarge, "byte 10"},
		{"three dimensions", npyArray("<f4", "(1, 1, 1)", float32(1)), ErrShape, "[1 1 1]"},
		{"no dimension", npyArray("<f4", "()", float32(1)), ErrShape, "[]"},
		{"no rows", npyArray("<f4", "(0, 4)"), ErrShape, "[0 4]"},
		{"no columns", npyArray("<f4", "(4, 0)"), ErrShape, "[4 0]"},
		{"negative size", npyArray("<f4", "(-2,)"), ErrFormat, "byte 10"},
		{"Python objects", npyArray("|O", "(2,)", []float64{1, 2}), ErrObject, "byte 10"},
		{"a key twice", npyFile("{'descr': '<f4', 'descr': '<f4'}"), ErrDuplicate, `"descr"`},
		{"no shape", npyFile("{'descr': '<f4', 'fortran_order': False}"), ErrMissing, "byte 10"},
		{"huge header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), ErrTooLarge, "byte 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := saved(t, c.file)
			_, err := MapNPY(path)
			wantError(t, err, c.cause, c.place)
			wantError(t, err, c.cause, path)
			var at *ParseError
			if !errors.As(err, &at) {
				t.Errorf("%v has no place", err)
			}
		})
	}
	_, err := MapNPY(filepath.Join(t.TempDir(), "nothing.npy"))
	wantError(t, err, os.ErrNotExist, "nothing.npy")
	dir := t.TempDir()
	_, err = MapNPY(dir)
	wantError(t, err, ErrFormat, dir)
}

// The matrix goes with the mapping, and only once.
func TestMappedCloses(t *testing.T) {
	var none *Mapped
	if none.Matrix() != nil || none.Close() != nil {
		t.Error("a nil Mapped is not empty")
	}
	m, err := MapNPY(saved(t, npyArray("<f4", "(2,)", []float32{1, 2})))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if m.Matrix() != nil {
			t.Error("a matrix is left")
		}
	}
}

// A reader that has to take the matrix into memory names the byte at which the
// disk fails, and takes no more than the matrix and a buffer.
func TestReadFloat32(t *testing.T) {
	numbers := make([]float32, 3*chunk/4+1)
	for i := range numbers {
		numbers[i] = float32(i) / 7
	}
	var body bytes.Buffer
	if err := binary.Write(&body, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	h := &npyHeader{count: len(numbers)}
	got, err := (&source{r: bytes.NewReader(body.Bytes()), file: "x"}).readFloat32(h)
	if err != nil || !slices.Equal(got, numbers) {
		t.Errorf("other numbers, %v", err)
	}
	for _, k := range []int{0, 1, chunk, body.Len() - 1} {
		_, err = (&source{r: failAfter(body.Bytes()[:k]), file: "x"}).readFloat32(h)
		wantError(t, err, errDisk, fmt.Sprint("x: byte ", k))
	}
}

// Mapping takes no memory for the numbers.
func TestMapNPYTakesNoMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not every system maps files")
	}
	var b bytes.Buffer
	x, err := coles.NewDense32(1<<18, 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteNPY(&b, x); err != nil {
		t.Fatal(err)
	}
	path := saved(t, b.Bytes())
	if n := allocated(func() { mapped(t, path) }); n > 64<<10 {
		t.Errorf("%d bytes for a file of %d", n, b.Len())
	}
}
