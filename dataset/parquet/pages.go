package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"coles"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
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
func checkPages(r io.ReaderAt, c *format.ColumnMetaData, size, limit int64) (total int64, err error) {
	at, left := c.DataPageOffset, c.TotalCompressedSize
	if d := c.DictionaryPageOffset; d != 0 && d < at {
		at = d
	}
	if at < 0 || left < 0 || at > size || left > size-at {
		return 0, fmt.Errorf("%w: pages of %d bytes at byte %d of %d", coles.ErrFormat, left, at, size)
	}
	for left > 0 {
		header, length, err := pageHeader(r, at, left)
		if err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", at, err)
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
		if err := checkUnpacked(r, at, packed, header, c.Codec); err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", at, err)
		}
		at, left = at+packed, left-packed
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
		header := new(format.PageHeader)
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], header); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", coles.ErrFormat, err)
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

// The library makes room for whatever comes out of a page, which may be a thousand times what its
// header says. So a page is unpacked to nowhere first.

// leastWindow is the window of zstd that every decoder should allow (RFC 8878, 3.1.1.1.2).
const leastWindow = 8 << 20

// checkUnpacked refuses a page that unpacks to more than its header says.
func checkUnpacked(r io.ReaderAt, at, packed int64, h *format.PageHeader, codec format.CompressionCodec) error {
	if v2 := h.DataPageHeaderV2; v2.Valid { // its levels come first, and are not compressed
		if c := v2.V.IsCompressed; c.Valid && !c.V {
			return nil
		}
		levels := int64(v2.V.RepetitionLevelsByteLength) + int64(v2.V.DefinitionLevelsByteLength)
		if levels < 0 || levels > packed {
			return fmt.Errorf("%w: levels of %d bytes in a page of %d", coles.ErrFormat, levels, packed)
		}
		at, packed = at+levels, packed-levels
	}
	size, err := unpackedSize(io.NewSectionReader(r, at, packed), packed, int64(h.UncompressedPageSize), codec)
	if err != nil {
		return fmt.Errorf("%w: %w", coles.ErrFormat, err)
	}
	if size > int64(h.UncompressedPageSize) {
		return fmt.Errorf("%w: it unpacks to more than the %d bytes of its header", coles.ErrFormat, h.UncompressedPageSize)
	}
	return nil
}

// unpackedSize is what packed bytes unpack to, or some number above most.
func unpackedSize(r io.Reader, packed, most int64, codec format.CompressionCodec) (int64, error) {
	if packed == 0 {
		return 0, nil // of nothing but nulls
	}
	switch codec {
	case format.Snappy:
		head := make([]byte, min(packed, binary.MaxVarintLen64))
		if _, err := io.ReadFull(r, head); err != nil {
			return 0, err
		}
		size, n := binary.Uvarint(head)
		if n <= 0 {
			return 0, errors.New("a Snappy block without a size")
		}
		return int64(min(size, uint64(most)+1)), nil
	case format.Gzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			return 0, err
		}
		return length(z, most)
	case format.Brotli:
		return length(brotli.NewReader(r), most)
	case format.Zstd:
		// One at a time it looks at the sizes that its frames declare.
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(max(most, leastWindow))))
		if err != nil {
			return 0, err
		}
		defer z.Close()
		return length(z, most)
	case format.Lz4Raw:
		// It takes memory without end for a broken block, and the wrong bytes for a good one:
		// github.com/parquet-go/parquet-go/issues/608.
		return 0, errors.New("pages in LZ4 cannot be read reliably; any other compression can")
	}
	return 0, nil // as it is, or refused by the library
}

// length is how many bytes come, up to one more than most.
func length(r io.Reader, most int64) (int64, error) {
	return io.Copy(io.Discard, io.LimitReader(r, most+1))
}
