package near

import (
	"context"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// nearestRows searches an index made for it.
func nearestRows(ctx context.Context, x mat.Matrix, rows []int, k int, by Similarity) ([][]Match, error) {
	index, err := NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Rows(ctx, rows, k)
}

func nearestVectors(ctx context.Context, x, queries mat.Matrix, k int, by Similarity) ([][]Match, error) {
	index, err := NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Vectors(ctx, queries, k)
}

func recommended(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int, by Similarity, k int) ([][]Match, error) {
	index, err := NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.RecommendLinks(ctx, g, nodes, k, nil)
}
