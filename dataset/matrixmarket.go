package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/edgeset"
	"coles/dataset/internal/place"
	"coles/internal/source"
	"coles/internal/text"

	"github.com/james-bowman/sparse"
)

// github.com/wamuir/matrix-market would allocate what a file declares.

// maxEntries is far beyond what memory holds, far below what a product overflows at.
const maxEntries = 1 << 40

// readMatrixMarket reads a matrix in the Matrix Market exchange format (Boisvert, Pozo and Remington 1996),
// of coordinates. Fields real, integer and pattern (every entry is 1) are read, and the symmetries general,
// symmetric and skew-symmetric, of which both triangles come out. Entries keep the order of the file within
// a row, and one given twice stays twice.
//
// Errors have line and column; arrays, complex and Hermitian matrices are coles.ErrFormat. Memory follows
// the entries that arrive. Cost: O(bytes).
func readMatrixMarket(r io.Reader) (*sparse.CSR, error) {
	m := &marketReader{Reader: text.NewReader(r, spaced)}
	m.banner()
	x := m.coordinates()
	if m.Next() {
		m.Fault(-1, "%w: more lines than entries", coles.ErrFormat)
	}
	if m.Err != nil {
		return nil, place.In(source.Name(r, "matrix"), m.Err)
	}
	return x, nil
}

// A marketReader is a Matrix Market file being read.
type marketReader struct {
	*text.Reader
	pattern       bool
	mirror        float64 // one of mirrors
	height, width int     // of the matrix
}

// mirrors are the signs of an entry at its place across the diagonal, 0 for none.
var mirrors = map[string]float64{"general": 0, "symmetric": 1, "skew-symmetric": -1}

// banner reads the first line.
func (m *marketReader) banner() {
	if !m.ReadLine() {
		m.Fault(-1, "%w: an empty file", coles.ErrChecksum)
		return
	}
	words := strings.Fields(strings.ToLower(string(bytes.ToValidUTF8(m.Text, []byte("?")))))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		m.Fault(-1, "%w: want %%%%MatrixMarket matrix, a format, a field and a symmetry", coles.ErrFormat)
		return
	}
	if words[2] != "coordinate" {
		m.Fault(-1, "%w: format %q is not read, only coordinate", coles.ErrFormat, words[2])
	}
	m.pattern = words[3] == "pattern"
	if !m.pattern && !slices.Contains([]string{"real", "double", "integer"}, words[3]) {
		m.Fault(-1, "%w: field %q is not read", coles.ErrFormat, words[3])
	}
	var known bool
	if m.mirror, known = mirrors[words[4]]; !known {
		m.Fault(-1, "%w: symmetry %q is not read", coles.ErrFormat, words[4])
	}
	if m.pattern && m.mirror < 0 {
		m.Fault(-1, "%w: a pattern has no values of opposite signs", coles.ErrFormat)
	}
}

// demand goes to the next line, which there must be, of so many fields.
func (m *marketReader) demand(fields int) {
	if !m.Next() {
		m.Fault(-1, "%w: it ends here", coles.ErrChecksum)
	}
	m.Want(fields)
}

// sizes reads the line of sizes: rows, columns and entries.
func (m *marketReader) sizes() (entries int) {
	m.demand(3)
	m.height, m.width, entries = m.Size(0, bounds.Dim), m.Size(1, bounds.Dim), m.Size(2, maxEntries)
	if m.height == 0 || m.width == 0 {
		m.Fault(-1, "an empty matrix, %d × %d: %w", m.height, m.width, coles.ErrShape)
	}
	if m.mirror != 0 && m.height != m.width {
		m.Fault(-1, "%d × %d and symmetric: %w", m.height, m.width, coles.ErrShape)
	}
	return entries
}

func (m *marketReader) coordinates() *sparse.CSR {
	entries, fields := m.sizes(), 3
	if m.pattern {
		fields = 2
	}
	if limit := bounds.Empty + 64*int64(entries); int64(m.height) > limit || int64(m.width) > limit {
		m.Fault(-1, "%d × %d with %d entries: %w", m.height, m.width, entries, coles.ErrTooLarge)
	}
	var is, js []int32
	var values []float64
	put := func(i, j int, v float64) {
		is, js, values = append(is, int32(i)), append(js, int32(j)), append(values, v)
	}
	for q := 0; q < entries && m.Err == nil; q++ {
		m.demand(fields)
		i, j, v := m.Index(0, 1, m.height), m.Index(1, 1, m.width), 1.0
		if !m.pattern {
			v = m.Number(2)
		}
		if m.mirror < 0 && i == j && v != 0 {
			m.Fault(-1, "%w: an entry on the diagonal of a skew-symmetric matrix", coles.ErrFormat)
		}
		put(i, j, v)
		if m.mirror != 0 && i != j {
			put(j, i, m.mirror*v)
		}
	}
	if m.Err != nil {
		return nil
	}
	return edgeset.Compressed(m.height, m.width, is, js, values)
}

// writeMatrixMarket writes a matrix in the Matrix Market exchange format, as "coordinate real general", in the
// shortest decimals that read back to the same numbers.
//
// Errors: coles.ErrShape for a matrix without rows or columns, coles.ErrNotFinite or coles.ErrIndex
// naming the place, or the writer's own.
func writeMatrixMarket(w io.Writer, m *sparse.CSR) error {
	r, c, err := sides(m)
	if err == nil {
		err = checkCSR("matrix", m)
	}
	return buffered(w, "matrix market", err, func(b *bufio.Writer) error {
		fmt.Fprintf(b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", r, c, m.NNZ())
		raw := m.RawMatrix()
		for i := range r {
			for p := raw.Indptr[i]; p < raw.Indptr[i+1]; p++ {
				line := strconv.AppendInt(b.AvailableBuffer(), int64(i+1), 10)
				line = strconv.AppendInt(append(line, ' '), int64(raw.Ind[p]+1), 10)
				line = strconv.AppendFloat(append(line, ' '), raw.Data[p], 'g', -1, 64)
				if _, err := b.Write(append(line, '\n')); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
