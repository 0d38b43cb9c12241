package task

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"coles/internal/archive"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// The file of a predictor holds its linear model, and behind it the names and the origin.
const predictorMagic = "COLESLIN"

var namesFormat = archive.Format{Magic: [8]byte([]byte("COLESCLS")), Version: 1}

// namesHeader holds bytes: a name need not be UTF-8, as JSON is. A regression of numbers is kept as the score of two
// classes.
type namesHeader struct {
	Names [][]byte `json:"names"`
	Origin
	Alpha       float64      `json:"alpha,omitempty"`
	Temperature float64      `json:"temperature,omitempty"`
	Weights     []float64    `json:"weights,omitempty"`
	Threshold   *float64     `json:"threshold,omitempty"` // of several classes a node
	Ridge       *ridgeHeader `json:"ridge,omitempty"`
}

type ridgeHeader struct {
	Log    bool    `json:"log"`
	Margin float64 `json:"margin"`
}

// write writes a predictor.
func (p *Predictor) write(w io.Writer) error {
	h := namesHeader{Origin: p.Of}
	var m *learn.LinearModel
	switch {
	case p.number != nil:
		h.Alpha, h.Ridge = p.number.Alpha, &ridgeHeader{p.number.Log, p.number.Margin}
		m = &learn.LinearModel{Classes: []int{0, 1}, Coef: mat.NewDense(1, len(p.number.Coef), p.number.Coef), Intercept: []float64{p.number.Intercept}, C: 1}
	case p.several != nil:
		m, h.Alpha, h.Threshold = p.several.Linear, p.several.Alpha, &p.several.Threshold
	default:
		m, h.Alpha, h.Temperature, h.Weights = p.one.LinearModel, p.one.Alpha, p.one.Temperature, p.one.Weights
	}
	if _, err := m.WriteTo(w); err != nil {
		return err
	}
	for _, name := range p.Names {
		h.Names = append(h.Names, []byte(name))
	}
	_, err := namesFormat.Write(w, h)
	return err
}

// readPredictor reads a predictor, and no byte more.
func readPredictor(r io.Reader) (*Predictor, error) {
	m, err := learn.ReadLinearModel(r)
	if err != nil {
		return nil, err
	}
	p := &Predictor{}
	_, err = namesFormat.Read(r, func(text []byte) ([]int, error) {
		var h namesHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		for _, name := range h.Names {
			p.Names = append(p.Names, string(name))
		}
		p.Of = h.Origin
		return nil, p.become(m, h)
	})
	if err != nil {
		return nil, err
	}
	p.take()
	return p, nil
}

// become takes a linear model for what the header says.
func (p *Predictor) become(m *learn.LinearModel, h namesHeader) error {
	rows, _ := m.Coef.Dims()
	last := slices.Max(m.Classes)
	switch {
	case !(h.Alpha >= 0 && h.Alpha < 1):
		return fmt.Errorf("a share of %v of the neighbours", h.Alpha)
	case h.Ridge == nil && p.Names != nil && last >= len(p.Names):
		return fmt.Errorf("class %d, and %d names", last, len(p.Names))
	case h.Temperature < 0 || h.Weights != nil && len(h.Weights) != len(m.Classes):
		return fmt.Errorf("temperature %v, and weights of %d classes", h.Temperature, len(h.Weights))
	case h.Ridge != nil && rows == 1:
		p.number = &learn.Ridge{Coef: m.Coef.RawRowView(0), Intercept: m.Intercept[0], Alpha: h.Alpha, Log: h.Ridge.Log, Margin: h.Ridge.Margin}
	case h.Threshold != nil && rows == len(m.Classes):
		p.several = &learn.SetModel{Linear: m, Alpha: h.Alpha, Threshold: *h.Threshold}
	case h.Ridge == nil && h.Threshold == nil:
		p.one = &learn.Smoothed{LinearModel: m, Alpha: h.Alpha, Temperature: h.Temperature, Weights: h.Weights}
	default:
		return fmt.Errorf("coefficients of %d classes", rows)
	}
	return nil
}
