package pickle

import (
	"cmp"
	"fmt"
	"strings"

	"coles"
	"coles/internal/npy"
	"coles/internal/source"

	"github.com/james-bowman/sparse"
)

// dtypeValue is a numpy.dtype.
type dtypeValue struct {
	name   string
	header npy.Header
}

// An Array is a numpy.ndarray.
type Array struct {
	Header npy.Header // as in an .npy file
	data   string
}

// A CSR is a scipy.sparse.csr_matrix: its state is a dict of parts.
type CSR struct{ state Dict }

// reduce stands for calling a class or function with a tuple of arguments.
func (m *machine) reduce(call tuple) {
	g, _ := call[0].(global)
	args, ok := call[1].(tuple)
	if !ok {
		m.malformed("called with a %T instead of a tuple", call[1])
		return
	}
	switch g {
	case csrMatrix:
		m.push(&CSR{})
	case reconstruct:
		m.push(&Array{Header: npy.Header{Kind: 'b', Size: 1}})
	case defaultdict: // of what makes a default, which nothing asks for
		if len(args) > 1 {
			m.malformed("a defaultdict made with content")
		}
		m.push(Dict{})
	case dtype: // of a name such as 'f4', and two flags of no consequence
		if len(args) == 0 {
			args = tuple{nil}
		}
		name, ok := args[0].(string)
		if !ok {
			m.malformed("dtype named by a %T", args[0])
		}
		d := &dtypeValue{name: name}
		m.setType(d, "<") // the byte order follows in BUILD
		m.push(d)
	default:
		m.malformed("a %T is called", call[0])
	}
}

func (m *machine) setType(d *dtypeValue, order string) {
	if err := d.header.SetType(order + d.name); err != nil {
		m.fail(err)
	}
}

// build stands for __setstate__: the state on top goes into the object below.
func (m *machine) build(t tuple) {
	switch obj := t[0].(type) {
	case *CSR:
		state, ok := t[1].(Dict)
		if !ok {
			m.malformed("state of a csr_matrix is a %T", t[1])
		}
		obj.state = state
	case *dtypeValue: // (version, byte order, …)
		state, _ := t[1].(tuple)
		if len(state) < 2 {
			m.malformed("state of a dtype is a %T", t[1])
			return
		}
		order, ok := state[1].(string)
		if !ok {
			m.malformed("byte order of a dtype is a %T", state[1])
		}
		m.setType(obj, order)
	case *Array:
		if err := obj.build(t[1]); err != nil {
			m.fail(err)
		}
	default:
		m.malformed("a %T has no state to set", t[0])
	}
	m.push(t[0])
}

// build takes NumPy's (version, shape, dtype, column-major, bytes).
func (a *Array) build(v any) error {
	state, _ := v.(tuple)
	if len(state) != 5 {
		return fmt.Errorf("%w: state of an array is a %T of %d", coles.ErrFormat, v, len(state))
	}
	shape, ok1 := state[1].(tuple)
	kind, ok2 := state[2].(*dtypeValue)
	fortran, ok3 := state[3].(bool)
	data, ok4 := state[4].(string)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return fmt.Errorf("%w: state of an array is (_, %T, %T, %T, %T)", coles.ErrFormat, state[1], state[2], state[3], state[4])
	}
	h := kind.header
	h.Fortran, h.Count = fortran, 1
	for _, s := range shape {
		d, ok := s.(int)
		if !ok || d < 0 {
			return fmt.Errorf("%w: an array with a side of %T", coles.ErrFormat, s)
		}
		h.Shape = append(h.Shape, d)
		if d > 0 && h.Count > len(data)/d {
			return fmt.Errorf("%w: an array of shape %v … in %d bytes", coles.ErrChecksum, h.Shape, len(data))
		}
		h.Count *= d
	}
	if h.Count*h.Size != len(data) {
		return fmt.Errorf("an array of shape %v and %d-byte elements in %d bytes: %w", h.Shape, h.Size, len(data), coles.ErrShape)
	}
	a.Header, a.data = h, data
	return nil
}

// Ints are the elements, in the order of the file.
func (a *Array) Ints() ([]int, error) { return npy.Ints(a.source(), &a.Header) }

func (a *Array) source() *source.Reader { return source.NewReader(strings.NewReader(a.data)) }

// Matrix puts the parts of a csr_matrix together. Nothing is checked but what they are.
func (c *CSR) Matrix() (*sparse.CSR, error) {
	shape, _ := c.state["_shape"].(tuple)
	if len(shape) != 2 {
		return nil, fmt.Errorf("%w: no _shape of a csr_matrix", coles.ErrFormat)
	}
	rows, ok1 := shape[0].(int)
	cols, ok2 := shape[1].(int)
	if !ok1 || !ok2 || rows < 0 || cols < 0 {
		return nil, fmt.Errorf("a csr_matrix of %T × %T: %w", shape[0], shape[1], coles.ErrShape)
	}
	var parts [3]*Array
	for k, name := range []string{"indptr", "indices", "data"} {
		a, ok := c.state[name].(*Array)
		if !ok {
			return nil, fmt.Errorf("%w: no %s of a csr_matrix", coles.ErrFormat, name)
		}
		parts[k] = a
	}
	indptr, err1 := parts[0].Ints()
	ind, err2 := parts[1].Ints()
	data, err3 := npy.Floats(parts[2].source(), &parts[2].Header)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	return sparse.NewCSR(rows, cols, indptr, ind, data), nil
}
