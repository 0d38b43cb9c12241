package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// The .npy format is read by our own code rather than by
// github.com/sbinet/npyio, because that allocates what a header declares:
// here a file of a hundred bytes that announces 2^40 numbers costs nothing.

// maxHeader bounds the header of an .npy file; NumPy itself stops at 10,000.
const maxHeader = 64 << 10

// npyHeader is what stands before the numbers in an .npy file.
type npyHeader struct {
	order   binary.ByteOrder
	kind    byte // 'f', 'i', 'u', 'b', or 'U' and 'S' for text
	size    int  // bytes an element
	fortran bool // column-major
	shape   []int
	count   int // product of shape
}

// width is the memory of one element once read: numbers become 8 bytes.
func (h *npyHeader) width() int64 { return int64(max(8, h.size)) }

// readHeader reads the magic bytes, the version and the header of an array
// that takes at most limit bytes of memory.
func (s *source) readHeader(limit int64) (*npyHeader, error) {
	var pre [8]byte
	if err := s.full(pre[:]); err != nil {
		return nil, err
	}
	if string(pre[:6]) != "\x93NUMPY" {
		return nil, atByte(s.file, 0, "%w: not an .npy file", ErrFormat)
	}
	var size [4]byte
	var err error
	switch pre[6] {
	case 1:
		err = s.full(size[:2])
	case 2, 3:
		err = s.full(size[:])
	default:
		return nil, atByte(s.file, 6, "%w: .npy version %d.%d", ErrFormat, pre[6], pre[7])
	}
	if err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(size[:])
	if length > maxHeader {
		return nil, atByte(s.file, 8, "header of %d bytes, at most %d: %w", length, maxHeader, ErrTooLarge)
	}
	start := s.off
	text := make([]byte, length)
	if err := s.full(text); err != nil {
		return nil, err
	}
	h, err := parseHeader(text)
	if err != nil {
		return nil, atByte(s.file, start, "header %q: %w", bytes.TrimSpace(text), err)
	}
	limit = min(limit, math.MaxInt) // bytes that this machine can address
	h.count = 1
	for _, d := range h.shape {
		if d > 0 && int64(h.count) > limit/int64(d)/h.width() {
			return nil, atByte(s.file, start, "an array of shape %v: %w (at most %d bytes here)", h.shape, ErrTooLarge, limit)
		}
		h.count *= d
	}
	return h, nil
}

// readElements decodes the elements one by one. The slice grows with the bytes
// that arrive, never by what the header says.
func readElements[T any](s *source, h *npyHeader, decode func([]byte) (T, error)) ([]T, error) {
	per := max(1, chunk/h.size)
	buf := make([]byte, min(per, h.count)*h.size)
	var out []T
	for len(out) < h.count {
		part := buf[:min(per, h.count-len(out))*h.size]
		start := s.off
		if err := s.full(part); err != nil {
			return nil, err
		}
		for p := 0; p < len(part); p += h.size {
			v, err := decode(part[p : p+h.size])
			if err != nil {
				return nil, atByte(s.file, start+int64(p), "element %d: %w", len(out), err)
			}
			out = append(out, v)
		}
	}
	return out, s.end()
}

// readInts reads an integer array; floating point numbers are accepted where
// they are integers.
func (s *source) readInts(h *npyHeader) ([]int, error) {
	switch h.kind {
	case 'i', 'u', 'b':
		return readElements(s, h, func(b []byte) (int, error) { return whole(h.integer(b)) })
	case 'f':
		return readElements(s, h, func(b []byte) (int, error) {
			v := h.float(b)
			if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
				return 0, fmt.Errorf("%w: %v is not an integer", ErrFormat, v)
			}
			return whole(int64(v))
		})
	}
	return nil, atByte(s.file, 0, "%w: text where numbers are expected", ErrFormat)
}

// whole is v as an int, which has 32 bits on some machines.
func whole(v int64) (int, error) {
	if int64(int(v)) != v {
		return 0, fmt.Errorf("%d: %w for an integer of %d bits", v, ErrTooLarge, strconv.IntSize)
	}
	return int(v), nil
}

// readFloats reads a numeric array as float64. float32 values widen exactly;
// an integer that float64 cannot hold is refused, not rounded.
func (s *source) readFloats(h *npyHeader) ([]float64, error) {
	switch h.kind {
	case 'f':
		return readElements(s, h, func(b []byte) (float64, error) { return h.float(b), nil })
	case 'i', 'u', 'b':
		return readElements(s, h, func(b []byte) (float64, error) {
			v := h.integer(b)
			if v > 1<<53 || v < -1<<53 {
				return 0, fmt.Errorf("%d does not fit a float64: %w", v, ErrTooLarge)
			}
			return float64(v), nil
		})
	}
	return nil, atByte(s.file, 0, "%w: text where numbers are expected", ErrFormat)
}

// readText reads an array of fixed-width strings, padded with zeros.
func (s *source) readText(h *npyHeader) ([]string, error) {
	switch h.kind {
	case 'S':
		return readElements(s, h, func(b []byte) (string, error) {
			return string(bytes.TrimRight(b, "\x00")), nil
		})
	case 'U':
		return readElements(s, h, func(b []byte) (string, error) {
			var out []byte
			for ; len(b) > 0; b = b[4:] {
				r := h.order.Uint32(b)
				if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
					return "", fmt.Errorf("%w: character %#x", ErrFormat, r)
				}
				out = utf8.AppendRune(out, rune(r))
			}
			return string(bytes.TrimRight(out, "\x00")), nil
		})
	}
	return nil, atByte(s.file, 0, "%w: numbers where text is expected", ErrFormat)
}

func (h *npyHeader) float(b []byte) float64 {
	if h.size == 4 {
		return float64(math.Float32frombits(h.order.Uint32(b)))
	}
	return math.Float64frombits(h.order.Uint64(b))
}

// integer is an element; beyond the largest int64, that one.
func (h *npyHeader) integer(b []byte) int64 {
	var u uint64
	switch h.size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(h.order.Uint16(b))
	case 4:
		u = uint64(h.order.Uint32(b))
	default:
		u = h.order.Uint64(b)
	}
	switch h.kind {
	case 'i':
		shift := 64 - 8*h.size
		return int64(u<<shift) >> shift
	case 'b':
		return int64(min(u, 1))
	}
	return int64(min(u, math.MaxInt64))
}

// rowMajor puts a column-major array of r rows and c columns into row order.
func rowMajor[T any](a []T, r, c int) []T {
	out := make([]T, len(a))
	for j := range c {
		for i := range r {
			out[i*c+j] = a[j*r+i]
		}
	}
	return out
}

// maxNPY bounds a stream handed to ReadNPY, whose size cannot be asked.
const maxNPY = 1 << 40

// ReadNPY reads a matrix from an .npy stream of format version 1 to 3: two
// dimensions, or one dimension, which gives a single column. Elements may be
// float32, float64, integers of 1 to 8 bytes or bool, in either byte order,
// row- or column-major; they become float64. Values are taken as they stand,
// NaN and infinities included.
//
// The error wraps ErrFormat, ErrTruncated, ErrTooLarge, ErrShape (more than
// two dimensions, or an empty matrix, which gonum does not have), ErrObject
// (pickled objects) or ErrMissing (no reader). Memory follows the bytes that arrive, not the header.
func ReadNPY(r io.Reader) (*mat.Dense, error) {
	if err := checkReader(r, "npy"); err != nil {
		return nil, err
	}
	return readNPY(&source{r: buffered(r), file: "npy"}, maxNPY)
}

func readNPY(s *source, limit int64) (*mat.Dense, error) {
	h, err := s.readHeader(limit)
	if err != nil {
		return nil, err
	}
	rows, cols, err := s.matrix(h)
	if err != nil {
		return nil, err
	}
	data, err := s.readFloats(h)
	if err != nil {
		return nil, err
	}
	return denseOf(data, rows, cols, h.fortran), nil
}

// matrix returns the rows and columns of an array that is a matrix.
func (s *source) matrix(h *npyHeader) (rows, cols int, err error) {
	cols = 1
	switch len(h.shape) {
	case 1:
		rows = h.shape[0]
	case 2:
		rows, cols = h.shape[0], h.shape[1]
	default:
		return 0, 0, atByte(s.file, 0, "an array of shape %v where a matrix is expected: %w", h.shape, ErrShape)
	}
	if h.count == 0 {
		return 0, 0, atByte(s.file, 0, "an empty matrix of shape %v: %w", h.shape, ErrShape)
	}
	return rows, cols, nil
}

// OpenNPY reads the matrix in the .npy file at path, gzipped or not. See [ReadNPY].
func OpenNPY(path string) (*mat.Dense, error) {
	f, err := openFile(path, freeBinary)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readNPY(&source{r: f, file: path}, maxNPY)
}
