package dataset

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// The examples come from the format's description by NIST, with each field and
// symmetry.
func TestMatrixMarketForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []float64
	}{
		{"coordinate", "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 1 1.5\n2 3 -2e1\n1 2 0.25\n", []float64{1.5, 0.25, 0, 0, 0, -20}},
		{"integer, in capitals", "%%MatrixMarket MATRIX Coordinate Integer General\n2 2 1\n2 1 7\n", []float64{0, 0, 7, 0}},
		{"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n", []float64{0, 1, 0, 1}},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n", []float64{3, 4, 4, 0}},
		{"symmetric pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", []float64{0, 1, 1, 0}},
		{"skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n", []float64{0, -4, 4, 0}},
		{"skew-symmetric, zeros on its diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 4\n", []float64{0, -4, 4, 0}},
		{"no entries", "%%MatrixMarket matrix coordinate real general\n1 2 0\n", []float64{0, 0}},
		{"tabs and line ends of Windows", "%%MatrixMarket matrix coordinate real general\r\n1 1 1\r\n1\t1\t 8\r\n", []float64{8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := testkit.Must(readMatrixMarket(strings.NewReader(c.text)))
			testkit.WantSame(t, "the rows", testkit.DenseOf(m).RawMatrix().Data, c.want)
			again := written(t, func(w io.Writer) error { return writeMatrixMarket(w, m) })
			wantSameEntries(t, "read back", testkit.Must(readMatrixMarket(bytes.NewReader(again))), m)
		})
	}
}

const marketHead = "%%MatrixMarket matrix coordinate real general\n"

func FuzzReadMatrixMarket(f *testing.F) {
	f.Add([]byte(marketHead + "2 2 2\n1 1 1\n2 1 3\n"))
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := readMatrixMarket(bytes.NewReader(file))
		if err != nil {
			return
		}
		again := written(t, func(w io.Writer) error { return writeMatrixMarket(w, m) })
		back := testkit.Must(readMatrixMarket(bytes.NewReader(again)))
		if r, c := m.Dims(); r*c < 1<<16 && !mat.Equal(m, back) {
			t.Error("another matrix came back")
		}
	})
}

func TestBadMatrixMarketToWrite(t *testing.T) {
	for want, m := range map[error]*sparse.CSR{
		coles.ErrNotFinite: sparse.NewCSR(1, 1, []int{0, 1}, []int{0}, []float64{math.NaN()}),
		coles.ErrIndex:     sparse.NewCSR(1, 1, []int{0, 1}, []int{1}, []float64{1}),
		coles.ErrShape:     sparse.NewCSR(0, 0, []int{0}, nil, nil),
	} {
		var b bytes.Buffer
		wantError(t, writeMatrixMarket(&b, m), want, "matrix market")
		testkit.WantSame(t, "bytes of what is refused", b.Len(), 0)
	}
}
