package picture

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
)

// An item of the gallery is a picture with texts that must be in it.
type item struct {
	picture *Picture
	texts   []string
}

// gallery has one picture of each kind.
func gallery(t *testing.T) map[string]item {
	x, classes := randomRows(60)
	classes[0], classes[1] = -1, -7
	a := Axes{Title: "Kölner <Straße> & Co.", X: "length, m", Y: "time, s"}
	log, both := a, a
	log.LogX, both.LogX, both.LogY = true, true, true
	byName := a
	byName.Categories = []string{"one", "two", "three"}
	rise := Series{Name: "measured", X: []float64{100, 1000, 50000}, Y: []float64{0.01, 0.2, 4}}
	curves := testkit.Must(Curves(log, falling("first", 5), falling("second", 5)))
	labels := []string{a.Title, a.X, a.Y}
	return map[string]item{
		"map":        {testkit.Must(Places(a, x.Slice(0, 60, 0, 2), classes, []string{"cats", "dogs"})), append(labels, "cats", "dogs", "no class")},
		"curves":     {curves, append(labels, "first", "second", "1", "5")},
		"categories": {testkit.Must(Curves(byName, falling("first", 3), falling("second", 3))), append(labels, "one", "two", "three", "second")},
		"sizes":      {testkit.Must(Curves(both, rise)), append(labels, "measured", "50000", "0.1")},
		"scatter":    {testkit.Must(Scatter(a, Mark{"here", 1, 2}, Mark{"there", 2, -3})), append(labels, "here", "there")},
		"drawing":    {testkit.Must(Drawing(Axes{Title: a.Title}, testkit.RandomGraph(1, 60, 0.1), x.Slice(0, 60, 0, 2), classes, nil)), []string{a.Title, "class 0", "class 1", "no class"}},
		"grid":       {testkit.Must(Grid([]*Picture{curves, nil}, []*Picture{testkit.Must(Scatter(Axes{}, Mark{"alone", 0, 0})), curves})), append(labels, "first", "alone")},
	}
}

func TestEveryPictureInEveryFormat(t *testing.T) {
	for name, c := range gallery(t) {
		if name != "grid" {
			small(c.picture)
		}
		t.Run(name, func(t *testing.T) {
			wantTexts(t, c.picture, c.texts...)
			m := pngOf(t, c.picture)
			if got, want := m.Bounds().Dx(), int(150*c.picture.Width+0.5); got != want {
				t.Errorf("the PNG is %d pixels wide, want %d", got, want)
			}
			if r, g, b, a := m.At(1, 1).RGBA(); r+g+b+a != 4*0xffff {
				t.Error("the corner of the PNG is not white")
			}
			if pdf := written(t, c.picture, PDF); !bytes.HasPrefix(pdf, []byte("%PDF-")) {
				t.Errorf("the PDF begins %q", pdf[:10])
			}
		})
	}
}

func TestTheSameBytesFromManyGoroutines(t *testing.T) {
	again := gallery(t)
	for name, c := range gallery(t) {
		formats := []Format{SVG}
		if name == "map" || name == "curves" {
			small(c.picture)
			small(again[name].picture)
			formats = append(formats, PNG)
		}
		for _, format := range formats {
			var drawn [3]bytes.Buffer
			var errs [3]error
			var wg sync.WaitGroup
			for i, p := range []*Picture{c.picture, c.picture, again[name].picture} {
				wg.Add(1)
				go func() {
					defer wg.Done()
					errs[i] = p.Write(&drawn[i], format)
				}()
			}
			wg.Wait()
			for i := range drawn {
				if errs[i] != nil || !bytes.Equal(drawn[i].Bytes(), drawn[0].Bytes()) {
					t.Errorf("%s: drawing %d as %s has other bytes, error %v", name, i, format, errs[i])
				}
			}
		}
	}
}

func TestLabelsOfAnyBytes(t *testing.T) {
	for label, want := range map[string]string{
		"a\nb\tc":                       "a b c",
		"</text><script>":               "</text><script>",
		"\x00\x1b[1m":                   "\ufffd\ufffd[1m",
		"\xff\xfe":                      "\ufffd\ufffd",
		`"font-family:Liberation Sans;`: `"font-family:Liberation Sans;`,
	} {
		p := testkit.Must(Scatter(Axes{Title: label, X: label, Y: label}, Mark{label, 1, 1}))
		wantTexts(t, p, want)
		pngOf(t, small(p))
	}
}

// Circles are the only arcs: one for each row, the outermost included, and one in the legend.
func TestEveryRowIsDrawn(t *testing.T) {
	for n := 1; n < 120; n++ {
		xy, classes := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			xy.SetRow(i, []float64{0.1 + float64(i*i%n)/3, -7 + float64(i)/float64(n)*0.7})
		}
		p := testkit.Must(Places(Axes{}, xy, classes, nil))
		p.Width, p.Height = 4+float64(n)/27, 3+float64(n)/31 // for other roundings
		svg, _ := svgOf(t, p)
		if circles := len(regexp.MustCompile("(?m)^<path.*A").FindAllString(svg, -1)); circles != n+1 {
			t.Fatalf("%d circles of %d rows", circles, n)
		}
	}
}

// Rows from left to right have the colours of their classes.
func TestEveryRowHasTheColourOfItsClass(t *testing.T) {
	colours := []string{"#0072B2", "#D55E00", "#009E73"} // Okabe and Ito's blue, vermilion, green
	const n = 50
	xy, classes := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		classes[i] = i * i % 3
		xy.SetRow(i, []float64{float64(i), float64(i % 7)})
	}
	p := testkit.Must(Places(Axes{}, xy, classes, nil))
	place := placesOf(t, p)[0]
	left, _ := place.panel.plot.Transforms(&place.data)
	svg, _ := svgOf(t, p)
	drawn := 0
	for _, glyph := range regexp.MustCompile(`<path d="M([^,]*),([^A-Z]*).*fill:(#\w+)`).FindAllStringSubmatch(svg, -1) {
		x, y, class := coordinate(glyph[1]), coordinate(glyph[2]), slices.Index(colours, glyph[3])
		if class < 0 || y > place.data.Max.Y+3 {
			continue // the page, or the legend's
		}
		// A glyph begins at most its radius from its middle, and rows are 9 points apart.
		i := int(math.Round(float64((x - left(0)) / (left(1) - left(0)))))
		if drawn++; classes[i] != class {
			t.Errorf("row %d of class %d is drawn with %s", i, classes[i], glyph[3])
		}
	}
	if drawn != n {
		t.Errorf("%d rows were drawn, want %d", drawn, n)
	}
}

// No glyph of a map stands on an axis, and both axes have the same scale, alone and in a grid.
func TestMapsHaveMarginsAndEqualScales(t *testing.T) {
	const n = 20
	for _, stretch := range [][2]float64{{1, 1}, {50, 1}, {1e-3, 1e5}, {0, 3}, {1e-200, 0}} {
		xy := mat.NewDense(n, 2, nil)
		for i := range n {
			xy.SetRow(i, []float64{stretch[0] * float64(i), 1000 + stretch[1]*float64(i*i%7)})
		}
		for _, a := range []Axes{{}, {X: "across", Y: "up"}} {
			p := testkit.Must(Places(a, xy, make([]int, n), nil))
			for _, at := range append(placesOf(t, p), placesOf(t, testkit.Must(Grid([]*Picture{p, p, nil})))...) {
				x, y := at.panel.plot.Transforms(&at.data)
				for i := range n {
					point := vg.Point{X: x(xy.At(i, 0)), Y: y(xy.At(i, 1))}
					glyph := vg.Rectangle{Min: point.Sub(vg.Point{X: 2, Y: 2}), Max: point.Add(vg.Point{X: 2, Y: 2})}
					if !within(glyph, at.data.Rectangle) {
						t.Errorf("%v: a glyph at %v leaves %v", stretch, point, at.data.Rectangle)
					}
				}
				unit := max(stretch[0], stretch[1]) // differences of this size keep their digits
				across, up := x(xy.At(0, 0)+unit)-x(xy.At(0, 0)), y(1000+unit)-y(1000)
				if stretch[1] > 0 && math.Abs(float64(across/up)-1) > 0.005 {
					t.Errorf("%v, %q: a unit is %v across and %v up", stretch, a.X, across, up)
				}
			}
		}
	}
}

// Every edge is a line between its nodes, drawn before all glyphs.
func TestDrawingHasEveryEdge(t *testing.T) {
	g := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 3}}))
	xy := mat.NewDense(4, 2, []float64{0, 0, 1, 0, 1, 1, -2, 3})
	p := testkit.Must(Drawing(Axes{}, g, xy, []int{0, 0, 1, -1}, []string{"cats", "dogs"}))
	wantTexts(t, p, "cats", "dogs", "no class")
	at := placesOf(t, p)[0]
	x, y := at.panel.plot.Transforms(&at.data)
	svg, _ := svgOf(t, p)
	lines := regexp.MustCompile(`(?m)^<path d="M([^,]*),([^L]*)L([^,]*),([^"]*)" style="[^"]*stroke:#7F7F7F;stroke-opacity`).FindAllStringSubmatchIndex(svg, -1)
	if len(lines) != 3 {
		t.Fatalf("%d lines of 3 edges", len(lines))
	}
	for k, edge := range [][2]int{{0, 1}, {0, 3}, {1, 2}} {
		for end, node := range edge {
			number := func(group int) vg.Length {
				return coordinate(svg[lines[k][2*group]:lines[k][2*group+1]])
			}
			gotX, gotY := number(1+2*end), number(2+2*end)
			if math.Abs(float64(gotX-x(xy.At(node, 0)))) > 0.01 || math.Abs(float64(gotY-y(xy.At(node, 1)))) > 0.01 {
				t.Errorf("edge %v ends at (%v, %v)", edge, gotX, gotY)
			}
		}
	}
	if circle := regexp.MustCompile(`(?m)^<path d="[^"]*A`).FindStringIndex(svg); circle == nil || circle[0] < lines[2][0] {
		t.Error("no glyph is drawn, or one before an edge")
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.svg": SVG, "b/c.x.PNG": PNG, ".Pdf": PDF, "": "", "svg": "", "a.bmp": "", "a.svg.gz": "", "a.svg/b": ""} {
		if got, err := FormatOf(path); got != want || (want == "") != errors.Is(err, coles.ErrSetting) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

func TestInputIsNotKept(t *testing.T) {
	s := falling("s", 6)
	s.X = []float64{1, 2, 3, 4, 5, 6}
	p := testkit.Must(Curves(Axes{}, s))
	before := written(t, p, SVG)
	clear(s.X)
	clear(s.Y)
	clear(s.Error)
	if !bytes.Equal(written(t, p, SVG), before) {
		t.Error("the picture changed with what it was made of")
	}
}

func TestAPictureIsWrittenWholeOrNotAtAll(t *testing.T) {
	good := small(testkit.Must(Scatter(Axes{Title: "title"}, Mark{"a", 1, 1})))
	tiny := testkit.Must(Scatter(Axes{Title: "title"}, Mark{"a", 1, 1}))
	tiny.Width = 0.5
	reader, broken := io.Pipe()
	reader.Close()
	for _, f := range []Format{SVG, PNG, PDF} {
		if err := good.Write(broken, f); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: error %v of a writer that fails", f, err)
		}
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "p.svg")
	testkit.Check(t, os.WriteFile(path, []byte("old"), 0o600))
	if err := tiny.WriteFile(path); !errors.Is(err, coles.ErrSetting) || !strings.Contains(err.Error(), "p.svg") {
		t.Errorf("error %v, want ErrSetting", err)
	}
	if old := testkit.Must(os.ReadFile(path)); string(old) != "old" {
		t.Errorf("the file became %q", old)
	}
	testkit.WantError(t, good.WriteFile(filepath.Join(folder, "no", "p.png")), os.ErrNotExist)
	if err := good.WriteFile(path); err != nil || !bytes.Equal(testkit.Must(os.ReadFile(path)), written(t, good, SVG)) {
		t.Errorf("the file differs from what Write writes, error %v", err)
	}
	if found, _ := os.ReadDir(folder); len(found) != 1 {
		t.Errorf("%v are left in the folder", found)
	}
}

// Programs that embed or measure and draw nothing do not link a drawing library.
func TestOnlyThisPackageDraws(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to ask")
	}
	out := testkit.Must(exec.CommandContext(t.Context(), "go", "list", "-deps", "coles", "coles/eval", "coles/gnn", "coles/dataset").Output())
	if !strings.Contains(string(out), "gonum.org/v1/gonum/mat") || strings.Contains(string(out), "gonum.org/v1/plot") {
		t.Errorf("the packages import\n%s", out)
	}
}
