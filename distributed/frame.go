package distributed

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"

	"coles"
	"coles/internal/kernel"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Elements with a check travel as frames; the few others travel in JSON. A frame has the fields of a struct in their order,
// with numbers in little-endian order. Lists and texts follow their lengths, and a pointer's value follows a mark of whether
// it is there. A list whose numbers all fit float32 travels in float32. The length is doubled, and odd for such a list. A
// frame that is too short or too long, or whose parts do not fit each other, is an error.

// encode is the coder of all elements, with decode.
func encode(v beam.T) ([]byte, error) {
	if _, is := v.(checked); is {
		return appendFrame(nil, reflect.ValueOf(v)), nil
	}
	return json.Marshal(v)
}

// decode reads an element of a type, and takes a piece that was left in this program.
func decode(t reflect.Type, b []byte) (beam.T, error) {
	v := reflect.New(t).Elem()
	err := error(nil)
	if _, is := v.Interface().(checked); is {
		err = unframe(b, v)
	} else if err = json.Unmarshal(b, v.Addr().Interface()); err != nil {
		err = fmt.Errorf("distributed: element: %w: %w", coles.ErrFormat, err)
	}
	if p, is := v.Interface().(piece); is && err == nil && p.Place != nil {
		return p.Place.take()
	}
	return v.Interface(), err
}

// decoded is decode for a type that is known.
func decoded[T any](b []byte) (T, error) {
	v, err := decode(reflect.TypeFor[T](), b)
	return v.(T), err
}

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
		return append(binary.LittleEndian.AppendUint64(b, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		list, single := v.Interface(), uint64(0)
		if numbers, is := list.([]float64); is && width(numbers) == 4 {
			list, single = converted[float32](numbers), 1
		}
		b = binary.LittleEndian.AppendUint64(b, 2*uint64(v.Len())+single)
		if v.Type().Elem().Kind() != reflect.String {
			b, _ = binary.Append(b, binary.LittleEndian, list) // numbers of fixed size do not fail
			return b
		}
		for k := range v.Len() {
			b = appendFrame(b, v.Index(k))
		}
	case reflect.Uint8, reflect.Bool, reflect.Float64:
		b, _ = binary.Append(b, binary.LittleEndian, v.Interface())
	default:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	}
	return b
}

// width is the number of bytes in which each number of a list travels.
func width(list []float64) int {
	for _, x := range list {
		if float64(float32(x)) != x {
			return 8
		}
	}
	return 4
}

// converted are numbers of one precision in another.
func converted[To, From kernel.Float](list []From) []To {
	to := make([]To, len(list))
	for q, x := range list {
		to[q] = To(x)
	}
	return to
}

// unframe reads the frame of an element and checks it.
func unframe(b []byte, v reflect.Value) error {
	f := &frame{b: b}
	f.read(v)
	if len(f.b) > 0 {
		f.fail("%d bytes too many", len(f.b))
	}
	if f.err == nil {
		if err := v.Interface().(checked).check(); err != nil {
			f.fail("%v", err)
		}
	}
	return f.err
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
		v.SetString(string(f.take(int(f.number()))))
	case reflect.Slice:
		f.list(v)
	case reflect.Uint8, reflect.Bool, reflect.Float64:
		if b := f.take(int(v.Type().Size())); b != nil {
			binary.Decode(b, binary.LittleEndian, v.Addr().Interface())
		}
	default:
		v.SetInt(f.number())
	}
}

// list reads a list, nil if it is empty. It takes no memory for elements that are not there.
func (f *frame) list(v reflect.Value) {
	n, of := f.number(), v.Type()
	if n%2 == 1 && of == reflect.TypeFor[[]float64]() {
		of = reflect.TypeFor[[]float32]()
	}
	size, isText := int(of.Elem().Size()), of.Elem().Kind() == reflect.String
	if isText {
		size = 8 // its length
	}
	if n /= 2; n > int64(len(f.b)/size) {
		f.fail("a list of %d in %d bytes", n, len(f.b))
	}
	if n == 0 || f.err != nil {
		return
	}
	list := reflect.MakeSlice(of, int(n), int(n))
	for k := 0; isText && k < int(n); k++ {
		f.read(list.Index(k))
	}
	if !isText {
		binary.Decode(f.take(int(n)*size), binary.LittleEndian, list.Interface()) // the bytes are there
	}
	if single, is := list.Interface().([]float32); is {
		list = reflect.ValueOf(converted[float64](single))
	}
	v.Set(list)
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

// roundSingle rounds numbers to float32.
func roundSingle(list []float64) {
	for q, x := range list {
		list[q] = float64(float32(x))
	}
}
