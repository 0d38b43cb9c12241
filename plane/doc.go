// Package plane reduces the rows of a matrix to few columns, to be looked at or to be a baseline: [TSNE] places them in two
// dimensions, and [PCA] gives their principal components. Package picture draws them.
package plane
