package dataset

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"coles"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// The examples are those of the format's description by NIST, and what it says of each field
// and symmetry.
func TestMatrixMarketForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		sparse     bool
		want       []float64
	}{
		{"coordinate", "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 1 1.5\n2 3 -2e1\n1 2 0.25\n", true, []float64{1.5, 0.25, 0, 0, 0, -20}},
		{"integer, in capitals", "%%MatrixMarket MATRIX Coordinate Integer General\n2 2 1\n2 1 7\n", true, []float64{0, 0, 7, 0}},
		{"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n", true, []float64{0, 1, 0, 1}},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n", true, []float64{3, 4, 4, 0}},
		{"symmetric pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", true, []float64{0, 1, 1, 0}},
		{"skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n", true, []float64{0, -4, 4, 0}},
		{"skew-symmetric, zeros on its diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 4\n", true, []float64{0, -4, 4, 0}},
		{"no entries", "%%MatrixMarket matrix coordinate real general\n1 2 0\n", true, []float64{0, 0}},
		{"array", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", false, []float64{1, 3, 5, 2, 4, 6}},
		{"symmetric array", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", false, []float64{1, 2, 2, 3}},
		{"skew-symmetric array", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n", false, []float64{0, -5, 5, 0}},
		{"tabs and line ends of Windows", "%%MatrixMarket matrix coordinate real general\r\n1 1 1\r\n1\t1\t 8\r\n", true, []float64{8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ReadMatrixMarket(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if _, isCSR := m.(*sparse.CSR); isCSR != c.sparse {
				t.Errorf("a %T", m)
			}
			r, k := m.Dims()
			if !mat.Equal(m, mat.NewDense(r, k, c.want)) {
				t.Errorf("got %v, want %v", mat.Formatted(m), c.want)
			}
		})
	}
}

const marketHead = "%%MatrixMarket matrix coordinate real general\n"

func TestMatrixMarketMalformed(t *testing.T) {
	for _, c := range []struct {
		name, text string
		cause      error
		place      string
	}{
		{"nothing", "", ErrTruncated, "matrix:1"},
		{"no banner", "2 2 1\n1 1 1\n", ErrFormat, "matrix:1"},
		{"half a banner", "%%MatrixMarket matrix\n", ErrFormat, "matrix:1"},
		{"a tensor", "%%MatrixMarket tensor coordinate real general\n", ErrFormat, "matrix:1"},
		{"an unknown format", "%%MatrixMarket matrix list real general\n", ErrFormat, `"list"`},
		{"complex numbers", "%%MatrixMarket matrix coordinate complex general\n", ErrFormat, `"complex"`},
		{"a Hermitian matrix", "%%MatrixMarket matrix coordinate real hermitian\n", ErrFormat, `"hermitian"`},
		{"a pattern of an array", "%%MatrixMarket matrix array pattern general\n1 1\n", ErrFormat, "matrix:1"},
		{"no sizes", marketHead, ErrTruncated, "matrix:2"},
		{"two sizes", marketHead + "2 2\n", ErrFormat, "matrix:2"},
		{"a negative size", marketHead + "-2 2 1\n", ErrFormat, "matrix:2:1"},
		{"a size of text", marketHead + "2 two 1\n", ErrFormat, "matrix:2:3"},
		{"no rows", marketHead + "0 2 0\n", ErrShape, "matrix:2"},
		{"too many rows", marketHead + "1099511627776 1 0\n", ErrTooLarge, "matrix:2"},
		{"a size beyond all", marketHead + "99999999999999999999 1 0\n", ErrTooLarge, "matrix:2:1"},
		{"empty rows beyond measure", marketHead + "2000000000 2 0\n", ErrTooLarge, "matrix:2"},
		{"too many entries", marketHead + "2 2 1099511627777\n", ErrTooLarge, "matrix:2:5"},
		{"symmetric, not square", "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", ErrShape, "matrix:2"},
		{"too few entries", marketHead + "2 2 2\n1 1 1\n", ErrTruncated, "matrix:4"},
		{"entries declared only", marketHead + "2 2 1000000000000\n1 1 1\n", pastInt32, "matrix:"},
		{"too many lines", marketHead + "2 2 1\n1 1 1\n2 2 2\n", ErrFormat, "matrix:4"},
		{"a row of zero", marketHead + "2 2 1\n0 1 1\n", ErrIndex, "matrix:3:1"},
		{"a column beyond", marketHead + "2 2 1\n1 3 1\n", ErrIndex, "matrix:3:3"},
		{"no value", marketHead + "2 2 1\n1 1\n", ErrFormat, "matrix:3"},
		{"a value of text", marketHead + "2 2 1\n1 1 one\n", ErrFormat, "matrix:3:5"},
		{"a value that is no number", marketHead + "2 2 1\n1 1 NaN\n", ErrNotFinite, "matrix:3:5"},
		{"a diagonal in a skew-symmetric matrix", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", ErrFormat, "matrix:3"},
		{"two values a line", "%%MatrixMarket matrix array real general\n1 2\n1 2\n", ErrFormat, "matrix:3"},
		{"too few values", "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n", ErrTruncated, "matrix:4"},
		{"a value too many", "%%MatrixMarket matrix array real general\n1 1\n1\n2\n", ErrFormat, "matrix:4"},
		{"not UTF-8", marketHead + "2 2 1\n1 1 \xff\n", ErrFormat, "matrix:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			taken := allocated(func() {
				_, err := ReadMatrixMarket(strings.NewReader(c.text))
				wantError(t, err, c.cause, c.place)
			})
			if taken > 4<<20 {
				t.Errorf("%d bytes for a file of %d", taken, len(c.text))
			}
		})
	}
}

func TestMatrixMarketFailsAtEveryByte(t *testing.T) {
	for _, text := range []string{marketHead + "2 2 2\n1 1 1\n2 1 3\n", "%%MatrixMarket matrix array real general\n1 2\n1\n2\n"} {
		for at := range len(text) + 1 {
			_, err := ReadMatrixMarket(failAfter([]byte(text[:at])))
			wantError(t, err, errDisk, "matrix:")
		}
	}
}

func TestMatrixMarketRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	dense := mat.NewDense(7, 5, nil)
	ptr, ind, val := []int{0}, []int(nil), []float64(nil)
	for i := range 7 {
		for j := range 5 {
			dense.Set(i, j, rng.NormFloat64()*math.Pow(10, float64(rng.IntN(600)-300)))
			if rng.IntN(3) == 0 {
				ind, val = append(ind, j), append(val, dense.At(i, j))
			}
		}
		ptr = append(ptr, len(ind))
	}
	narrow, err := coles.NewDense32(2, 2, []float32{1, 0.1, -3, 1e-30})
	if err != nil {
		t.Fatal(err)
	}
	csr := sparse.NewCSR(7, 5, ptr, ind, val)
	for name, m := range map[string]mat.Matrix{"dense": dense, "sparse": csr, "float32": narrow, "a view": dense.T()} {
		var b bytes.Buffer
		if err := WriteMatrixMarket(&b, m); err != nil {
			t.Fatal(err)
		}
		back, err := ReadMatrixMarket(&b)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(back, m) {
			t.Errorf("%s: another matrix came back", name)
		}
		if name == "sparse" {
			if diff := cmp.Diff(csr.RawMatrix(), back.(*sparse.CSR).RawMatrix()); diff != "" {
				t.Errorf("sparse: %s", diff)
			}
		}
	}
}

func TestWriteMatrixMarketRefuses(t *testing.T) {
	var b bytes.Buffer
	wantError(t, WriteMatrixMarket(&b, nil), ErrMissing, "nil")
	wantError(t, WriteMatrixMarket(&b, &mat.Dense{}), ErrShape, "0 × 0")
	wantError(t, WriteMatrixMarket(&b, mat.NewDense(1, 2, []float64{1, math.Inf(1)})), ErrNotFinite, "(0, 1)")
	if b.Len() > 0 {
		t.Errorf("%q was written", b.String())
	}
	dense := mat.NewDense(40, 40, nil)
	for i := range 40 {
		dense.Set(i, i, 1)
	}
	var whole bytes.Buffer
	if err := WriteMatrixMarket(&whole, dense); err != nil {
		t.Fatal(err)
	}
	for at := range whole.Len() {
		wantError(t, WriteMatrixMarket(&limited{w: io.Discard, left: at}, dense), errDisk, "matrix market")
	}
}

func FuzzReadMatrixMarket(f *testing.F) {
	f.Add([]byte(marketHead + "2 2 2\n1 1 1\n2 1 3\n"))
	f.Add([]byte("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"))
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := ReadMatrixMarket(bytes.NewReader(file))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteMatrixMarket(&b, m); err != nil {
			t.Fatal(err)
		}
		back, err := ReadMatrixMarket(&b)
		if err != nil {
			t.Fatal(err)
		}
		if r, c := m.Dims(); r*c < 1<<16 && !mat.Equal(m, back) {
			t.Error("another matrix came back")
		}
	})
}
