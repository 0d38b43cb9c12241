package picture

import (
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/plot/vg"
)

// Rows without a class are drawn before all others, wherever they stand, and smaller than few others.
func TestRowsWithoutAClassAreBeneath(t *testing.T) {
	const n, labelled = 2000, 40
	xy, classes := testkit.RandomDense(testkit.Random(3), n, 2), slices.Repeat([]int{-1}, n)
	for i := range labelled {
		classes[i*n/labelled] = i % 3
	}
	svg, _ := svgOf(t, testkit.Must(Places(Axes{}, xy, classes, nil)))
	colours := ""
	for _, glyph := range regexp.MustCompile(`(?m)^<path .*fill:(#\w+)`).FindAllStringSubmatch(svg, -1) {
		switch glyph[1] {
		case "#808080":
			colours += "g"
		case "#0072B2", "#D55E00", "#009E73":
			colours += "c"
		}
	}
	// Then come the glyphs of the legend: grey and three classes.
	if want := strings.Repeat("g", n-labelled) + strings.Repeat("c", labelled) + "gccc"; colours != want {
		t.Errorf("glyphs are drawn in the order %s", colours)
	}
	with, without := classGlyph(0, glyphRadius(2.2, 110, labelled)), classGlyph(-1, glyphRadius(2.2, 110, n-labelled))
	if !(with.Radius > 1.5*without.Radius) {
		t.Errorf("radius %v with a class, %v without", with.Radius, without.Radius)
	}
}

// Maps of the same classes have one legend in a grid, above their titles; others keep their own.
func TestMapsShareALegend(t *testing.T) {
	x, classes := randomRows(60)
	names := []string{"cats", "dogs and other animals of a name that is far too long"}
	one, two := Axes{Title: "one"}, Axes{Title: "two"}
	count := func(p *Picture) (found int, lowest, title vg.Length) {
		lowest = vg.Length(math.Inf(-1))
		_, texts := svgOf(t, p)
		for _, text := range texts {
			switch text.words {
			case "cats", "dogs and other animals of a name that i…":
				found, lowest = found+1, max(lowest, text.y)
			case "one":
				title = text.y
			}
		}
		return found, lowest, title
	}
	a, b := testkit.Must(Places(one, x.Slice(0, 60, 0, 2), classes, names)), testkit.Must(Places(two, x.Slice(0, 60, 2, 4), classes, names))
	for _, p := range []*Picture{testkit.Must(Grid([]*Picture{a, b})), testkit.Must(Grid([]*Picture{a, nil}, []*Picture{nil, b}))} {
		if found, lowest, title := count(p); found != 2 || !(lowest < title) {
			t.Errorf("%d names, the lowest at %v; the title at %v", found, lowest, title)
		}
		p.Width = 1
		if err := p.Write(io.Discard, SVG); !errors.Is(err, coles.ErrSetting) {
			t.Errorf("a legend wider than the picture: %v", err)
		}
	}
	if found, _, _ := count(a); found != 2 {
		t.Errorf("a picture in a grid keeps %d of its names", found)
	}
	other := testkit.Must(Places(two, x.Slice(0, 60, 2, 4), classes, []string{"cats", "mice"}))
	if found, _, _ := count(testkit.Must(Grid([]*Picture{a, other}))); found != 3 {
		t.Errorf("%d names of maps whose classes differ", found)
	}
	many := make([]string, 60)
	for i := range many {
		many[i] = strings.Repeat("many classes ", 1+i%4)
		classes[i] = i
	}
	tall := testkit.Must(Grid([]*Picture{testkit.Must(Places(one, x.Slice(0, 60, 0, 2), classes, many))}))
	for _, at := range placesOf(t, tall) {
		if at.data.Size().Y < 100 {
			t.Errorf("60 classes leave %v points for the data", at.data.Size().Y)
		}
	}
}
