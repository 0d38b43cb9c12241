package custom

import (
	"context"
	"math/rand/v2"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A View is the graph as an objective wants the network to see it: W′·(P·X·C)·Θ where a GCN has
// W·X·Θ. The zero value is the graph with its features. In blocks there is no other, and behind a
// filter that the network begins with only Columns may be set.
type View struct {
	// Graph takes the place of the graph, with as many nodes, and so W′ of W; nil leaves it.
	Graph *coles.Graph
	// Columns are the factors of the columns of the features (C); nil stands for ones.
	Columns []float64
	// Rows are the rows of the features that the nodes get (P), −1 for zeros; nil for each its own.
	Rows []int
}

// Views makes the views of an augmentation. It is given the graph, the features as the network reads them, and a
// source of draws that depends on the seed and the epoch alone. The features are prepared and scaled, and a
// [mat.RowNonZeroDoer].
type Views = func(ctx context.Context, g *coles.Graph, x mat.Matrix, rnd *rand.Rand) ([]*View, error)
