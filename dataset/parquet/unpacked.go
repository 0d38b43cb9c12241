package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"coles/dataset"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// The library makes room for whatever comes out of a page, which may be a thousand
// times what its header says. So a page is unpacked to nowhere first.

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
			return fmt.Errorf("%w: levels of %d bytes in a page of %d", dataset.ErrFormat, levels, packed)
		}
		at, packed = at+levels, packed-levels
	}
	size, err := unpackedSize(io.NewSectionReader(r, at, packed), packed, int64(h.UncompressedPageSize), codec)
	if err != nil {
		return fmt.Errorf("%w: %w", dataset.ErrFormat, err)
	}
	if size > int64(h.UncompressedPageSize) {
		return fmt.Errorf("%w: it unpacks to more than the %d bytes of its header", dataset.ErrFormat, h.UncompressedPageSize)
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
		// It takes memory without end for a broken block, and the wrong bytes for
		// a good one: github.com/parquet-go/parquet-go/issues/608.
		return 0, errors.New("pages in LZ4 cannot be read reliably; any other compression can")
	}
	return 0, nil // as it is, or refused by the library
}

// length is how many bytes come, up to one more than most.
func length(r io.Reader, most int64) (int64, error) {
	return io.Copy(io.Discard, io.LimitReader(r, most+1))
}
