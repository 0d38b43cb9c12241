package distributed

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Elements travel as frames: numbers in little-endian order, lists after their lengths. A frame that
// is too short or too long, or whose parts do not fit each other, is an error.

// appendInts writes numbers of 64 bits.
func appendInts(b []byte, v ...int64) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// appendList writes a list after its length.
func appendList[E int32 | int64 | float32 | float64](b []byte, v []E) []byte {
	b = appendInts(b, int64(len(v)))
	b, _ = binary.Append(b, binary.LittleEndian, v) // numbers of fixed size do not fail
	return b
}

// width is the bytes of a number.
func width(single bool) int {
	if single {
		return 4
	}
	return 8
}

// appendNumbers writes a list of numbers, rounded to float32 where single.
func appendNumbers(b []byte, v []float64, single bool) []byte {
	if !single {
		return appendList(append(b, 8), v)
	}
	b = appendInts(append(b, 4), int64(len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return b
}

// A frame is read from its beginning. After the first error it gives zeros.
type frame struct {
	b   []byte
	err error
}

// fail keeps the first error.
func (f *frame) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("distributed: element: %w: %s", coles.ErrFormat, fmt.Sprintf(format, args...))
	}
	f.b = nil
}

// take is the next bytes.
func (f *frame) take(count int) []byte {
	if f.err != nil || count > len(f.b) {
		f.fail("%d bytes where %d are to follow", len(f.b), count)
		return nil
	}
	head := f.b[:count]
	f.b = f.b[count:]
	return head
}

func (f *frame) byte() byte {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *frame) int() int64 {
	if b := f.take(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// number is an int that is not negative.
func (f *frame) number() int64 {
	v := f.int()
	if v < 0 {
		f.fail("%d where a number from 0 up is to follow", v)
		return 0
	}
	return v
}

// length is that of a list of elements of so many bytes, which must be there.
func (f *frame) length(size int) int {
	n := f.number()
	if n > int64(len(f.b)/size) {
		f.fail("a list of %d in %d bytes", n, len(f.b))
		return 0
	}
	return int(n)
}

// list reads what appendList wrote, nil for an empty list.
func list[E int32 | int64 | float32 | float64](f *frame) []E {
	size := int(reflect.TypeFor[E]().Size())
	n := f.length(size)
	if n == 0 {
		return nil
	}
	v := make([]E, n)
	binary.Decode(f.take(n*size), binary.LittleEndian, v) // the bytes are there
	return v
}

// numbers reads what appendNumbers wrote.
func (f *frame) numbers() (v []float64, single bool) {
	switch size := f.byte(); size {
	case 8:
		return list[float64](f), false
	case 4:
		n := f.length(4)
		b := f.take(4 * n)
		v = make([]float64, n)
		for q := range v {
			v[q] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*q:])))
		}
		return v, true
	default:
		f.fail("numbers of %d bytes", size)
		return nil, false
	}
}

// end is the error of the frame, which must have been read to its end.
func (f *frame) end() error {
	if len(f.b) > 0 {
		f.fail("%d bytes too many", len(f.b))
	}
	return f.err
}

// panel checks that so many numbers are rows of so many columns.
func (f *frame) panel(count int, columns int64) {
	if columns < 1 || columns > math.MaxInt32 || int64(count)%columns != 0 {
		f.fail("%d numbers in rows of %d", count, columns)
	}
}

// ascending checks that numbers ascend from 0 up, none twice.
func (f *frame) ascending(v []int32) {
	last := int32(-1)
	for _, x := range v {
		if x <= last {
			f.fail("%d after %d in a list that ascends", x, last)
			return
		}
		last = x
	}
}

// registerFrames registers the coder of a type.
func registerFrames[T any](encode any, decode func([]byte) (T, error)) {
	beam.RegisterType(reflect.TypeFor[T]())
	beam.RegisterCoder(reflect.TypeFor[T](), encode, decode)
}

// encodeJSON and decodeJSON are what the coders of small types call: Beam finds a coder by the name of
// its function, which an instance of a generic one does not have.
func encodeJSON[T any](v T) ([]byte, error) { return json.Marshal(v) }

func decodeJSON[T any](text []byte) (v T, err error) {
	if err = json.Unmarshal(text, &v); err != nil {
		err = fmt.Errorf("distributed: element: %w: %w", coles.ErrFormat, err)
	}
	return v, err
}
