package picture

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/webmap"

	"gonum.org/v1/gonum/mat"
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
	with, without := Axes{}.glyph(0, 2, glyphRadius(2.2, 110, labelled)), Axes{}.glyph(-1, 2, glyphRadius(2.2, 110, n-labelled))
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
		testkit.WantError(t, p.Write(io.Discard, SVG), coles.ErrSetting)
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

// Names of marks stand clear of each other; those without room are left out.
func TestMarksAreNamedWhereThereIsRoom(t *testing.T) {
	xy, classes := randomRows(40)
	places := mat.DenseCopyOf(xy.Slice(0, 40, 0, 2))
	var marks []Mark
	for i := range 40 {
		marks = append(marks, Mark{Name: fmt.Sprintf("a node of number %d", i), X: places.At(i, 0), Y: places.At(i, 1)})
	}
	_, few := svgOf(t, testkit.Must(Places(Axes{}, places, classes, nil, marks[:2]...)))
	_, texts := svgOf(t, testkit.Must(Places(Axes{}, places, classes, nil, marks...)))
	names := slices.DeleteFunc(texts, func(s svgText) bool { return !strings.HasPrefix(s.words, "a node") })
	few = slices.DeleteFunc(few, func(s svgText) bool { return !strings.HasPrefix(s.words, "a node") })
	if len(few) != 2 || len(names) < 10 || len(names) >= 40 {
		t.Errorf("%d of 2 names and %d of 40", len(few), len(names))
	}
	for i, a := range names {
		for _, b := range names[:i] {
			if a.x < b.x+legendStyle.Width(b.words) && b.x < a.x+legendStyle.Width(a.words) && math.Abs(float64(a.y-b.y)) < 8 {
				t.Errorf("%q lies on %q", a.words, b.words)
			}
		}
	}
	testkit.WantError(t, testkit.Err(Places(Axes{}, places, classes, nil, Mark{Name: "nowhere", X: math.NaN()})), coles.ErrNotFinite)
}

// lab is a colour in CIE 1976 L*a*b*, white of D65.
func lab(r, g, b uint8) [3]float64 {
	linear := func(v uint8) float64 {
		c := float64(v) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	root := func(v float64) float64 {
		if v > 216./24389 {
			return math.Cbrt(v)
		}
		return (24389./27*v + 16) / 116
	}
	R, G, B := linear(r), linear(g), linear(b)
	x := root((0.4124*R + 0.3576*G + 0.1805*B) / 0.9505)
	y := root(0.2126*R + 0.7152*G + 0.0722*B)
	z := root((0.0193*R + 0.1192*G + 0.9505*B) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Any two of twenty colours differ by five times what is just seen side by side, 2.3 in L*a*b* (Mahy and others 1994),
// in pictures and on pages.
func TestTwentyClassesHaveTwentyColours(t *testing.T) {
	var pictures, pages [][3]float64
	for i := range 20 {
		c := colour(i)
		pictures = append(pictures, lab(c.R, c.G, c.B))
	}
	list, _, _ := strings.Cut(webmap.Script[strings.Index(webmap.Script, "static colours"):], "]")
	for _, hex := range regexp.MustCompile(`#[0-9a-f]{6}`).FindAllString(list, -1) {
		var r, g, b uint8
		testkit.Must(fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b))
		pages = append(pages, lab(r, g, b))
	}
	for name, all := range map[string][][3]float64{"pictures": pictures, "pages": pages} {
		if len(all) != 20 {
			t.Errorf("%s have %d colours", name, len(all))
		}
		for i, a := range all {
			for j, b := range all[:i] {
				if d := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2])); d < 5*2.3 {
					t.Errorf("%s: colours %d and %d differ by %.1f", name, i, j, d)
				}
			}
		}
	}
}
