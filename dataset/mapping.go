package dataset

import (
	"encoding/binary"
	"unsafe"
)

// mapping is a part of a file mapped into memory.
type mapping struct {
	bytes         []byte
	unmap, forget func() error
}

// numbersIn are n little-endian numbers where they lie, or copied if they cannot be used so.
func numbersIn[T int32 | int64 | float32 | float64](data []byte, n int) []T {
	if n == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&data[0]))%unsafe.Sizeof(T(0)) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), n)
	}
	out := make([]T, n)
	binary.Decode(data, binary.LittleEndian, out)
	return out
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
