package dataset

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"coles"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// WriteNPY writes m in NumPy's .npy format, version 1.0: little-endian,
// row-major, float32 for a *coles.Dense32 and float64 for any other matrix.
// numpy.load gives back the same bits, and so does [ReadNPY] and, for float32,
// [MapNPY]. An error is the writer's own, or ErrMissing for a nil matrix. Rows
// are written as they are encoded: memory is that of one row.
func WriteNPY(w io.Writer, m mat.Matrix) error {
	r, c, err := dims("npy", m)
	if err != nil {
		return err
	}
	narrow, isNarrow := m.(*coles.Dense32)
	descr := "<f8"
	if isNarrow {
		descr = "<f4"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, r, c)
	// The numbers start at a multiple of 64 bytes, for memory mapping:
	// ten bytes come before the header, a newline ends it.
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := bufio.NewWriterSize(w, chunk)
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	if isNarrow {
		return finish("npy", b, writeFloat32(b, narrow.RawMatrix()))
	}
	var num []byte
	err = eachRow(m, func(_ int, row []float64) error {
		num = num[:0]
		for _, v := range row {
			num = binary.LittleEndian.AppendUint64(num, math.Float64bits(v))
		}
		_, err := b.Write(num)
		return err
	})
	return finish("npy", b, err)
}

func writeFloat32(b *bufio.Writer, m blas32.General) error {
	var num []byte
	for i := range m.Rows {
		num = num[:0]
		for _, v := range m.Data[i*m.Stride:][:m.Cols] {
			num = binary.LittleEndian.AppendUint32(num, math.Float32bits(v))
		}
		if _, err := b.Write(num); err != nil {
			return err
		}
	}
	return nil
}

// WriteTSV writes a line a row: the id, or the row's number when ids is nil,
// and the values, separated by tabs, in the shortest form that reads back to
// the same number. [ReadEdgeList] reads it as a features file. An id is put
// in double quotes where that file would need it; one with a line break or
// that is empty or not UTF-8 is ErrID, a wrong number of ids ErrShape; nothing is
// written then.
func WriteTSV(w io.Writer, ids []string, m mat.Matrix) error {
	r, _, err := dims("tsv", m)
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

// WriteWord2Vec writes the text format of word2vec, which gensim and others
// read: a line "rows columns", then a line a row, the id (or the row's number
// when ids is nil) and the values, separated by spaces. The format has no
// quoting: an id that is empty or holds white space is ErrID, a wrong number
// of ids ErrShape; nothing is written then.
func WriteWord2Vec(w io.Writer, ids []string, m mat.Matrix) error {
	r, c, err := dims("word2vec", m)
	if err != nil {
		return err
	}
	if err := checkIDs("word2vec", ids, r, unicode.IsSpace); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, chunk)
	fmt.Fprintf(b, "%d %d\n", r, c)
	err = writeRows(b, ids, m, ' ', func(id string) string { return id })
	return finish("word2vec", b, err)
}

func dims(format string, m mat.Matrix) (r, c int, err error) {
	if x, narrow := m.(*coles.Dense32); m == nil || narrow && x == nil {
		return 0, 0, fmt.Errorf("dataset: write %s: %w: the matrix is nil", format, ErrMissing)
	}
	r, c = m.Dims()
	return r, c, nil
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
	row := make([]float64, c)
	for i := range r {
		switch m := m.(type) {
		case mat.RawRowViewer:
			row = m.RawRowView(i)
		case mat.RowNonZeroDoer: // a sparse matrix would search for every At
			clear(row)
			m.DoRowNonZero(i, func(_, j int, v float64) { row[j] += v })
		default:
			for j := range row {
				row[j] = m.At(i, j)
			}
		}
		if err := f(i, row); err != nil {
			return err
		}
	}
	return nil
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
