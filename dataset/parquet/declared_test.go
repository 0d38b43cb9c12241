package parquet_test

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
	pq "coles/dataset/parquet"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/brotli"
	"github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"gonum.org/v1/gonum/mat"
)

// framed puts a footer at the end of a file that begins with body.
func framed(body, footer []byte) []byte {
	file := append(bytes.Clone(body), footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// withPage is a file whose first column is one page, of this header and no bytes, in this
// compression.
func withPage(t *testing.T, header format.PageHeader, codec format.CompressionCodec, data string) []byte {
	t.Helper()
	page := append(must(thrift.Marshal(new(thrift.CompactProtocol), &header)), data...)
	return changed(t, vectorsFile(t, nil, mat.NewDense(2, 1, []float64{1, 2})), func(column *format.ColumnMetaData, end int64) []byte {
		column.DictionaryPageOffset, column.DataPageOffset, column.Codec = 0, end, codec
		column.TotalCompressedSize = int64(len(page))
		return page
	})
}

// changed is a file in whose footer the first column is changed; what change returns stands where the
// footer began.
func changed(t *testing.T, file []byte, change func(column *format.ColumnMetaData, end int64) []byte) []byte {
	t.Helper()
	end := len(file) - 8
	start := end - int(binary.LittleEndian.Uint32(file[end:]))
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[start:end], &meta); err != nil {
		t.Fatal(err)
	}
	more := change(&meta.RowGroups[0].Columns[0].MetaData, int64(start))
	return framed(append(file[:start:start], more...), must(thrift.Marshal(new(thrift.CompactProtocol), &meta)))
}

// packedPage is a file whose first column is one page, of these bytes, that is said to unpack to a
// hundred.
func packedPage(t *testing.T, codec format.CompressionCodec, data string) []byte {
	t.Helper()
	header := thrift.Null[format.DataPageHeader]{Valid: true, V: format.DataPageHeader{NumValues: 2}}
	return withPage(t, format.PageHeader{CompressedPageSize: int32(len(data)), UncompressedPageSize: 100, DataPageHeader: header}, codec, data)
}

// twoPages is a file whose first column is a dictionary, of the text a, and a page of two values.
func twoPages(t *testing.T, encoding format.Encoding, data string) []byte {
	t.Helper()
	const text = "\x01\x00\x00\x00a"
	second := format.PageHeader{CompressedPageSize: int32(len(data)), UncompressedPageSize: int32(len(data))}
	second.DataPageHeader = thrift.Null[format.DataPageHeader]{Valid: true, V: format.DataPageHeader{NumValues: 2, Encoding: encoding}}
	first := format.PageHeader{Type: format.DictionaryPage, CompressedPageSize: int32(len(text)), UncompressedPageSize: int32(len(text))}
	first.DictionaryPageHeader = thrift.Null[format.DictionaryPageHeader]{Valid: true, V: format.DictionaryPageHeader{NumValues: 1}}
	header := must(thrift.Marshal(new(thrift.CompactProtocol), &second))
	return withPage(t, first, format.Uncompressed, text+string(header)+data)
}

// packed is 64 megabytes of zeros.
func packed(t *testing.T, codec compress.Codec) string {
	t.Helper()
	return string(must(codec.Encode(nil, make([]byte, 64<<20))))
}

// zstandard is 64 megabytes of zeros in a stream with a window of that many bytes.
func zstandard(t *testing.T, window int) string {
	t.Helper()
	var b bytes.Buffer
	w := must(zstd.NewWriter(&b, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1)))
	must(w.Write(make([]byte, 64<<20)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever a file declares, in the footer or in the header of a page, memory follows its bytes.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	start := []byte("PAR1")
	version := "\x15\x02"          // field 1, an int32
	most := "\xff\xff\xff\xff\x07" // 2³¹ − 1
	dataPage := func(values int32) thrift.Null[format.DataPageHeader] {
		return thrift.Null[format.DataPageHeader]{Valid: true, V: format.DataPageHeader{NumValues: values}}
	}
	levels := func(length int32) thrift.Null[format.DataPageHeaderV2] {
		return thrift.Null[format.DataPageHeaderV2]{Valid: true, V: format.DataPageHeaderV2{NumValues: 2, RepetitionLevelsByteLength: length}}
	}
	type named struct {
		ID     string    `parquet:"id,dict"`
		Vector []float32 `parquet:"vector,list"`
	}
	elsewhere := changed(t, rowsFile(t, named{"a", []float32{1}}), func(column *format.ColumnMetaData, _ int64) []byte {
		column.DataPageOffset++
		return nil
	})
	more := changed(t, rowsFile(t, named{"a", []float32{1}}), func(column *format.ColumnMetaData, _ int64) []byte {
		column.NumValues++
		return nil
	})
	for _, c := range []struct {
		name  string
		file  []byte
		cause error
		place string
	}{
		{"data that begin elsewhere", elsewhere, coles.ErrFormat, "the first of data"},
		{"a column of more values", more, coles.ErrFormat, "1 values in 1 rows"},
		{"a footer of four gigabytes", []byte("PAR1 here \xf0\xff\xff\xffPAR1"), coles.ErrTooLarge, "byte 10"},
		{"a footer without end", framed(start, []byte(version)), coles.ErrFormat, "footer at byte 6"},
		{"a list of 2³¹ columns", framed(start, []byte(version+"\x19\xfc"+most+strings.Repeat("\x00", 90))), coles.ErrFormat, "footer"},
		{"a list of 2³¹ texts", framed(start, []byte(version+"\x19\xf8"+most+"\x00")), coles.ErrFormat, "footer"},
		{"a text of 2³¹ bytes", framed(start, []byte(version+"\x58"+most+"\x00")), coles.ErrFormat, "footer"},
		{"a map of 2³¹ elements", framed(start, []byte(version+"\x1b"+most+"\x88\x00")), coles.ErrFormat, "footer"},
		{"structures in structures", framed(start, bytes.Repeat([]byte("\x1c"), 1<<20)), coles.ErrFormat, "nested"},
		{"lists in lists", framed(start, append([]byte("\x19"), bytes.Repeat([]byte("\x19"), 1<<20)...)), coles.ErrFormat, "nested"},
		{"a number without end", framed(start, append([]byte("\x15"), bytes.Repeat([]byte("\xff"), 30)...)), coles.ErrFormat, "64 bits"},
		{"a type that is none", framed(start, []byte("\x1f\x00")), coles.ErrFormat, "type 15"},
		{"a page of two gigabytes", withPage(t, format.PageHeader{CompressedPageSize: math.MaxInt32, DataPageHeader: dataPage(2)}, format.Uncompressed, ""), coles.ErrFormat, "column 0"},
		{"a page that unpacks to two gigabytes", withPage(t, format.PageHeader{UncompressedPageSize: math.MaxInt32, DataPageHeader: dataPage(2)}, format.Gzip, ""), coles.ErrTooLarge, "column 0"},
		{"a page of 2³¹ values", withPage(t, format.PageHeader{DataPageHeader: dataPage(math.MaxInt32)}, format.Uncompressed, ""), coles.ErrTooLarge, "column 0"},
		{"a Snappy block of two gigabytes", withPage(t, format.PageHeader{CompressedPageSize: 5, UncompressedPageSize: 9, DataPageHeader: dataPage(2)}, format.Snappy, most), coles.ErrFormat, "its header"},
		{"a Snappy block without a size", withPage(t, format.PageHeader{CompressedPageSize: 1, UncompressedPageSize: 9, DataPageHeader: dataPage(2)}, format.Snappy, "\xff"), coles.ErrFormat, "without a size"},
		{"levels longer than their page", withPage(t, format.PageHeader{Type: format.DataPageV2, CompressedPageSize: 5, UncompressedPageSize: 9, DataPageHeaderV2: levels(6)}, format.Snappy, "\x09    "), coles.ErrFormat, "levels of 6 bytes"},
		{"a Gzip page that is none", packedPage(t, format.Gzip, "none"), coles.ErrFormat, "column 0"},
		{"a Gzip page of 64 megabytes", packedPage(t, format.Gzip, packed(t, &gzip.Codec{})), coles.ErrFormat, "its header"},
		{"a Brotli page of 64 megabytes", packedPage(t, format.Brotli, packed(t, &brotli.Codec{Quality: 1, LGWin: 16})), coles.ErrFormat, "its header"},
		{"a Zstandard page of 64 megabytes", packedPage(t, format.Zstd, zstandard(t, 1<<20)), coles.ErrFormat, "its header"},
		// A frame of one segment whose content is said to be a gigabyte, and is one raw block, the
		// last, of a byte.
		{"a Zstandard page that declares a gigabyte", packedPage(t, format.Zstd, "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x40\x09\x00\x00."), coles.ErrFormat, "column 0"},
		{"a Zstandard page in a window of sixteen megabytes", packedPage(t, format.Zstd, zstandard(t, 16<<20)), coles.ErrFormat, "window"},
		// 2²⁴ values: a run, 2·2²⁴ as a varint and a number of one bit; as many packed in no bits; the lengths of texts.
		{"a run of 2²⁴ values", twoPages(t, format.RLEDictionary, "\x01\x80\x80\x80\x10\x00"), coles.ErrFormat, "another number of values"},
		{"2²⁴ values of no bits", twoPages(t, format.RLEDictionary, "\x00\x81\x80\x80\x02"), coles.ErrFormat, "another number of values"},
		{"2²⁴ lengths", twoPages(t, format.DeltaLengthByteArray, "\x80\x01\x04\x80\x80\x80\x08\x00"), coles.ErrFormat, "another number of values"},
		{"one value of two", twoPages(t, format.Plain, "\x01\x00\x00\x00a"), coles.ErrFormat, "another number of values"},
		{"three values of two", twoPages(t, format.RLEDictionary, "\x01\x06\x00"), coles.ErrFormat, "another number of values"},
		{"a page in LZ4", packedPage(t, format.Lz4Raw, "\x10a"), coles.ErrFormat, "LZ4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readVectors(c.file)
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

// An id that is in the file once may name all rows, whose text is without end then.
func TestOneLongIDForManyRows(t *testing.T) {
	if os.Getenv("COLES_SHARED") == "" {
		t.Skip("goes through 256 megabytes: runs where COLES_SHARED=1 is set")
	}
	type edge struct {
		Source string `parquet:"source,dict"`
		Target string `parquet:"target,dict"`
	}
	rows := slices.Repeat([]edge{{strings.Repeat("a", 1<<20), "b"}}, 1<<10)
	if _, err := readEdges(rowsFile(t, rows...)); !errors.Is(err, coles.ErrTooLarge) {
		t.Errorf("error %v", err)
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
		if _, err := pq.ReadVectors(io.NewSectionReader(goneFrom{file, int64(at)}, 0, int64(len(file)))); !errors.Is(err, errDisk) {
			t.Errorf("a disk that fails from byte %d on: error %v", at, err)
		}
	}
}

// Files of every compression are read, with pages of both versions.
func TestCompressedFiles(t *testing.T) {
	var rows []row
	for i := range 3000 {
		rows = append(rows, row{fmt.Sprint("node ", i), []float32{float32(i), 1, -2}})
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd} {
		for _, version := range []int{1, 2} {
			var b bytes.Buffer
			if err := parquet.Write(&b, rows, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(4096)); err != nil {
				t.Fatal(err)
			}
			v, err := readVectors(b.Bytes())
			if err != nil || len(v.IDs) != len(rows) || v.IDs[2999] != "node 2999" || v.Features.At(2999, 0) != 2999 || v.Features.At(0, 2) != -2 {
				t.Errorf("%v, version %d: %+v, error %v", codec, version, v, err)
			}
		}
	}
}
