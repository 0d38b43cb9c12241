package gnn_test

import (
	"context"
	"log"

	"coles"
	"coles/dataset"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// karate is Zachary's club, with one feature a member, who they are, and with the sides they
// took when it split.
func karate() (*coles.Graph, *mat.Dense, []int) {
	d := dataset.KarateClub()
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(d.Nodes(), d.Nodes(), nil)
	for i := range d.Nodes() {
		x.Set(i, i, 1)
	}
	return g, x, d.Labels
}

// train trains a small network on the club: two layers of 8 and 2 columns, in float64,
// unless options say otherwise.
func train(opts ...gnn.Option) *gnn.Model {
	g, x, _ := karate()
	small := []gnn.Option{gnn.WithNetwork(gnn.GCN(8), gnn.ReLU(), gnn.GCN(2)), gnn.WithPrecision(coles.Float64)}
	m, err := gnn.Train(context.Background(), g, x, append(small, opts...)...)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// classifier trains on the two who led the sides, with two of their friends to stop by.
func classifier() *gnn.Classifier {
	g, x, labels := karate()
	c, err := gnn.TrainClassifier(context.Background(), g, x, labels, []int{0, 33}, []int{1, 32})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// embed embeds the club with a trained network.
func embed(m *gnn.Model) *mat.Dense {
	g, x, _ := karate()
	y, err := m.Embed(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	return y
}
