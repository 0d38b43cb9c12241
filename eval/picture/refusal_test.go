package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

func TestWhatCannotBeDrawnIsNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := []float64{1, 2, 3}
	logX, logY := Axes{LogX: true}, Axes{LogY: true}
	three := Axes{Categories: []string{"a", "b", "c"}}
	curves := func(a Axes, series ...Series) func() (*Picture, error) {
		return func() (*Picture, error) { return Curves(a, series...) }
	}
	places := func(xy mat.Matrix, classes []int, names ...string) func() (*Picture, error) {
		return func() (*Picture, error) { return Places(Axes{}, xy, classes, names) }
	}
	densities := func(samples ...Sample) func() (*Picture, error) {
		return func() (*Picture, error) { return Densities(t.Context(), Axes{}, samples...) }
	}
	var none context.Context
	single := must(t)(Curves(Axes{}, Series{Y: one}))
	double := must(t)(Grid([]*Picture{single, single}))
	for _, c := range []struct {
		name  string
		draw  func() (*Picture, error)
		cause error
		text  string
	}{
		{"no series", curves(Axes{}), ErrEmpty, "no series"},
		{"series without points", curves(Axes{}, Series{Y: one}, Series{Name: "bare", X: []float64{}}), ErrEmpty, `series 1, "bare"`},
		{"X too short", curves(Axes{}, Series{X: one[:2], Y: one}), ErrLength, "2 X, 3 Y"},
		{"X empty", curves(Axes{}, Series{X: []float64{}, Y: one}), ErrLength, "0 X"},
		{"errors too long", curves(Axes{}, Series{Y: one[:2], Error: one}), ErrLength, "3 errors"},
		{"X beside categories", curves(three, Series{X: one, Y: one}), ErrLength, "categories"},
		{"fewer points than categories", curves(three, Series{Y: one[:2]}), ErrLength, "2 Y, 3 categories"},
		{"NaN", curves(Axes{}, Series{Name: "s", Y: []float64{1, nan}}), ErrNotFinite, `point 1: series 0, "s"`},
		{"infinite X", curves(Axes{}, Series{X: []float64{1, -inf}, Y: one[:2]}), ErrNotFinite, "point 1"},
		{"NaN error", curves(Axes{}, Series{Y: one, Error: []float64{0, nan, 0}}), ErrNotFinite, "point 1"},
		{"band that overflows", curves(Axes{}, Series{Y: []float64{1e308}, Error: []float64{1e308}}), ErrNotFinite, "point 0"},
		{"range that overflows", curves(Axes{}, Series{Y: []float64{1.5e308, -1.5e308}}), ErrNotFinite, "y axis"},
		{"error below zero", curves(Axes{}, Series{Y: one, Error: []float64{0, 0, -1}}), ErrNotPositive, "point 2"},
		{"zero on a logarithmic axis", curves(logX, Series{X: []float64{0, 1, 2}, Y: one}), ErrNotPositive, "x axis"},
		{"band below a logarithmic axis", curves(logY, Series{Y: one, Error: one}), ErrNotPositive, "y axis"},
		{"from zero on a logarithmic axis", curves(Axes{LogY: true, FromZero: true}, Series{Y: one}), ErrNotPositive, "y axis"},
		{"spectrum below zero", func() (*Picture, error) { return Eigenvalues(logY, Series{Y: []float64{1, 0, -1}}) }, ErrNotPositive, "y axis"},
		{"size zero", func() (*Picture, error) { return Scaling(Axes{}, Series{X: []float64{0, 1}, Y: one[:2]}) }, ErrNotPositive, "x axis"},
		{"no measurement", func() (*Picture, error) { return Scaling(Axes{}) }, ErrEmpty, ""},
		{"no marks", func() (*Picture, error) { return Scatter(Axes{}) }, ErrEmpty, ""},
		{"mark nowhere", func() (*Picture, error) { return Scatter(Axes{}, Mark{"Cora", nan, 0}) }, ErrNotFinite, `"Cora"`},
		{"no matrix", places(nil, nil), ErrEmpty, ""},
		{"no rows", places(&mat.Dense{}, nil), ErrEmpty, ""},
		{"three columns", places(mat.NewDense(2, 3, nil), []int{0, 0}), ErrLength, "3 columns"},
		{"too few classes", places(mat.NewDense(2, 2, nil), []int{0}), ErrLength, "2 rows, 1 classes"},
		{"too few names", places(mat.NewDense(2, 2, nil), []int{0, 2}, "a", "b"), ErrLength, "class 2"},
		{"row nowhere", places(mat.NewDense(2, 2, []float64{0, 0, 0, inf}), []int{0, 0}), ErrNotFinite, "row 1"},
		{"embedding of one column", func() (*Picture, error) {
			return Map(t.Context(), Axes{}, mat.NewDense(2, 1, one[:2]), []int{0, 0}, nil)
		}, eval.ErrDimension, "map"},
		{"embedding with NaN", func() (*Picture, error) {
			return Map(t.Context(), Axes{}, mat.NewDense(1, 2, []float64{1, nan}), []int{0}, nil)
		}, coles.ErrNotFinite, "map"},
		{"densities without a context", func() (*Picture, error) { return Densities(none, Axes{}, Sample{"a", one}) }, eval.ErrParameter, "context"},
		{"no samples", densities(), ErrEmpty, ""},
		{"empty sample", densities(Sample{"a", one}, Sample{"b", nil}), ErrEmpty, `sample 1, "b"`},
		{"sample without spread", densities(Sample{"a", []float64{2, 2}}), eval.ErrBandwidth, "densities"},
		{"sample with NaN", densities(Sample{"a", []float64{2, nan}}), eval.ErrNotFinite, "densities"},
		{"no rows of pictures", func() (*Picture, error) { return Grid() }, ErrEmpty, ""},
		{"rows without pictures", func() (*Picture, error) { return Grid([]*Picture{}, nil) }, ErrEmpty, ""},
		{"only empty places", func() (*Picture, error) { return Grid([]*Picture{nil, nil}) }, ErrEmpty, ""},
		{"ragged rows", func() (*Picture, error) { return Grid([]*Picture{single, single}, []*Picture{single}) }, ErrLength, "row 1"},
		{"grid of grids", func() (*Picture, error) { return Grid([]*Picture{single, double}) }, ErrLength, "picture 1"},
		{"grid of a picture of nothing", func() (*Picture, error) { return Grid([]*Picture{{}}) }, ErrLength, "picture 0"},
	} {
		p, err := c.draw()
		if !errors.Is(err, c.cause) || !strings.Contains(fmt.Sprint(err), c.text) || p != nil {
			t.Errorf("%s: picture %v, error %v, want %v with %q", c.name, p, err, c.cause, c.text)
		}
	}
	if err := (&Picture{Width: 5, Height: 5}).Write(&bytes.Buffer{}, SVG); !errors.Is(err, ErrEmpty) {
		t.Errorf("a picture of nothing: %v", err)
	}
}

// Whatever can be drawn is drawn, without a panic: numbers at either end of their range,
// all the same, or one alone.
func TestAnyFiniteNumbersAreDrawn(t *testing.T) {
	for _, values := range [][]float64{
		{0}, {-3}, {7, 7, 7}, {0, 5e-324}, {1e-310, 2e-310}, {1e-300, 1e-290}, {8e307, -8e307}, {1e308}, {-1.7e308, -1.6e308},
		{1, math.Nextafter(1, 2)}, {1e15, 1e15 + 1}, {1e6, 1e6 + 3}, {1e-5, 1, 1e5}, {math.Copysign(0, -1)},
	} {
		for _, a := range []Axes{{}, {FromZero: true}, {LogX: true, LogY: true}} {
			s := Series{Name: "s", X: values, Y: values, Error: make([]float64, len(values))}
			p, err := Curves(a, s)
			if refused := errors.Is(err, ErrNotPositive) || errors.Is(err, ErrNotFinite); a.LogX && refused {
				continue
			}
			if err != nil {
				t.Errorf("%v, %+v: %v", values, a, err)
				continue
			}
			svg, _ := svgOf(t, p)
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%v, %+v: the SVG has numbers that are none", values, a)
			}
			if len(values) == 2 && !a.FromZero { // of the same plot
				pngOf(t, small(p))
			}
		}
	}
	for _, c := range []float64{1e-250, 1, 1e250} { // growth far from proportional
		must(t)(Scaling(Axes{}, Series{X: []float64{1e-40, 1e40}, Y: []float64{c, c * 1e50}}))
		svgOf(t, must(t)(Scaling(Axes{}, Series{X: []float64{1e-40, 1e250}, Y: []float64{c, c}})))
	}
}
