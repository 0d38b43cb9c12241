package dataset

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// WriteNPY writes m in NumPy's .npy format, version 1.0: little-endian,
// row-major, float32 for a *coles.Dense32 and float64 for any other matrix.
// numpy.load gives back the same bits, and so does [ReadNPY] and, for float32,
// [MapNPY]. The transpose of a *coles.Dense32 or *mat.Dense, as its method T returns
// it, is written as it lies in memory: column-major, in the same precision, which
// MapNPY refuses. An error is the writer's own, ErrMissing for a nil matrix or writer, or
// ErrShape for a matrix without rows or columns or one that cannot be read. Rows are
// written as they are encoded: memory is that of one row.
func WriteNPY(w io.Writer, m mat.Matrix) error {
	r, c, err := writing("npy", w, m)
	if err != nil {
		return err
	}
	if r == 0 || c == 0 {
		return fmt.Errorf("dataset: write npy: an empty matrix, %d × %d: %w", r, c, ErrShape)
	}
	b := bufio.NewWriterSize(w, chunk)
	return finish("npy", b, writeAsStored(b, m))
}

// writeAsStored writes a matrix with its header as it lies in memory.
func writeAsStored(b *bufio.Writer, m mat.Matrix) error {
	if t, ok := m.(mat.Transpose); ok {
		switch t.Matrix.(type) {
		case *mat.Dense, *coles.Dense32:
			r, c := t.Dims()
			writeOrderedHeader(b, ownType(t.Matrix), true, r, c)
			return writeElements(b, ownType(t.Matrix), t.Matrix)
		}
	}
	return writeMatrix(b, ownType(m), m)
}

// ownType is the element type that a matrix has in memory.
func ownType(m mat.Matrix) string {
	if _, narrow := m.(*coles.Dense32); narrow {
		return "<f4"
	}
	return "<f8"
}

// writeHeader writes what stands before the elements of a row-major .npy file. It
// leaves its error in b, as Write does.
func writeHeader(b *bufio.Writer, descr string, shape ...int) {
	writeOrderedHeader(b, descr, false, shape...)
}

func writeOrderedHeader(b *bufio.Writer, descr string, fortran bool, shape ...int) {
	tuple := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		tuple += ","
	}
	order := "False"
	if fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, tuple)
	// The elements start at a multiple of 64 bytes, for memory mapping:
	// ten bytes come before the header, a newline ends it.
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
}

// writeMatrix writes header and rows, as '<f4' or '<f8'; the numbers must fit.
func writeMatrix(b *bufio.Writer, descr string, m mat.Matrix) error {
	r, c := m.Dims()
	writeHeader(b, descr, r, c)
	return writeElements(b, descr, m)
}

// writeElements writes the rows, without a header.
func writeElements(b *bufio.Writer, descr string, m mat.Matrix) error {
	if x, narrow := m.(*coles.Dense32); narrow {
		raw := x.RawMatrix()
		for i := range raw.Rows {
			if err := writeEach(b, raw.Data[i*raw.Stride:][:raw.Cols], appendFloat32s[float32]); err != nil {
				return err
			}
		}
		return nil
	}
	put := floatsAs(descr)
	return eachRow(m, func(_ int, row []float64) error { return writeEach(b, row, put) })
}

// writeEach writes elements as put appends them, some at a time.
func writeEach[T any](b *bufio.Writer, values []T, put func([]byte, []T) []byte) error {
	for part := range slices.Chunk(values, 1<<10) {
		if _, err := b.Write(put(b.AvailableBuffer(), part)); err != nil {
			return err
		}
	}
	return nil
}

// floatsAs returns what encodes numbers as '<f4' or '<f8'.
func floatsAs(descr string) func([]byte, []float64) []byte {
	if descr == "<f4" {
		return appendFloat32s[float64]
	}
	return appendFloat64s
}

func appendFloat32s[T float32 | float64](to []byte, values []T) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(v)))
	}
	return to
}

func appendFloat64s(to []byte, values []float64) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}

// WriteTSV writes a line a row: the id, or the row's number when ids is nil,
// and the values, separated by tabs, in the shortest form that reads back to
// the same number. [ReadEdgeList] reads it as a features file, unless an id is
// repeated or a value is NaN or infinite, which are written as they are. An id is put
// in double quotes where that file would need it; one with a line break or
// that is empty or not UTF-8 is ErrID, a wrong number of ids ErrShape, a nil matrix or
// writer ErrMissing; nothing is written then.
func WriteTSV(w io.Writer, ids []string, m mat.Matrix) error {
	r, _, err := writing("tsv", w, m)
	if err != nil {
		return err
	}
	if err := checkIDs("tsv", ids, r, func(c rune) bool { return c == '\n' || c == '\r' }); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, chunk)
	err = writeRows(b, ids, m, '\t', quoteTSV)
	return finish("tsv", b, err)
}

// quoteTSV protects what the reader would take for a separator, a quote, a
// comment or surrounding space.
func quoteTSV(id string) string {
	if strings.ContainsAny(id, "\t\"") || strings.ContainsAny(id[:1], "#% ") || id[len(id)-1] == ' ' || strings.HasPrefix(id, "\ufeff") {
		return `"` + strings.ReplaceAll(id, `"`, `""`) + `"`
	}
	return id
}

// checkWriter refuses a writer that is not there.
func checkWriter(format string, w io.Writer) error {
	if w == nil {
		return fmt.Errorf("dataset: write %s: %w: no writer", format, ErrMissing)
	}
	return nil
}

// writing checks what the writers of matrices are given, and returns its size.
func writing(format string, w io.Writer, m mat.Matrix) (r, c int, err error) {
	if err := checkWriter(format, w); err != nil {
		return 0, 0, err
	}
	if isNil(m) {
		return 0, 0, fmt.Errorf("dataset: write %s: %w: the matrix is nil", format, ErrMissing)
	}
	if r, c, err = dimsOf(m); err != nil {
		return 0, 0, fmt.Errorf("dataset: write %s: %w", format, err)
	}
	return r, c, nil
}

// isNil tells whether m is nil or a nil pointer.
func isNil(m mat.Matrix) bool {
	v := reflect.ValueOf(m)
	return m == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// dimsOf is m.Dims(), if they are sizes.
func dimsOf(m mat.Matrix) (r, c int, err error) {
	defer trap(m, &err)
	r, c = m.Dims()
	if r < 0 || c < 0 {
		return 0, 0, fmt.Errorf("a matrix of %d × %d: %w", r, c, ErrShape)
	}
	if r > maxDim || c > min(maxDim, math.MaxInt/16) { // a row must fit memory
		return 0, 0, fmt.Errorf("a matrix of %d × %d: %w", r, c, ErrTooLarge)
	}
	return r, c, nil
}

// trap, deferred, makes a panic of a matrix an error: matrices may be anybody's.
func trap(m mat.Matrix, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("reading the %T panicked: %v: %w", m, r, ErrShape)
	}
}

// checkIDs looks at all ids before anything is written.
func checkIDs(format string, ids []string, rows int, bad func(rune) bool) error {
	if ids == nil {
		return nil
	}
	if len(ids) != rows {
		return fmt.Errorf("dataset: write %s: %d ids for %d rows: %w", format, len(ids), rows, ErrShape)
	}
	for i, id := range ids {
		if id == "" || strings.ContainsFunc(id, bad) || strings.ToValidUTF8(id, "") != id {
			return fmt.Errorf("dataset: write %s: row %d, id %q: %w", format, i, id, ErrID)
		}
	}
	return nil
}

func writeRows(b *bufio.Writer, ids []string, m mat.Matrix, sep byte, quote func(string) string) error {
	var line []byte
	return eachRow(m, func(i int, row []float64) error {
		line = line[:0]
		if ids != nil {
			line = append(line, quote(ids[i])...)
		} else {
			line = strconv.AppendInt(line, int64(i), 10)
		}
		for _, v := range row {
			line = strconv.AppendFloat(append(line, sep), v, 'g', -1, 64)
		}
		_, err := b.Write(append(line, '\n'))
		return err
	})
}

// eachRow calls f with every row; a row is valid during the call only.
func eachRow(m mat.Matrix, f func(i int, row []float64) error) error {
	r, c := m.Dims()
	space := make([]float64, c)
	for i := range r {
		row, err := rowOf(m, i, space)
		if err != nil {
			return err
		}
		if err := f(i, row); err != nil {
			return err
		}
	}
	return nil
}

// rowOf is row i of m, in the space given if m has none.
func rowOf(m mat.Matrix, i int, space []float64) (row []float64, err error) {
	defer trap(m, &err)
	switch m := m.(type) {
	case mat.RawRowViewer:
		return m.RawRowView(i), nil
	case mat.RowNonZeroDoer: // a sparse matrix would search for every At
		clear(space)
		m.DoRowNonZero(i, func(_, j int, v float64) { space[j] += v })
	default:
		for j := range space {
			space[j] = m.At(i, j)
		}
	}
	return space, nil
}

func finish(format string, b *bufio.Writer, err error) error {
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("dataset: write %s: %w", format, err)
	}
	return nil
}
