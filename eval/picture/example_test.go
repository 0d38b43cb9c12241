package picture_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/eval/picture"

	"gonum.org/v1/gonum/mat"
)

// show prints which of some words a picture has.
func show(p *picture.Picture, words ...string) {
	var svg strings.Builder
	if err := p.Write(&svg, picture.SVG); err != nil {
		log.Fatal(err)
	}
	for _, word := range words {
		fmt.Printf("%s: %v\n", word, strings.Contains(svg.String(), ">"+word+"</text>"))
	}
}

func karate() (*coles.Graph, *mat.Dense, []int) {
	d := dataset.KarateClub()
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(context.Background(), g, nil, coles.WithDim(4))
	if err != nil {
		log.Fatal(err)
	}
	return g, m.Embedding(), d.Labels
}

func ExampleMap() {
	_, embedding, clubs := karate()
	p, err := picture.Map(context.Background(), picture.Axes{Title: "Zachary's karate club"}, embedding, clubs, []string{"the instructor's", "the officer's"})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "first principal component", "second principal component")
	// Output:
	// first principal component: true
	// second principal component: true
}

// Coordinates that t-SNE found elsewhere.
func ExamplePlaces() {
	xy := mat.NewDense(4, 2, []float64{-21, 3, -19, 5, 14, -8, 17, -6})
	p, err := picture.Places(picture.Axes{Title: "t-SNE, perplexity 30"}, xy, []int{0, 0, 1, -1}, []string{"theory", "genetic algorithms"})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "theory", "genetic algorithms", "no class")
	// Output:
	// theory: true
	// genetic algorithms: true
	// no class: true
}

// Scores of joined pairs, and of others.
func ExampleDensities() {
	ctx := context.Background()
	g, embedding, _ := karate()
	joined, err := eval.PositivePairs(g)
	if err != nil {
		log.Fatal(err)
	}
	others, err := eval.NegativePairs(ctx, g, len(joined), 1)
	if err != nil {
		log.Fatal(err)
	}
	high, err := eval.PairScores(ctx, embedding, joined)
	if err != nil {
		log.Fatal(err)
	}
	low, err := eval.PairScores(ctx, embedding, others)
	if err != nil {
		log.Fatal(err)
	}
	p, err := picture.Densities(ctx, picture.Axes{X: "u·v"}, picture.Sample{Name: "joined pairs", Values: high}, picture.Sample{Name: "other pairs", Values: low})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "joined pairs", "other pairs", "density")
	// Output:
	// joined pairs: true
	// other pairs: true
	// density: true
}

// A label-rate curve with bands of one standard deviation.
func ExampleCurves() {
	labels := []float64{1, 5, 20}
	p, err := picture.Curves(picture.Axes{X: "labels per class", Y: "accuracy, %", LogX: true},
		picture.Series{Name: "COLES-S²GC", X: labels, Y: []float64{62, 76, 82}, Error: []float64{7, 3, 1}},
		picture.Series{Name: "S²GC", X: labels, Y: []float64{50, 70, 80}, Error: []float64{9, 4, 1}})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "COLES-S²GC", "labels per class", "20")
	// Output:
	// COLES-S²GC: true
	// labels per class: true
	// 20: true
}

// Sensitivity to what is no number: bars of error above names.
func ExampleCurves_categories() {
	p, err := picture.Curves(picture.Axes{X: "negatives κ", Y: "accuracy, %", Categories: []string{"1", "10", "all"}},
		picture.Series{Name: "Cora", Y: []float64{79, 82, 83}, Error: []float64{1, 1, 0.5}})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "all")
	// Output: all: true
}

func ExampleEigenvalues() {
	p, err := picture.Eigenvalues(picture.Axes{Title: "XᵀΔWX of Cora", LogY: true}, picture.Series{Y: []float64{8, 4, 2, 1, 0.5}})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "index i", "eigenvalue λᵢ")
	// Output:
	// index i: true
	// eigenvalue λᵢ: true
}

func ExampleScaling() {
	p, err := picture.Scaling(picture.Axes{X: "edges", Y: "time, s"},
		picture.Series{Name: "Fit", X: []float64{1e5, 1e6, 1e7}, Y: []float64{0.2, 1.9, 21}})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "1 M", "proportional growth")
	// Output:
	// 1 M: true
	// proportional growth: true
}

func ExampleScatter() {
	p, err := picture.Scatter(picture.Axes{X: "homophily", Y: "gain in accuracy, points", FromZero: true},
		picture.Mark{Name: "Cora", X: 0.83, Y: 2.1}, picture.Mark{Name: "Citeseer", X: 0.71, Y: 1.4})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "Cora", "Citeseer")
	// Output:
	// Cora: true
	// Citeseer: true
}

// A training: the loss above the accuracy.
func ExampleGrid() {
	loss, err := picture.Curves(picture.Axes{Title: "COLES-GCN", Y: "loss"}, picture.Series{Y: []float64{8, 3, -1, -4}})
	if err != nil {
		log.Fatal(err)
	}
	accuracy, err := picture.Curves(picture.Axes{X: "epoch", Y: "accuracy, %"}, picture.Series{Y: []float64{61, 72, 78, 79}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := picture.Grid([]*picture.Picture{loss}, []*picture.Picture{accuracy})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "loss", "epoch")
	// Output:
	// loss: true
	// epoch: true
}

// An SVG goes into a page as it is.
func ExamplePicture_Write() {
	p, err := picture.Scatter(picture.Axes{}, picture.Mark{Name: "Cora", X: 1, Y: 1})
	if err != nil {
		log.Fatal(err)
	}
	page := bytes.NewBufferString("<!doctype html><title>report</title>")
	if err := p.Write(page, picture.SVG); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.40s\n", page)
	// Output: <!doctype html><title>report</title><svg
}

func ExamplePicture_WriteFile() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	p, err := picture.Scatter(picture.Axes{}, picture.Mark{Name: "Cora", X: 1, Y: 1})
	if err != nil {
		log.Fatal(err)
	}
	p.Width, p.Height = 4, 3
	path := filepath.Join(folder, "picture.png")
	if err := p.WriteFile(path); err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	size, err := png.DecodeConfig(f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size.Width, "×", size.Height)
	// Output: 600 × 450
}

func ExampleFormatOf() {
	fmt.Println(picture.FormatOf("report/kappa.SVG"))
	fmt.Println(picture.FormatOf("kappa.bmp"))
	// Output:
	// svg <nil>
	//  picture: unknown format: kappa.bmp ends in none of .svg, .png and .pdf
}
