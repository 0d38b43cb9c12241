package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
)

// step runs one opcode; done is true after STOP. The letters are those of
// Python's pickletools.
func (p *pickle) step() (done bool, err error) {
	op, err := p.take(1)
	if err != nil {
		return false, err
	}
	switch op[0] {
	case '.': // STOP
		return true, nil
	case 0x80: // PROTO
		v, err := p.uint(1)
		if err == nil && v > 2 {
			err = fmt.Errorf("%w: pickle protocol %d, at most 2 is read", ErrFormat, v)
		}
		return false, err
	case 'N': // NONE
		p.push(nil)
	case 0x88: // NEWTRUE
		p.push(true)
	case 0x89: // NEWFALSE
		p.push(false)
	case 'K', 'M', 'J': // BININT1, BININT2, BININT
		return false, p.integer(op[0])
	case 'G': // BINFLOAT
		b, err := p.take(8)
		if err == nil {
			p.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
		return false, err
	case 'U': // SHORT_BINSTRING
		return false, p.text(1)
	case 'T', 'X': // BINSTRING, BINUNICODE
		return false, p.text(4)
	case '(': // MARK
		p.push(pyMark{})
	case ')': // EMPTY_TUPLE
		p.push(pyTuple{})
	case ']': // EMPTY_LIST
		p.push(&pyList{})
	case '}': // EMPTY_DICT
		p.push(&pyDict{})
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		t, err := p.popN(int(op[0] - 0x84))
		if err == nil {
			p.push(t)
		}
		return false, err
	case 't': // TUPLE
		t, err := p.popMark()
		if err == nil {
			p.push(t)
		}
		return false, err
	case 'q', 'r': // BINPUT, LONG_BINPUT
		return false, p.put(op[0])
	case 'h', 'j': // BINGET, LONG_BINGET
		return false, p.get(op[0])
	case 'a': // APPEND
		v, err := p.pop()
		if err != nil {
			return false, err
		}
		return false, p.appendAll(pyTuple{v})
	case 'e': // APPENDS
		t, err := p.popMark()
		if err != nil {
			return false, err
		}
		return false, p.appendAll(t)
	case 's': // SETITEM
		t, err := p.popN(2)
		if err != nil {
			return false, err
		}
		return false, p.setAll(t)
	case 'u': // SETITEMS
		t, err := p.popMark()
		if err != nil {
			return false, err
		}
		return false, p.setAll(t)
	case 'c': // GLOBAL
		return false, p.global()
	case 'R', 0x81: // REDUCE, NEWOBJ
		return false, p.reduce()
	case 'b': // BUILD
		return false, p.build()
	default:
		return false, fmt.Errorf("%w: pickle opcode %#02x is not one that datasets use", ErrFormat, op[0])
	}
	return false, nil
}

func (p *pickle) integer(op byte) error {
	size := map[byte]uint32{'K': 1, 'M': 2, 'J': 4}[op]
	v, err := p.uint(size)
	if err != nil {
		return err
	}
	if op == 'J' {
		p.push(int(int32(v)))
	} else {
		p.push(int(v))
	}
	return nil
}

// text reads a length of width bytes and as many bytes.
func (p *pickle) text(width uint32) error {
	n, err := p.uint(width)
	if err != nil {
		return err
	}
	b, err := p.take(n)
	if err != nil {
		return err
	}
	p.push(string(b))
	return nil
}

// key reads the number of a memo slot; the upper-case of the two forms of
// either opcode is the long one.
func (p *pickle) key(op byte) (uint32, error) {
	if op == 'r' || op == 'j' {
		return p.uint(4)
	}
	return p.uint(1)
}

func (p *pickle) put(op byte) error {
	k, err := p.key(op)
	if err != nil {
		return err
	}
	v, err := p.pop()
	if err != nil {
		return err
	}
	p.push(v)
	p.memo[k] = v
	return nil
}

func (p *pickle) get(op byte) error {
	k, err := p.key(op)
	if err != nil {
		return err
	}
	v, ok := p.memo[k]
	if !ok {
		return fmt.Errorf("%w: memo slot %d was never filled", ErrFormat, k)
	}
	p.push(v)
	return nil
}

func (p *pickle) appendAll(t pyTuple) error {
	top, err := p.pop()
	if err != nil {
		return err
	}
	l, ok := top.(*pyList)
	if !ok {
		return fmt.Errorf("%w: append to a %T", ErrFormat, top)
	}
	l.items = append(l.items, t...)
	p.push(l)
	return nil
}

func (p *pickle) setAll(t pyTuple) error {
	top, err := p.pop()
	if err != nil {
		return err
	}
	d, ok := top.(*pyDict)
	if !ok || len(t)%2 != 0 {
		return fmt.Errorf("%w: %d keys and values set in a %T", ErrFormat, len(t), top)
	}
	for i := 0; i < len(t); i += 2 {
		if err := d.set(t[i], t[i+1]); err != nil {
			return err
		}
	}
	p.push(d)
	return nil
}

func (p *pickle) global() error {
	module, err := p.line()
	if err != nil {
		return err
	}
	name, err := p.line()
	if err != nil {
		return err
	}
	g, ok := pickleGlobals[module+" "+name]
	if !ok {
		return fmt.Errorf("%w: class %q of module %q", ErrObject, name, module)
	}
	p.push(g)
	return nil
}

// reduce stands for calling a class or function with a tuple of arguments.
func (p *pickle) reduce() error {
	t, err := p.popN(2)
	if err != nil {
		return err
	}
	g, _ := t[0].(global)
	args, ok := t[1].(pyTuple)
	if !ok {
		return fmt.Errorf("%w: called with a %T instead of a tuple", ErrFormat, t[1])
	}
	switch g {
	case csrMatrix:
		p.push(&pyCSR{})
	case reconstruct:
		p.push(&pyArray{})
	case defaultdict:
		p.push(&pyDict{})
	case dtype:
		d, err := newDtype(args)
		if err != nil {
			return err
		}
		p.push(d)
	default:
		return fmt.Errorf("%w: a %T is called", ErrFormat, t[0])
	}
	return nil
}

// newDtype takes the arguments of numpy.dtype: a name such as 'f4', and two
// flags of no consequence.
func newDtype(args pyTuple) (*pyDtype, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("%w: dtype without a name", ErrFormat)
	}
	name, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("%w: dtype named by a %T", ErrFormat, args[0])
	}
	return parseDtype(name, "<") // the byte order follows in BUILD
}

func parseDtype(name, order string) (*pyDtype, error) {
	d := &pyDtype{name: name}
	lit := &literal{rest: "'" + order + name + "'"}
	d.header.descr(lit)
	return d, lit.err
}

// build stands for __setstate__: the state on top goes into the object below.
func (p *pickle) build() error {
	t, err := p.popN(2)
	if err != nil {
		return err
	}
	switch obj := t[0].(type) {
	case *pyCSR:
		state, ok := t[1].(*pyDict)
		if !ok {
			return fmt.Errorf("%w: state of a csr_matrix is a %T", ErrFormat, t[1])
		}
		obj.state = state
	case *pyDtype: // (version, byte order, …)
		state, _ := t[1].(pyTuple)
		if len(state) < 2 {
			return fmt.Errorf("%w: state of a dtype is a %T", ErrFormat, t[1])
		}
		order, ok := state[1].(string)
		if !ok {
			return fmt.Errorf("%w: byte order of a dtype is a %T", ErrFormat, state[1])
		}
		full, err := parseDtype(obj.name, order)
		if err != nil {
			return err
		}
		*obj = *full
	case *pyArray:
		if err := obj.build(t[1]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: a %T has no state to set", ErrFormat, t[0])
	}
	p.push(t[0])
	return nil
}

// build takes NumPy's (version, shape, dtype, column-major, bytes).
func (a *pyArray) build(v any) error {
	state, _ := v.(pyTuple)
	if len(state) != 5 {
		return fmt.Errorf("%w: state of an array is a %T of %d", ErrFormat, v, len(state))
	}
	shape, ok1 := state[1].(pyTuple)
	kind, ok2 := state[2].(*pyDtype)
	fortran, ok3 := state[3].(bool)
	data, ok4 := state[4].(string)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return fmt.Errorf("%w: state of an array is (_, %T, %T, %T, %T)", ErrFormat, state[1], state[2], state[3], state[4])
	}
	h := kind.header
	h.fortran, h.count = fortran, 1
	for _, s := range shape {
		d, ok := s.(int)
		if !ok || d < 0 {
			return fmt.Errorf("%w: an array of shape %v", ErrFormat, shape)
		}
		if d > 0 && h.count > len(data)/d {
			return fmt.Errorf("%w: an array of shape %v in %d bytes", ErrTruncated, shape, len(data))
		}
		h.count *= d
		h.shape = append(h.shape, d)
	}
	if h.count*h.size != len(data) {
		return fmt.Errorf("an array of shape %v and %d-byte elements in %d bytes: %w", shape, h.size, len(data), ErrShape)
	}
	a.header, a.data = h, data
	return nil
}
