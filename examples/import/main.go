// Command import is a module of its own that imports coles: through the workspace file next to it or, with
// GOWORK=off and -modfile=replace.mod, by a replace line.
package main

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
)

func main() {
	g, err := coles.FromCSR(dataset.KarateClub().Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(context.Background(), g, nil, coles.WithDim(2))
	if err != nil {
		log.Fatal(err)
	}
	n, d := m.Embedding().Dims()
	fmt.Printf("%d members of a karate club, %d numbers each\n", n, d)
}
