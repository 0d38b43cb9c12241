package npy

import (
	"coles"
	"coles/internal/source"
)

// MaxStream bounds the memory of an array from a stream, whose size cannot be asked.
const MaxStream = 1 << 40

// ReadMatrix reads an array that is a matrix, into row order.
func ReadMatrix[T any](s *source.Reader, read func(*source.Reader, *Header) ([]T, error)) (rows, cols int, data []T, err error) {
	h, err := ReadHeader(s, MaxStream)
	if err == nil {
		rows, cols, err = h.Sides()
	}
	if err == nil {
		data, err = read(s, h)
	}
	if err != nil {
		return 0, 0, nil, err
	}
	return rows, cols, RowMajor(h, data, rows, cols), nil
}

// Sides returns the rows and columns of an array that is a matrix.
func (h *Header) Sides() (rows, cols int, err error) {
	if len(h.Shape) < 1 || len(h.Shape) > 2 {
		return 0, 0, source.At(0, "an array of shape %v where a matrix is expected: %w", h.Shape, coles.ErrShape)
	}
	if h.Count == 0 {
		return 0, 0, source.At(0, "an empty matrix of shape %v: %w", h.Shape, coles.ErrShape)
	}
	return h.Shape[0], h.Count / h.Shape[0], nil
}
