// Package tsne places a sample of the rows of a matrix in two dimensions.
package tsne

import (
	"context"
	"math/rand/v2"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// most is how many rows are drawn: it takes seconds, and glyphs keep apart.
const most = 600

// Sample draws the numbers of at most 600 of n rows.
func Sample(n int, seed uint64) []int {
	rows := rand.New(rand.NewPCG(seed, 0)).Perm(n)
	return rows[:min(most, n)]
}

// Places returns places of rows of x, each scaled to unit length: their directions count.
func Places(ctx context.Context, x mat.Matrix, rows []int, seed uint64) (*mat.Dense, error) {
	_, columns := x.Dims()
	some := mat.NewDense(len(rows), columns, nil)
	for k, i := range rows {
		some.SetRow(k, mat.Row(nil, i, x))
	}
	unit, err := coles.PrepareRowL2.Fit(ctx, some)
	if err != nil {
		return nil, err
	}
	scaled, err := unit.Apply(ctx, some)
	if err != nil {
		return nil, err
	}
	return eval.TSNE(ctx, scaled, seed)
}
