package dataset

import (
	"strings"

	"coles"
	"coles/internal/npy"

	"github.com/james-bowman/sparse"
)

// scipy reads an archive of scipy.sparse.save_npz: its format, csr, csc or coo, its shape, and the arrays of that
// format.
func (a *archive) scipy() (*Dataset, error) {
	format, _ := array(a, "format", 0, npy.Texts)
	rows, cols := a.shape("")
	name := strings.Join(format, "")
	if name != "csr" { // whose row pointers are made, and not read
		if a.left -= 8 * int64(rows); a.left < 0 && a.err == nil {
			a.fault("shape", "%w: %d rows", coles.ErrTooLarge, rows)
		}
	}
	var m *sparse.CSR
	switch {
	case a.err != nil:
	case name == "csr":
		m = a.compressed("", rows, cols)
	case name == "csc": // the rows of the transpose
		if t := a.compressed("", cols, rows); a.err == nil {
			m = t.T().(*sparse.CSC).ToCSR()
		}
	case name == "coo":
		m = a.coordinates(rows, cols)
	default:
		a.fault("format", "%w: %q, want csr, csc or coo", coles.ErrFormat, name)
	}
	if a.err != nil {
		return nil, a.err
	}
	if rows != cols {
		return &Dataset{Features: m}, nil
	}
	return (&Dataset{Adjacency: m}).checked(a.name)
}

// coordinates reads a matrix of entries in any order, of which those of one place add up.
func (a *archive) coordinates(rows, cols int) *sparse.CSR {
	u, v := a.ints("row"), a.ints("col")
	data, _ := array(a, "data", 1, npy.Floats)
	if a.err == nil && (len(u) != len(data) || len(v) != len(data)) {
		a.fault("*", "%d rows, %d columns and %d values: %w", len(u), len(v), len(data), coles.ErrShape)
	}
	for k := 0; k < len(data) && a.err == nil; k++ {
		if u[k] < 0 || u[k] >= rows || v[k] < 0 || v[k] >= cols {
			a.fault("*", "entry %d at (%d, %d) of %d × %d: %w", k, u[k], v[k], rows, cols, coles.ErrIndex)
		}
	}
	if a.err != nil {
		return nil
	}
	return sparse.NewCOO(rows, cols, u, v, data).ToCSR()
}
