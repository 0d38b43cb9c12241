package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/enum"
	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Similarity says how two rows of an embedding are compared.
type Similarity int

const (
	// Cosine is u·v/(‖u‖·‖v‖), and 0 where a row is zero.
	Cosine Similarity = iota
	// DotProduct is u·v: long rows are near to many.
	DotProduct
)

var similarityNames = []string{"cosine", "dot"}

// String is the name that UnmarshalText reads.
func (s Similarity) String() string { return enum.Name(s, similarityNames) }

// MarshalText gives the name that UnmarshalText reads.
func (s Similarity) MarshalText() ([]byte, error) {
	return enum.Marshal(s, similarityNames, ErrParameter)
}

// UnmarshalText reads "cosine" or "dot".
func (s *Similarity) UnmarshalText(text []byte) error {
	return enum.Unmarshal(s, text, similarityNames, ErrParameter)
}

func (s Similarity) check() error {
	if s != Cosine && s != DotProduct {
		return fmt.Errorf("%w: %v", ErrParameter, s)
	}
	return nil
}

// rowsAtOnce is how many rows a task measures, rescales or unpacks.
const rowsAtOnce = 256

// norms is the length of each row.
func (f *features) norms(ctx context.Context) ([]float64, error) {
	norms := make([]float64, f.rows)
	err := parallel.Ranges(ctx, f.rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			_, values := f.row(i)
			norms[i] = norm2(values)
		}
	})
	if err != nil {
		return nil, err
	}
	for i, norm := range norms {
		if math.IsInf(norm, 0) {
			return nil, fmt.Errorf("%w: the length of row %d overflows", ErrNotFinite, i)
		}
	}
	return norms, nil
}

// unit is a copy of f whose rows have length 1, but for those that are zero.
func (f *features) unit(ctx context.Context) (*features, error) {
	norms, err := f.norms(ctx)
	if err != nil {
		return nil, err
	}
	u := &features{rows: f.rows, cols: f.cols}
	if f.sparse != nil {
		u.sparse = &kernel.CSR[float64]{Rows: f.rows, Cols: f.cols, Ptr: f.sparse.Ptr, Col: f.sparse.Col,
			Val: make([]float64, len(f.sparse.Val))}
	} else {
		u.dense = kernel.Dense[float64](f.rows, f.cols)
	}
	err = parallel.Ranges(ctx, f.rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			_, from := f.row(i)
			_, to := u.row(i)
			for j, v := range from {
				if v != 0 { // a zero row stays zero
					to[j] = v / norms[i]
				}
			}
		}
	})
	return u, err
}

// full is f as a dense matrix, in place if it is one.
func (f *features) full(ctx context.Context) (kernel.Matrix[float64], error) {
	if f.sparse == nil {
		return f.dense, nil
	}
	full := kernel.Dense[float64](f.rows, f.cols)
	err := parallel.Ranges(ctx, f.rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, values := f.row(i)
			for p, j := range cols {
				full.Data[i*full.Stride+int(j)] = values[p]
			}
		}
	})
	return full, err
}

// singleUnitRows sets the rows of to, from the first, to those of f from lo on,
// divided by their norms. Zero rows stay zero.
func (f *features) singleUnitRows(ctx context.Context, to kernel.Matrix[float32], norms []float64, lo int) error {
	return parallel.Ranges(ctx, to.Rows, rowsAtOnce, func(first, last int) {
		for i := first; i < last; i++ {
			row, inverse := to.Data[i*to.Stride:][:to.Cols], 1/norms[lo+i]
			if norms[lo+i] == 0 {
				inverse = 0
			}
			cols, values := f.row(lo + i)
			if f.sparse == nil {
				for j, v := range values {
					row[j] = float32(v * inverse)
				}
				continue
			}
			clear(row)
			for p, j := range cols {
				row[j] = float32(values[p] * inverse)
			}
		}
	})
}
