package plane

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Places places rows at unit length (n × d) in the plane: by t-SNE or by two principal components. Errors: as
// [TSNE.Places] and [PCA].
func Places(ctx context.Context, unit mat.Matrix, components bool, seed uint64, progress coles.Progress) (*mat.Dense, error) {
	if !components {
		return TSNE{Seed: seed, Progress: progress}.Places(ctx, unit)
	}
	n, columns := unit.Dims()
	pca, err := PCA(ctx, unit, min(2, columns))
	if err != nil {
		return nil, err
	}
	places := mat.NewDense(n, 2, nil)
	places.Copy(pca)
	return places, nil
}

// Important orders nodes by degree, largest first. For nil degrees it is the cosine of their row at unit length and their
// group's mean.
func Important(degrees []float64, unit mat.Matrix, groups []int) []int {
	importance := degrees
	if importance == nil {
		n, d := unit.Dims()
		means := make(map[int]*mat.VecDense)
		importance = make([]float64, n)
		for i, group := range groups {
			if means[group] == nil {
				means[group] = mat.NewVecDense(max(d, 1), nil)
			}
			for j := range d {
				means[group].SetVec(j, means[group].AtVec(j)+unit.At(i, j))
			}
		}
		for i, group := range groups {
			for j := range d {
				importance[i] += means[group].AtVec(j) * unit.At(i, j)
			}
			importance[i] /= max(mat.Norm(means[group], 2), math.SmallestNonzeroFloat64)
		}
	}
	order := make([]int, len(importance))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(importance[j], importance[i]) })
	return order
}

// UnitRows scales the rows of y to length 1; zero rows stay zero.
func UnitRows(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	p, err := coles.PrepareRowL2.Fit(ctx, y)
	if err != nil {
		return nil, err
	}
	return p.Apply(ctx, y)
}
