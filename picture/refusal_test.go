package picture

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A result is of a function that draws.
type result struct {
	picture *Picture
	err     error
}

func try(p *Picture, err error) result { return result{p, err} }

func TestRefusals(t *testing.T) {
	nan, inf, largest := math.NaN(), math.Inf(1), math.MaxFloat64
	one := []float64{1, 2, 3}
	logX, logY := Axes{LogX: true}, Axes{LogY: true}
	three := Axes{Categories: []string{"a", "b", "c"}}
	at, two := func(data ...float64) *mat.Dense { return mat.NewDense(2, len(data)/2, data) }, []int{0, 0}
	single := testkit.Must(Curves(Axes{}, Series{Y: one}))
	double := testkit.Must(Grid([]*Picture{single, single}))
	for _, c := range []struct {
		name  string
		got   result
		cause error
		text  string
	}{
		{"no series", try(Curves(Axes{})), coles.ErrShape, "no series"},
		{"series without points", try(Curves(Axes{}, Series{Y: one}, Series{Name: "bare", X: []float64{}})), coles.ErrShape, `series 1, "bare"`},
		{"X too short", try(Curves(Axes{}, Series{X: one[:2], Y: one})), coles.ErrShape, "2 X, 3 Y"},
		{"errors too long", try(Curves(Axes{}, Series{Y: one[:2], Error: one})), coles.ErrShape, "3 errors"},
		{"X with categories", try(Curves(three, Series{X: one, Y: one})), coles.ErrShape, "categories"},
		{"fewer points than categories", try(Curves(three, Series{Y: one[:2]})), coles.ErrShape, "2 Y, 3 categories"},
		{"NaN", try(Curves(Axes{}, Series{Name: "s", Y: []float64{1, nan}})), coles.ErrNotFinite, "point 1"},
		{"infinite X", try(Curves(Axes{}, Series{X: []float64{1, -inf}, Y: one[:2]})), coles.ErrNotFinite, "point 1"},
		{"NaN error", try(Curves(Axes{}, Series{Y: one, Error: []float64{0, nan, 0}})), coles.ErrNotFinite, "point 1"},
		{"band that overflows", try(Curves(Axes{}, Series{Y: []float64{1e308}, Error: []float64{1e308}})), coles.ErrNotFinite, "point 0"},
		{"range that overflows", try(Curves(Axes{}, Series{Y: []float64{1.5e308, -1.5e308}})), coles.ErrNotFinite, "y axis"},
		{"error below zero", try(Curves(Axes{}, Series{Y: one, Error: []float64{0, 0, -1}})), coles.ErrNegative, "point 2"},
		{"zero on a logarithmic axis", try(Curves(logX, Series{X: []float64{0, 1, 2}, Y: one})), coles.ErrSetting, "x axis"},
		{"band below a logarithmic axis", try(Curves(logY, Series{Y: one, Error: one})), coles.ErrSetting, "y axis"},
		{"from zero on a logarithmic axis", try(Curves(Axes{LogY: true, FromZero: true}, Series{Y: one})), coles.ErrSetting, "y axis"},
		{"too small for a logarithmic axis", try(Curves(logY, Series{Y: []float64{5e-324, 1}})), coles.ErrNotFinite, "y axis"},
		{"no marks", try(Scatter(Axes{})), coles.ErrShape, ""},
		{"mark nowhere", try(Scatter(Axes{}, Mark{"Cora", nan, 0})), coles.ErrNotFinite, `"Cora"`},
		{"marks too far apart", try(Scatter(Axes{}, Mark{"a", -largest, 0}, Mark{"b", largest, 0})), coles.ErrNotFinite, "x axis"},
		{"three columns", try(Places(Axes{}, mat.NewDense(2, 3, nil), two, nil)), coles.ErrShape, "3 columns"},
		{"too few classes", try(Places(Axes{}, mat.NewDense(2, 2, nil), []int{0}, nil)), coles.ErrShape, "2 rows, 1 classes"},
		{"too few names", try(Places(Axes{}, mat.NewDense(2, 2, nil), []int{0, 2}, []string{"a", "b"})), coles.ErrShape, "class 2"},
		{"no names of classes", try(Places(Axes{}, mat.NewDense(1, 2, nil), []int{0}, []string{})), coles.ErrShape, "0 names"},
		{"row too far away", try(Places(Axes{}, at(0, largest, 0, -largest), two, nil)), coles.ErrNotFinite, "y axis"},
		{"drawing of other nodes", try(Drawing(Axes{}, testkit.RandomGraph(1, 3, 1), at(1, 2, 3, 4), two, nil)), coles.ErrShape, "2 rows, 3 nodes"},
		{"no rows of pictures", try(Grid()), coles.ErrShape, ""},
		{"rows without pictures", try(Grid([]*Picture{}, nil)), coles.ErrShape, ""},
		{"only empty places", try(Grid([]*Picture{nil, nil})), coles.ErrShape, ""},
		{"ragged rows", try(Grid([]*Picture{single, single}, []*Picture{single})), coles.ErrShape, "row 1"},
		{"grid of grids", try(Grid([]*Picture{single, double})), coles.ErrShape, "picture 1"},
		{"unknown ending", result{nil, single.WriteFile("a.bmp")}, coles.ErrSetting, "a.bmp"},
		{"unknown format", result{nil, single.Write(new(bytes.Buffer), "gif")}, coles.ErrSetting, "gif"},
	} {
		if p, err := c.got.picture, c.got.err; !errors.Is(err, c.cause) || !strings.Contains(fmt.Sprint(err), c.text) || p != nil {
			t.Errorf("%s: picture %v, error %v, want %v with %q", c.name, p, err, c.cause, c.text)
		}
	}
}

func TestRefusalsOfMatrices(t *testing.T) {
	classes := make([]int, 5)
	testkit.RefuseMatrices(t, len(classes), 2, map[string]func(x mat.Matrix) error{
		"Places": func(x mat.Matrix) error { return testkit.Err(Places(Axes{}, x, classes, nil)) },
	})
}

func TestSizesWithoutRoomAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		width, height float64
		axes          Axes
	}{
		"no width":        {0, 5, Axes{}},
		"below zero":      {7, -5, Axes{}},
		"not a number":    {math.NaN(), 5, Axes{}},
		"infinite":        {7, math.Inf(1), Axes{}},
		"beyond use":      {41, 5, Axes{}},
		"one pixel wide":  {1. / 150, 3, Axes{}},
		"narrow":          {0.7, 5, Axes{}},
		"low":             {7, 0.7, Axes{}},
		"long word":       {7, 5, Axes{Title: strings.Repeat("a", 200)}},
		"long x label":    {7, 5, Axes{X: strings.Repeat("a ", 200)}},
		"long y label":    {7, 5, Axes{Y: strings.Repeat("a ", 200)}},
		"title of a page": {7, 5, Axes{Title: strings.Repeat("a ", 3000)}},
		"wide categories": {7, 5, Axes{Categories: []string{strings.Repeat("a", 40), "b", "c"}}},
	} {
		p := testkit.Must(Curves(c.axes, falling("s", 3)))
		p.Width, p.Height = c.width, c.height
		var b bytes.Buffer
		if err := p.Write(&b, SVG); !errors.Is(err, coles.ErrSetting) || b.Len() > 0 {
			t.Errorf("%s: error %v and %d bytes, want ErrSetting", name, err, b.Len())
		}
	}
}

// Whatever can be drawn is drawn, without a panic: numbers at either end of their range, all the
// same, or one alone.
func TestAnyFiniteNumbersAreDrawn(t *testing.T) {
	for _, values := range [][]float64{
		{0}, {-3}, {7, 7, 7}, {0, 5e-324}, {1e-310, 2e-310}, {1e-300, 1e-290}, {8e307, -8e307}, {1e308}, {-1.7e308, -1.6e308},
		{1, math.Nextafter(1, 2)}, {1e15, 1e15 + 1}, {1e6, 1e6 + 3}, {1e-5, 1, 1e5}, {math.Copysign(0, -1)},
	} {
		for _, a := range []Axes{{}, {FromZero: true}, {LogX: true, LogY: true}} {
			s := Series{Name: "s", X: values, Y: values, Error: make([]float64, len(values))}
			p, err := Curves(a, s)
			if err != nil {
				if !a.LogX || !errors.Is(err, coles.ErrSetting) && !errors.Is(err, coles.ErrNotFinite) {
					t.Errorf("%v, %+v: %v", values, a, err)
				}
				continue
			}
			if svg, _ := svgOf(t, p); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%v, %+v: the SVG has numbers that are none", values, a)
			}
			if len(values) == 2 && !a.FromZero { // of the same plot
				pngOf(t, small(p))
			}
		}
	}
}
