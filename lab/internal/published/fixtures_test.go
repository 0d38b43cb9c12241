package published

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
)

// npyFile builds an .npy file of version 1 from a header text and numbers.
func npyFile(header string, numbers ...any) []byte {
	file := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	file = append(file, header...)
	for _, n := range numbers {
		file = testkit.Must(binary.Append(file, binary.LittleEndian, n))
	}
	return file
}

// npyArray builds an .npy file with the usual header.
func npyArray(descr, shape string, numbers ...any) []byte {
	return npyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape), numbers...)
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// files makes a file system of parts, gzipped or not.
func files(parts map[string]string, pack bool) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range parts {
		if pack {
			fsys[name+".gz"] = &fstest.MapFile{Data: gzipped([]byte(text))}
		} else {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fsys
}

func dense32(r, c int, data []float32) *coles.Dense32 {
	return &coles.Dense32{Rows: r, Cols: c, Stride: c, Data: data}
}

// csr3 is a matrix of three nodes with ones for entries.
func csr3(indptr, ind []int) *sparse.CSR {
	return sparse.NewCSR(3, 3, indptr, ind, []float64{1, 1, 1}[:len(ind)])
}

// wantSame compares datasets but for their names: edges in their order, repetitions included, and features of float32.
func wantSame(t *testing.T, got, want *dataset.Dataset) {
	t.Helper()
	testkit.Check(t, got.Validate())
	parts := func(d *dataset.Dataset) []any {
		raw := d.Adjacency.RawMatrix()
		for i := range d.Splits {
			for _, nodes := range []*[]int{&d.Splits[i].Train, &d.Splits[i].Val, &d.Splits[i].Test} {
				*nodes = append([]int(nil), *nodes...) // an empty list may be nil
			}
		}
		return []any{raw.I, raw.J, raw.Indptr, raw.Ind, raw.Data, d.Features, d.Labels, d.IDs, d.Splits}
	}
	testkit.WantSame(t, "the dataset", parts(got), parts(want))
}

// wantError checks the cause of an error and the place it names.
func wantError(t *testing.T, err, cause error, place string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %v at %s", cause, place)
	case !errors.Is(err, cause):
		t.Errorf("error %q is not %q", err, cause)
	case !strings.Contains(err.Error(), place):
		t.Errorf("error %q does not name %q", err, place)
	}
}
