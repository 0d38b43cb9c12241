package eigen

import (
	"context"
)

// twoStageOrder is where two stages, over a band matrix, begin to pay: they read
// the matrix from memory once for every bandWidth rows, where one stage reads it
// for every row. On the other hand the eigenvectors have to be multiplied
// twice, so that the more of them are wanted the larger the matrix must be.
const twoStageOrder = 2700

// inTwoStages is the rule, by measurement: two stages take 1.07 times as long as
// one at order 2700 with 150 eigenvectors, 0.95 at 3000 with 450, and at 3703
// 0.84 with 512 and 1.02 with 1150.
func inTwoStages(n, k int) bool { return n > twoStageOrder && k <= n-twoStageOrder }

// similarity is the orthogonal Q for which a matrix is Q·T·Qᵀ.
type similarity struct {
	a      matrix
	offset int // of the reflections in a, as backTransform takes it
	tau    []float64
	chase  *chase // of the second stage, if there was one
}

// toTridiagonal overwrites the upper triangle of a = Q·T·Qᵀ, of which k
// eigenvectors will be wanted; Q refers to a.
func toTridiagonal(ctx context.Context, a matrix, k int) (t tridiagonal, q similarity, err error) {
	if !inTwoStages(a.Rows, k) {
		t, tau, err := tridiagonalise(ctx, a)
		return t, similarity{a, 1, tau, nil}, err
	}
	return twoStages(ctx, a, bandWidth)
}

// twoStages is toTridiagonal by way of a matrix of b diagonals above the main
// one.
func twoStages(ctx context.Context, a matrix, b int) (t tridiagonal, q similarity, err error) {
	band, tau, err := reduceToBand(ctx, a, b)
	if err != nil {
		return t, q, err
	}
	t, chase, err := chaseBulges(ctx, band)
	return t, similarity{a, b, tau, chase}, err
}

// apply replaces the columns of z by Q times them.
func (q similarity) apply(ctx context.Context, z matrix) error {
	if q.chase != nil {
		if err := q.chase.apply(ctx, z); err != nil {
			return err
		}
	}
	return backTransform(ctx, q.a, q.offset, q.tau, z)
}
