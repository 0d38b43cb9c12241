package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/testkit"

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
				body := testkit.Must(binary.Append(nil, order, c.numbers))
				m := testkit.Must(ReadNPY(bytes.NewReader(npyArray(descr, "(3,)", body))))
				if want := mat.NewDense(3, 1, c.want); !mat.Equal(m, want) {
					t.Errorf("%v, want %v", mat.Formatted(m.T()), c.want)
				}
			})
		}
	}
}

func TestNPYVersionsAndOrder(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	for version := byte(1); version <= 3; version++ {
		for order, numbers := range map[string][]float64{"False": {1, 2, 3, 4, 5, 6}, "True": {1, 4, 2, 5, 3, 6}} {
			// Python 2 wrote sizes as 2L; keys may come in any order.
			header := fmt.Sprintf(`{"shape": (2L, 3), 'fortran_order': %s, 'descr': '<f8'}`, order)
			file := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
			if version == 1 {
				file = binary.LittleEndian.AppendUint16(file, uint16(len(header)))
			} else {
				file = binary.LittleEndian.AppendUint32(file, uint32(len(header)))
			}
			file = testkit.Must(binary.Append(append(file, header...), binary.LittleEndian, numbers))
			if m := testkit.Must(ReadNPY(bytes.NewReader(file))); !mat.Equal(m, want) {
				t.Errorf("version %d, column-major %s: %v", version, order, mat.Formatted(m))
			}
		}
	}
}

// A transpose is written as numpy.save writes one: in the order of memory, which is the columns',
// and without widening float32.
func TestTransposesAreColumnMajor(t *testing.T) {
	narrow := dense32(2, 3, []float32{1, 2, 3, 4, 5, 0.1})
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
		single := written(t, func(w io.Writer) error { return WriteNPY(w, c.m) })
		if head := single[:128]; !bytes.Contains(head, []byte(c.header)) {
			t.Errorf("header %s, want %s", head, c.header)
		}
		numbers := testkit.Must(binary.Append(nil, binary.LittleEndian, c.numbers))
		if !bytes.Equal(single[128:], numbers) {
			t.Errorf("%s: other bytes than NumPy's", c.header)
		}
		got, err := ReadNPY(bytes.NewReader(single))
		if err != nil || !mat.Equal(got, c.m) {
			t.Errorf("%s: another matrix came back (%v)", c.header, err)
		}
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add(npyArray("<f8", "(2, 1)", []float64{1, 2}))
	f.Add(npyArray(">i2", "(3,)", []int16{1, 2, 3}))
	f.Add(npyArray("<U3", "(1,)", []uint32{65, 66, 0}))
	f.Add(npyFile("{'descr': '|b1', 'fortran_order': True, 'shape': (1, 2)}", []byte{1, 0}))
	f.Add(npyArray("<f4", "(2, 2)", []float32{1, 2, 3, float32(math.NaN())}))
	f.Add(npyArray("<f4", "(3,)", []float32{1, 2}))
	f.Add(npyArray("<i4", "(2, 2)", []int32{0, 3, 3, 1}))
	f.Fuzz(func(t *testing.T, file []byte) {
		if d, err := readPairs(bytes.NewReader(file), parse.Options{}); err == nil {
			wantValid(t, d)
		}
		m, err := ReadNPY(bytes.NewReader(file))
		wantMapsAlike(t, file, m)
		if err != nil {
			return
		}
		again := written(t, func(w io.Writer) error { return WriteNPY(w, m) })
		if _, err := ReadNPY(bytes.NewReader(again)); err != nil {
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
	testkit.WantSame(t, "mapped", testkit.Bits(m.Features), testkit.Bits(read))
}

// mapped maps a file for the length of the test.
func mapped(t testing.TB, path string) *Dataset {
	t.Helper()
	m := testkit.Must(MapNPY(path))
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// Mapping takes no memory for the numbers. What is forgotten is no longer the process's own, and is there
// again when it is looked at. The matrix goes with the mapping, and only once.
func TestMappedMemory(t *testing.T) {
	data := make([]float32, 1<<22)
	for i := range data {
		data[i] = float32(i)
	}
	path := saved(t, written(t, func(w io.Writer) error { return WriteNPY(w, dense32(1<<18, 16, data)) }))
	var m *Dataset
	if n := allocated(func() { m = mapped(t, path) }); runtime.GOOS == "linux" && n > 4*source.Chunk { // the header is read by a buffer
		t.Errorf("%d bytes for %d numbers", n, len(data))
	}
	resident := func() (kilobytes int) {
		status, _ := os.ReadFile("/proc/self/status")
		for line := range bytes.Lines(status) {
			fmt.Sscanf(string(line), "RssFile: %d kB", &kilobytes)
		}
		return kilobytes
	}
	if !slices.Equal(m.Features.(*coles.Dense32).Data, data) {
		t.Error("another matrix")
	}
	before := resident()
	testkit.Check(t, m.Forget())
	if gone := before - resident(); runtime.GOOS == "linux" && gone < 8<<10 {
		t.Errorf("%d kB of 16 MB are no longer resident", gone)
	}
	if !slices.Equal(m.Features.(*coles.Dense32).Data, data) {
		t.Error("another matrix after it was forgotten")
	}
	if err := errors.Join(m.Close(), m.Close(), m.Forget()); err != nil || m.Features != nil { // of nothing
		t.Errorf("%v, and %v is left", err, m.Features)
	}
}
