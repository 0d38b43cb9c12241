package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A text of an SVG, and where it begins; y grows downwards from the top.
type svgText struct {
	words string
	x, y  float64
}

// svgOf writes a picture as SVG, checks that it is one well-formed element, and returns
// its texts.
func svgOf(t *testing.T, p *Picture) (string, []svgText) {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, SVG); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b.Bytes(), []byte("<svg")) {
		t.Errorf("the SVG begins %q", b.Bytes()[:20])
	}
	var texts []svgText
	decoder := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	inside := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), texts
		}
		if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if inside = e.Name.Local == "text"; inside {
				texts = append(texts, svgText{"", attribute(t, e, "x"), attribute(t, e, "y")})
			}
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				texts[len(texts)-1].words += string(e)
			}
		}
	}
}

func attribute(t *testing.T, e xml.StartElement, name string) float64 {
	t.Helper()
	for _, a := range e.Attr {
		if a.Name.Local == name {
			v, err := strconv.ParseFloat(a.Value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("%s has no %s", e.Name.Local, name)
	return 0
}

// small makes a picture one of 4 × 3.5 inches: pixels cost time under the race detector.
func small(p *Picture) *Picture {
	p.Width, p.Height = 4, 3.5
	return p
}

func pngOf(t *testing.T, p *Picture) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, PNG); err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// wantTexts fails unless the SVG has each of these texts.
func wantTexts(t *testing.T, p *Picture, want ...string) {
	t.Helper()
	_, texts := svgOf(t, p)
	var all []string
	for _, text := range texts {
		all = append(all, text.words)
	}
	joined := "\n" + strings.Join(all, "\n") + "\n"
	for _, w := range want {
		if !strings.Contains(joined, "\n"+w+"\n") {
			t.Errorf("no text %q in%s", w, joined)
		}
	}
}

// placesOf lays a picture out as it is drawn.
func placesOf(t *testing.T, p *Picture) []place {
	t.Helper()
	width, height := vg.Length(p.Width)*vg.Inch, vg.Length(p.Height)*vg.Inch
	places, err := p.layout(draw.NewCanvas(vgsvg.New(width, height), width, height))
	if err != nil {
		t.Fatal(err)
	}
	return places
}

func must(t *testing.T) func(*Picture, error) *Picture {
	return func(p *Picture, err error) *Picture {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
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

// twoClouds are 2n rows of four columns about two directions.
func twoClouds(n int) (*mat.Dense, []int) {
	x, classes := mat.NewDense(2*n, 4, nil), make([]int, 2*n)
	for i := range 2 * n {
		classes[i] = i % 2
		x.Set(i, classes[i], 2+math.Sin(float64(i)))
		x.Set(i, 2, math.Cos(3*float64(i)))
		x.Set(i, 3, 0.1*float64(i%7))
	}
	return x, classes
}
