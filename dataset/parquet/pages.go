package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"coles"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkFooter refuses a footer that declares more than it holds.
func checkFooter(r io.ReaderAt, size int64) error {
	const around = 12 // bytes: PAR1 at the start, the footer's length and PAR1 at the end
	if size < around {
		return fmt.Errorf("parquet: %w: a file of %d bytes", coles.ErrChecksum, size)
	}
	var end [8]byte
	if err := readFull(r, end[:], size-8); err != nil {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return fmt.Errorf("parquet: %w: the file does not end with PAR1", coles.ErrFormat)
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	if length > size-around {
		return fmt.Errorf("parquet: byte %d: a footer of %d bytes: %w", size-8, length, coles.ErrTooLarge)
	}
	footer := make([]byte, length)
	if err := readFull(r, footer, size-8-length); err != nil {
		return err
	}
	if n, err := structLength(footer); err != nil {
		return fmt.Errorf("parquet: footer at byte %d: %w: %w", size-8-length+int64(n), coles.ErrFormat, err)
	}
	return nil
}

// checkPages walks from page to page of a column and returns what they unpack to, as they declare
// and at most limit bytes.
func checkPages(r io.ReaderAt, leaf *parquet.Column, group *format.RowGroup, c *format.ColumnMetaData, size, limit int64) (total int64, err error) {
	at, left := c.DataPageOffset, c.TotalCompressedSize
	if c.DictionaryPageOffset != 0 {
		at = c.DictionaryPageOffset
	}
	if at < 0 || left < 0 || at > size || left > size-at {
		return 0, fmt.Errorf("%w: pages of %d bytes at byte %d of %d", coles.ErrFormat, left, at, size)
	}
	var count pageCount
	for left > 0 {
		header, length, err := pageHeader(r, at, left)
		if err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", at, err)
		}
		// The library goes back to the beginning of data by the footer.
		if count.values == 0 && header.Type != format.DictionaryPage && c.DictionaryPageOffset != 0 && at != c.DataPageOffset {
			return 0, fmt.Errorf("page at byte %d: %w: the first of data, which the footer puts at byte %d", at, coles.ErrFormat, c.DataPageOffset)
		}
		at, left = at+length, left-length
		packed, unpacked := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
		if packed < 0 || unpacked < 0 || packed > left {
			return 0, fmt.Errorf("page before byte %d: %w: %d bytes, %d unpacked, where %d are left", at, coles.ErrFormat, packed, unpacked, left)
		}
		// A value takes up to eight bytes here, however short its run in the file.
		if total += unpacked + 8*int64(values(header)); total > limit {
			return 0, fmt.Errorf("page before byte %d: %d bytes unpacked: %w (at most %d)", at, total, coles.ErrTooLarge, limit)
		}
		n, err := checkContent(r, at, packed, leaf, header, c.Codec)
		if err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", at, err)
		}
		count.values, count.rows = count.values+n.values, count.rows+n.rows
		at, left = at+packed, left-packed
	}
	if count.values != c.NumValues || count.rows != group.NumRows {
		return 0, fmt.Errorf("%w: %d values in %d rows, the footer says %d in %d", coles.ErrFormat, count.values, count.rows, c.NumValues, group.NumRows)
	}
	return total, nil
}

// pageHeader reads the header at a place, which goes on for at most left bytes.
func pageHeader(r io.ReaderAt, at, left int64) (*format.PageHeader, int64, error) {
	for most := min(left, 1<<10); ; most = min(left, 16*most) {
		b := make([]byte, most)
		if err := readFull(r, b, at); err != nil {
			return nil, 0, err
		}
		n, err := structLength(b)
		if errors.Is(err, errShort) && most < left {
			continue // it may hold the least and greatest of long values
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %w", coles.ErrFormat, err)
		}
		header, rest := new(format.PageHeader), bytes.NewReader(b[:n])
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(rest)).Decode(header); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", coles.ErrFormat, err)
		}
		if rest.Len() > 0 { // the library would go on at another place
			return nil, 0, fmt.Errorf("%w: a header that ends %d bytes too soon", coles.ErrFormat, rest.Len())
		}
		return header, int64(n), nil
	}
}

// values is how many values a page declares; a negative number the library refuses.
func values(h *format.PageHeader) int32 {
	return max(0, h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
}

func readFull(r io.ReaderAt, b []byte, at int64) error {
	if n, err := r.ReadAt(b, at); n < len(b) {
		if err == nil || err == io.EOF {
			err = coles.ErrChecksum
		}
		return fmt.Errorf("parquet: byte %d: %w", at+int64(n), err)
	}
	return nil
}

// leastWindow is the window of zstd that every decoder should allow (RFC 8878, 3.1.1.1.2).
const leastWindow = 8 << 20

// The library makes room for whatever comes out of a page, which may be a thousand times what its
// header says. So a page is unpacked here first.

// checkContent refuses a page that unpacks to more than its header declares or holds other values.
func checkContent(r io.ReaderAt, at, packed int64, c *parquet.Column, h *format.PageHeader, codec format.CompressionCodec) (n pageCount, err error) {
	levels := int64(0)
	if v2 := h.DataPageHeaderV2; h.Type == format.DataPageV2 && v2.Valid { // its levels come first, and are not compressed
		repetition, definition := int64(v2.V.RepetitionLevelsByteLength), int64(v2.V.DefinitionLevelsByteLength)
		if levels = repetition + definition; repetition < 0 || definition < 0 || levels > packed {
			return n, fmt.Errorf("%w: levels of %d bytes in a page of %d", coles.ErrFormat, levels, packed)
		}
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	before := make([]byte, levels)
	if err := readFull(r, before, at); err != nil {
		return n, err
	}
	data, err := unpack(io.NewSectionReader(r, at+levels, packed-levels), int64(h.UncompressedPageSize), codec)
	if err == nil {
		n, err = countPage(c, h, before, data)
	}
	if err != nil {
		return n, fmt.Errorf("%w: %w", coles.ErrFormat, err)
	}
	return n, nil
}

// unpack unpacks at most a number of bytes.
func unpack(packed *io.SectionReader, most int64, codec format.CompressionCodec) (data []byte, err error) {
	if packed.Size() == 0 {
		return nil, nil // of nothing but nulls
	}
	r := io.Reader(packed)
	switch codec {
	case format.Uncompressed:
	case format.Snappy:
		return unpackSnappy(packed, most)
	case format.Gzip:
		r, err = gzip.NewReader(packed)
	case format.Brotli:
		r = brotli.NewReader(packed)
	case format.Zstd:
		// One at a time it looks at the sizes that its frames declare.
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(max(most, leastWindow))))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	case format.Lz4Raw:
		// It takes memory without end for a broken block, and the wrong bytes for a good one:
		// github.com/parquet-go/parquet-go/issues/608.
		return nil, errors.New("pages in LZ4 cannot be read reliably; any other compression can")
	default:
		return nil, fmt.Errorf("the compression %v is not read", codec)
	}
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, most+1))
	}
	if err == nil && int64(len(data)) > most {
		err = longer(most)
	}
	return data, err
}

// unpackSnappy unpacks a block of Snappy, which begins with its size.
func unpackSnappy(r io.Reader, most int64) ([]byte, error) {
	packed, err := io.ReadAll(io.LimitReader(r, 32+2*most)) // it grows by a sixth at most
	if err != nil {
		return nil, err
	}
	size, n := binary.Uvarint(packed)
	switch {
	case n <= 0:
		return nil, errors.New("a Snappy block without a size")
	case size > uint64(most):
		return nil, longer(most)
	case size > 32*uint64(len(packed)): // three bytes stand for at most 64
		return nil, errors.New("a Snappy block whose size cannot be")
	}
	return snappy.Decode(nil, packed)
}

func longer(most int64) error {
	return fmt.Errorf("it unpacks to more than the %d bytes of its header", most)
}
