package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"coles/dataset"
)

// The library makes room for as many elements as a list of a footer or of a page's header
// says it has, which may be 2³¹ in a file of a hundred bytes, and memory that runs out is no panic
// to recover from. So both are walked over first, by the grammar of Thrift's compact protocol
// (github.com/apache/thrift, doc/specs/thrift-compact-protocol.md).

// The types of the compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeInt16  = 4
	typeInt32  = 5
	typeInt64  = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// errShort says that a structure goes on where the bytes end.
var errShort = errors.New("a structure goes on past its end")

// maxNesting is more than twice what the structures of Parquet nest.
const maxNesting = 32

// leastStruct is the fewest bytes of a structure in a list: all of Parquet's have a field
// that must be there.
const leastStruct = 3

// structLength is the length of the structure that b begins with, all of whose lists and texts fit into b.
func structLength(b []byte) (int, error) {
	w := walker{rest: b}
	err := w.structure(0)
	return len(b) - len(w.rest), err
}

type walker struct{ rest []byte }

func (w *walker) skip(n uint64) error {
	if n > uint64(len(w.rest)) {
		return errShort
	}
	w.rest = w.rest[n:]
	return nil
}

func (w *walker) byte() (byte, error) {
	if len(w.rest) == 0 {
		return 0, errShort
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

func (w *walker) varint() (uint64, error) {
	v, n := binary.Uvarint(w.rest)
	switch {
	case n == 0:
		return 0, errShort
	case n < 0:
		return 0, fmt.Errorf("%w: a number of more than 64 bits", dataset.ErrFormat)
	}
	w.rest = w.rest[n:]
	return v, nil
}

func (w *walker) structure(depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("%w: structures nested more than %d deep", dataset.ErrFormat, maxNesting)
	}
	for {
		head, err := w.byte()
		if err != nil {
			return err
		}
		kind := head & 15
		if kind == 0 {
			return nil
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind == typeTrue || kind == typeFalse {
			continue // the type is the value
		}
		if err := w.value(kind, depth); err != nil {
			return err
		}
	}
}

func (w *walker) value(kind byte, depth int) error {
	switch kind {
	case typeTrue, typeFalse, typeByte:
		return w.skip(1)
	case typeInt16, typeInt32, typeInt64:
		_, err := w.varint()
		return err
	case typeDouble:
		return w.skip(8)
	case typeBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case typeList, typeSet:
		head, err := w.byte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = w.varint(); err != nil {
				return err
			}
		}
		return w.elements(n, depth, head&15)
	case typeMap:
		n, err := w.varint()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := w.byte()
		if err != nil {
			return err
		}
		return w.elements(n, depth, kinds>>4, kinds&15)
	case typeStruct:
		return w.structure(depth + 1)
	}
	return fmt.Errorf("%w: no type %d", dataset.ErrFormat, kind)
}

// elements passes over n elements, each of values of the given types.
func (w *walker) elements(n uint64, depth int, kinds ...byte) error {
	if depth >= maxNesting {
		return fmt.Errorf("%w: lists nested more than %d deep", dataset.ErrFormat, maxNesting)
	}
	least := uint64(1)
	if kinds[0] == typeStruct {
		least = leastStruct
	}
	if n > math.MaxInt32 || n*least > uint64(len(w.rest)) {
		return errShort
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
