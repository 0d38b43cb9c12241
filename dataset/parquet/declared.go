package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"coles/dataset"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkFooter refuses a footer that declares more than it holds.
func checkFooter(r io.ReaderAt, size int64) error {
	const around = 12 // bytes: PAR1 at the start, the footer's length and PAR1 at the end
	if size < around {
		return fmt.Errorf("parquet: %w: a file of %d bytes", dataset.ErrTruncated, size)
	}
	var end [8]byte
	if err := readFull(r, end[:], size-8); err != nil {
		return err
	}
	if string(end[4:]) != "PAR1" {
		return fmt.Errorf("parquet: %w: the file does not end with PAR1", dataset.ErrFormat)
	}
	length := int64(binary.LittleEndian.Uint32(end[:4]))
	if length > size-around {
		return fmt.Errorf("parquet: byte %d: a footer of %d bytes: %w", size-8, length, dataset.ErrTooLarge)
	}
	footer := make([]byte, length)
	if err := readFull(r, footer, size-8-length); err != nil {
		return err
	}
	if n, err := structLength(footer); err != nil {
		return fmt.Errorf("parquet: footer at byte %d: %w: %w", size-8-length+int64(n), dataset.ErrFormat, err)
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
		return 0, fmt.Errorf("%w: pages of %d bytes at byte %d of %d", dataset.ErrFormat, left, at, size)
	}
	for left > 0 {
		header, length, err := pageHeader(r, at, left)
		if err != nil {
			return 0, fmt.Errorf("page at byte %d: %w", at, err)
		}
		at, left = at+length, left-length
		packed, unpacked := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
		if packed < 0 || unpacked < 0 || packed > left {
			return 0, fmt.Errorf("page before byte %d: %w: %d bytes, %d unpacked, where %d are left", at, dataset.ErrFormat, packed, unpacked, left)
		}
		// A value takes up to eight bytes here, however short its run in the file.
		if total += unpacked + 8*int64(values(header)); total > limit {
			return 0, fmt.Errorf("page before byte %d: %d bytes unpacked: %w (at most %d)", at, total, dataset.ErrTooLarge, limit)
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
			return nil, 0, fmt.Errorf("%w: %w", dataset.ErrFormat, err)
		}
		header := new(format.PageHeader)
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], header); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", dataset.ErrFormat, err)
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
			err = dataset.ErrTruncated
		}
		return fmt.Errorf("parquet: byte %d: %w", at+int64(n), err)
	}
	return nil
}
