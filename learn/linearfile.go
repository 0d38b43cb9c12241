package learn

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"coles"
	"coles/internal/archive"
	"coles/internal/contingency"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// linearFormat is the format of a classifier's file. Its arrays are the coefficients and the
// intercepts.
var linearFormat = archive.Format{Magic: [8]byte([]byte("COLESLIN")), Version: 1}

// linearHeader holds what is no long array of numbers.
type linearHeader struct {
	Classes []int   `json:"classes"`
	Columns int     `json:"columns"` // d
	C       float64 `json:"c"`
	Both    bool    `json:"both,omitempty"` // two classes have a row of coefficients each
}

// write writes the classifier in a versioned format that ends in a checksum.
func (m *LinearModel) write(w io.Writer) (int64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	if !matrix.Finite(m.C) {
		return 0, fmt.Errorf("%w: C is %v", coles.ErrNotFinite, m.C)
	}
	_, d := m.Coef.Dims()
	n, err := linearFormat.Write(w, linearHeader{m.Classes, d, m.C, len(m.Classes) == 2 && len(m.Intercept) == 2}, mat.DenseCopyOf(m.Coef).RawMatrix().Data, m.Intercept)
	if err != nil {
		return n, fmt.Errorf("write classifier: %w", err)
	}
	return n, nil
}

// readLinearModel reads the linear model at the beginning of the file of [Predictor.WriteTo], and no byte more.
func readLinearModel(r io.Reader) (*LinearModel, error) {
	var h linearHeader
	arrays, err := linearFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		return h.lengths()
	})
	if err != nil {
		return nil, fmt.Errorf("read classifier: %w", err)
	}
	coef := kernel.Matrix[float64]{Rows: len(arrays[1]), Cols: h.Columns, Stride: h.Columns, Data: arrays[0]}
	return &LinearModel{Classes: h.Classes, Coef: matrix.ToDense(coef), Intercept: arrays[1], C: h.C}, nil
}

// lengths checks the header and returns the lengths of the arrays.
func (h linearHeader) lengths() ([]int, error) {
	if len(h.Classes) < 2 || !slices.Equal(h.Classes, contingency.Distinct(h.Classes)) || h.Columns < 1 || h.Columns > math.MaxInt32 {
		return nil, fmt.Errorf("%d classes of %d features", len(h.Classes), h.Columns)
	}
	rows := problems(len(h.Classes))
	if h.Both {
		rows = len(h.Classes)
	}
	if err := matrix.CheckSize(rows, h.Columns); err != nil {
		return nil, err
	}
	return []int{rows * h.Columns, rows}, nil
}
