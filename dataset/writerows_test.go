package dataset

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// rowWriters are the formats of text whose rows one writer writes.
var rowWriters = map[string]func(w io.Writer, ids []string, m mat.Matrix) error{
	"tsv": WriteTSV, "csv": WriteCSV, "json lines": writeJSONLines, "word2vec": writeWord2Vec,
}

// fmt prints numbers by %.ng as the standard library does, and nothing of this package.
func TestDigits(t *testing.T) {
	values := []float64{1. / 3, -12345.678, 1e-9 / 7, 2, 6.02214076e23}
	for digits := range 12 {
		want := make([]string, len(values))
		for j, v := range values {
			if want[j] = fmt.Sprintf("%.*g", digits, v); digits == 0 {
				want[j] = fmt.Sprint(v)
			}
		}
		m := mat.NewDense(1, len(values), values)
		for name, write := range rowWriters {
			sep := map[string]string{"tsv": "\t", "csv": ",", "json lines": ",", "word2vec": " "}[name]
			text := string(written(t, func(w io.Writer) error { return write(w, []string{"a"}, Digits(m, digits)) }))
			testkit.WantText(t, text, strings.Join(want, sep))
		}
	}
}

// The bytes are the same on any number of processors, for rows of every length against a piece's.
func TestRowsAreTheSameOnAnyNumberOfProcessors(t *testing.T) {
	rng := testkit.Random(5)
	for _, size := range [][2]int{{1, 1}, {40_000, 1}, {300, 129}, {3, 40_000}} {
		m := testkit.RandomDense(rng, size[0], size[1])
		for name, write := range rowWriters {
			var first string
			testkit.ForProcessors(t, func(procs int) {
				text := string(written(t, func(w io.Writer) error { return write(w, nil, m) }))
				if first == "" {
					first = text
				}
				if text != first {
					t.Errorf("%s of %v with %d processors differs", name, size, procs)
				}
			})
		}
	}
}

// BenchmarkWriteRows writes an embedding of Pubmed's size, 19,717 × 256 of float32.
func BenchmarkWriteRows(b *testing.B) {
	m := testkit.SingleOf(testkit.RandomDense(testkit.Random(1), 19_717, 256))
	for _, name := range []string{"tsv", "csv", "json lines", "word2vec"} {
		b.Run(name, func(b *testing.B) {
			var count counting
			runtime.GC()
			for b.Loop() {
				count = 0
				testkit.Check(b, rowWriters[name](&count, nil, m))
			}
			b.SetBytes(int64(count))
			b.ReportMetric(float64(count)/1e6, "MB")
		})
	}
}

type counting int

func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}
