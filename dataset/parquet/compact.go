package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"coles"
)

// The library makes room for as many elements as a list of a footer or a page's header declares. That may be 2³¹ in a file of
// a hundred bytes, and a program cannot recover from lack of memory. So both are walked over first, by the grammar of
// Thrift's compact protocol (github.com/apache/thrift, doc/specs/thrift-compact-protocol.md).

// errShort reports that a structure goes on where the bytes end.
var errShort = errors.New("a structure goes on past its end")

// maxNesting is more than twice what the structures of Parquet nest.
const maxNesting = 32

// typeStruct is the type of a structure.
const typeStruct = 12

// leastStruct is the fewest bytes of a structure in a list: all of Parquet's have a field that must
// be there.
const leastStruct = 3

// structLength is the length of the structure that b begins with, all of whose lists and texts fit
// into b.
func structLength(b []byte) (int, error) {
	w := walker{rest: b}
	w.structure(0)
	return len(b) - len(w.rest), w.err
}

// A walker passes over values until the first fault.
type walker struct {
	rest []byte
	err  error
}

func (w *walker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *walker) skip(n uint64) {
	if n > uint64(len(w.rest)) {
		w.fail(errShort)
		return
	}
	w.rest = w.rest[n:]
}

func (w *walker) byte() (b byte) {
	if len(w.rest) > 0 {
		b = w.rest[0]
	}
	w.skip(1)
	return b
}

func (w *walker) varint() uint64 {
	v, n := binary.Uvarint(w.rest)
	switch {
	case n == 0:
		w.fail(errShort)
	case n < 0:
		w.fail(fmt.Errorf("%w: a number of more than 64 bits", coles.ErrFormat))
	default:
		w.rest = w.rest[n:]
	}
	return v
}

func (w *walker) structure(depth int) {
	if depth > maxNesting {
		w.fail(fmt.Errorf("%w: structures nested more than %d deep", coles.ErrFormat, maxNesting))
	}
	for w.err == nil {
		head := w.byte()
		kind := head & 15
		if kind == 0 {
			return
		}
		if head>>4 == 0 { // the field's number follows
			w.varint()
		}
		if kind > 2 { // true and false are values themselves
			w.value(kind, depth)
		}
	}
}

func (w *walker) value(kind byte, depth int) {
	switch kind {
	case 1, 2, 3: // true, false, a byte
		w.skip(1)
	case 4, 5, 6: // integers of 16, 32, 64 bits
		w.varint()
	case 7: // double
		w.skip(8)
	case 8: // text
		w.skip(w.varint())
	case 9, 10: // list, set
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.varint()
		}
		w.elements(n, depth, head&15)
	case 11: // map
		if n := w.varint(); n > 0 {
			kinds := w.byte()
			w.elements(n, depth, kinds>>4, kinds&15)
		}
	case typeStruct:
		w.structure(depth + 1)
	default:
		w.fail(fmt.Errorf("%w: no type %d", coles.ErrFormat, kind))
	}
}

// elements passes over n elements, each of values of the given types.
func (w *walker) elements(n uint64, depth int, kinds ...byte) {
	least := uint64(1)
	if kinds[0] == typeStruct {
		least = leastStruct
	}
	switch {
	case depth >= maxNesting:
		w.fail(fmt.Errorf("%w: lists nested more than %d deep", coles.ErrFormat, maxNesting))
	case n > math.MaxInt32 || n*least > uint64(len(w.rest)):
		w.fail(errShort)
	}
	for ; n > 0 && w.err == nil; n-- {
		for _, kind := range kinds {
			w.value(kind, depth+1)
		}
	}
}
