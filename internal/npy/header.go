// Package npy reads and writes NumPy's .npy format.
//
// It does not use github.com/sbinet/npyio, which takes the memory that a header declares: here a
// file of a hundred bytes that announces 2⁴⁰ numbers costs nothing.
package npy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"coles"
	"coles/internal/source"
)

// ErrObject: an array of Python objects. Package dataset gives it under the same name.
var ErrObject = errors.New("pickled object refused")

// MaxHeader bounds the header of a file and the bytes of an element; NumPy itself stops at 10,000.
const MaxHeader = 64 << 10

// A Header describes the elements of an array.
type Header struct {
	Order   binary.ByteOrder // of the bytes of a number
	Kind    byte             // 'f', 'i', 'u', 'b', or 'U' and 'S' for text
	Size    int              // bytes an element
	Fortran bool             // column-major
	Shape   []int            // the length of each dimension
	Count   int              // product of Shape
}

// Bytes is the memory of the elements once read: numbers become 8 bytes.
func (h *Header) Bytes() int64 { return int64(h.Count) * h.width() }

func (h *Header) width() int64 { return int64(max(8, h.Size)) }

// ReadHeader reads what stands before the elements of an array that takes at most limit bytes of
// memory. With limit math.MaxInt64 it reads the header of any array that this machine can address.
func ReadHeader(s *source.Reader, limit int64) (*Header, error) {
	var pre [12]byte
	if err := s.Full(pre[:8]); err != nil {
		return nil, err
	}
	if string(pre[:6]) != "\x93NUMPY" {
		return nil, source.At(0, "%w: not an .npy file", coles.ErrFormat)
	}
	wide := 4
	switch pre[6] {
	case 1:
		wide = 2
	case 2, 3:
	default:
		return nil, source.At(6, "%w: .npy version %d.%d", coles.ErrFormat, pre[6], pre[7])
	}
	if err := s.Full(pre[8 : 8+wide]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(pre[8:])
	if length > MaxHeader {
		return nil, source.At(8, "header of %d bytes, at most %d: %w", length, MaxHeader, coles.ErrTooLarge)
	}
	start := s.Off
	text := make([]byte, length)
	if err := s.Full(text); err != nil {
		return nil, err
	}
	h, err := parseHeader(string(text))
	if err == nil {
		err = h.count(limit)
	}
	if err != nil {
		return nil, source.At(start, "header %q: %w", bytes.TrimSpace(text), err)
	}
	return h, nil
}

// count sets Count.
func (h *Header) count(limit int64) error {
	limit = min(limit, math.MaxInt) // bytes that this machine can address
	h.Count = 1
	for _, d := range h.Shape {
		if d > 0 && int64(h.Count) > limit/int64(d)/h.width() {
			return fmt.Errorf("an array of shape %v: %w (at most %d bytes here)", h.Shape, coles.ErrTooLarge, limit)
		}
		h.Count *= d
	}
	return nil
}

// entry is a key of a header with its value: a text, a truth value or a tuple.
var entry = regexp.MustCompile(`^\s*('\w+'|"\w+")\s*:\s*('[^']*'|"[^"]*"|True|False|\([\dL,\s]*\))\s*(?:,\s*|$)`)

// parseHeader reads the header of an .npy file, a Python dict literal such as
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (10, 3), }
func parseHeader(text string) (*Header, error) {
	rest, opens := strings.CutPrefix(strings.TrimSpace(text), "{")
	rest, closes := strings.CutSuffix(rest, "}")
	if !opens || !closes {
		return nil, fmt.Errorf("%w: no dict", coles.ErrFormat)
	}
	h := &Header{}
	seen := map[string]bool{}
	for rest != "" {
		m := entry.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("%w: %q is no key with a value", coles.ErrFormat, rest)
		}
		rest = rest[len(m[0]):]
		key, value := m[1][1:len(m[1])-1], m[2]
		if seen[key] {
			return nil, fmt.Errorf("%w: key %q twice", coles.ErrFormat, key)
		}
		seen[key] = true
		if err := h.set(key, value); err != nil {
			return nil, err
		}
	}
	if len(seen) != 3 {
		return nil, fmt.Errorf("%w: descr, fortran_order and shape are required", coles.ErrFormat)
	}
	return h, nil
}

func (h *Header) set(key, value string) (err error) {
	kind := value[0]
	switch {
	case key == "descr" && (kind == '\'' || kind == '"'):
		return h.SetType(value[1 : len(value)-1])
	case key == "fortran_order" && (kind == 'T' || kind == 'F'):
		h.Fortran = kind == 'T'
		return nil
	case key == "shape" && kind == '(':
		h.Shape, err = parseTuple(value[1 : len(value)-1])
		return err
	}
	return fmt.Errorf("%w: %s of key %q", coles.ErrFormat, value, key)
}

// parseTuple reads "", "3," or "3, 4". NumPy of Python 2 wrote 3L for 3.
func parseTuple(text string) (sizes []int, err error) {
	words := strings.Split(text, ",")
	if strings.TrimSpace(words[len(words)-1]) == "" {
		words = words[:len(words)-1]
	}
	for _, word := range words {
		size, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(word), "L"))
		if errors.Is(err, strconv.ErrRange) {
			return nil, fmt.Errorf("a size of %s: %w", word, coles.ErrTooLarge)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %q is no size", coles.ErrFormat, word)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// element is a type without its byte order.
var element = regexp.MustCompile(`^(?:f[48]|[iu][1248]|b1|[SU]\d+)$`)

// SetType sets the element type: byte order, kind and size, such as "<f4".
func (h *Header) SetType(descr string) error {
	order, name := "|", descr
	if name != "" && strings.Contains("<>|=", name[:1]) {
		order, name = name[:1], name[1:]
	}
	if strings.HasPrefix(name, "O") {
		return fmt.Errorf("%w: an array of Python objects", ErrObject)
	}
	if !element.MatchString(name) {
		return fmt.Errorf("%w: element type %q", coles.ErrFormat, descr)
	}
	h.Kind, h.Order = name[0], binary.LittleEndian
	h.Size, _ = strconv.Atoi(name[1:])
	if h.Size < 1 || h.Size > MaxHeader || order == "|" && h.Size > 1 && h.Kind != 'S' {
		return fmt.Errorf("%w: element type %q", coles.ErrFormat, descr)
	}
	if h.Kind == 'U' {
		h.Size *= 4
	}
	if order == ">" {
		h.Order = binary.BigEndian
	}
	return nil
}

// WriteHeader writes what stands before the elements of a file of version 1.0. It leaves its error
// in b, as Write does.
func WriteHeader(b *bufio.Writer, descr string, fortran bool, shape ...int) {
	tuple := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		tuple += ","
	}
	order := "False"
	if fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, tuple)
	// The elements start at a multiple of 64 bytes, for memory mapping: ten bytes come before the
	// header, a newline ends it.
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
}

// MaxStream bounds the memory of an array from a stream, whose size cannot be asked.
const MaxStream = 1 << 40

// ReadMatrix reads an array that is a matrix, into row order.
func ReadMatrix[T any](s *source.Reader, read func(*source.Reader, *Header) ([]T, error)) (rows, cols int, data []T, err error) {
	h, err := ReadHeader(s, MaxStream)
	if err == nil {
		rows, cols, err = h.Sides()
	}
	if err == nil {
		data, err = read(s, h)
	}
	if err != nil {
		return 0, 0, nil, err
	}
	return rows, cols, RowMajor(h, data, rows, cols), nil
}

// Sides returns the rows and columns of an array that is a matrix.
func (h *Header) Sides() (rows, cols int, err error) {
	if len(h.Shape) < 1 || len(h.Shape) > 2 {
		return 0, 0, source.At(0, "an array of shape %v where a matrix is expected: %w", h.Shape, coles.ErrShape)
	}
	if h.Count == 0 {
		return 0, 0, source.At(0, "an empty matrix of shape %v: %w", h.Shape, coles.ErrShape)
	}
	return h.Shape[0], h.Count / h.Shape[0], nil
}
