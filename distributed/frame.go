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

// Elements travel as frames: the fields of a struct in their order, numbers in little-endian order,
// lists and texts after their lengths, and before what a pointer points to whether it is there. A frame
// that is too short or too long, or whose parts do not fit each other, is an error.

// framed returns the frame of an element.
func framed(v any) []byte { return appendFrame(nil, reflect.ValueOf(v)) }

func appendFrame(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for k := range v.NumField() {
			b = appendFrame(b, v.Field(k))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendFrame(append(b, 1), v.Elem())
	case reflect.String:
		return append(binary.LittleEndian.AppendUint32(b, uint32(v.Len())), v.String()...)
	case reflect.Slice:
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Len()))
		if v.Type().Elem().Kind() != reflect.String {
			b, _ = binary.Append(b, binary.LittleEndian, v.Interface()) // numbers of fixed size do not fail
			return b
		}
		for k := range v.Len() {
			b = appendFrame(b, v.Index(k))
		}
	case reflect.Uint8, reflect.Bool:
		b, _ = binary.Append(b, binary.LittleEndian, v.Interface())
	default:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	}
	return b
}

// unframed reads the frame of an element and checks that its parts fit each other.
func unframed[T interface{ check() error }](b []byte) (v T, err error) {
	f := &frame{b: b}
	f.read(reflect.ValueOf(&v).Elem())
	if len(f.b) > 0 {
		f.fail("%d bytes too many", len(f.b))
	}
	if f.err == nil {
		if err := v.check(); err != nil {
			f.fail("%v", err)
		}
	}
	return v, f.err
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

func (f *frame) read(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for k := range v.NumField() {
			f.read(v.Field(k))
		}
	case reflect.Pointer:
		if is := f.take(1); is != nil && is[0] > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.read(v.Elem())
		}
	case reflect.String:
		if length := f.take(4); length != nil {
			v.SetString(string(f.take(int(binary.LittleEndian.Uint32(length)))))
		}
	case reflect.Slice:
		f.list(v)
	case reflect.Uint8, reflect.Bool:
		if b := f.take(1); b != nil {
			binary.Decode(b, binary.LittleEndian, v.Addr().Interface())
		}
	default:
		v.SetInt(f.number())
	}
}

// list reads a list, nil if it is empty. It takes no memory for elements that are not there.
func (f *frame) list(v reflect.Value) {
	size, isText := int(v.Type().Elem().Size()), v.Type().Elem().Kind() == reflect.String
	if isText {
		size = 4 // its length
	}
	n := f.length(size)
	if n == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	if !isText {
		binary.Decode(f.take(n*size), binary.LittleEndian, v.Interface()) // the bytes are there
		return
	}
	for k := range n {
		f.read(v.Index(k))
	}
}

// take returns the next bytes.
func (f *frame) take(count int) []byte {
	if f.err != nil || count > len(f.b) {
		f.fail("%d bytes where %d are to follow", len(f.b), count)
		return nil
	}
	head := f.b[:count]
	f.b = f.b[count:]
	return head
}

// number reads a number that is not negative.
func (f *frame) number() int64 {
	b := f.take(8)
	if b == nil {
		return 0
	}
	v := int64(binary.LittleEndian.Uint64(b))
	if v < 0 {
		f.fail("%d where a number from 0 up is to follow", v)
		return 0
	}
	return v
}

// length reads the length of a list of elements of so many bytes, which must be there.
func (f *frame) length(size int) int {
	n := f.number()
	if n > int64(len(f.b)/size) {
		f.fail("a list of %d in %d bytes", n, len(f.b))
		return 0
	}
	return int(n)
}

// checkPanel verifies that so many numbers are rows of so many columns.
func checkPanel(count, columns int) error {
	if columns < 1 || columns > math.MaxInt32 || count%columns != 0 {
		return fmt.Errorf("%d numbers in rows of %d", count, columns)
	}
	return nil
}

// checkAscending verifies that numbers ascend from 0 up, none twice.
func checkAscending(lists ...[]int32) error {
	for _, list := range lists {
		last := int32(-1)
		for _, x := range list {
			if x <= last {
				return fmt.Errorf("%d after %d in a list that ascends", x, last)
			}
			last = x
		}
	}
	return nil
}

// registerFrames registers the coder of a type.
func registerFrames[T any](encode any, decode func([]byte) (T, error)) {
	beam.RegisterType(reflect.TypeFor[T]())
	beam.RegisterCoder(reflect.TypeFor[T](), encode, decode)
}

// encodeJSON is called by the coders of small types, as framed is by the others: Beam finds a coder by
// the name of its function, which an instance of a generic one does not have.
func encodeJSON[T any](v T) ([]byte, error) { return json.Marshal(v) }

func decodeJSON[T any](text []byte) (v T, err error) {
	if err = json.Unmarshal(text, &v); err != nil {
		err = fmt.Errorf("distributed: element: %w: %w", coles.ErrFormat, err)
	}
	return v, err
}
