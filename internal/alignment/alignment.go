// Package alignment measures whether a graph says more of its nodes than their features do, wherever both are
// kept. coles.Alignment defines what is measured, and why.
package alignment

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

const (
	// Small is the r up to which communities are too small to use the graph for them.
	Small = 0.25
	// Directions is the number of leading directions of the features that s looks along. On the ten graphs that set the
	// threshold, all from 0.7 to 0.9 decide alike with two, and all from 0.75 to 0.85 with three. With two, features of an
	// autoencoder are closer to them; with four none is free of errors.
	Directions = 3
	// few is the least number of neighbours that s counts. A filter leaves nodes of few edges mostly as they are, and then
	// neighbours that are less alike suffice for a gain.
	few = 2.5
	// handful is the number of nodes below which hidden edges show nothing.
	handful = 30
	// Wide is the number of features from which their spectrum tells whether they are noise.
	Wide = 40
)

// Noise reports whether the largest of the eigenvalues of XᵀX (d × d) is hardly above what noise on n rows has, by the
// sum of all: random matrices have none beyond their mean times (1 + √(d/n))², or n/d. In 40 draws of 64 to 384 columns
// it came to 1.01 of this, in words of which one in twelve is of a topic to 1.27.
func Noise(largest, sum, n, d float64) bool {
	less, more := min(n, d), max(n, d)
	edge := 1 + math.Sqrt(less/more)
	return d >= Wide && largest*less <= 1.3*edge*edge*sum
}

// Parts are the input of a measurement: features as they came in and prepared, and the graph.
type Parts[T kernel.Float] struct {
	Source  *matrix.Source
	X       *matrix.Matrix[T]
	Graph   *kernel.CSR[float64]
	Degrees []float64
	Edges   int
	Seed    uint64
	Room    []T                                               // memory to be used first
	Filter  []float64                                         // the coefficients of F
	Walk    func(ctx context.Context) (*kernel.CSR[T], error) // makes W
}
