package picture

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// wantInside checks that the points of series, and the edges of their bands, are in the data area.
func wantInside(t *testing.T, at *place, series []Series) {
	t.Helper()
	x, y := at.panel.plot.Transforms(&at.data)
	for _, s := range series {
		for k := range s.Y {
			for _, v := range []float64{s.Y[k] - s.Error[k], s.Y[k] + s.Error[k]} {
				if p := (vg.Point{X: x(float64(k + 1)), Y: y(v)}); !within(vg.Rectangle{Min: p, Max: p}, at.data.Rectangle) {
					t.Fatalf("%d series: the point %v lies outside of %v", len(series), p, at.data.Rectangle)
				}
			}
		}
	}
}

// Titles and legends as they stand in the SVG keep clear of the data, of each other and of the edge
// of the picture.
func TestTitleAndLegendCoverNothing(t *testing.T) {
	long := strings.Repeat("a title of many words ", 8)
	for _, c := range []struct {
		series  int
		columns int
		title   string
	}{{1, 1, ""}, {2, 1, "short"}, {6, 1, long}, {12, 2, long}, {24, 1, "short"}, {9, 3, long}} {
		var row []*Picture
		series := make([]Series, c.series)
		for column := range c.columns {
			for i := range series {
				// No name begins like another, so that each is found by itself.
				series[i] = falling(fmt.Sprintf("%c%c: method %d", 'A'+column, 'a'+i, i), 5+i)
			}
			row = append(row, testkit.Must(Curves(Axes{Title: c.title, X: "across", Y: "up"}, series...)))
		}
		picture := testkit.Must(Grid(row, row[:len(row):len(row)]))
		_, texts := svgOf(t, picture)
		places := placesOf(t, picture)
		var heads []vg.Rectangle
		for _, text := range texts {
			style := legendStyle
			switch {
			case strings.Contains(text.words, ": method"):
			case c.title != "" && strings.Contains(c.title, text.words):
				style.Font.Size = 10
				if c.columns == 1 {
					style.Font.Size = 12
				}
			default:
				continue
			}
			// The SVG is upside down but for its texts: their y is minus the canvas's.
			corner := vg.Point{X: text.x, Y: -text.y - style.FontExtents().Descent}
			heads = append(heads, vg.Rectangle{Min: corner, Max: corner.Add(vg.Point{X: style.Width(text.words), Y: style.FontExtents().Height})})
		}
		if want := 2 * c.columns * c.series; len(heads) < want {
			t.Fatalf("%+v: %d texts above data, want %d at least", c, len(heads), want)
		}
		for _, at := range places {
			wantInside(t, at, series)
		}
		page := vg.Rectangle{Max: vg.Point{X: vg.Length(picture.Width) * vg.Inch, Y: vg.Length(picture.Height) * vg.Inch}}
		for i, head := range heads {
			if !within(head, page) {
				t.Errorf("%+v: text at %v sticks out of the picture", c, head)
			}
			for _, other := range heads[:i] {
				if overlap(head, other) > 0.5 { // square points, the rounding of the SVG's digits
					t.Errorf("%+v: texts at %v and %v overlap", c, head, other)
				}
			}
			for _, at := range places {
				if overlap(head, at.data.Rectangle) > 0 {
					t.Errorf("%+v: text at %v covers data at %v", c, head, at.data.Rectangle)
				}
			}
		}
	}
}

func TestDataAreasLineUp(t *testing.T) {
	a := testkit.Must(Curves(Axes{Title: "one", Y: "y"}, falling("s", 4)))
	b := testkit.Must(Curves(Axes{LogY: true, X: "long\nlabel"}, Series{Y: []float64{1e-9, 123456789}}))
	places := placesOf(t, testkit.Must(Grid([]*Picture{a, b}, []*Picture{b, a})))
	for i, at := range places {
		row, column := places[i/2*2], places[i%2]
		for _, d := range []vg.Length{at.data.Min.Y - row.data.Min.Y, at.data.Max.Y - row.data.Max.Y, at.data.Min.X - column.data.Min.X, at.data.Max.X - column.data.Max.X} {
			if math.Abs(float64(d)) > 0.01 {
				t.Errorf("panel %d is off by %v", i, d)
			}
		}
		if d := at.above.Max.Y - row.above.Max.Y; math.Abs(float64(d)) > 0.01 { // though one has a legend
			t.Errorf("the head of panel %d begins %v higher than its row's", i, d)
		}
	}
}

// Lines are as even as they can be, and hold everything in its order.
func TestBrokenIntoEvenLines(t *testing.T) {
	for _, c := range []struct {
		items, room int
		want        string
	}{{0, 3, "[]"}, {3, 3, "[3]"}, {4, 3, "[2 2]"}, {7, 6, "[4 3]"}, {9, 4, "[3 3 3]"}, {2, 0, "[1 1]"}} {
		items := make([]int, c.items)
		for i := range items {
			items[i] = i
		}
		sizes, next := []int{}, 0
		for _, line := range broken(items, func(line []int) bool { return len(line) <= c.room }) {
			sizes = append(sizes, len(line))
			for _, item := range line {
				if item != next {
					t.Errorf("%+v: item %d stands where %d should", c, item, next)
				}
				next++
			}
		}
		if fmt.Sprint(sizes) != c.want || next != c.items {
			t.Errorf("%+v: lines of %v", c, sizes)
		}
	}
}

func TestNamesKeepClearOfEachOther(t *testing.T) {
	var marks []Mark
	for i := range 12 {
		angle := float64(i) / 12 * 2 * math.Pi
		marks = append(marks, Mark{fmt.Sprintf("data set %d", i), math.Cos(angle), math.Sin(angle)})
	}
	marks = append(marks, Mark{"middle", 0, 0}, Mark{"beside", 0.04, 0}, Mark{"above", 0, 0.05})
	for _, at := range placesOf(t, testkit.Must(Scatter(Axes{}, marks...))) {
		names := &named{Scatter: plotter.Scatter{GlyphStyle: glyph(0, 3)}}
		for _, m := range marks {
			names.XYs, names.names = append(names.XYs, plotter.XY{X: m.X, Y: m.Y}), append(names.names, m.Name)
		}
		boxes := names.boxes(at.data, at.panel.plot)
		x, y := at.panel.plot.Transforms(&at.data)
		for i, b := range boxes {
			if !within(b, at.data.Rectangle) {
				t.Errorf("%q sticks out of the data area", marks[i].Name)
			}
			for k, m := range marks {
				dot := vg.Rectangle{Min: vg.Point{X: x(m.X) - 3, Y: y(m.Y) - 3}, Max: vg.Point{X: x(m.X) + 3, Y: y(m.Y) + 3}}
				if overlap(b, dot) > 0 {
					t.Errorf("%q covers the point of %q", marks[i].Name, m.Name)
				}
				if k < i && overlap(b, boxes[k]) > 0 {
					t.Errorf("%q and %q overlap", marks[i].Name, m.Name)
				}
			}
		}
	}
}
