package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/npy"
	"coles/internal/setting"
	"coles/internal/source"
	"coles/internal/text"

	"gonum.org/v1/gonum/mat"
)

// writeWord2Vec writes the text format of word2vec, which gensim and others read: a line "rows
// columns", then a line a row, the id (or the row's number when ids is nil) and the values,
// separated by spaces. The format has no quoting: an id that is empty or holds white space is
// coles.ErrIDs; a wrong number of ids is coles.ErrShape.
func writeWord2Vec(w io.Writer, ids []string, m mat.Matrix) error {
	return buffered(w, "word2vec", checkIDs(ids, m, unicode.IsSpace), func(b *bufio.Writer) error {
		writeSizes(b, m)
		begin := func(line []byte, i int) []byte { return append(line, rowID(ids, i)...) }
		return textForm{begin: begin, before: " ", sep: " ", after: "\n"}.write(b, m)
	})
}

func writeSizes(b *bufio.Writer, m mat.Matrix) {
	r, c := m.Dims()
	fmt.Fprintf(b, "%d %d\n", r, c)
}

// writeWord2VecBinary writes the binary format of word2vec: a line "rows columns", then for each
// row the id (or the row's number when ids is nil), a space, the values as little-endian float32,
// and a line feed. A value that float32 cannot hold is coles.ErrNotFinite; ids are as for
// writeWord2Vec.
func writeWord2VecBinary(w io.Writer, ids []string, m mat.Matrix) error {
	err := checkFinite(checkIDs(ids, m, unicode.IsSpace), m, true)
	return buffered(w, "word2vec binary", err, func(b *bufio.Writer) error {
		writeSizes(b, m)
		return eachRow(m, func(i int, row []float64) error {
			b.WriteString(rowID(ids, i))
			b.WriteByte(' ')
			if err := npy.Write(b, "<f4", row); err != nil {
				return err
			}
			return b.WriteByte('\n')
		})
	})
}

// spaced is the layout of lines of fields between spaces.
var spaced = text.Layout{Separator: ' ', Unquoted: true}

// readWord2Vec reads the text format of word2vec: a line "rows columns", then a line a row, an id
// and its values, separated by spaces. The files of GloVe have no first line.
//
// Errors have line and column; a row of another length is coles.ErrShape, an id given twice
// coles.ErrIDs. Memory follows the rows that arrive.
func readWord2Vec(r io.Reader, _ parse.Options) (*Dataset, error) {
	t := text.NewReader(r, spaced)
	v, glove := readSizes(t, true)
	more := glove || t.ReadLine()
	for ; more && len(v.ids) < v.rows; more = t.ReadLine() {
		t.Split()
		if len(t.Fields) != v.cols+1 {
			t.Fault(-1, "%s, want an id and %d values: %w", setting.Count(len(t.Fields), "fields"), v.cols, coles.ErrShape)
			break
		}
		if err := v.name(strings.Clone(t.Fields[0])); err != nil {
			t.Fault(0, "%w", err)
		}
		for k := 1; k < len(t.Fields) && t.Err == nil; k++ {
			v.data = append(v.data, t.Number(k))
		}
	}
	if glove {
		v.rows = len(v.ids)
	} else if len(v.ids) < v.rows {
		t.Fault(-1, "%w: %d rows of %d", coles.ErrChecksum, len(v.ids), v.rows)
	}
	for ; more; more = t.ReadLine() {
		if len(bytes.TrimSpace(t.Text)) > 0 {
			t.Fault(-1, "%w: more than %d rows", coles.ErrFormat, v.rows)
		}
	}
	return v.dataset(place.In(source.Name(r, "word2vec"), t.Err))
}

// readWord2VecBinary reads the binary format of word2vec: a line "rows columns", then for each row
// an id, a space and its values as little-endian float32, with or without a line feed after them
// (gensim writes none).
//
// Errors name the byte; an id given twice is coles.ErrIDs. Memory follows the rows that arrive.
func readWord2VecBinary(r io.Reader, _ parse.Options) (*Dataset, error) {
	file := source.Binary(r, "word2vec")
	head := text.NewReader(r, spaced)
	v, _ := readSizes(head, false)
	if head.Err != nil {
		return nil, place.In(file, head.Err)
	}
	s := source.NewReader(head.Rest())
	s.Off = int64(len(head.Text)) + 1
	return v.dataset(place.In(file, v.readBinary(s)))
}

// namedVectors are rows with a name each, as they arrive.
type namedVectors struct {
	rows, cols int // as declared
	ids        []string
	known      map[string]int
	data       []float64
}

func (v *namedVectors) dataset(err error) (*Dataset, error) {
	if err != nil {
		return nil, err
	}
	return &Dataset{IDs: v.ids, Features: mat.NewDense(v.rows, v.cols, v.data)}, nil
}

// name gives the next row its id.
func (v *namedVectors) name(id string) error {
	if first, ok := v.known[id]; ok {
		return fmt.Errorf("%w: id %q stands in row %d, too", coles.ErrIDs, id, first)
	}
	v.known[id] = len(v.ids)
	v.ids = append(v.ids, id)
	return nil
}

// readSizes reads the line "rows columns". It may be missing, and the first line a row of three fields or more.
func readSizes(t *text.Reader, mayMiss bool) (v *namedVectors, missing bool) {
	if !t.ReadLine() {
		t.Fault(-1, "%w: an empty file", coles.ErrChecksum)
	}
	t.Split()
	if mayMiss && len(t.Fields) > 2 {
		return &namedVectors{rows: bounds.Dim, cols: len(t.Fields) - 1, known: make(map[string]int)}, true
	}
	t.Want(2)
	v = &namedVectors{rows: t.Size(0, bounds.Dim), cols: t.Size(1, bounds.Dim), known: make(map[string]int)}
	for k, size := range []int{v.rows, v.cols} {
		if size == 0 {
			t.Fault(k, "no rows or columns: %w", coles.ErrShape)
		}
	}
	return v, false
}

func (v *namedVectors) readBinary(s *source.Reader) error {
	buf := make([]byte, 4*min(source.Chunk/4, v.cols))
	for range v.rows {
		id, err := word(s)
		if err != nil {
			return err
		}
		if err := v.name(id); err != nil {
			return source.At(s.Off, "%w", err)
		}
		for left := v.cols; left > 0; {
			part := buf[:4*min(left, len(buf)/4)]
			start := s.Off
			if err := s.Full(part); err != nil {
				return err
			}
			for p := 0; p < len(part); p += 4 {
				x := float64(math.Float32frombits(binary.LittleEndian.Uint32(part[p:])))
				if x-x != 0 {
					return source.At(start+int64(p), "%v: %w", x, coles.ErrNotFinite)
				}
				v.data = append(v.data, x)
			}
			left -= len(part) / 4
		}
	}
	s.Skip('\n')
	return s.End()
}

// word reads an id and the space after it. A line feed before it ends the row before.
func word(s *source.Reader) (string, error) {
	start := s.Off
	text, err := s.Until(' ')
	if err != nil {
		return "", err
	}
	text = bytes.TrimLeft(text, "\n")
	if len(text) == 0 || !utf8.Valid(text) || bytes.IndexByte(text, '\n') >= 0 {
		return "", source.At(start, "%w: an id that is empty, not UTF-8 or of several lines", coles.ErrFormat)
	}
	return string(text), nil
}
