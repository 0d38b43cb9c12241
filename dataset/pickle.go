package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The Planetoid files are Python 2 pickles of protocol 2 that use about
// twenty-five opcodes. Those are interpreted here rather than through
// github.com/nlpodyssey/gopickle: that reader allocates what a pickle
// declares and lets any opcode through, and the scan that would have to run
// before it (every opcode, its argument's length, the memo) is as long as
// this interpreter. No class is ever built but those of pickleGlobals.

// maxPickle bounds a pickle; the largest of Planetoid, ind.pubmed.allx, has
// 7.6 MB. A byte can stand for some fifty bytes of memory (an empty dict).
const maxPickle = 128 << 20

// pickleGlobals are the classes and functions a pickle may name, and what they
// stand for here.
var pickleGlobals = map[string]global{
	"scipy.sparse.csr csr_matrix":        csrMatrix,
	"numpy.core.multiarray _reconstruct": reconstruct,
	"numpy ndarray":                      ndarray,
	"numpy dtype":                        dtype,
	"collections defaultdict":            defaultdict,
	"__builtin__ list":                   listClass,
}

// global is a class or function by its meaning.
type global int

const (
	csrMatrix global = iota + 1
	reconstruct
	ndarray // named as an argument only
	dtype
	defaultdict
	listClass // named as an argument only
)

// The values a pickle builds: nil, bool, int, string (text or bytes), global,
// pyMark and the pointers below.
type (
	pyMark  struct{}
	pyTuple []any
	pyList  struct{ items []any }
	// pyDict keeps the order of the file and, like Python, the last value of a key.
	pyDict struct {
		keys   []any
		values []any
		at     map[any]int
	}
	pyDtype struct {
		name   string
		header npyHeader
	}
	pyArray struct {
		header npyHeader
		data   string
	}
	// pyCSR is a scipy.sparse.csr_matrix: its state is a dict of parts.
	pyCSR struct{ state *pyDict }
)

func (d *pyDict) set(k, v any) error {
	switch k.(type) {
	case int, string, bool, nil:
	default:
		return fmt.Errorf("%w: a dict key of type %T", ErrFormat, k)
	}
	if d.at == nil {
		d.at = make(map[any]int)
	}
	if p, ok := d.at[k]; ok {
		d.values[p] = v
		return nil
	}
	d.at[k] = len(d.keys)
	d.keys = append(d.keys, k)
	d.values = append(d.values, v)
	return nil
}

func (d *pyDict) get(k any) any {
	if p, ok := d.at[k]; ok {
		return d.values[p]
	}
	return nil
}

// pickle is the stack machine. Strings are slices of data, so nothing is taken
// that is not there; every value costs at least one byte of the input.
type pickle struct {
	data  []byte
	pos   int
	stack []any
	memo  map[uint32]any
}

// unpickle interprets data and returns the object it builds.
func unpickle(data []byte, file string) (any, error) {
	p := &pickle{data: data, memo: make(map[uint32]any)}
	for {
		start := p.pos
		done, err := p.step()
		if err != nil {
			return nil, atByte(file, int64(start), "%w", err)
		}
		if done {
			if len(p.stack) != 1 || isMark(p.stack[0]) {
				return nil, atByte(file, int64(start), "%w: the pickle ends with %d values, not 1", ErrFormat, len(p.stack))
			}
			if p.pos != len(data) {
				return nil, atByte(file, int64(p.pos), "%w: bytes after the end", ErrFormat)
			}
			return p.stack[0], nil
		}
	}
}

func isMark(v any) bool { _, ok := v.(pyMark); return ok }

// take returns the next n bytes.
func (p *pickle) take(n uint32) ([]byte, error) {
	if left := len(p.data) - p.pos; int64(n) > int64(left) {
		return nil, fmt.Errorf("%w: %d bytes announced, %d left", ErrTruncated, n, left)
	}
	b := p.data[p.pos : p.pos+int(n)]
	p.pos += int(n)
	return b, nil
}

// uint reads a little-endian unsigned integer of n ≤ 4 bytes.
func (p *pickle) uint(n uint32) (uint32, error) {
	b, err := p.take(n)
	if err != nil {
		return 0, err
	}
	var full [4]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint32(full[:]), nil
}

func (p *pickle) line() (string, error) {
	k := bytes.IndexByte(p.data[p.pos:], '\n')
	if k < 0 {
		return "", fmt.Errorf("%w: a name that does not end", ErrTruncated)
	}
	s := string(p.data[p.pos : p.pos+k])
	p.pos += k + 1
	return s, nil
}

func (p *pickle) push(v any) { p.stack = append(p.stack, v) }

func (p *pickle) pop() (any, error) {
	if len(p.stack) == 0 || isMark(p.stack[len(p.stack)-1]) {
		return nil, fmt.Errorf("%w: a value is needed where the stack has none", ErrFormat)
	}
	v := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return v, nil
}

// popN takes the topmost n values, in the order they were pushed.
func (p *pickle) popN(n int) (pyTuple, error) {
	t := make(pyTuple, n)
	for i := n - 1; i >= 0; i-- {
		v, err := p.pop()
		if err != nil {
			return nil, err
		}
		t[i] = v
	}
	return t, nil
}

// popMark takes everything above the topmost mark, and the mark.
func (p *pickle) popMark() (pyTuple, error) {
	for k := len(p.stack) - 1; k >= 0; k-- {
		if isMark(p.stack[k]) {
			t := append(pyTuple(nil), p.stack[k+1:]...)
			p.stack = p.stack[:k]
			return t, nil
		}
	}
	return nil, fmt.Errorf("%w: no mark on the stack", ErrFormat)
}
