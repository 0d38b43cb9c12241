package picture

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map draws the rows of an embedding y (n × d, d ≥ 2) in two dimensions: their first
// two principal components after each row is brought to unit length, because it is the
// direction of a row that tells its class. classes[i] is the class of row i, shown by
// colour and glyph; rows of a negative class are grey dots. names[c] is what the legend
// calls class c, "class c" with nil names. Labels of the axes that are empty in a say
// that they are principal components.
//
// Every row is a glyph, of some 120 bytes in an SVG: of more than ten thousand rows a
// PNG is smaller.
//
// Errors: those of [Places], of [eval.PCA] and of [coles.FitPreparation], and ctx.Err().
func Map(ctx context.Context, a Axes, y mat.Matrix, classes []int, names []string) (*Picture, error) {
	prepare, err := coles.FitPreparation(ctx, y, coles.PrepareRowL2)
	if err != nil {
		return nil, fmt.Errorf("picture: map: %w", err)
	}
	unit, err := prepare.Apply(ctx, y)
	if err != nil {
		return nil, fmt.Errorf("picture: map: %w", err)
	}
	xy, err := eval.PCA(ctx, unit, 2)
	if err != nil {
		return nil, fmt.Errorf("picture: map: %w", err)
	}
	if a.X == "" {
		a.X = "first principal component"
	}
	if a.Y == "" {
		a.Y = "second principal component"
	}
	return Places(a, xy, classes, names)
}

// Places draws a glyph at each row of xy (n × 2), coordinates such as t-SNE computes
// them; classes and names are those of [Map].
//
// Errors: [ErrEmpty] without rows, [ErrLength] for other than two columns, classes of
// another length than n, or fewer names than classes, [ErrNotFinite],
// [ErrNotPositive].
func Places(a Axes, xy mat.Matrix, classes []int, names []string) (*Picture, error) {
	n, columns, at, err := coordinates(xy, len(classes))
	if err != nil {
		return nil, err
	}
	switch {
	case n <= 0:
		return nil, fmt.Errorf("%w: no rows", ErrEmpty)
	case columns != 2:
		return nil, fmt.Errorf("%w: %d columns of coordinates, want 2", ErrLength, columns)
	case len(classes) != n:
		return nil, fmt.Errorf("%w: %d rows, %d classes", ErrLength, n, len(classes))
	}
	found := slices.Compact(slices.Sorted(slices.Values(classes)))
	if last := found[len(found)-1]; names != nil && last >= len(names) {
		return nil, fmt.Errorf("%w: class %d, and %d names", ErrLength, last, len(names))
	}
	// In an order at random, lest the last class cover the others.
	points, order := make(plotter.XYs, n), rand.New(rand.NewPCG(1, 0)).Perm(n)
	b := emptyBox()
	for k, i := range order {
		points[k] = at[i]
		if err := checkPoint(points[k]); err != nil {
			return nil, fmt.Errorf("%w: row %d", err, i)
		}
		b.include(points[k])
	}
	p, err := a.panel(b)
	if err != nil {
		return nil, err
	}
	radius := vg.Length(min(2.2, max(0.7, 110/math.Sqrt(float64(n)))))
	s := &plotter.Scatter{XYs: points, GlyphStyleFunc: func(k int) draw.GlyphStyle {
		return classGlyph(classes[order[k]], radius)
	}}
	p.plot.Add(s)
	for _, c := range found {
		name := fmt.Sprintf("class %d", c)
		switch {
		case c < 0:
			name = "no class"
		case names != nil:
			name = names[c]
		}
		if next := slices.Index(found, c) + 1; c < 0 && next < len(found) && found[next] < 0 {
			continue // one entry for all negative classes
		}
		p.describe(name, glyphSpace, &plotter.Scatter{GlyphStyle: classGlyph(c, max(2.2, radius))})
	}
	picture := single(p)
	picture.Width, picture.Height = 8, 6.5
	return picture, nil
}

// coordinates is the size of xy and, if it has as many rows as there are to be and two
// columns, its rows. Matrices may be anybody's: what one panics with is an error.
func coordinates(xy mat.Matrix, rows int) (n, columns int, at plotter.XYs, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: reading the %T panicked: %v", ErrLength, xy, r)
		}
	}()
	if v := reflect.ValueOf(xy); xy == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return 0, 2, nil, nil
	}
	if n, columns = xy.Dims(); n != rows || columns != 2 {
		return n, columns, nil, nil
	}
	at = make(plotter.XYs, n)
	for i := range at {
		at[i] = plotter.XY{X: xy.At(i, 0), Y: xy.At(i, 1)}
	}
	return n, columns, at, nil
}

func classGlyph(class int, radius vg.Length) draw.GlyphStyle {
	if class < 0 {
		return draw.GlyphStyle{Color: grey, Shape: draw.CircleGlyph{}, Radius: radius / 2}
	}
	return glyph(class, radius)
}

func checkPoint(p plotter.XY) error {
	if math.IsNaN(p.X-p.X) || math.IsNaN(p.Y-p.Y) { // ∞ − ∞ is none either
		return fmt.Errorf("%w: (%g, %g)", ErrNotFinite, p.X, p.Y)
	}
	return nil
}
