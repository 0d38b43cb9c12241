package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"coles"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The library makes room for the runs that a page declares, which may be 2³¹ values in five bytes. Where a page holds fewer
// values than declared, it returns old memory. So values are counted first (github.com/apache/parquet-format, Encodings.md).

// errCount reports that a page does not hold what it declares.
var errCount = fmt.Errorf("%w: another number of values than the page declares", coles.ErrFormat)

// errWide reports numbers that the library would read as others.
var errWide = errors.New("numbers of 32 bits with differences of more, as DuckDB writes them in PARQUET_VERSION V2, are not read; V1 is")

// A pageCount counts the content of a page of data.
type pageCount struct{ values, rows int64 }

// countPage counts a page of a column: its levels, where they do not stand with the values, and its
// values, unpacked.
func countPage(c *parquet.Column, h *format.PageHeader, levels, data []byte) (n pageCount, err error) {
	v1, v2 := h.DataPageHeader, h.DataPageHeaderV2
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		return n, countPlain(c, data, int(h.DictionaryPageHeader.V.NumValues))
	case h.Type == format.DataPage && v1.Valid:
		if c.MaxRepetitionLevel() > 0 && v1.V.RepetitionLevelEncoding != format.RLE || c.MaxDefinitionLevel() > 0 && v1.V.DefinitionLevelEncoding != format.RLE {
			return n, fmt.Errorf("%w: levels in an encoding that is not read", coles.ErrFormat)
		}
		var repetition, definition []byte
		if c.MaxRepetitionLevel() > 0 {
			repetition, data, err = prefixed(data)
		}
		if c.MaxDefinitionLevel() > 0 && err == nil {
			definition, data, err = prefixed(data)
		}
		if err != nil {
			return n, err
		}
		n, _, err = countData(c, repetition, definition, data, int(v1.V.NumValues), v1.V.Encoding)
		return n, err
	case h.Type == format.DataPageV2 && v2.Valid:
		repetition := levels[:v2.V.RepetitionLevelsByteLength]
		n, nulls, err := countData(c, repetition, levels[len(repetition):], data, int(v2.V.NumValues), v2.V.Encoding)
		if err == nil && nulls != int(v2.V.NumNulls) {
			err = errCount
		}
		return n, err
	}
	return n, fmt.Errorf("%w: a page of type %v without its header", coles.ErrFormat, h.Type)
}

// prefixed cuts off bytes whose number stands in four bytes before them.
func prefixed(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, nil, errCount
	}
	end := 4 + int(binary.LittleEndian.Uint32(b))
	return b[4:end], b[end:], nil
}

// countData counts the n values of a page of data, nulls included.
func countData(c *parquet.Column, repetition, definition, data []byte, n int, encoding format.Encoding) (count pageCount, nulls int, err error) {
	rows, there := n, n
	if most := c.MaxRepetitionLevel(); most > 0 {
		rows, err = countRuns(repetition, uint64(bits.Len(uint(most))), n, 0)
	}
	if most := c.MaxDefinitionLevel(); most > 0 && err == nil {
		there, err = countRuns(definition, uint64(bits.Len(uint(most))), n, uint32(most))
	}
	if err == nil {
		err = countValues(c, data, there, encoding)
	}
	return pageCount{int64(n), int64(rows)}, n - there, err
}

// countValues refuses data that is not n values.
func countValues(c *parquet.Column, data []byte, n int, encoding format.Encoding) error {
	if n == 0 && len(data) == 0 {
		return nil
	}
	switch encoding {
	case format.Plain:
		return countPlain(c, data, n)
	case format.PlainDictionary, format.RLEDictionary:
		if len(data) == 0 || data[0] > 32 {
			return errCount
		}
		return checkRuns(data[1:], uint64(data[0]), n)
	case format.RLE:
		runs, _, err := prefixed(data)
		if err != nil || c.Type().Kind() != parquet.Boolean {
			return errCount
		}
		return checkRuns(runs, 1, n)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		return checkDeltas(data, n, c.Type().Kind() != parquet.Int64)
	case format.ByteStreamSplit:
		if int64(len(data)) != int64(n)*int64(width(c)) {
			return errCount
		}
		return nil
	case format.DeltaByteArray:
		// A prefix that many values share takes a few bits in each.
		return fmt.Errorf("%w: texts that share prefixes, DELTA_BYTE_ARRAY, are not read; any other encoding is", coles.ErrFormat)
	}
	return fmt.Errorf("%w: values in the encoding %v are not read", coles.ErrFormat, encoding)
}

// checkDeltas refuses data that does not declare n differences, or has some in more bits than the library has for a
// narrow column: DuckDB's version 2 takes the differences of numbers of 32 bits in 64.
func checkDeltas(data []byte, n int, narrow bool) error {
	next := func() (v uint64) {
		v, k := binary.Uvarint(data)
		data = data[max(k, 0):]
		return v
	}
	block, parts, total, first := next(), next(), next(), next()
	if total != uint64(n) || parts == 0 || block/parts > math.MaxInt32 {
		return errCount
	}
	wide := narrow && first >= 1<<32
	for left := n - 1; narrow && !wide && left > 0 && len(data) > 0; {
		next() // the least
		widths := data[:min(parts, uint64(len(data)))]
		data = data[len(widths):]
		for k := 0; k < len(widths) && left > 0; k++ {
			wide = wide || widths[k] > 32
			data = data[min(block/parts*uint64(widths[k])/8, uint64(len(data))):]
			left -= int(block / parts)
		}
	}
	if wide {
		return errWide
	}
	return nil
}

// width is the bytes of a value of fixed size.
func width(c *parquet.Column) int {
	switch t := c.Type(); t.Kind() {
	case parquet.Int32, parquet.Float:
		return 4
	case parquet.Int64, parquet.Double:
		return 8
	case parquet.Int96:
		return 12
	default:
		return t.Length()
	}
}

func countPlain(c *parquet.Column, data []byte, n int) error {
	size := int64(n) * int64(width(c))
	switch c.Type().Kind() {
	case parquet.Boolean:
		size = (int64(n) + 7) / 8
	case parquet.ByteArray:
		for range n {
			var err error
			if _, data, err = prefixed(data); err != nil {
				return err
			}
		}
		size = 0
	}
	if int64(len(data)) != size {
		return errCount
	}
	return nil
}

func checkRuns(b []byte, bits uint64, n int) error {
	_, err := countRuns(b, bits, n, math.MaxUint32)
	return err
}

// mostFill is how many numbers may fill up the last packed run: a run has a multiple of eight by the format, and
// of 256 in the files of DuckDB.
const mostFill = 255

// countRuns passes over runs of numbers and packed numbers of a width in bits. They must be n, and the filling of the last
// run. It counts those that are equal to one, of at most eight bits.
func countRuns(b []byte, bits uint64, n int, one uint32) (equal int, err error) {
	left := int64(n)
	for len(b) > 0 {
		head, k := binary.Uvarint(b)
		if k <= 0 || head>>1 > math.MaxInt32/8 {
			return 0, errCount
		}
		b = b[k:]
		count, size, packed := head>>1, (bits+7)/8, head&1 == 1
		if packed {
			count, size = 8*count, count*bits
		}
		if size > uint64(len(b)) || left <= 0 || int64(count) > left+mostFill || !packed && int64(count) > left {
			return 0, errCount
		}
		for q := uint64(0); one <= math.MaxUint8 && int64(q) < min(int64(count), left); q++ {
			at := uint64(0)
			if packed {
				at = q * bits
			}
			if bitsAt(b[:size], at, bits) == one {
				equal++
			}
		}
		left -= int64(count)
		b = b[size:]
	}
	if left > 0 {
		return 0, errCount
	}
	return equal, nil
}

// bitsAt is the number of at most eight bits that begins at a bit.
func bitsAt(b []byte, at, bits uint64) uint32 {
	v := uint32(b[at/8])
	if next := at/8 + 1; next < uint64(len(b)) {
		v |= uint32(b[next]) << 8
	}
	return v >> (at % 8) & (1<<bits - 1)
}
