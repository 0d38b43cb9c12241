//go:build ignore

// Version1 made the files version1-* beside it, models, a classifier and a
// checkpoint with what comes of them, when version 1 was their format:
//
//	go run ./gnn/testdata/version1.go gnn/testdata
//
// Run today it writes today's format: it is kept to say what the files hold.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"path/filepath"

	"coles"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

func main() {
	ctx, dir := context.Background(), os.Args[1]
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}}
	x := mat.NewDense(7, 4, []float64{
		1, 0, 0, 2,
		1, 0, 0, 0,
		1, 1, 0, 0,
		0, 1, 1, 0,
		0, 0, 1, 1,
		0, 0, 1, 0,
		0, 1, 0, 1,
	})
	g, err := coles.NewGraph(7, edges) // the last node has no edge
	check(err)
	for name, opts := range map[string][]gnn.Option{
		"coles":   {gnn.WithNetwork(gnn.GCN(4), gnn.PReLU(), gnn.GCN(3))},
		"stiefel": {gnn.WithNetwork(gnn.GCN(4), gnn.ReLU(), gnn.GCN(2).Orthonormal()), gnn.WithObjective(gnn.COLES(0)), gnn.WithOptimizer(gnn.SGD(0.1, 0.5)), gnn.WithSchedule(gnn.Cosine(2))},
		"pairs":   {gnn.WithNetwork(gnn.SAGE(4), gnn.ELU(), gnn.SAGE(2)), gnn.WithObjective(gnn.SampledNCE(2, 0.7)), gnn.WithFreshNegatives(true)},
		"linear":  {gnn.WithNetwork(gnn.Propagate(coles.S2GCSum(2)), gnn.Linear(3)), gnn.WithObjective(gnn.PowerMean(1, 2)), gnn.WithFeatures(coles.PrepareStandardize, 2)},
	} {
		opts = append(opts, gnn.WithPrecision(coles.Float64), gnn.WithEpochs(6))
		if name == "coles" {
			opts = append(opts, gnn.WithCheckpoints(3, func(c *gnn.Checkpoint) error {
				if c.Epoch() == 3 {
					save(dir, "checkpoint", c)
				}
				return nil
			}))
		}
		m, err := gnn.Train(ctx, g, x, opts...)
		check(err)
		save(dir, name, m)
		text(dir, name, m.Embedding())
	}
	k, err := gnn.TrainClassifier(ctx, g, x, []int{5, 5, 5, 8, 8, 8, 8}, []int{0, 4}, []int{1, 5}, gnn.WithPrecision(coles.Float64), gnn.WithEpochs(6))
	check(err)
	save(dir, "classifier", k)
	scores, err := k.Scores(ctx, g, x)
	check(err)
	text(dir, "classifier", scores)
}

func save(dir, name string, w io.WriterTo) {
	var b bytes.Buffer
	_, err := w.WriteTo(&b)
	check(err)
	check(os.WriteFile(filepath.Join(dir, "version1-"+name+".model"), b.Bytes(), 0o644))
}

func text(dir, name string, y *mat.Dense) {
	b, err := json.Marshal(y.RawMatrix().Data)
	check(err)
	check(os.WriteFile(filepath.Join(dir, "version1-"+name+".json"), b, 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
