package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
)

// floatChunk is the number of values converted at a time.
const floatChunk = 8192

// A writer counts and hashes what it writes and remembers its first error.
type writer struct {
	w   io.Writer
	sum hash.Hash
	n   int64
	err error
}

func (out *writer) write(p []byte) {
	if out.err != nil {
		return
	}
	n, err := out.w.Write(p)
	out.sum.Write(p[:n])
	out.n += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	out.err = err
}

func (out *writer) floats(values []float64) {
	buf := make([]byte, 0, 8*min(floatChunk, len(values)))
	for len(values) > 0 && out.err == nil {
		chunk := values[:min(floatChunk, len(values))]
		values = values[len(chunk):]
		buf = buf[:0]
		for _, v := range chunk {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		out.write(buf)
	}
}

// A reader counts and hashes what it reads.
type reader struct {
	r   io.Reader
	sum hash.Hash
	n   int64
}

// bytes reads n bytes, taking memory only as they arrive; with an error come those that did.
func (in *reader) bytes(n int) ([]byte, error) {
	var buf bytes.Buffer
	got, err := io.CopyN(io.MultiWriter(&buf, in.sum), in.r, int64(n))
	in.n += got
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it ends %d bytes early", ErrChecksum, int64(n)-got)
	}
	return buf.Bytes(), err
}

// floats reads n finite numbers.
func (in *reader) floats(n int) ([]float64, error) {
	var values []float64
	for n > 0 {
		chunk, err := in.bytes(8 * min(floatChunk, n))
		if err != nil {
			return nil, err
		}
		for q := 0; q < len(chunk); q += 8 {
			v := math.Float64frombits(binary.LittleEndian.Uint64(chunk[q:]))
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%w: %v among its numbers", ErrFormat, v)
			}
			values = append(values, v)
		}
		n -= len(chunk) / 8
	}
	return values, nil
}
