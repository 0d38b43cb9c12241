package dataset

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/internal/parallel"
	"coles/internal/text"

	"gonum.org/v1/gonum/mat"
)

// writeEdgeList writes a line for every entry of the adjacency, row by row: the ids of row and
// column, or their numbers where d.IDs is nil, and, unless all are 1, the weight, separated by
// tabs. Nothing else of d is written. A node without an edge is coles.ErrIDs. [ReadEdgeList] reads the lines as
// they were written, unless an id is repeated; see [WriteTSV] for ids. Errors are as for
// [Dataset.Validate] and for the ids. Cost: O(entries).
func writeEdgeList(w io.Writer, d *Dataset) error {
	err := d.validate()
	if err == nil {
		err = checkIDs(d.IDs, d.Adjacency, isLineEnd)
	}
	if err == nil {
		err = linked(d)
	}
	return buffered(w, "edge list", err, func(b *bufio.Writer) error { return writeEdges(b, d) })
}

// linked refuses nodes without an edge.
func linked(d *Dataset) error {
	raw := d.Adjacency.RawMatrix()
	has := make([]bool, raw.I)
	for i := range raw.I {
		for _, j := range raw.Ind[raw.Indptr[i]:raw.Indptr[i+1]] {
			has[i], has[j] = true, true
		}
	}
	if alone := slices.Index(has, false); alone >= 0 {
		return fmt.Errorf("%w: node %q has no edge, and a list of edges does not name it; npz does", coles.ErrIDs, rowID(d.IDs, alone))
	}
	return nil
}

func writeEdges(b *bufio.Writer, d *Dataset) error {
	raw := d.Adjacency.RawMatrix()
	weighted := slices.ContainsFunc(raw.Data, func(w float64) bool { return w != 1 })
	for i := range raw.I {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			u, v := rowID(d.IDs, i), rowID(d.IDs, raw.Ind[q])
			if q == 0 && text.IsColumnName(u) && text.IsColumnName(v) {
				weighted = true // the weight shows that the line is no header
			}
			line := append(append(append(b.AvailableBuffer(), quote(u, "\t")...), '\t'), quote(v, "\t")...)
			if weighted {
				line = strconv.AppendFloat(append(line, '\t'), raw.Data[q], 'g', -1, 64)
			}
			if _, err := b.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteTSV writes a line a row: the id, or the row's number when ids is nil, and the values,
// separated by tabs, in the shortest form that reads back to the same number. [ReadEdgeList] reads
// it as a features file, unless an id is repeated or a value is NaN or infinite, which are written
// as they are. An id is put in double quotes where that file would need it; one with a line break
// or that is empty or not UTF-8 is coles.ErrIDs, a wrong number of ids coles.ErrShape.
func WriteTSV(w io.Writer, ids []string, m mat.Matrix) error {
	return buffered(w, "tsv", checkIDs(ids, m, isLineEnd), func(b *bufio.Writer) error {
		return fields(ids, "\t", "\t").write(b, m)
	})
}

// WriteCSV writes what [WriteTSV] does, separated by commas and under a header, "id,x0,x1,…", which
// spreadsheets and pandas.read_csv expect. Where "id" is an id, the first column is called "id_".
func WriteCSV(w io.Writer, ids []string, m mat.Matrix) error {
	return buffered(w, "csv", checkIDs(ids, m, isLineEnd), func(b *bufio.Writer) error {
		name := "id"
		for slices.Contains(ids, name) {
			name += "_"
		}
		b.WriteString(name) // an error stays in b
		_, cols := m.Dims()
		for j := range cols {
			fmt.Fprintf(b, ",x%d", j)
		}
		b.WriteByte('\n')
		return fields(ids, ",", "\t,").write(b, m)
	})
}

// writeJSONLines writes an object a row and line, {"id":"ann","vector":[0.5,-1]}; the id is the
// row's number, as text, when ids is nil. Numbers are in the shortest form that reads back to the
// same. A value that is NaN or infinite, which JSON cannot say, is coles.ErrNotFinite; an id that
// is empty or not UTF-8 is coles.ErrIDs, a wrong number of ids coles.ErrShape. Cost: two passes.
func writeJSONLines(w io.Writer, ids []string, m mat.Matrix) error {
	err := checkFinite(checkIDs(ids, m, func(rune) bool { return false }), m, false)
	return buffered(w, "json lines", err, func(b *bufio.Writer) error {
		begin := func(line []byte, i int) []byte {
			id, _ := json.Marshal(rowID(ids, i)) // text is never refused
			return append(append(line, `{"id":`...), id...)
		}
		return textForm{begin: begin, before: `,"vector":[`, sep: ",", after: "]}\n"}.write(b, m)
	})
}

// fields is the form of an id and values, and sep before each; what is among special is protected.
func fields(ids []string, sep, special string) textForm {
	begin := func(line []byte, i int) []byte { return append(line, quote(rowID(ids, i), special)...) }
	return textForm{begin: begin, before: sep, sep: sep, after: "\n"}
}

// isLineEnd reports what no id may have in a file of lines.
func isLineEnd(c rune) bool { return c == '\n' || c == '\r' }

// quote protects what the reader would take for one of the separators, a quote, a comment or
// surrounding space or a mark of nothing.
func quote(id, separators string) string {
	if strings.ContainsAny(id, separators+"\"({") || strings.Contains(id, " #") || text.IsMark(id) || strings.ContainsAny(id[:1], "#% ") || id[len(id)-1] == ' ' || strings.HasPrefix(id, "\ufeff") {
		return `"` + strings.ReplaceAll(id, `"`, `""`) + `"`
	}
	return id
}

// Digits is a view of m of which the writers of text print numbers with that many significant digits at
// most. For less than 1 they are as in m: the fewest that read back to the same number.
func Digits(m mat.Matrix, digits int) mat.Matrix {
	if digits < 1 {
		return m
	}
	return rounded{m, digits}
}

type rounded struct {
	mat.Matrix
	digits int
}

// A textForm is the text form of a row: what its id makes of it, the values and between them
// sep, the first behind before, and after.
type textForm struct {
	begin              func(line []byte, i int) []byte
	before, sep, after string
}

// write writes a line for every row. Rows are taken in blocks, whose pieces all processors format.
func (f textForm) write(b *bufio.Writer, m mat.Matrix) error {
	digits, bits := -1, 64
	if r, ok := m.(rounded); ok {
		m, digits = r.Matrix, r.digits
	}
	if _, ok := m.(*coles.Dense32); ok {
		bits = 32
	}
	total, cols := m.Dims()
	piece := max(1, 1<<14/max(cols, 1))
	texts := make([][]byte, 2*runtime.GOMAXPROCS(0))
	most := min(total, piece*len(texts))
	block, first := make([]float64, most*cols), 0 // rows from first on
	return eachRow(m, func(i int, row []float64) error {
		copy(block[(i-first)*cols:], row)
		count := i + 1 - first
		if count < most && i+1 < total {
			return nil
		}
		parallel.Ranges(context.Background(), count, piece, func(lo, hi int) { // which does not end
			text := texts[lo/piece][:0]
			for k := lo; k < hi; k++ {
				text = append(f.begin(text, first+k), f.before...)
				for j, v := range block[k*cols : (k+1)*cols] {
					if j > 0 {
						text = append(text, f.sep...)
					}
					text = strconv.AppendFloat(text, v, 'g', digits, bits)
				}
				text = append(text, f.after...)
			}
			texts[lo/piece] = text
		})
		first = i + 1
		for _, text := range texts[:parallel.Pieces(count, piece)] {
			if _, err := b.Write(text); err != nil {
				return err
			}
		}
		return nil
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
		case *coles.Dense32:
			for j, v := range m.Data[i*m.Stride:][:c] {
				row[j] = float64(v)
			}
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
