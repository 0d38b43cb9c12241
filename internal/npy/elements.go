package npy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"coles"
	"coles/internal/source"
)

// elements decodes the elements one by one, and demands that nothing follows. The slice has room
// for room elements at first and grows with the bytes that arrive, never by the size in the header.
func elements[T any](s *source.Reader, h *Header, room int, decode func([]byte) (T, error)) ([]T, error) {
	per := max(1, source.Chunk/h.Size)
	buf := make([]byte, min(per, h.Count)*h.Size)
	out := make([]T, 0, room)
	for len(out) < h.Count {
		part := buf[:min(per, h.Count-len(out))*h.Size]
		start := s.Off
		if err := s.Full(part); err != nil {
			return nil, err
		}
		for p := 0; p < len(part); p += h.Size {
			v, err := decode(part[p : p+h.Size])
			if err != nil {
				return nil, source.At(start+int64(p), "element %d: %w", len(out), err)
			}
			out = append(out, v)
		}
	}
	return out, s.End()
}

// Ints reads an array of integers, which floating point numbers may be, too.
func Ints(s *source.Reader, h *Header) ([]int, error) {
	switch h.Kind {
	case 'i', 'u', 'b':
		return elements(s, h, 0, func(b []byte) (int, error) { return whole(h.integer(b)) })
	case 'f':
		return elements(s, h, 0, func(b []byte) (int, error) {
			v := h.float(b)
			if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
				return 0, fmt.Errorf("%w: %v is not an integer", coles.ErrFormat, v)
			}
			return whole(int64(v))
		})
	}
	return nil, source.At(0, "%w: text where numbers are expected", coles.ErrFormat)
}

// EachInts hands on the integers of an array some at a time, in a slice that is used again. It says at which byte the
// first is, and how many integers come before it. An error of take ends the reading.
func EachInts(s *source.Reader, h *Header, take func(values []int64, at int64, before int) error) error {
	if h.Kind != 'i' && h.Kind != 'u' {
		return source.At(0, "%w: elements that are not whole numbers", coles.ErrFormat)
	}
	per := max(1, source.Chunk/h.Size)
	buf, values := make([]byte, min(per, h.Count)*h.Size), make([]int64, min(per, h.Count))
	for before := 0; before < h.Count; before += len(values) {
		values = values[:min(per, h.Count-before)]
		start := s.Off
		if err := s.Full(buf[:len(values)*h.Size]); err != nil {
			return err
		}
		for k := range values {
			values[k] = h.integer(buf[k*h.Size : (k+1)*h.Size])
		}
		if err := take(values, start, before); err != nil {
			return err
		}
	}
	return s.End()
}

// whole is v as an int, which has 32 bits on some machines.
func whole(v int64) (int, error) {
	if int64(int(v)) != v {
		return 0, fmt.Errorf("%d: %w for an integer of %d bits", v, coles.ErrTooLarge, strconv.IntSize)
	}
	return int(v), nil
}

// Floats reads a numeric array as float64. float32 values widen exactly; an integer that float64
// cannot hold is refused, not rounded.
func Floats(s *source.Reader, h *Header) ([]float64, error) {
	switch h.Kind {
	case 'f':
		return elements(s, h, 0, func(b []byte) (float64, error) { return h.float(b), nil })
	case 'i', 'u', 'b':
		return elements(s, h, 0, func(b []byte) (float64, error) {
			v := h.integer(b)
			if v > 1<<53 || v < -1<<53 {
				return 0, fmt.Errorf("%d does not fit a float64: %w", v, coles.ErrTooLarge)
			}
			return float64(v), nil
		})
	}
	return nil, source.At(0, "%w: text where numbers are expected", coles.ErrFormat)
}

// Narrowed reads an array of float32 or float64 as float32, from a file of size bytes: if it is not
// packed, memory is taken once. A number beyond float32 becomes an infinity.
func Narrowed(s *source.Reader, h *Header, size int64) ([]float32, error) {
	if h.Kind != 'f' {
		return nil, source.At(0, "%w: elements that are not floating-point numbers", coles.ErrFormat)
	}
	room := int(min(int64(h.Count), size/int64(h.Size)))
	return elements(s, h, room, func(b []byte) (float32, error) { return float32(h.float(b)), nil })
}

// Texts reads an array of strings of fixed width, padded with zeros.
func Texts(s *source.Reader, h *Header) ([]string, error) {
	switch h.Kind {
	case 'S':
		return elements(s, h, 0, func(b []byte) (string, error) {
			return string(bytes.TrimRight(b, "\x00")), nil
		})
	case 'U':
		return elements(s, h, 0, func(b []byte) (string, error) {
			var out []byte
			for ; len(b) > 0; b = b[4:] {
				r := h.Order.Uint32(b)
				if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
					return "", fmt.Errorf("%w: character %#x", coles.ErrFormat, r)
				}
				out = utf8.AppendRune(out, rune(r))
			}
			return string(bytes.TrimRight(out, "\x00")), nil
		})
	}
	return nil, source.At(0, "%w: numbers where text is expected", coles.ErrFormat)
}

func (h *Header) float(b []byte) float64 {
	if h.Size == 4 {
		return float64(math.Float32frombits(h.Order.Uint32(b)))
	}
	return math.Float64frombits(h.Order.Uint64(b))
}

// integer is an element; beyond the largest int64, that one.
func (h *Header) integer(b []byte) int64 {
	var u uint64
	switch h.Size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(h.Order.Uint16(b))
	case 4:
		u = uint64(h.Order.Uint32(b))
	default:
		u = h.Order.Uint64(b)
	}
	switch h.Kind {
	case 'i':
		shift := 64 - 8*h.Size
		return int64(u<<shift) >> shift
	case 'b':
		return int64(min(u, 1))
	}
	return int64(min(u, math.MaxInt64))
}

// RowMajor puts an array of r rows and c columns into row order.
func RowMajor[T any](h *Header, a []T, r, c int) []T {
	if !h.Fortran {
		return a
	}
	out := make([]T, len(a))
	for j := range c {
		for i := range r {
			out[i*c+j] = a[j*r+i]
		}
	}
	return out
}

// Write writes numbers as '<f4', '<f8', '<i4' or '<i8', some at a time.
func Write[T int | float32 | float64](b *bufio.Writer, descr string, values []T) error {
	float, wide := descr[1] == 'f', descr[2] == '8'
	for part := range slices.Chunk(values, 1<<10) {
		to := b.AvailableBuffer()
		for _, v := range part {
			var bits uint64
			switch {
			case !float:
				bits = uint64(v)
			case wide:
				bits = math.Float64bits(float64(v))
			default:
				bits = uint64(math.Float32bits(float32(v)))
			}
			if wide {
				to = binary.LittleEndian.AppendUint64(to, bits)
			} else {
				to = binary.LittleEndian.AppendUint32(to, uint32(bits))
			}
		}
		if _, err := b.Write(to); err != nil {
			return err
		}
	}
	return nil
}

// WriteTexts writes strings as '<U', each of width characters.
func WriteTexts(b *bufio.Writer, width int, texts []string) error {
	for _, text := range texts {
		to := make([]byte, 0, 4*width)
		for _, r := range text {
			to = binary.LittleEndian.AppendUint32(to, uint32(r))
		}
		if _, err := b.Write(to[:4*width]); err != nil {
			return err
		}
	}
	return nil
}
