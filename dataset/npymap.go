package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"coles"
)

// A Mapped is a matrix of float32 that lies in a file, see [MapNPY].
type Mapped struct {
	matrix *coles.Dense32
	unmap  func() error // nil when the matrix is in memory or closed
}

// Matrix returns the matrix (n × d), not to be written to: the memory is
// read-only, and a write ends the program. It is nil after Close.
func (m *Mapped) Matrix() *coles.Dense32 {
	if m == nil {
		return nil
	}
	return m.matrix
}

// Close gives the mapping back; a second call does nothing. A matrix taken
// before is gone then: to read it ends the program, with a fault that cannot
// be recovered from. A model fitted on it keeps nothing of it.
func (m *Mapped) Close() error {
	if m == nil {
		return nil
	}
	m.matrix = nil
	if m.unmap == nil {
		return nil
	}
	unmap := m.unmap
	m.unmap = nil
	if err := unmap(); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// MapNPY maps the .npy file at path into memory as a matrix of float32, which
// must be what it holds: elements '<f4', row-major, in two dimensions or in
// one, which gives a single column. The pages are read when they are first
// looked at, are shared with every process that maps the file, and can be
// dropped by the system at any time, so that features may be larger than
// memory. numpy.save and [WriteNPY] of a *coles.Dense32 write such files.
//
// The file must not shrink as long as it is mapped: to read what is no longer
// there ends the program. Values are taken as they stand, NaN and infinities
// included.
//
// On systems without mmap (Windows, js), on big-endian machines, and where the
// numbers do not begin at a multiple of four bytes (no file of NumPy's), the
// matrix is read into memory instead, 4·n·d bytes of it.
//
// Errors: ErrLayout, which names [OpenNPY], for other elements, for column-major
// order and for a gzipped file; ErrFormat, ErrTruncated, ErrTooLarge, ErrShape
// and ErrObject as for [ReadNPY]; those of the system.
func MapNPY(path string) (*Mapped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	return mapNPY(&source{r: f, file: path}, f)
}

func mapNPY(s *source, f *os.File) (*Mapped, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, inFile(s.file, "%w", err)
	case !info.Mode().IsRegular():
		return nil, inFile(s.file, "%w: not a regular file", ErrFormat)
	}
	h, err := s.readHeader(maxNPY)
	if err != nil {
		return nil, s.unpackFirst(f, err)
	}
	rows, cols, err := s.matrix(h)
	switch {
	case err != nil:
		return nil, err
	case h.kind != 'f' || h.size != 4 || h.order != binary.LittleEndian:
		return nil, atByte(s.file, 0, "%w: the elements are not '<f4'; OpenNPY converts them", ErrLayout)
	case h.fortran:
		return nil, atByte(s.file, 0, "%w: the array is column-major; OpenNPY reorders it", ErrLayout)
	}
	switch want := s.off + 4*int64(h.count); {
	case info.Size() < want:
		return nil, atByte(s.file, info.Size(), "%w: shape %v needs %d bytes", ErrTruncated, h.shape, want)
	case info.Size() > want:
		return nil, atByte(s.file, want, "%w: bytes after the end", ErrFormat)
	case want > math.MaxInt:
		return nil, atByte(s.file, 0, "%d bytes to address: %w", want, ErrTooLarge)
	}
	data, unmap, err := mapFloat32(f, s.off, h.count)
	if errors.Is(err, errors.ErrUnsupported) {
		data, err = s.readFloat32(h)
	}
	if err != nil {
		return nil, err
	}
	m, err := coles.NewDense32(rows, cols, data)
	if err != nil {
		if unmap != nil {
			unmap()
		}
		return nil, atByte(s.file, 0, "%w: %w", ErrTooLarge, err)
	}
	return &Mapped{m, unmap}, nil
}

// unpackFirst gives a gzipped file, which has no header to map, its own error.
func (s *source) unpackFirst(f io.ReaderAt, err error) error {
	var magic [2]byte
	if k, _ := f.ReadAt(magic[:], 0); k == 2 && bytes.Equal(magic[:], []byte{0x1f, 0x8b}) {
		return atByte(s.file, 0, "%w: the file is gzipped; OpenNPY unpacks it", ErrLayout)
	}
	return err
}

// readFloat32 reads an array whose size the file has been found to have.
func (s *source) readFloat32(h *npyHeader) ([]float32, error) {
	data := make([]float32, h.count)
	buf := make([]byte, min(chunk, 4*h.count))
	for rest := data; len(rest) > 0; {
		part := buf[:min(len(buf), 4*len(rest))]
		if err := s.full(part); err != nil {
			return nil, err
		}
		for k := range len(part) / 4 {
			rest[k] = math.Float32frombits(binary.LittleEndian.Uint32(part[4*k:]))
		}
		rest = rest[len(part)/4:]
	}
	return data, nil
}
