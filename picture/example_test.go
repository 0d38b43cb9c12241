package picture_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"coles"
	"coles/dataset"
	"coles/picture"
	"coles/plane"

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

// club is Zachary's karate club, and its embedding in four columns.
func club(ctx context.Context) (*coles.Graph, *mat.Dense, []int) {
	data := dataset.KarateClub()
	g, err := data.Graph()
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(ctx, g, nil, coles.WithDim(4))
	if err != nil {
		log.Fatal(err)
	}
	return g, m.Embedding(), data.Labels
}

func ExamplePlaces() {
	ctx := context.Background()
	_, y, labels := club(ctx)
	places, err := plane.PCA(ctx, y, 2)
	if err != nil {
		log.Fatal(err)
	}
	axes := picture.Axes{Title: "Zachary's karate club", X: "first principal component", Y: "second principal component"}
	p, err := picture.Places(axes, places, labels, []string{"the instructor's", "the officer's"})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "first principal component", "second principal component")
	// Output:
	// first principal component: true
	// second principal component: true
}

// The karate club by an embedding of its nodes: who is like whom, and who knows whom.
func ExampleDrawing() {
	ctx := context.Background()
	g, y, labels := club(ctx)
	places, err := plane.TSNE{Seed: 1}.Places(ctx, y)
	if err != nil {
		log.Fatal(err)
	}
	p, err := picture.Drawing(picture.Axes{Title: "Zachary’s karate club"}, g, places, labels, []string{"with the instructor", "with the officer"})
	if err != nil {
		log.Fatal(err)
	}
	show(p, "with the instructor", "with the officer")
	// Output:
	// with the instructor: true
	// with the officer: true
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
