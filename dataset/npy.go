package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"coles"
	"coles/dataset/internal/place"
	"coles/internal/npy"
	"coles/internal/source"

	"gonum.org/v1/gonum/mat"
)

// ReadNPY reads a matrix from an .npy stream of format version 1 to 3: two dimensions, or one, which
// gives a single column. Elements may be float32, float64, integers of 1 to 8 bytes or bool, in either
// byte order, row- or column-major; they become float64, NaN and infinities included.
//
// Errors name the byte; coles.ErrShape is an array of more than two dimensions, or an empty one.
func ReadNPY(r io.Reader) (*mat.Dense, error) {
	file := source.Binary(r, "npy")
	rows, cols, data, err := npy.ReadMatrix(source.NewReader(r), npy.Floats)
	if err != nil {
		return nil, place.In(file, err)
	}
	return mat.NewDense(rows, cols, data), nil
}

// WriteNPY writes m in NumPy's .npy format, version 1.0: little-endian, row-major, float32 for a
// *coles.Dense32 and float64 for any other matrix. numpy.load, [ReadNPY] and, for float32, [MapNPY]
// give back the same bits. The transpose of a *coles.Dense32 or *mat.Dense, as its method T returns
// it, is written as it lies in memory: column-major, in the same precision, which MapNPY refuses.
// Errors: coles.ErrShape for a matrix without rows or columns, or the writer's own. Memory: one row.
func WriteNPY(w io.Writer, m mat.Matrix) error {
	_, _, err := sides(m)
	return buffered(w, "npy", err, func(b *bufio.Writer) error { return writeAsStored(b, m) })
}

// writeAsStored writes a matrix with its header as it lies in memory.
func writeAsStored(b *bufio.Writer, m mat.Matrix) error {
	if t, ok := m.(mat.Transpose); ok {
		switch t.Matrix.(type) {
		case *mat.Dense, *coles.Dense32:
			r, c := t.Dims()
			npy.WriteHeader(b, elementType(t.Matrix), true, r, c)
			return writeElements(b, elementType(t.Matrix), t.Matrix)
		}
	}
	return writeMatrix(b, elementType(m), m)
}

// elementType is the element type that a matrix has in memory.
func elementType(m mat.Matrix) string {
	if _, narrow := m.(*coles.Dense32); narrow {
		return "<f4"
	}
	return "<f8"
}

// writeMatrix writes header and rows, as '<f4' or '<f8'; the numbers must fit.
func writeMatrix(b *bufio.Writer, descr string, m mat.Matrix) error {
	r, c := m.Dims()
	npy.WriteHeader(b, descr, false, r, c)
	return writeElements(b, descr, m)
}

func writeElements(b *bufio.Writer, descr string, m mat.Matrix) error {
	if x, narrow := m.(*coles.Dense32); narrow {
		for i := range x.Rows {
			if err := npy.Write(b, descr, x.Data[i*x.Stride:][:x.Cols]); err != nil {
				return err
			}
		}
		return nil
	}
	return eachRow(m, func(_ int, row []float64) error { return npy.Write(b, descr, row) })
}

// MapNPY maps the .npy file at path into memory as Features, a *coles.Dense32 not to be written to: the memory is read-only,
// and a write ends the program. Elements are '<f4', row-major, in two dimensions or in one, a single column, as numpy.save
// and [WriteNPY] write. Pages are read when they are first looked at, so that features may be larger than memory. The file
// must not shrink before [Dataset.Close]: to read a lost page ends the program. Where files cannot be mapped (Windows, js,
// big-endian machines) the matrix is read into memory.
//
// Errors: ErrLayout for other elements, column-major order and a gzipped file, all of which [ReadNPY] reads; otherwise
// as for ReadNPY.
func MapNPY(path string) (*Dataset, error) {
	return Open(path, func(r io.Reader) (*Dataset, error) {
		d, err := mapNPY(r.(*source.File))
		return d, place.In(path, err)
	})
}

func mapNPY(f *source.File) (*Dataset, error) {
	if !f.Info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", coles.ErrFormat)
	}
	if f.IsGzip() {
		return nil, source.At(0, "%w: the file is gzipped; ReadNPY reads it through Open", ErrLayout)
	}
	s, size := source.NewReader(f), f.Info.Size()
	h, err := npy.ReadHeader(s, npy.MaxStream)
	if err != nil {
		return nil, err
	}
	rows, cols, err := h.Sides()
	switch {
	case err != nil:
		return nil, err
	case h.Kind != 'f' || h.Size != 4 || h.Order != binary.LittleEndian:
		return nil, source.At(0, "%w: the elements are not '<f4'; ReadNPY converts them", ErrLayout)
	case h.Fortran:
		return nil, source.At(0, "%w: the array is column-major; ReadNPY reorders it", ErrLayout)
	}
	switch want := s.Off + 4*int64(h.Count); {
	case size < want:
		return nil, source.At(size, "%w: shape %v needs %d bytes", coles.ErrChecksum, h.Shape, want)
	case size > want:
		return nil, source.At(want, "%w: bytes after the end", coles.ErrFormat)
	case want > math.MaxInt:
		return nil, source.At(0, "%d bytes to address: %w", want, coles.ErrTooLarge)
	}
	x := &coles.Dense32{Rows: rows, Cols: cols, Stride: cols}
	d := &Dataset{Features: x}
	var m *mapping
	if s.Off%4 == 0 {
		m, err = mapFile(f.Packed.(*os.File), int(size)) // with the header: a mapping begins at a page
	} else {
		err = errors.ErrUnsupported
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		x.Data, err = npy.Narrowed(s, h, size)
	case err == nil:
		x.Data = numbersIn[float32](m.bytes[s.Off:], h.Count)
		d.forget, d.release = m.forget, func() error {
			d.Features = nil
			return m.unmap()
		}
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
