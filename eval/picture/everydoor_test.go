package picture

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/eval"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A matrix of somebody else's that cannot be read.
type brokenMatrix struct{ rows, cols int }

func (m brokenMatrix) Dims() (r, c int)  { return m.rows, m.cols }
func (brokenMatrix) At(i, j int) float64 { panic("disk on fire") }
func (m brokenMatrix) T() mat.Matrix     { return m }

// drawn draws and writes: nothing panics, what comes is the error wanted or a picture
// without a number that is none.
func drawn(t *testing.T, want error, draw func() (*Picture, error)) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	p, err := draw()
	switch {
	case want != nil || err != nil:
		if !errors.Is(err, want) || want == nil {
			t.Errorf("error %v, want %v", err, want)
		}
	default:
		if svg, _ := svgOf(t, p); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Error("the SVG has numbers that are none")
		}
	}
}

// The table of matrices and classes for both doors that place rows.
func TestMatrixDoors(t *testing.T) {
	const n, largest = 4, math.MaxFloat64
	xy := mat.NewDense(n, 2, []float64{0, 1, 2, 1, 1, 3, 4, 0})
	filled := func(values ...float64) *mat.Dense {
		x := mat.DenseCopyOf(xy)
		x.Apply(func(i, j int, _ float64) float64 { return values[(2*i+j)%len(values)] }, x)
		return x
	}
	classes := []int{0, 1, 1, 0}
	for _, c := range []struct {
		name             string
		xy               mat.Matrix
		classes          []int
		names            []string
		places, embedded error
	}{
		{"plain", xy, classes, []string{"a", "b"}, nil, nil},
		{"nil", nil, classes, nil, ErrEmpty, coles.ErrEmpty},
		{"a nil *mat.Dense", (*mat.Dense)(nil), classes, nil, ErrEmpty, coles.ErrEmpty},
		{"a nil *sparse.CSR", (*sparse.CSR)(nil), classes, nil, ErrEmpty, coles.ErrEmpty},
		{"a nil *coles.Dense32", (*coles.Dense32)(nil), classes, nil, ErrEmpty, coles.ErrEmpty},
		{"an empty *mat.Dense", new(mat.Dense), nil, nil, ErrEmpty, coles.ErrEmpty},
		{"a matrix that panics", brokenMatrix{n, 2}, classes, nil, ErrLength, coles.ErrShape},
		{"a matrix of nil", mat.Transpose{}, classes, nil, ErrLength, coles.ErrShape},
		{"the largest matrix", brokenMatrix{math.MaxInt, 2}, classes, nil, ErrLength, coles.ErrTooLarge},
		{"a matrix of less than no rows", brokenMatrix{-1, 2}, classes, nil, ErrEmpty, coles.ErrTooLarge},
		{"a column out of range", sparse.NewCSR(n, 2, []int{0, 0, 0, 0, 1}, []int{33}, []float64{1}), classes, nil, nil, coles.ErrIndex},
		{"one column", xy.Slice(0, n, 0, 1), classes, nil, ErrLength, eval.ErrDimension},
		{"one row", xy.Slice(0, 1, 0, 2), classes[:1], nil, nil, nil},
		{"NaN", filled(1, math.NaN()), classes, nil, ErrNotFinite, coles.ErrNotFinite},
		{"-Inf", filled(math.Inf(-1), 1), classes, nil, ErrNotFinite, coles.ErrNotFinite},
		{"zeros", filled(0), classes, nil, nil, nil},
		{"constant", filled(7), classes, nil, nil, nil},
		{"the largest", filled(largest), classes, nil, ErrNotFinite, nil},
		{"the largest of both signs", filled(largest, -largest, -largest, largest), classes, nil, ErrNotFinite, nil},
		{"the smallest", filled(5e-324, 0), classes, nil, nil, nil},
		{"no classes", xy, nil, nil, ErrLength, ErrLength},
		{"a class too few", xy, classes[:3], nil, ErrLength, ErrLength},
		{"negative classes", xy, []int{-1, math.MinInt, -7, 0}, []string{"a"}, nil, nil},
		{"the largest classes", xy, []int{math.MaxInt, math.MaxInt32, 0, math.MaxInt}, nil, nil, nil},
		{"names of none", xy, classes, []string{}, ErrLength, ErrLength},
		{"names that are not printable", xy, classes, []string{"\x00\xff\n", strings.Repeat("w", 5000)}, ErrSize, ErrSize},
	} {
		write := func(p *Picture, err error) (*Picture, error) {
			if err == nil {
				err = p.Write(new(bytes.Buffer), SVG)
			}
			return p, err
		}
		t.Run(c.name+", Places", func(t *testing.T) {
			drawn(t, c.places, func() (*Picture, error) { return write(Places(Axes{}, c.xy, c.classes, c.names)) })
		})
		t.Run(c.name+", Map", func(t *testing.T) {
			drawn(t, c.embedded, func() (*Picture, error) { return write(Map(t.Context(), Axes{}, c.xy, c.classes, c.names)) })
		})
	}
}

// The table of numbers for every door that draws series, samples or marks.
func TestNumberDoors(t *testing.T) {
	const largest = math.MaxFloat64
	for _, c := range []struct {
		name                                         string
		y                                            []float64
		curves, logarithmic, scaling, marks, density error
	}{
		{"plain", []float64{1, 2, 4}, nil, nil, nil, nil, nil},
		{"nil", nil, ErrEmpty, ErrEmpty, ErrEmpty, ErrEmpty, ErrEmpty},
		{"one", []float64{3}, nil, nil, nil, nil, eval.ErrBandwidth},
		{"NaN", []float64{1, math.NaN()}, ErrNotFinite, ErrNotFinite, ErrNotFinite, ErrNotFinite, eval.ErrNotFinite},
		{"+Inf", []float64{1, math.Inf(1)}, ErrNotFinite, ErrNotFinite, ErrNotFinite, ErrNotFinite, eval.ErrNotFinite},
		{"zeros", []float64{0, 0}, nil, ErrNotPositive, ErrNotPositive, nil, eval.ErrBandwidth},
		{"negative", []float64{-1, -2}, nil, ErrNotPositive, ErrNotPositive, nil, nil},
		{"the largest", []float64{largest, largest}, ErrNotFinite, ErrNotFinite, ErrNotFinite, ErrNotFinite, eval.ErrBandwidth},
		{"of both signs", []float64{largest, -largest}, ErrNotFinite, ErrNotPositive, ErrNotPositive, ErrNotFinite, eval.ErrBandwidth},
		{"the smallest", []float64{5e-324, 1}, nil, ErrNotFinite, ErrNotFinite, nil, nil},
		{"tiny", []float64{1e-310, 2e-310}, nil, ErrNotFinite, ErrNotFinite, nil, eval.ErrBandwidth},
		{"of 1e200", []float64{1e200, 2e200}, nil, nil, nil, nil, eval.ErrBandwidth},
	} {
		var marks []Mark
		for _, v := range c.y {
			marks = append(marks, Mark{"m", v, v})
		}
		series := Series{Name: "s", Y: c.y}
		for name, door := range map[string]struct {
			want error
			open func() (*Picture, error)
		}{
			"Curves":      {c.curves, func() (*Picture, error) { return Curves(Axes{}, series) }},
			"logarithmic": {c.logarithmic, func() (*Picture, error) { return Curves(Axes{LogX: true, LogY: true}, series) }},
			"Eigenvalues": {c.curves, func() (*Picture, error) { return Eigenvalues(Axes{}, series) }},
			"Scaling":     {c.scaling, func() (*Picture, error) { return Scaling(Axes{}, series) }},
			"Scatter":     {c.marks, func() (*Picture, error) { return Scatter(Axes{}, marks...) }},
			"Densities":   {c.density, func() (*Picture, error) { return Densities(t.Context(), Axes{}, Sample{"s", c.y}) }},
		} {
			t.Run(c.name+", "+name, func(t *testing.T) { drawn(t, door.want, door.open) })
		}
	}
}

// What is nil, zero, over or of no size.
func TestPictureDoors(t *testing.T) {
	good := must(t)(Curves(Axes{}, Series{Y: []float64{1, 2}}))
	sized := func(width, height float64) *Picture {
		p := *good
		p.Width, p.Height = width, height
		return &p
	}
	for name, c := range map[string]struct {
		p      *Picture
		format Format
		want   error
	}{
		"nil":            {nil, SVG, ErrEmpty},
		"zero":           {new(Picture), PNG, ErrEmpty},
		"no format":      {good, "", ErrFormat},
		"an odd format":  {good, "\x00", ErrFormat},
		"no width":       {sized(0, 3), SVG, ErrSize},
		"NaN inches":     {sized(3, math.NaN()), PNG, ErrSize},
		"+Inf inches":    {sized(math.Inf(1), 3), PDF, ErrSize},
		"negative":       {sized(-1, -1), PNG, ErrSize},
		"the largest":    {sized(math.MaxFloat64, 1), PNG, ErrSize},
		"the smallest":   {sized(5e-324, 5e-324), PNG, ErrSize},
		"one pixel wide": {sized(1./150, 3), PNG, ErrSize},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			drawn(t, c.want, func() (*Picture, error) { return nil, c.p.Write(&b, c.format) })
			if b.Len() > 0 {
				t.Errorf("%d bytes of what failed", b.Len())
			}
		})
	}
	drawn(t, ErrEmpty, func() (*Picture, error) { return nil, good.Write(nil, SVG) })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, draw := range map[string]func() (*Picture, error){
		"Map": func() (*Picture, error) {
			return Map(over, Axes{}, mat.NewDense(2, 2, []float64{1, 2, 3, 4}), []int{0, 1}, nil)
		},
		"Densities": func() (*Picture, error) { return Densities(over, Axes{}, Sample{"s", []float64{1, 2}}) },
	} {
		t.Run("cancelled "+name, func(t *testing.T) { drawn(t, context.Canceled, draw) })
	}
	if err := (*Picture)(nil).WriteFile("x.svg"); !errors.Is(err, ErrEmpty) {
		t.Errorf("a nil picture in a file: %v", err)
	}
}
