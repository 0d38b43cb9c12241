package distributed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"
	"coles/internal/npy"
	"coles/internal/source"
)

// maxLine bounds a line of text.
const maxLine = 1 << 16

// lines are the lines of a text, without the spaces around them, each valid until the next. The last
// has the error, if there is one.
func (s *shard) lines(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for number := 1; ; number++ {
			text, err := s.ReadSlice('\n')
			switch {
			case err == io.EOF && len(text) == 0:
				return
			case len(text) > maxLine:
				err = fmt.Errorf("%w: a line of more than %d bytes", coles.ErrFormat, maxLine)
			case err == io.EOF:
				err = nil
			case number%(1<<14) == 0 && err == nil:
				err = ctx.Err()
			}
			if !yield(bytes.TrimSpace(text), err) || err != nil {
				return
			}
		}
	}
}

// An edge as text has it.
type edge struct {
	u, v []byte // valid until the next edge
	w    float64
}

// eachEdge calls f with every edge "u v" or "u v w" of a file of text. Fields are separated as on the first
// line that has an edge: by tabs, commas, semicolons or spaces. Empty lines, and those that begin
// with # or %, are comments.
func eachEdge(ctx context.Context, path string, f func(edge) error) error {
	s, err := openShard(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	sep, number := "", 0
	for text, err := range s.lines(ctx) {
		number++
		if err == nil && (len(text) == 0 || text[0] == '#' || text[0] == '%') {
			continue
		}
		if sep == "" {
			sep = separator(text)
		}
		var e edge
		if err == nil {
			e, err = parseEdge(text, sep)
		}
		if err == nil {
			err = f(e)
		}
		if err != nil {
			return fmt.Errorf("distributed: %s:%d: %w", path, number, err)
		}
	}
	return nil
}

func separator(text []byte) string {
	for _, sep := range []string{"\t", ",", ";"} {
		if bytes.Contains(text, []byte(sep)) {
			return sep
		}
	}
	return " "
}

func parseEdge(text []byte, sep string) (edge, error) {
	var fields [][]byte
	if sep == " " {
		fields = bytes.Fields(text)
	} else {
		fields = bytes.Split(text, []byte(sep))
	}
	if len(fields) != 2 && len(fields) != 3 {
		return edge{}, fmt.Errorf("%w: %d fields, an edge has 2 or 3", coles.ErrFormat, len(fields))
	}
	e := edge{u: bytes.TrimSpace(fields[0]), v: bytes.TrimSpace(fields[1]), w: 1}
	if len(fields) == 2 {
		return e, nil
	}
	var err error
	if e.w, err = strconv.ParseFloat(string(bytes.TrimSpace(fields[2])), 64); err != nil {
		return e, fmt.Errorf("%w: weight %q", coles.ErrFormat, fields[2])
	}
	return e, matrix.CheckWeight(e.w, string(e.u), string(e.v))
}

// node reads the number of a node, below n.
func node(text []byte, n int64) (int64, error) {
	v, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		v = math.MaxInt64
	case err != nil:
		return 0, fmt.Errorf("%w: node %q is no number", coles.ErrFormat, text)
	}
	return v, checkNode(v, n)
}

func checkNode(v, n int64) error {
	if v < 0 || v >= n {
		return fmt.Errorf("%w: node %d of %d", coles.ErrIndex, v, n)
	}
	return nil
}

// readNumbers reads the matrix of an .npy shard.
func readNumbers(ctx context.Context, path string) (rows, cols int, data []float64, err error) {
	s, err := openShard(ctx, path)
	if err != nil {
		return 0, 0, nil, err
	}
	defer s.Close()
	m, err := dataset.ReadNPY(s)
	if err != nil {
		return 0, 0, nil, fmt.Errorf("distributed: %s: %w", path, err)
	}
	rows, cols = m.Dims()
	return rows, cols, m.RawMatrix().Data, nil
}

// npyShape reads the shape of a matrix from the header of an .npy shard, and nothing more.
func npyShape(ctx context.Context, path string) (rows int64, cols int, err error) {
	s, err := openShard(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	h, err := npy.ReadHeader(source.NewReader(s), math.MaxInt64)
	if err == nil && (h.Count == 0 || len(h.Shape) == 0 || len(h.Shape) > 2) {
		err = fmt.Errorf("%w: shape %v", coles.ErrShape, h.Shape)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("distributed: %s: %w", path, err)
	}
	return int64(h.Shape[0]), h.Count / h.Shape[0], nil
}
