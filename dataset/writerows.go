package dataset

import (
	"bufio"
	"context"
	"runtime"
	"strconv"

	"coles"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

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
