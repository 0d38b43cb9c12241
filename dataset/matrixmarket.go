package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/text"
	"coles/internal/source"

	"gonum.org/v1/gonum/mat"
)

// github.com/wamuir/matrix-market would allocate what a file declares.

// maxEntries is far beyond what memory holds, far below what a product overflows at.
const maxEntries = 1 << 40

// readMatrixMarket reads a matrix in the Matrix Market exchange format (Boisvert, Pozo and
// Remington 1996): a *sparse.CSR of a coordinate file, a *mat.Dense of an array file. Fields real,
// integer and pattern (every entry is 1) are read, and the symmetries general, symmetric and
// skew-symmetric, of which both triangles come out. Entries keep the order of the file within a
// row, and one given twice stays twice.
//
// Errors have line and column; complex and Hermitian matrices are coles.ErrFormat. Memory follows
// the entries that arrive. Cost: O(bytes).
func readMatrixMarket(r io.Reader) (x mat.Matrix, err error) {
	m := &marketReader{Reader: text.NewReader(r, spaced)}
	if m.banner() {
		x = m.coordinates()
	} else {
		x = m.array()
	}
	if m.Next() {
		m.Fault(-1, "%w: more lines than entries", coles.ErrFormat)
	}
	if m.Err != nil {
		return nil, placed(source.Name(r, "matrix"), m.Err)
	}
	return x, nil
}

// A marketReader is a Matrix Market file being read.
type marketReader struct {
	*text.Reader
	pattern       bool
	mirror        float64 // of an entry at its place across the diagonal; 0 for none
	height, width int     // of the matrix
}

// banner reads the first line, and reports whether coordinates follow.
func (m *marketReader) banner() (sparse bool) {
	if !m.ReadLine() {
		m.Fault(-1, "%w: an empty file", coles.ErrChecksum)
		return false
	}
	words := strings.Fields(strings.ToLower(string(bytes.ToValidUTF8(m.Text, []byte("?")))))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		m.Fault(-1, "%w: want %%%%MatrixMarket matrix, a format, a field and a symmetry", coles.ErrFormat)
		return false
	}
	sparse = words[2] == "coordinate"
	if !sparse && words[2] != "array" {
		m.Fault(-1, "%w: format %q is neither coordinate nor array", coles.ErrFormat, words[2])
	}
	switch words[3] {
	case "real", "double", "integer":
	case "pattern":
		m.pattern = true
	default:
		m.Fault(-1, "%w: field %q is not read", coles.ErrFormat, words[3])
	}
	switch words[4] {
	case "general":
	case "symmetric":
		m.mirror = 1
	case "skew-symmetric":
		m.mirror = -1
	default:
		m.Fault(-1, "%w: symmetry %q is not read", coles.ErrFormat, words[4])
	}
	if m.pattern && (!sparse || m.mirror < 0) {
		m.Fault(-1, "%w: a pattern has no values for an array or opposite signs", coles.ErrFormat)
	}
	return sparse
}

// demand goes to the next line, which there must be, of so many fields.
func (m *marketReader) demand(fields int) {
	if !m.Next() {
		m.Fault(-1, "%w: it ends here", coles.ErrChecksum)
	}
	m.Want(fields)
}

// sizes reads the line of sizes: rows, columns and, in a coordinate file, entries.
func (m *marketReader) sizes(count int) (entries int) {
	m.demand(count)
	m.height, m.width = m.Size(0, maxDim), m.Size(1, maxDim)
	if count == 3 {
		entries = m.Size(2, maxEntries)
	}
	if m.height == 0 || m.width == 0 {
		m.Fault(-1, "an empty matrix, %d × %d: %w", m.height, m.width, coles.ErrShape)
	}
	if m.mirror != 0 && m.height != m.width {
		m.Fault(-1, "%d × %d and symmetric: %w", m.height, m.width, coles.ErrShape)
	}
	return entries
}

func (m *marketReader) coordinates() mat.Matrix {
	entries, fields := m.sizes(3), 3
	if m.pattern {
		fields = 2
	}
	if limit := emptyRows + 64*int64(entries); int64(m.height) > limit || int64(m.width) > limit {
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
	return compressed(m.height, m.width, is, js, values)
}

// array reads columns one after the other, from the diagonal on where the matrix is symmetric.
func (m *marketReader) array() mat.Matrix {
	m.sizes(2)
	first := func(j int) int {
		switch {
		case m.mirror > 0:
			return j
		case m.mirror < 0:
			return j + 1
		}
		return 0
	}
	var values []float64 // as they come: nothing is taken for what is only declared
	for j := 0; j < m.width && m.Err == nil; j++ {
		for i := first(j); i < m.height && m.Err == nil; i++ {
			m.demand(1)
			values = append(values, m.Number(0))
		}
	}
	if m.Err != nil {
		return nil
	}
	d := mat.NewDense(m.height, m.width, nil)
	for j := range m.width {
		for i := first(j); i < m.height; i++ {
			d.Set(i, j, values[0])
			if m.mirror != 0 && i != j {
				d.Set(j, i, m.mirror*values[0])
			}
			values = values[1:]
		}
	}
	return d
}

// writeMatrixMarket writes a matrix in the Matrix Market exchange format: a sparse one (that is,
// one with DoRowNonZero, as those of github.com/james-bowman/sparse have) as "coordinate real
// general", any other as "array real general", in the shortest decimals that read back to the same
// numbers.
//
// Errors: coles.ErrShape for a matrix without rows or columns, coles.ErrNotFinite or coles.ErrIndex
// naming the place, or the writer's own.
func writeMatrixMarket(w io.Writer, m mat.Matrix) error {
	r, c, err := sides(m)
	entries := 0
	if err == nil {
		err = eachEntry(m, func(i, j int, v float64) error {
			entries++
			switch {
			case j < 0 || j >= c:
				return fmt.Errorf("column %d of %d in row %d: %w", j, c, i, coles.ErrIndex)
			case v-v != 0:
				return fmt.Errorf("%v at (%d, %d): %w", v, i, j, coles.ErrNotFinite)
			}
			return nil
		})
	}
	return buffered(w, "matrix market", err, func(b *bufio.Writer) error {
		if _, sparse := m.(mat.RowNonZeroDoer); sparse {
			fmt.Fprintf(b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", r, c, entries)
			return eachEntry(m, func(i, j int, v float64) error {
				line := strconv.AppendInt(b.AvailableBuffer(), int64(i+1), 10)
				line = strconv.AppendInt(append(line, ' '), int64(j+1), 10)
				line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 64)
				_, err := b.Write(append(line, '\n'))
				return err
			})
		}
		fmt.Fprintf(b, "%%%%MatrixMarket matrix array real general\n%d %d\n", r, c)
		return eachEntry(m.T(), func(_, _ int, v float64) error {
			_, err := b.Write(append(strconv.AppendFloat(b.AvailableBuffer(), v, 'g', -1, 64), '\n'))
			return err
		})
	})
}

// eachEntry visits the entries that are stored, row by row, until one is refused.
func eachEntry(m mat.Matrix, visit func(i, j int, v float64) error) (err error) {
	r, c := m.Dims()
	s, sparse := m.(mat.RowNonZeroDoer)
	for i := 0; i < r && err == nil; i++ {
		if sparse {
			s.DoRowNonZero(i, func(i, j int, v float64) {
				if err == nil {
					err = visit(i, j, v)
				}
			})
			continue
		}
		for j := 0; j < c && err == nil; j++ {
			err = visit(i, j, m.At(i, j))
		}
	}
	return err
}
