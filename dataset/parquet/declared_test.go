package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"coles/dataset"
	coles "coles/dataset/parquet"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"gonum.org/v1/gonum/mat"
)

// framed puts a footer at the end of a file that begins with body.
func framed(body, footer []byte) []byte {
	file := append(bytes.Clone(body), footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// withPage is a file whose first column is one page, of this header and no bytes, in this compression.
func withPage(t *testing.T, header format.PageHeader, codec format.CompressionCodec, data string) []byte {
	t.Helper()
	good := vectorsFile(t, nil, mat.NewDense(2, 1, []float64{1, 2}))
	end := len(good) - 8
	start := end - int(binary.LittleEndian.Uint32(good[end:]))
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), good[start:end], &meta); err != nil {
		t.Fatal(err)
	}
	page, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		t.Fatal(err)
	}
	page = append(page, data...)
	column := &meta.RowGroups[0].Columns[0].MetaData
	column.DictionaryPageOffset, column.DataPageOffset, column.Codec = 0, int64(start), codec
	column.TotalCompressedSize = int64(len(page))
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	return framed(append(good[:start:start], page...), footer)
}

// Whatever a file declares, in the footer or in the header of a page, memory follows its bytes.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	start := []byte("PAR1")
	version := "\x15\x02"          // field 1, an int32
	most := "\xff\xff\xff\xff\x07" // 2³¹ − 1
	dataPage := func(values int32) thrift.Null[format.DataPageHeader] {
		return thrift.Null[format.DataPageHeader]{Valid: true, V: format.DataPageHeader{NumValues: values}}
	}
	for _, c := range []struct {
		name  string
		file  []byte
		cause error
		place string
	}{
		{"a footer of four gigabytes", []byte("PAR1 here \xf0\xff\xff\xffPAR1"), dataset.ErrTooLarge, "byte 10"},
		{"a footer without end", framed(start, []byte(version)), dataset.ErrFormat, "footer at byte 6"},
		{"a list of 2³¹ columns", framed(start, []byte(version+"\x19\xfc"+most+strings.Repeat("\x00", 90))), dataset.ErrFormat, "footer"},
		{"a list of 2³¹ texts", framed(start, []byte(version+"\x19\xf8"+most+"\x00")), dataset.ErrFormat, "footer"},
		{"a text of 2³¹ bytes", framed(start, []byte(version+"\x58"+most+"\x00")), dataset.ErrFormat, "footer"},
		{"a map of 2³¹ elements", framed(start, []byte(version+"\x1b"+most+"\x88\x00")), dataset.ErrFormat, "footer"},
		{"structures in structures", framed(start, bytes.Repeat([]byte("\x1c"), 1<<20)), dataset.ErrFormat, "nested"},
		{"lists in lists", framed(start, append([]byte("\x19"), bytes.Repeat([]byte("\x19"), 1<<20)...)), dataset.ErrFormat, "nested"},
		{"a number without end", framed(start, append([]byte("\x15"), bytes.Repeat([]byte("\xff"), 30)...)), dataset.ErrFormat, "64 bits"},
		{"a type that is none", framed(start, []byte("\x1f\x00")), dataset.ErrFormat, "type 15"},
		{"a page of two gigabytes", withPage(t, format.PageHeader{CompressedPageSize: math.MaxInt32, DataPageHeader: dataPage(2)}, format.Uncompressed, ""), dataset.ErrFormat, "column 0"},
		{"a page that unpacks to two gigabytes", withPage(t, format.PageHeader{UncompressedPageSize: math.MaxInt32, DataPageHeader: dataPage(2)}, format.Gzip, ""), dataset.ErrTooLarge, "column 0"},
		{"a page of 2³¹ values", withPage(t, format.PageHeader{DataPageHeader: dataPage(math.MaxInt32)}, format.Uncompressed, ""), dataset.ErrTooLarge, "column 0"},
		{"a Snappy block of two gigabytes", withPage(t, format.PageHeader{CompressedPageSize: 5, UncompressedPageSize: 9, DataPageHeader: dataPage(2)}, format.Snappy, most), dataset.ErrTooLarge, "column 0"},
		{"a page of a negative size", withPage(t, format.PageHeader{CompressedPageSize: -1, DataPageHeader: dataPage(2)}, format.Uncompressed, ""), dataset.ErrFormat, "column 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := readVectors(c.file)
			_, again := readEdges(c.file)
			runtime.ReadMemStats(&after)
			for _, err := range []error{err, again} {
				if !errors.Is(err, c.cause) || !strings.Contains(fmt.Sprint(err), c.place) {
					t.Errorf("error %v, want %v at %s", err, c.cause, c.place)
				}
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 8<<20 {
				t.Errorf("%d bytes for a file of %d", taken, len(c.file))
			}
		})
	}
}

var errDisk = errors.New("the disk has gone")

// goneFrom fails to read bytes from a place on.
type goneFrom struct {
	file []byte
	at   int64
}

func (g goneFrom) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > g.at {
		return 0, errDisk
	}
	return bytes.NewReader(g.file).ReadAt(p, off)
}

func TestDiskThatFailsIsAnError(t *testing.T) {
	file := vectorsFile(t, nil, mat.NewDense(2, 1, []float64{1, 2}))
	for at := range file {
		if _, _, err := coles.ReadVectors(goneFrom{file, int64(at)}, int64(len(file))); !errors.Is(err, errDisk) {
			t.Errorf("a disk that fails from byte %d on: error %v", at, err)
		}
	}
	if _, _, err := coles.ReadVectors(nil, 100); !errors.Is(err, dataset.ErrMissing) {
		t.Errorf("no reader: %v", err)
	}
}
