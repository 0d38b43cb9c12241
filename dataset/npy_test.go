package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

func TestNPYElementTypes(t *testing.T) {
	for _, c := range []struct {
		descr   string
		numbers any // -1 reads as 255 where unsigned
		want    []float64
	}{
		{"<f8", []float64{1.5, -2, 1e300}, []float64{1.5, -2, 1e300}},
		{"<f4", []float32{1.5, -2, 0.1}, []float64{1.5, -2, float64(float32(0.1))}},
		{"|i1", []int8{1, -2, 127}, []float64{1, -2, 127}},
		{"<i2", []int16{1, -2, 32767}, []float64{1, -2, 32767}},
		{"<i4", []int32{1, -2, math.MaxInt32}, []float64{1, -2, math.MaxInt32}},
		{"<i8", []int64{1, -2, 1 << 53}, []float64{1, -2, 1 << 53}},
		{"|u1", []uint8{1, 2, 255}, []float64{1, 2, 255}},
		{"<u2", []uint16{1, 2, 65535}, []float64{1, 2, 65535}},
		{"<u4", []uint32{1, 2, math.MaxUint32}, []float64{1, 2, math.MaxUint32}},
		{"<u8", []uint64{1, 2, 1 << 53}, []float64{1, 2, 1 << 53}},
		{"|b1", []uint8{0, 1, 7}, []float64{0, 1, 1}},
	} {
		for _, big := range []bool{false, true} {
			t.Run(fmt.Sprint(c.descr, big), func(t *testing.T) {
				var order binary.ByteOrder = binary.LittleEndian
				descr := c.descr
				if big {
					order = binary.BigEndian
					if descr[0] == '<' {
						descr = ">" + descr[1:]
					}
				}
				var body bytes.Buffer
				binary.Write(&body, order, c.numbers)
				m, err := ReadNPY(bytes.NewReader(npyArray(descr, "(3,)", body.Bytes())))
				if err != nil {
					t.Fatal(err)
				}
				if want := mat.NewDense(3, 1, c.want); !mat.Equal(m, want) {
					t.Errorf("%v, want %v", mat.Formatted(m.T()), c.want)
				}
			})
		}
	}
}

func TestNPYVersionsAndOrder(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	body := func(v ...float64) []byte {
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, v)
		return b.Bytes()
	}
	for version := byte(1); version <= 3; version++ {
		for order, numbers := range map[string][]byte{"False": body(1, 2, 3, 4, 5, 6), "True": body(1, 4, 2, 5, 3, 6)} {
			// Python 2 wrote sizes as 2L; keys may come in any order.
			header := fmt.Sprintf(`{"shape": (2L, 3), 'fortran_order': %s, 'descr': '<f8'}`, order)
			file := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
			if version == 1 {
				file = binary.LittleEndian.AppendUint16(file, uint16(len(header)))
			} else {
				file = binary.LittleEndian.AppendUint32(file, uint32(len(header)))
			}
			file = append(append(file, header...), numbers...)
			m, err := ReadNPY(bytes.NewReader(file))
			if err != nil {
				t.Fatalf("version %d, column-major %s: %v", version, order, err)
			}
			if !mat.Equal(m, want) {
				t.Errorf("version %d, column-major %s: %v", version, order, mat.Formatted(m))
			}
		}
	}
}

func TestNPYMalformed(t *testing.T) {
	good := npyArray("<f8", "(2,)", []float64{1, 2})
	header := func(h string) []byte { return npyFile(h, []float64{1, 2}) }
	for _, c := range []struct {
		name  string
		file  []byte
		cause error
		place string
	}{
		{"not npy", []byte("GIF89a, a picture"), ErrFormat, "byte 0"},
		{"unknown version", []byte("\x93NUMPY\x09\x00\x00\x00"), ErrFormat, "byte 6"},
		{"empty", nil, ErrTruncated, "byte 0"},
		{"cut in the header", good[:30], ErrTruncated, "byte 30"},
		{"cut in the numbers", good[:len(good)-1], ErrTruncated, fmt.Sprint("byte ", len(good)-1)},
		{"bytes after the end", append(append([]byte(nil), good...), 0), ErrFormat, fmt.Sprint("byte ", len(good))},
		{"header that does not close", header("{'descr': '<f8', 'shape': (2,)"), ErrFormat, "byte 10"},
		{"header is not a dict", header("[1, 2]"), ErrFormat, "byte 10"},
		{"text after the header", header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x"), ErrFormat, "byte 10"},
		{"unknown key", header("{'descr': '<f8', 'color': 'red'}"), ErrFormat, `"color"`},
		{"a key twice", header("{'descr': '<f8', 'descr': '<f8'}"), ErrDuplicate, `"descr"`},
		{"no shape", header("{'descr': '<f8', 'fortran_order': False}"), ErrMissing, "byte 10"},
		{"negative size", header("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}"), ErrFormat, "byte 10"},
		{"size past 64 bits", header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"), ErrTooLarge, "byte 10"},
		{"product past 64 bits", npyArray("<f8", "(4294967296, 4294967296)"), ErrTooLarge, "byte 10"},
		{"2^40 numbers", npyArray("<f8", "(1099511627776,)"), ErrTooLarge, "byte 10"},
		{"huge header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), ErrTooLarge, "byte 8"},
		{"Python objects", npyArray("|O", "(2,)", []float64{1, 2}), ErrObject, "byte 10"},
		{"records", header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}"), ErrFormat, "records"},
		{"complex numbers", npyArray("<c16", "(2,)"), ErrFormat, "c16"},
		{"half precision", npyArray("<f2", "(2,)"), ErrFormat, "f2"},
		{"no byte order", npyArray("|f8", "(2,)"), ErrFormat, "f8"},
		{"text", npyArray("<U1", "(2,)", []uint32{65, 66}), ErrFormat, "text"},
		{"three dimensions", npyArray("<f8", "(1, 1, 1)", 1.0), ErrShape, "[1 1 1]"},
		{"no rows", npyArray("<f8", "(0, 4)"), ErrShape, "[0 4]"},
		{"integer past 2^63", npyArray("<u8", "(2,)", []uint64{1, 1<<63 + 1}), ErrTooLarge, "element 1"},
		{"integer past 2^53", npyArray("<i8", "(2,)", []int64{1, 1<<53 + 1}), ErrTooLarge, "element 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadNPY(bytes.NewReader(c.file))
			wantError(t, err, c.cause, c.place)
		})
	}
}

func TestNPYFailsAtEveryByte(t *testing.T) {
	file := npyArray("<f4", "(2, 3)", []float32{1, 2, 3, 4, 5, 6})
	for k := range len(file) {
		_, err := ReadNPY(bytes.NewReader(file[:k]))
		wantError(t, err, ErrTruncated, fmt.Sprint("byte ", k))
		_, err = ReadNPY(failAfter(file[:k]))
		wantError(t, err, errDisk, fmt.Sprint("byte ", k))
	}
	if _, err := ReadNPY(bytes.NewReader(file)); err != nil {
		t.Error(err)
	}
}

// An .npy header that announces far more than there is takes no memory: the
// buffers of the reader, 64 KB each, are all.
func TestNPYDeclaredSizeTakesNoMemory(t *testing.T) {
	file := npyArray("<f4", "(34359738368,)", []float32{1}) // 2^35
	if n := allocated(func() {
		_, err := ReadNPY(bytes.NewReader(file))
		wantError(t, err, pastInt32, "byte")
	}); n > 1<<20 {
		t.Errorf("%d bytes for a file of %d", n, len(file))
	}
}

func TestNPYRoundTrip(t *testing.T) {
	m := mat.NewDense(3, 2, []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 5e-324, -math.MaxFloat64})
	for name, x := range map[string]mat.Matrix{"dense": m, "view": mat.DenseCopyOf(m).Slice(0, 3, 0, 2), "transposed": m.T()} {
		var b bytes.Buffer
		if err := WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		r, c := x.Dims()
		if b.Len() != 128+8*r*c {
			t.Errorf("%s: %d bytes, want a header of 128 and 8 a number", name, b.Len())
		}
		got, err := ReadNPY(&b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r {
			for j := range c {
				if math.Float64bits(got.At(i, j)) != math.Float64bits(x.At(i, j)) {
					t.Errorf("%s (%d,%d): %v, want %v", name, i, j, got.At(i, j), x.At(i, j))
				}
			}
		}
	}
}

// A transpose is written as numpy.save writes one: in the order of memory, which is the
// columns', and without widening float32.
func TestTransposesAreColumnMajor(t *testing.T) {
	narrow, err := coles.NewDense32(2, 3, []float32{1, 2, 3, 4, 5, 0.1})
	if err != nil {
		t.Fatal(err)
	}
	wide := mat.DenseCopyOf(narrow)
	for _, c := range []struct {
		m       mat.Matrix
		header  string
		numbers any
	}{
		{narrow.T(), "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", []float32{1, 2, 3, 4, 5, 0.1}},
		{wide.T(), "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }", wide.RawMatrix().Data},
		// A slice of columns does not lie in one piece.
		{wide.Slice(0, 2, 1, 3).T(), "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", []float64{2, 3, 5, float64(float32(0.1))}},
	} {
		var single, archive, numbers bytes.Buffer
		binary.Write(&numbers, binary.LittleEndian, c.numbers)
		if err := errors.Join(WriteNPY(&single, c.m), WriteMatrices(&archive, map[string]mat.Matrix{"a": c.m})); err != nil {
			t.Fatal(err)
		}
		if head := single.Bytes()[:128]; !bytes.Contains(head, []byte(c.header)) {
			t.Errorf("header %s, want %s", head, c.header)
		}
		if !bytes.Equal(single.Bytes()[128:], numbers.Bytes()) || !bytes.Contains(archive.Bytes(), single.Bytes()) {
			t.Errorf("%s: other bytes than NumPy's", c.header)
		}
		got, err := ReadNPY(&single)
		if err != nil || !mat.Equal(got, c.m) {
			t.Errorf("%s: another matrix came back (%v)", c.header, err)
		}
	}
	var b bytes.Buffer
	if err := WriteNPY(&b, narrow.T()); err != nil {
		t.Fatal(err)
	}
	_, err = MapNPY(saved(t, b.Bytes()))
	wantError(t, err, ErrLayout, "column-major")
}

func TestOpenNPYUnpacks(t *testing.T) {
	var b bytes.Buffer
	want := mat.NewDense(1, 2, []float64{1, 2})
	if err := WriteNPY(&b, want); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.npy.gz")
	if err := os.WriteFile(path, gzipped(b.Bytes()), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := OpenNPY(path)
	if err != nil || !mat.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	_, err = OpenNPY(filepath.Join(t.TempDir(), "nothing.npy"))
	wantError(t, err, os.ErrNotExist, "nothing.npy")
}

func FuzzReadNPY(f *testing.F) {
	f.Add(npyArray("<f8", "(2, 1)", []float64{1, 2}))
	f.Add(npyArray(">i2", "(3,)", []int16{1, 2, 3}))
	f.Add(npyArray("<U3", "(1,)", []uint32{65, 66, 0}))
	f.Add(npyFile("{'descr': '|b1', 'fortran_order': True, 'shape': (1, 2)}", []byte{1, 0}))
	f.Add(npyArray("<f4", "(2, 2)", []float32{1, 2, 3, float32(math.NaN())}))
	f.Add(npyArray("<f4", "(3,)", []float32{1, 2}))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := ReadNPY(bytes.NewReader(file))
		wantMapsAlike(t, file, m)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, m); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadNPY(io.Reader(&b)); err != nil {
			t.Fatalf("what was read does not read again: %v", err)
		}
	})
}

// wantMapsAlike checks that what can be mapped can be read, as the same matrix.
func wantMapsAlike(t *testing.T, file []byte, read *mat.Dense) {
	path := saved(t, file)
	m, err := MapNPY(path)
	if err != nil {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("error %q does not name the file", err)
		}
		return
	}
	defer m.Close()
	if read == nil {
		t.Fatal("what does not read was mapped")
	}
	got, want := mat.DenseCopyOf(m.Matrix()).RawMatrix(), read.RawMatrix()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("mapped as %d × %d, read as %d × %d", got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for i, v := range got.Data {
		if math.Float64bits(v) != math.Float64bits(want.Data[i]) {
			t.Fatalf("number %d is mapped as %v, read as %v", i, v, want.Data[i])
		}
	}
}
