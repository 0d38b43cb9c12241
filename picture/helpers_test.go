package picture

import (
	"bytes"
	"encoding/xml"
	"html"
	"image"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func written(t *testing.T, p *Picture, format Format) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, p.Write(&b, format))
	return b.Bytes()
}

// A text of an SVG, and where it begins; y grows downwards from the top.
type svgText struct {
	words string
	x, y  vg.Length
}

// svgOf writes a picture as SVG, checks that it is one well-formed element, and returns its texts.
func svgOf(t *testing.T, p *Picture) (string, []svgText) {
	t.Helper()
	svg := written(t, p, SVG)
	if !bytes.HasPrefix(svg, []byte("<svg")) || !bytes.HasSuffix(svg, []byte("</svg>\n")) {
		t.Errorf("the SVG begins %q and ends %q", svg[:20], svg[len(svg)-20:])
	}
	if err := xml.Unmarshal(svg, new(struct{})); err != nil {
		t.Fatalf("the SVG is no XML: %v", err)
	}
	var texts []svgText
	for _, m := range svgTexts.FindAllStringSubmatch(string(svg), -1) {
		texts = append(texts, svgText{html.UnescapeString(m[3]), coordinate(m[1]), coordinate(m[2])})
	}
	return string(svg), texts
}

var svgTexts = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)"[^>]*>([^<]*)</text>`)

func coordinate(s string) vg.Length { return vg.Length(testkit.Must(strconv.ParseFloat(s, 64))) }

// small makes a picture one of 4 × 3.5 inches: pixels cost time under the race detector.
func small(p *Picture) *Picture {
	p.Width, p.Height = 4, 3.5
	return p
}

func pngOf(t *testing.T, p *Picture) image.Image {
	t.Helper()
	return testkit.Must(png.Decode(bytes.NewReader(written(t, p, PNG))))
}

// wantTexts fails unless the SVG has each of these texts.
func wantTexts(t *testing.T, p *Picture, want ...string) {
	t.Helper()
	_, texts := svgOf(t, p)
	joined := "\n"
	for _, text := range texts {
		joined += text.words + "\n"
	}
	for _, w := range want {
		if !strings.Contains(joined, "\n"+w+"\n") {
			t.Errorf("no text %q in%s", w, joined)
		}
	}
}

// placesOf lays a picture out as it is drawn.
func placesOf(t *testing.T, p *Picture) []*place {
	t.Helper()
	width, height := vg.Length(p.Width)*vg.Inch, vg.Length(p.Height)*vg.Inch
	_, below := p.split(draw.NewCanvas(vgsvg.New(width, height), width, height))
	return testkit.Must(p.layout(below))
}

// falling is a series of n numbers with errors.
func falling(name string, n int) Series {
	s := Series{Name: name}
	for i := range n {
		s.Y = append(s.Y, 80/math.Sqrt(float64(i+1)))
		s.Error = append(s.Error, 4/float64(i+1))
	}
	return s
}

// randomRows are n rows of four columns, of two classes.
func randomRows(n int) (*mat.Dense, []int) {
	classes := make([]int, n)
	for i := range classes {
		classes[i] = i % 2
	}
	return testkit.RandomDense(testkit.Random(1), n, 4), classes
}
