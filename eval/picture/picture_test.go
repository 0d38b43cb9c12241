package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"coles/eval"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
)

// gallery is one picture of each kind, with the texts that must be in it.
func gallery(t *testing.T) map[string]struct {
	picture *Picture
	texts   []string
} {
	x, classes := twoClouds(30)
	classes[0], classes[1] = -1, -7
	a := Axes{Title: "Kölner <Straße> & Co.", X: "length, m", Y: "time, s"}
	log := a
	log.LogX = true
	byName := a
	byName.Categories = []string{"one", "two", "three"}
	rise := Series{Name: "measured", X: []float64{100, 1000, 50000}, Y: []float64{0.01, 0.2, 4}}
	curves := must(t)(Curves(log, falling("first", 5), falling("second", 5)))
	type item = struct {
		picture *Picture
		texts   []string
	}
	labels := []string{a.Title, a.X, a.Y}
	return map[string]item{
		"map":         {must(t)(Map(t.Context(), Axes{Title: a.Title}, x, classes, []string{"cats", "dogs"})), []string{a.Title, "first principal component", "second principal component", "cats", "dogs", "no class"}},
		"densities":   {must(t)(Densities(t.Context(), Axes{X: "u·v"}, Sample{"joined", falling("", 20).Y}, Sample{"others", falling("", 40).Error})), []string{"u·v", "density", "joined", "others"}},
		"curves":      {curves, append(labels, "first", "second", "1", "5")},
		"categories":  {must(t)(Curves(byName, falling("first", 3), falling("second", 3))), append(labels, "one", "two", "three", "second")},
		"eigenvalues": {must(t)(Eigenvalues(Axes{LogY: true}, falling("Cora", 200))), []string{"index i", "eigenvalue λᵢ", "Cora"}},
		"scaling":     {must(t)(Scaling(a, rise)), append(labels, "measured", "proportional growth", "1 k", "0.1")},
		"scatter":     {must(t)(Scatter(a, Mark{"here", 1, 2}, Mark{"there", 2, -3})), append(labels, "here", "there")},
		"grid":        {must(t)(Grid([]*Picture{curves, nil}, []*Picture{must(t)(Scatter(Axes{}, Mark{"alone", 0, 0})), curves})), append(labels, "first", "alone")},
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
			var pdf bytes.Buffer
			if err := c.picture.Write(&pdf, PDF); err != nil || !bytes.HasPrefix(pdf.Bytes(), []byte("%PDF-")) {
				t.Errorf("no PDF: %v", err)
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
			var wg sync.WaitGroup
			for i := range drawn {
				wg.Add(1)
				go func() {
					defer wg.Done()
					p := c.picture
					if i == 2 {
						p = again[name].picture
					}
					if err := p.Write(&drawn[i], format); err != nil {
						t.Error(err)
					}
				}()
			}
			wg.Wait()
			for i := range drawn {
				if !bytes.Equal(drawn[i].Bytes(), drawn[0].Bytes()) {
					t.Errorf("%s: drawing %d as %s has other bytes", name, i, format)
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
		p := must(t)(Scatter(Axes{Title: label, X: label, Y: label}, Mark{label, 1, 1}))
		wantTexts(t, p, want)
		pngOf(t, small(p))
	}
}

// The places of a map are those of its definition.
func TestMapIsPrincipalComponentsOfUnitRows(t *testing.T) {
	y, classes := twoClouds(40)
	unit := mat.DenseCopyOf(y)
	for i := range 80 {
		row := unit.RawRowView(i)
		norm := mat.Norm(mat.NewVecDense(4, row), 2)
		for j := range row {
			row[j] /= norm
		}
	}
	xy, err := eval.PCA(t.Context(), unit, 2)
	if err != nil {
		t.Fatal(err)
	}
	a := Axes{X: "first principal component", Y: "second principal component"}
	want, _ := svgOf(t, must(t)(Places(a, xy, classes, nil)))
	got, _ := svgOf(t, must(t)(Map(t.Context(), Axes{}, y, classes, nil)))
	if got != want {
		t.Error("the map differs from the principal components of unit rows")
	}
}

// Circles are the only arcs: one for each row, the outermost included, and one in the
// legend.
func TestEveryRowIsDrawn(t *testing.T) {
	for n := 1; n < 120; n++ {
		xy, classes := mat.NewDense(n, 2, nil), make([]int, n)
		for i := range n {
			xy.SetRow(i, []float64{0.1 + float64(i*i%n)/3, -7 + float64(i)/float64(n)*0.7})
		}
		p := must(t)(Places(Axes{}, xy, classes, nil))
		p.Width, p.Height = 4+float64(n)/27, 3+float64(n)/31 // for other roundings
		svg, _ := svgOf(t, p)
		circles := 0
		for _, line := range strings.Split(svg, "\n") {
			if strings.HasPrefix(line, "<path") && strings.Contains(line, "A") {
				circles++
			}
		}
		if circles != n+1 {
			t.Fatalf("%d circles of %d rows", circles, n)
		}
	}
}

// Rows from left to right have the colours of their classes.
func TestEveryRowHasTheColourOfItsClass(t *testing.T) {
	colours := []string{"fill:#0072B2", "fill:#D55E00", "fill:#009E73"} // Okabe and Ito's blue, vermilion, green
	const n = 50
	xy, classes := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		classes[i] = i * i % 3
		xy.SetRow(i, []float64{float64(i), float64(i % 7)})
	}
	p := must(t)(Places(Axes{}, xy, classes, nil))
	data := placesOf(t, p)[0].data
	svg, _ := svgOf(t, p)
	drawn := 0
	for _, line := range strings.Split(svg, "\n") {
		for class, colour := range colours {
			var x, y float64
			if !strings.Contains(line, colour) {
				continue
			}
			if _, err := fmt.Sscanf(line, `<path d="M%g,%g`, &x, &y); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if vg.Length(y) > data.Max.Y+3 {
				continue // the legend's
			}
			// A glyph begins at most its radius from its middle, and rows are 10 points apart.
			i := int(math.Round((x - float64(data.Min.X)) / float64(data.Size().X) * (n - 1)))
			if drawn++; classes[i] != class {
				t.Errorf("row %d of class %d is drawn with %s", i, classes[i], colour)
			}
		}
	}
	if drawn != n {
		t.Errorf("%d rows were drawn, want %d", drawn, n)
	}
}

func TestInputIsNotKept(t *testing.T) {
	s := falling("s", 6)
	s.X = []float64{1, 2, 3, 4, 5, 6}
	p := must(t)(Curves(Axes{}, s))
	before, _ := svgOf(t, p)
	for i := range s.Y {
		s.X[i], s.Y[i], s.Error[i] = -1, -1, -1
	}
	if after, _ := svgOf(t, p); after != before {
		t.Error("the picture changed with what it was made of")
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.svg": SVG, "b/c.x.PNG": PNG, ".Pdf": PDF} {
		if got, err := FormatOf(path); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "svg", "a.bmp", "a.svg.gz", "a.svg/b"} {
		if got, err := FormatOf(path); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

var errDisk = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errDisk }

func TestAPictureIsWrittenWholeOrNotAtAll(t *testing.T) {
	good := small(must(t)(Scatter(Axes{Title: "title"}, Mark{"a", 1, 1})))
	tiny := must(t)(Scatter(Axes{Title: "title"}, Mark{"a", 1, 1}))
	tiny.Width = 0.5
	for _, f := range []Format{SVG, PNG, PDF} {
		if err := good.Write(fullDisk{}, f); !errors.Is(err, errDisk) {
			t.Errorf("%s: error %v of a writer that fails", f, err)
		}
	}
	if err := good.Write(io.Discard, "gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("gif: %v", err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "p.svg")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tiny.WriteFile(path); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "p.svg") {
		t.Errorf("error %v, want ErrSize", err)
	}
	if old, _ := os.ReadFile(path); string(old) != "old" {
		t.Errorf("the file became %q", old)
	}
	if err := good.WriteFile(filepath.Join(folder, "p.gif")); !errors.Is(err, ErrFormat) {
		t.Errorf("p.gif: %v", err)
	}
	if err := good.WriteFile(filepath.Join(folder, "no", "p.png")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if err := good.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := good.Write(&b, SVG); err != nil {
		t.Fatal(err)
	}
	if written, _ := os.ReadFile(path); !bytes.Equal(written, b.Bytes()) {
		t.Error("the file differs from what Write writes")
	}
	if found, _ := os.ReadDir(folder); len(found) != 1 {
		t.Errorf("%v are left in the folder", found)
	}
}

func TestMapHearsACancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	y, classes := twoClouds(10)
	if _, err := Map(ctx, Axes{}, y, classes, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("map: %v", err)
	}
	if _, err := Densities(ctx, Axes{}, Sample{"s", falling("", 9).Y}); !errors.Is(err, context.Canceled) {
		t.Errorf("densities: %v", err)
	}
}

// Programs that embed or measure and draw nothing do not link a drawing library.
func TestOnlyThisPackageDraws(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to ask")
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "coles", "coles/eval", "coles/gnn", "coles/dataset").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "gonum.org/v1/gonum/mat") || strings.Contains(string(out), "gonum.org/v1/plot") {
		t.Errorf("the packages import\n%s", out)
	}
}
