package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Matrix Market is read by our own code: what there is for Go
// (github.com/wamuir/matrix-market) allocates what a file declares.

// emptyRows is how many rows or columns a sparse matrix in a file may have beside 64 for
// every entry: they take memory even where nothing is in them.
const emptyRows = 1 << 20

// maxEntries is far beyond what memory holds, far below what a product overflows at.
const maxEntries = 1 << 40

// ReadMatrixMarket reads a matrix in the Matrix Market exchange format (Boisvert,
// Pozo and Remington 1996): a *sparse.CSR of a coordinate file, a *mat.Dense of an
// array file. Fields real, integer and pattern (every entry is 1) are read, and the symmetries
// general, symmetric and skew-symmetric, of which both triangles come out. Entries keep
// the order of the file within a row, and one given twice stays twice.
//
// Errors are a *ParseError with line and column and wrap ErrFormat (complex and Hermitian
// matrices among others), ErrTruncated, ErrTooLarge, ErrShape (an empty matrix, or a symmetric
// one that is not square), ErrIndex, ErrNotFinite, ErrMissing (no reader), or the error of the reader. Memory
// follows the entries that arrive. Cost: O(bytes).
func ReadMatrixMarket(r io.Reader) (mat.Matrix, error) {
	if err := checkReader(r, "matrix"); err != nil {
		return nil, err
	}
	return readMatrixMarket(r, "matrix")
}

// OpenMatrixMarket reads the file at path, gzipped or not. See [ReadMatrixMarket].
func OpenMatrixMarket(path string) (mat.Matrix, error) {
	f, err := openFile(path, freeText)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readMatrixMarket(f, path)
}

// A marketReader is a Matrix Market file being read.
type marketReader struct {
	*table
	pattern       bool
	mirror        float64 // of an entry at its place across the diagonal; 0 for none
	height, width int     // of the matrix
}

func readMatrixMarket(r io.Reader, file string) (mat.Matrix, error) {
	t := newTable(r, file)
	t.sep = ' '
	m := &marketReader{table: t}
	sparse, err := m.banner()
	if err != nil {
		return nil, err
	}
	if sparse {
		return m.coordinates()
	}
	return m.array()
}

// banner reads the first line, and tells whether coordinates follow.
func (m *marketReader) banner() (sparse bool, err error) {
	m.line = 1
	if err := m.readLine(); err != nil {
		return false, m.ended(err)
	}
	words := strings.Fields(strings.ToLower(string(bytes.ToValidUTF8(m.text, []byte("?")))))
	if len(words) == 0 || words[0] != "%%matrixmarket" {
		return false, m.fault(-1, "%w: it does not begin with %%%%MatrixMarket", ErrFormat)
	}
	if len(words) != 5 || words[1] != "matrix" {
		return false, m.fault(-1, "%w: want %%%%MatrixMarket matrix, a format, a field and a symmetry", ErrFormat)
	}
	switch words[2] {
	case "coordinate":
		sparse = true
	case "array":
	default:
		return false, m.fault(-1, "%w: format %q is neither coordinate nor array", ErrFormat, words[2])
	}
	switch words[3] {
	case "real", "double", "integer":
	case "pattern":
		m.pattern = true
	default:
		return false, m.fault(-1, "%w: field %q is not read", ErrFormat, words[3])
	}
	switch words[4] {
	case "general":
	case "symmetric":
		m.mirror = 1
	case "skew-symmetric":
		m.mirror = -1
	default:
		return false, m.fault(-1, "%w: symmetry %q is not read", ErrFormat, words[4])
	}
	if m.pattern && (!sparse || m.mirror < 0) {
		return false, m.fault(-1, "%w: a pattern has no values for an array or opposite signs", ErrFormat)
	}
	return sparse, nil
}

// ended is what the end of the file means before all is read.
func (m *marketReader) ended(err error) error {
	if err == io.EOF {
		return m.fault(-1, "%w", ErrTruncated)
	}
	return err
}

// sizes reads the line of sizes into as many places.
func (m *marketReader) sizes(places ...*int) error {
	if err := m.next(); err != nil {
		return m.ended(err)
	}
	if len(m.cols) != len(places) {
		return m.fault(-1, "%w: %d sizes, want %d", ErrFormat, len(m.cols), len(places))
	}
	for k, place := range places {
		v, err := m.whole(k)
		if err != nil {
			return err
		}
		*place = v
	}
	if m.height == 0 || m.width == 0 {
		return m.fault(-1, "an empty matrix, %d × %d: %w", m.height, m.width, ErrShape)
	}
	if m.height > maxDim || m.width > maxDim {
		return m.fault(-1, "%d × %d: %w (at most %d)", m.height, m.width, ErrTooLarge, maxDim)
	}
	if m.mirror != 0 && m.height != m.width {
		return m.fault(-1, "%d × %d and symmetric: %w", m.height, m.width, ErrShape)
	}
	return nil
}

// whole parses field k as a number from 0 on.
func (m *marketReader) whole(k int) (int, error) {
	v, err := strconv.Atoi(m.cols[k])
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, m.fault(k, "%s: %w", m.cols[k], ErrTooLarge)
	case err != nil || v < 0:
		return 0, m.fault(k, "%w: %q is not a whole number", ErrFormat, m.cols[k])
	}
	return v, nil
}

// index parses field k as a place from 1 to limit and returns it counted from 0.
func (m *marketReader) index(k, limit int) (int, error) {
	v, err := m.whole(k)
	if err != nil {
		return 0, err
	}
	if v < 1 || v > limit {
		return 0, m.fault(k, "%d of 1 to %d: %w", v, limit, ErrIndex)
	}
	return v - 1, nil
}

func (m *marketReader) coordinates() (*sparse.CSR, error) {
	entries := 0
	if err := m.sizes(&m.height, &m.width, &entries); err != nil {
		return nil, err
	}
	if int64(entries) > maxEntries {
		return nil, m.fault(2, "%d entries: %w", entries, ErrTooLarge)
	}
	if limit := emptyRows + 64*int64(entries); int64(m.height) > limit || int64(m.width) > limit {
		return nil, m.fault(-1, "%d × %d with %d entries: %w", m.height, m.width, entries, ErrTooLarge)
	}
	fields := 3
	if m.pattern {
		fields = 2
	}
	var is, js []int32
	var values []float64
	put := func(i, j int, v float64) {
		is, js, values = append(is, int32(i)), append(js, int32(j)), append(values, v)
	}
	for range entries {
		if err := m.next(); err != nil {
			return nil, m.ended(err)
		}
		if len(m.cols) != fields {
			return nil, m.fault(-1, "%w: %d fields, want %d", ErrFormat, len(m.cols), fields)
		}
		i, err := m.index(0, m.height)
		if err != nil {
			return nil, err
		}
		j, err := m.index(1, m.width)
		if err != nil {
			return nil, err
		}
		v := 1.0
		if !m.pattern {
			if v, err = m.number(2); err != nil {
				return nil, err
			}
		}
		if m.mirror < 0 && i == j && v != 0 {
			return nil, m.fault(-1, "%w: an entry on the diagonal of a skew-symmetric matrix", ErrFormat)
		}
		put(i, j, v)
		if m.mirror != 0 && i != j {
			put(j, i, m.mirror*v)
		}
	}
	if err := m.nothingMore(); err != nil {
		return nil, err
	}
	return compressed(m.height, m.width, is, js, values), nil
}

// array reads columns one after the other, those of a symmetric matrix from the diagonal on.
func (m *marketReader) array() (*mat.Dense, error) {
	if err := m.sizes(&m.height, &m.width); err != nil {
		return nil, err
	}
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
	for j := range m.width {
		for i := first(j); i < m.height; i++ {
			if err := m.next(); err != nil {
				return nil, m.ended(err)
			}
			if len(m.cols) != 1 {
				return nil, m.fault(-1, "%w: %d fields, want 1", ErrFormat, len(m.cols))
			}
			v, err := m.number(0)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	if err := m.nothingMore(); err != nil {
		return nil, err
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
	return d, nil
}

func (m *marketReader) nothingMore() error {
	switch err := m.next(); {
	case err == nil:
		return m.fault(-1, "%w: more lines than entries", ErrFormat)
	case err != io.EOF:
		return err
	}
	return nil
}

// WriteMatrixMarket writes a matrix in the Matrix Market exchange format: a sparse one (that
// is, one with DoNonZero, as those of github.com/james-bowman/sparse have) as "coordinate real
// general", any other as "array real general", in the shortest decimals that read back to
// the same numbers.
//
// Errors: ErrMissing for a nil matrix or writer, ErrShape for a matrix without rows or columns,
// ErrNotFinite or ErrIndex naming the place, or the writer's own. The matrix is looked at before anything is written.
func WriteMatrixMarket(w io.Writer, m mat.Matrix) error {
	r, c, err := writing("matrix market", w, m)
	if err != nil {
		return err
	}
	if r == 0 || c == 0 {
		return fmt.Errorf("dataset: write matrix market: an empty matrix, %d × %d: %w", r, c, ErrShape)
	}
	entries := 0
	look := func(i, j int, v float64) error {
		entries++
		switch {
		case j < 0 || j >= c:
			return fmt.Errorf("column %d of %d in row %d: %w", j, c, i, ErrIndex)
		case v-v != 0:
			return fmt.Errorf("%v at (%d, %d): %w", v, i, j, ErrNotFinite)
		}
		return nil
	}
	if err := lookAt(m, look); err != nil {
		return fmt.Errorf("dataset: write matrix market: %w", err)
	}
	b := bufio.NewWriterSize(w, chunk)
	var line []byte
	if isSparse(m) {
		fmt.Fprintf(b, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", r, c, entries)
		err = eachEntry(m, func(i, j int, v float64) error {
			line = strconv.AppendInt(line[:0], int64(i+1), 10)
			line = strconv.AppendInt(append(line, ' '), int64(j+1), 10)
			line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 64)
			_, err := b.Write(append(line, '\n'))
			return err
		})
		return finish("matrix market", b, err)
	}
	fmt.Fprintf(b, "%%%%MatrixMarket matrix array real general\n%d %d\n", r, c)
	for j := range c {
		for i := range r {
			line = strconv.AppendFloat(line[:0], m.At(i, j), 'g', -1, 64)
			if _, err = b.Write(append(line, '\n')); err != nil {
				return finish("matrix market", b, err)
			}
		}
	}
	return finish("matrix market", b, nil)
}

func isSparse(m mat.Matrix) bool {
	_, ok := m.(mat.RowNonZeroDoer)
	return ok
}

// lookAt is eachEntry of a matrix that may panic.
func lookAt(m mat.Matrix, visit func(i, j int, v float64) error) (err error) {
	defer trap(m, &err)
	return eachEntry(m, visit)
}

// eachEntry visits the entries that are stored, row by row, until one is refused.
func eachEntry(m mat.Matrix, visit func(i, j int, v float64) error) error {
	r, c := m.Dims()
	var err error
	for i := range r {
		if s, ok := m.(mat.RowNonZeroDoer); ok {
			s.DoRowNonZero(i, func(i, j int, v float64) {
				if err == nil {
					err = visit(i, j, v)
				}
			})
		} else {
			for j := 0; j < c && err == nil; j++ {
				err = visit(i, j, m.At(i, j))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
