package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// WriteWord2Vec writes the text format of word2vec, which gensim and others
// read: a line "rows columns", then a line a row, the id (or the row's number
// when ids is nil) and the values, separated by spaces. The format has no
// quoting: an id that is empty or holds white space is ErrID, a wrong number
// of ids ErrShape, a nil matrix or writer ErrMissing; nothing is written then.
func WriteWord2Vec(w io.Writer, ids []string, m mat.Matrix) error {
	r, c, err := writing("word2vec", w, m)
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

// WriteWord2VecBinary writes the binary format of word2vec: a line "rows columns",
// then for each row the id (or the row's number when ids is nil), a space, the values as little-endian float32, and a line
// feed. An id that is empty or holds white space is ErrID, a wrong number of ids
// ErrShape, a value that float32 cannot hold ErrNotFinite, a nil matrix or writer ErrMissing; nothing is
// written then.
func WriteWord2VecBinary(w io.Writer, ids []string, m mat.Matrix) error {
	const format = "word2vec binary"
	r, c, err := writing(format, w, m)
	if err != nil {
		return err
	}
	if err := checkIDs(format, ids, r, unicode.IsSpace); err != nil {
		return err
	}
	if err := eachRow(m, func(i int, row []float64) error {
		for j, v := range row {
			if narrow := float64(float32(v)); narrow-narrow != 0 {
				return fmt.Errorf("dataset: write %s: %v at (%d, %d): %w", format, v, i, j, ErrNotFinite)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, chunk)
	fmt.Fprintf(b, "%d %d\n", r, c)
	err = eachRow(m, func(i int, row []float64) error {
		id := strconv.Itoa(i)
		if ids != nil {
			id = ids[i]
		}
		b.WriteString(id)
		b.WriteByte(' ')
		if err := writeEach(b, row, appendFloat32s[float64]); err != nil {
			return err
		}
		return b.WriteByte('\n')
	})
	return finish(format, b, err)
}

// ReadWord2Vec reads the text format of word2vec: a line "rows columns", then a line a
// row, an id and its values, separated by spaces. It returns the ids and their vectors.
//
// Errors are a *ParseError with line and column and wrap ErrFormat, ErrTruncated,
// ErrTooLarge, ErrShape (no rows or columns, or a row of another length), ErrDuplicate (an id), ErrNotFinite,
// ErrMissing (no reader), or the error of the reader. Memory follows the rows that arrive.
func ReadWord2Vec(r io.Reader) (ids []string, vectors *mat.Dense, err error) {
	if err := checkReader(r, "word2vec"); err != nil {
		return nil, nil, err
	}
	return readWord2Vec(r, "word2vec")
}

// OpenWord2Vec reads the file at path, gzipped or not. See [ReadWord2Vec].
func OpenWord2Vec(path string) (ids []string, vectors *mat.Dense, err error) {
	f, err := openFile(path, freeText)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readWord2Vec(f, path)
}

func readWord2Vec(r io.Reader, file string) ([]string, *mat.Dense, error) {
	t := newTable(r, file)
	v, err := t.vectorSizes()
	if err != nil {
		return nil, nil, err
	}
	for range v.rows {
		t.line++
		if err := t.readLine(); err != nil {
			if err == io.EOF {
				err = t.fault(-1, "%w: %d rows of %d", ErrTruncated, len(v.ids), v.rows)
			}
			return nil, nil, err
		}
		if err := v.textRow(t); err != nil {
			return nil, nil, err
		}
	}
	t.line++
	for err = t.readLine(); err == nil && len(bytes.TrimSpace(t.text)) == 0; err = t.readLine() {
		t.line++
	}
	if err == nil {
		return nil, nil, t.fault(-1, "%w: more than %d rows", ErrFormat, v.rows)
	}
	if err != io.EOF {
		return nil, nil, err
	}
	return v.ids, mat.NewDense(v.rows, v.cols, v.data), nil
}

// namedVectors are rows with a name each, as they arrive.
type namedVectors struct {
	rows, cols int // as declared
	ids        []string
	known      map[string]int
	data       []float64
}

// vectorSizes reads the line "rows columns".
func (t *table) vectorSizes() (*namedVectors, error) {
	t.line, t.sep = 1, ' '
	if err := t.readLine(); err != nil {
		if err == io.EOF {
			err = t.fault(-1, "%w: an empty file", ErrTruncated)
		}
		return nil, err
	}
	if err := t.split(); err != nil {
		return nil, err
	}
	if len(t.cols) != 2 {
		return nil, t.fault(-1, "%w: %d fields, want the numbers of rows and of columns", ErrFormat, len(t.cols))
	}
	v := &namedVectors{known: make(map[string]int)}
	for k, place := range []*int{&v.rows, &v.cols} {
		size, err := strconv.Atoi(t.cols[k])
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && size > maxDim:
			return nil, t.fault(k, "%s: %w (at most %d)", t.cols[k], ErrTooLarge, maxDim)
		case err != nil || size < 0:
			return nil, t.fault(k, "%w: %q is not a size", ErrFormat, t.cols[k])
		case size == 0:
			return nil, t.fault(k, "no rows or columns: %w", ErrShape)
		}
		*place = size
	}
	return v, nil
}

// textRow takes in the current line.
func (v *namedVectors) textRow(t *table) error {
	if err := t.splitSpaces(); err != nil {
		return err
	}
	if len(t.cols) != v.cols+1 {
		return t.fault(-1, "%d fields, want an id and %d values: %w", len(t.cols), v.cols, ErrShape)
	}
	if err := v.name(strings.Clone(t.cols[0])); err != nil {
		return t.fault(0, "%w", err)
	}
	for k := 1; k <= v.cols; k++ {
		x, err := t.number(k)
		if err != nil {
			return err
		}
		v.data = append(v.data, x)
	}
	return nil
}

// name gives the next row its id.
func (v *namedVectors) name(id string) error {
	if first, ok := v.known[id]; ok {
		return fmt.Errorf("id %q is that of row %d: %w", id, first, ErrDuplicate)
	}
	v.known[id] = len(v.ids)
	v.ids = append(v.ids, id)
	return nil
}

// splitSpaces cuts the line at its spaces: a format without quotes.
func (t *table) splitSpaces() error {
	t.cols, t.at = t.cols[:0], t.at[:0]
	if !utf8.Valid(t.text) {
		return t.fault(-1, "%w: not UTF-8 text", ErrFormat)
	}
	line := string(t.text)
	for p := 0; p < len(line); {
		if line[p] == ' ' || line[p] == '\t' {
			p++
			continue
		}
		end := p
		for end < len(line) && line[end] != ' ' && line[end] != '\t' {
			end++
		}
		t.cols, t.at = append(t.cols, line[p:end]), append(t.at, p)
		p = end
	}
	return nil
}

// maxWord bounds an id in a binary file, which nothing else ends.
const maxWord = 64 << 10

// ReadWord2VecBinary reads the binary format of word2vec: a line "rows columns", then
// for each row an id, a space and its values as little-endian float32, with or without a
// line feed after them (gensim writes none).
//
// Errors are a *ParseError with the byte and wrap ErrFormat, ErrTruncated, ErrTooLarge,
// ErrShape (no rows or columns), ErrDuplicate (an id), ErrNotFinite, ErrMissing (no reader), or the
// error of the reader.
// Memory follows the rows that arrive.
func ReadWord2VecBinary(r io.Reader) (ids []string, vectors *mat.Dense, err error) {
	if err := checkReader(r, "word2vec"); err != nil {
		return nil, nil, err
	}
	return readWord2VecBinary(r, "word2vec")
}

// OpenWord2VecBinary reads the file at path, gzipped or not. See [ReadWord2VecBinary].
func OpenWord2VecBinary(path string) (ids []string, vectors *mat.Dense, err error) {
	f, err := openFile(path, freeBinary)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readWord2VecBinary(f, path)
}

func readWord2VecBinary(r io.Reader, file string) ([]string, *mat.Dense, error) {
	b := buffered(r)
	head := &table{r: b, file: file}
	v, err := head.vectorSizes()
	if err != nil {
		return nil, nil, err
	}
	s := &source{r: b, file: file, off: int64(len(head.text)) + 1}
	buf := make([]byte, 0, 4*min(chunk/4, v.cols))
	for range v.rows {
		id, err := s.word(b)
		if err != nil {
			return nil, nil, err
		}
		if err := v.name(id); err != nil {
			return nil, nil, atByte(file, s.off, "%w", err)
		}
		for left := v.cols; left > 0; {
			part := buf[:4*min(left, cap(buf)/4)]
			start := s.off
			if err := s.full(part); err != nil {
				return nil, nil, err
			}
			for p := 0; p < len(part); p += 4 {
				x := float64(math.Float32frombits(binary.LittleEndian.Uint32(part[p:])))
				if x-x != 0 {
					return nil, nil, atByte(file, start+int64(p), "%v: %w", x, ErrNotFinite)
				}
				v.data = append(v.data, x)
			}
			left -= len(part) / 4
		}
	}
	if next, err := b.Peek(1); err == nil && next[0] == '\n' {
		b.Discard(1)
		s.off++
	}
	if err := s.end(); err != nil {
		return nil, nil, err
	}
	return v.ids, mat.NewDense(v.rows, v.cols, v.data), nil
}

// word reads an id and the space after it. A line feed before it ends the row before.
func (s *source) word(b *bufio.Reader) (string, error) {
	start := s.off
	var word []byte
	for {
		c, err := b.ReadByte()
		if err != nil {
			return "", s.fail(err)
		}
		s.off++
		switch {
		case c == '\n' && len(word) == 0:
			continue
		case c == '\n':
			return "", atByte(s.file, start, "%w: a line feed in an id", ErrFormat)
		case c == ' ':
			if len(word) == 0 || !utf8.Valid(word) {
				return "", atByte(s.file, start, "%w: an id that is empty or not UTF-8", ErrFormat)
			}
			return string(word), nil
		}
		if word = append(word, c); len(word) > maxWord {
			return "", atByte(s.file, start, "an id of more than %d bytes: %w", maxWord, ErrTooLarge)
		}
	}
}
