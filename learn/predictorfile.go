package learn

import (
	"cmp"
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

// The file of a predictor is that of its linear model, followed by all else but the results of cross-validation.
var predictorFormat = archive.Format{Magic: [8]byte([]byte("COLESCLS")), Version: 1}

// predictorHeader holds names as bytes: names need not be UTF-8, and JSON is. A regression of numbers is kept as the score of
// two classes.
type predictorHeader struct {
	Names [][]byte `json:"names"`
	Origin
	Alpha     float64      `json:"alpha,omitempty"`     // of files that weigh no opinions
	Weights   []float64    `json:"weights,omitempty"`   // of the classes: the balance
	Threshold *float64     `json:"threshold,omitempty"` // of several classes a row
	Ridge     *ridgeHeader `json:"ridge,omitempty"`
	Opinions  *Weights     `json:"opinions,omitempty"`
	Columns   bool         `json:"columns,omitempty"` // the predictor by features follows
	// Temperature T is of files from before opinions were weighed: their vectors count 1/T.
	Temperature float64 `json:"temperature,omitempty"`
}

type ridgeHeader struct {
	Log    bool    `json:"log"`
	Margin float64 `json:"margin"`
}

// WriteTo writes the predictor in a versioned format that ends in a checksum, without what cross-validation has found.
//
// Errors: [coles.ErrShape] for a model whose parts do not fit together, [coles.ErrNotFinite] for its C, and the writer's.
func (p *Predictor) WriteTo(w io.Writer) (int64, error) {
	h := predictorHeader{Origin: p.Origin, Weights: p.Balance, Opinions: &p.Weights, Columns: p.Columns != nil}
	if r := p.Ridge; r != nil {
		h.Ridge = &ridgeHeader{r.Log, r.Margin}
	}
	if p.Several {
		h.Threshold = &p.Threshold
	}
	for _, name := range p.Names {
		h.Names = append(h.Names, []byte(name))
	}
	n, err := p.linear().write(w)
	if err != nil {
		return n, err
	}
	more, err := predictorFormat.Write(w, h)
	if n += more; err != nil || p.Columns == nil {
		return n, err
	}
	more, err = p.Columns.WriteTo(w)
	return n + more, err
}

// ReadPredictor reads the file of [Predictor.WriteTo], and no byte more. It takes memory as bytes arrive, never because a
// length is declared.
//
// Errors: [coles.ErrFormat] for bytes that are no classifier, an unknown version, or a file from before opinions were
// weighed, whose predictions were smoothed along the edges; [coles.ErrChecksum] for a file changed or cut off; the reader's.
func ReadPredictor(r io.Reader) (*Predictor, error) { return readPredictor(r, nil) }

// readPredictor reads a predictor or, for one by vectors, the one by features that follows it.
func readPredictor(r io.Reader, before *Predictor) (p *Predictor, err error) {
	m, err := readLinearModel(r)
	if err != nil {
		return nil, err
	}
	var follows bool
	_, err = predictorFormat.Read(r, func(text []byte) ([]int, error) {
		var h predictorHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		follows = h.Columns
		if p, err = h.predictor(m); err == nil && before != nil && (follows || (p.Ridge == nil) != (before.Ridge == nil) || p.Several != before.Several) {
			err = fmt.Errorf("%w: what follows is no classifier by features", coles.ErrFormat)
		}
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("read classifier: %w", err)
	}
	if follows {
		p.Columns, err = readPredictor(r, p)
	}
	return p, err
}

// predictor combines a linear model with the fields of the header.
func (h predictorHeader) predictor(m *LinearModel) (*Predictor, error) {
	p := &Predictor{Linear: m, Several: h.Threshold != nil, Balance: h.Weights, Origin: h.Origin, Weights: Weights{Vectors: 1 / cmp.Or(h.Temperature, 1)}}
	if h.Opinions != nil {
		p.Weights = *h.Opinions
	}
	for _, name := range h.Names {
		p.Names = append(p.Names, string(name))
	}
	rows, last := len(m.Intercept), slices.Max(m.Classes)
	switch {
	case h.Ridge == nil && p.Names != nil && last >= len(p.Names):
		return nil, fmt.Errorf("class %d, and %d names", last, len(p.Names))
	case h.Alpha != 0:
		return nil, fmt.Errorf("what is smoothed along the edges (α = %g), which no longer is done: learn from the labels again", h.Alpha)
	case h.Temperature < 0 || h.Weights != nil && len(h.Weights) != len(m.Classes):
		return nil, fmt.Errorf("temperature %v, and a balance of %d classes", h.Temperature, len(h.Weights))
	case h.Ridge != nil && rows == 1:
		p.Linear, p.Several = nil, false
		p.Ridge = &Ridge{Coef: m.Coef.RawRowView(0), Intercept: m.Intercept[0], Log: h.Ridge.Log, Margin: h.Ridge.Margin}
	case p.Several && rows == len(m.Classes):
		p.Threshold = *h.Threshold
	case h.Ridge != nil || p.Several:
		return nil, fmt.Errorf("coefficients of %d classes", rows)
	}
	return p, nil
}

// linearFormat is the format of a classifier's file. Its arrays are the coefficients and the
// intercepts.
var linearFormat = archive.Format{Magic: [8]byte([]byte("COLESLIN")), Version: 1}

// linearHeader holds the fields of a classifier that are no long arrays.
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
	both := len(m.Classes) == 2 && len(m.Intercept) == 2
	return linearFormat.Write(w, linearHeader{m.Classes, d, m.C, both}, mat.DenseCopyOf(m.Coef).RawMatrix().Data, m.Intercept)
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
