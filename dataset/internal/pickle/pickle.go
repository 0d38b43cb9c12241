// Package pickle interprets the Python 2 pickles of protocol 2 in which the Planetoid files are,
// which use about twenty-five opcodes.
//
// It does not use github.com/nlpodyssey/gopickle, which takes the memory that a pickle declares and
// lets any opcode through: a scan before it (every opcode, its argument's length, the memo) would
// be as long as this interpreter. No class is ever built but the classes of the globals.
package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"coles"
	"coles/internal/npy"
	"coles/internal/source"
)

// MaxBytes bounds a pickle; the largest of Planetoid, ind.pubmed.allx, has 7.6 MB. A byte can stand
// for some fifty bytes of memory (an empty dict).
const MaxBytes = 128 << 20

// A global is a class or function by its module and name.
type global string

// The globals that a pickle may name.
const (
	csrMatrix   global = "scipy.sparse.csr csr_matrix"
	reconstruct global = "numpy.core.multiarray _reconstruct"
	dtype       global = "numpy dtype"
	defaultdict global = "collections defaultdict"
	ndarray     global = "numpy ndarray"    // as an argument only
	listClass   global = "__builtin__ list" // as an argument only
)

// The values that a pickle builds: nil, bool, int, float64, string (text or bytes), global, mark,
// *dtypeValue, *[Array], *[CSR] and these.
type (
	mark  struct{}
	tuple []any
	// A List is a list of Python.
	List struct{ Items []any }
	// A Dict has keys that are nil, bool, int or string.
	Dict map[any]any
)

// machine is a stack machine. Nothing is taken that is not there; every value costs at least one
// byte of the input. What fails sets err, and goes on with nothing until the step is over.
type machine struct {
	data  []byte
	pos   int
	stack []any
	memo  map[uint32]any
	err   error
}

// Load interprets data and returns the object that it builds. Errors are a *[source.Error] and wrap
// coles.ErrFormat, coles.ErrChecksum, coles.ErrShape or npy.ErrObject.
func Load(data []byte) (any, error) {
	m := &machine{data: data, memo: make(map[uint32]any)}
	for done := false; !done; {
		start := m.pos
		done = m.step()
		if done && m.err == nil && (len(m.stack) != 1 || isMark(m.stack[0])) {
			m.malformed("the pickle ends with %d values, not 1", len(m.stack))
		}
		if m.err != nil {
			return nil, source.At(int64(start), "%w", m.err)
		}
	}
	if m.pos != len(data) {
		return nil, source.At(int64(m.pos), "%w: bytes after the end", coles.ErrFormat)
	}
	return m.stack[0], nil
}

func isMark(v any) bool { _, ok := v.(mark); return ok }

func (m *machine) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *machine) malformed(format string, args ...any) {
	m.fail(fmt.Errorf("%w: %s", coles.ErrFormat, fmt.Sprintf(format, args...)))
}

// as is a value that has to be a T; another one is a fault, and gives a zero T.
func as[T any](m *machine, v any, what string) T {
	t, ok := v.(T)
	if !ok {
		m.malformed("%s is a %T", what, v)
	}
	return t
}

// take returns the next n bytes.
func (m *machine) take(n uint32) []byte {
	if left := len(m.data) - m.pos; int64(n) > int64(left) {
		m.fail(fmt.Errorf("%w: %d bytes announced, %d left", coles.ErrChecksum, n, left))
		return nil
	}
	b := m.data[m.pos : m.pos+int(n)]
	m.pos += int(n)
	return b
}

// uint reads a little-endian unsigned integer of n ≤ 4 bytes.
func (m *machine) uint(n uint32) uint32 {
	var full [4]byte
	copy(full[:], m.take(n))
	return binary.LittleEndian.Uint32(full[:])
}

func (m *machine) line() string {
	k := bytes.IndexByte(m.data[m.pos:], '\n')
	if k < 0 {
		m.fail(fmt.Errorf("%w: a name that does not end", coles.ErrChecksum))
		return ""
	}
	s := string(m.data[m.pos : m.pos+k])
	m.pos += k + 1
	return s
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) pop() any {
	if len(m.stack) == 0 || isMark(m.stack[len(m.stack)-1]) {
		m.malformed("a value is needed where the stack has none")
		return nil
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v
}

// popN takes the topmost n values, in the order they were pushed.
func (m *machine) popN(n int) tuple {
	t := make(tuple, n)
	for i := n - 1; i >= 0; i-- {
		t[i] = m.pop()
	}
	return t
}

// popMark takes everything above the topmost mark, and the mark.
func (m *machine) popMark() tuple {
	for k := len(m.stack) - 1; k >= 0; k-- {
		if isMark(m.stack[k]) {
			t := append(tuple(nil), m.stack[k+1:]...)
			m.stack = m.stack[:k]
			return t
		}
	}
	m.malformed("no mark on the stack")
	return nil
}

// step runs one opcode and reports whether it is STOP. The letters are from Python's
// pickletools.
func (m *machine) step() (done bool) {
	b := m.take(1)
	if m.err != nil {
		return false
	}
	switch op := b[0]; op {
	case '.': // STOP
		return true
	case 0x80: // PROTO
		if v := m.uint(1); v > 2 {
			m.malformed("pickle protocol %d, at most 2 is read", v)
		}
	case 'N': // NONE
		m.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		m.push(op == 0x88)
	case 'K': // BININT1
		m.push(int(m.uint(1)))
	case 'M': // BININT2
		m.push(int(m.uint(2)))
	case 'J': // BININT
		m.push(int(int32(m.uint(4))))
	case 'G': // BINFLOAT
		if b := m.take(8); b != nil {
			m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
	case 'U': // SHORT_BINSTRING
		m.push(string(m.take(m.uint(1))))
	case 'T', 'X': // BINSTRING, BINUNICODE
		m.push(string(m.take(m.uint(4))))
	case '(': // MARK
		m.push(mark{})
	case ')': // EMPTY_TUPLE
		m.push(tuple{})
	case ']': // EMPTY_LIST
		m.push(&List{})
	case '}': // EMPTY_DICT
		m.push(Dict{})
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		m.push(m.popN(int(op - 0x84)))
	case 't': // TUPLE
		m.push(m.popMark())
	case 'q': // BINPUT
		m.put(m.uint(1))
	case 'r': // LONG_BINPUT
		m.put(m.uint(4))
	case 'h': // BINGET
		m.get(m.uint(1))
	case 'j': // LONG_BINGET
		m.get(m.uint(4))
	case 'a': // APPEND
		m.appendAll(m.popN(1))
	case 'e': // APPENDS
		m.appendAll(m.popMark())
	case 's': // SETITEM
		m.setAll(m.popN(2))
	case 'u': // SETITEMS
		m.setAll(m.popMark())
	case 'c': // GLOBAL
		module, name := m.line(), m.line()
		g := global(module + " " + name)
		switch g {
		case csrMatrix, reconstruct, dtype, defaultdict, ndarray, listClass:
		default:
			m.fail(fmt.Errorf("%w: class %q of module %q", npy.ErrObject, name, module))
		}
		m.push(g)
	case 'R', 0x81: // REDUCE, NEWOBJ
		m.reduce(m.popN(2))
	case 'b': // BUILD
		m.build(m.popN(2))
	default:
		m.malformed("pickle opcode %#02x is not one that datasets use", op)
	}
	return false
}

func (m *machine) put(slot uint32) {
	v := m.pop()
	m.push(v)
	m.memo[slot] = v
}

func (m *machine) get(slot uint32) {
	v, ok := m.memo[slot]
	if !ok {
		m.malformed("memo slot %d was never filled", slot)
	}
	m.push(v)
}

func (m *machine) appendAll(t tuple) {
	if l := as[*List](m, m.pop(), "what values are appended to"); l != nil {
		l.Items = append(l.Items, t...)
		m.push(l)
	}
}

func (m *machine) setAll(t tuple) {
	d := as[Dict](m, m.pop(), "what keys are set in")
	if len(t)%2 != 0 {
		m.malformed("%d keys and values", len(t))
	}
	for i := 0; i < len(t) && m.err == nil; i += 2 {
		switch t[i].(type) {
		case int, string, bool, nil:
			d[t[i]] = t[i+1]
		default:
			m.malformed("a dict key of type %T", t[i])
		}
	}
	m.push(d)
}
