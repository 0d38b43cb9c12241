//go:build ignore

// Version1 made the files version1-*.model and version1-*.json beside it, models and
// their embeddings, when version 1 was the format of models:
//
//	go run ./testdata/version1.go testdata
//
// Run today it writes today's format: it is kept to say what the files hold.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	"coles"

	"gonum.org/v1/gonum/mat"
)

func main() {
	ctx := context.Background()
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}}
	weights := []float64{1, 2, 1, 0.5, 1, 1, 3}
	ids := []string{"ada", "ben", "cleo", "dan", "eve", "finn", "gus"} // gus has no edge
	x := mat.NewDense(7, 4, []float64{
		1, 0, 0, 2,
		1, 0, 0, 0,
		1, 1, 0, 0,
		0, 1, 1, 0,
		0, 0, 1, 1,
		0, 0, 1, 0,
		0, 1, 0, 1,
	})
	g, err := coles.NewGraph(7, edges, coles.WithEdgeWeights(weights), coles.WithIDs(ids))
	if err != nil {
		log.Fatal(err)
	}
	for name, c := range map[string]struct {
		x    mat.Matrix
		opts []coles.Option
	}{
		"tfidf":        {x, []coles.Option{coles.WithDim(3)}},
		"standardized": {x, []coles.Option{coles.WithFeatures(coles.PrepareStandardize), coles.WithNegatives(coles.UniformNegatives(2)), coles.WithKappa(3), coles.WithEta(0.9), coles.WithFilter(coles.SGC(2))}},
		"float32":      {x, []coles.Option{coles.WithPrecision(coles.Float32), coles.WithPower(0)}},
		"graph":        {nil, []coles.Option{coles.WithDim(2)}},
	} {
		m, err := coles.Fit(ctx, g, c.x, c.opts...)
		if err != nil {
			log.Fatal(err)
		}
		y, err := json.Marshal(m.Embedding().RawMatrix().Data)
		if err != nil {
			log.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := m.WriteTo(&file); err != nil {
			log.Fatal(err)
		}
		for ext, b := range map[string][]byte{".model": file.Bytes(), ".json": y} {
			if err := os.WriteFile(filepath.Join(os.Args[1], "version1-"+name+ext), b, 0o644); err != nil {
				log.Fatal(err)
			}
		}
	}
}
