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
	args := as[tuple](m, call[1], "the tuple of a call")
	switch g := as[global](m, call[0], "what is called"); g {
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
		d := &dtypeValue{name: as[string](m, append(args, nil)[0], "the name of a dtype")}
		m.setType(d, "<") // the byte order follows in BUILD
		m.push(d)
	default:
		m.malformed("%q is called", g)
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
		obj.state = as[Dict](m, t[1], "the state of a csr_matrix")
	case *dtypeValue: // (version, byte order, …)
		state := as[tuple](m, t[1], "the state of a dtype")
		m.setType(obj, as[string](m, append(state, nil, nil)[1], "the byte order of a dtype"))
	case *Array:
		m.fill(obj, as[tuple](m, t[1], "the state of an array"))
	default:
		m.malformed("a %T has no state to set", t[0])
	}
	m.push(t[0])
}

// fill sets an array to NumPy's (version, shape, dtype, column-major, bytes).
func (m *machine) fill(a *Array, state tuple) {
	if len(state) != 5 {
		m.malformed("the state of an array has %d parts", len(state))
		return
	}
	shape, kind := as[tuple](m, state[1], "the shape of an array"), as[*dtypeValue](m, state[2], "the type of an array")
	fortran, data := as[bool](m, state[3], "the order of an array"), as[string](m, state[4], "the bytes of an array")
	if m.err != nil {
		return
	}
	h := kind.header
	h.Fortran, h.Count = fortran, 1
	for _, s := range shape {
		d, ok := s.(int)
		if !ok || d < 0 {
			m.malformed("an array with a side of %T", s)
			return
		}
		h.Shape = append(h.Shape, d)
		if d > 0 && h.Count > len(data)/d {
			m.fail(fmt.Errorf("%w: an array of shape %v … in %d bytes", coles.ErrChecksum, h.Shape, len(data)))
			return
		}
		h.Count *= d
	}
	if h.Count*h.Size != len(data) {
		m.fail(fmt.Errorf("an array of shape %v and %d-byte elements in %d bytes: %w", h.Shape, h.Size, len(data), coles.ErrShape))
	}
	a.Header, a.data = h, data
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
