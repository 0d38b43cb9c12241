package alignment

import "math"

// A node's row has the leading directions u_k of its features, 1, or 0 for a node without features, and the sums of these over
// its neighbours. Width is its length.
const (
	own   = Directions + 1
	Width = 2 * own
)

// Products is the number of sums in [AddProducts]: uᵀAu, dᵀu and uᵀDu of each direction, and the sums of the
// degrees d and of 1, all among nodes with features.
const Products = 3*Directions + 2

// AddProducts adds a row to the sums.
func AddProducts(sum, row []float64) {
	degree := row[own+Directions]
	for k, u := range row[:Directions] {
		sum[3*k] += u * row[own+k]
		sum[3*k+1] += u * degree
		sum[3*k+2] += u * u * degree
	}
	sum[3*Directions] += row[Directions] * degree
	sum[3*Directions+1] += row[Directions]
}

// Slopes say how alike neighbours are along each direction.
type Slopes struct {
	Degree float64 // mean number of neighbours
	mean   [Directions]float64
	slope  [Directions]float64
	share  [Directions]float64 // of the slope in s, over zᵀDz
}

// SlopesOf takes the slopes from sums over all rows, in units of the mean weight of an edge, and the eigenvalues of
// the directions. They are not known without edges between nodes with features.
func SlopesOf(sum, values []float64) (s Slopes, known bool) {
	volume, nodes, all := sum[3*Directions], sum[3*Directions+1], 0.0
	if !(volume > 0) {
		return s, false
	}
	s.Degree = volume / nodes
	for k, value := range values {
		mean := sum[3*k+1] / volume
		inside, along := sum[3*k+2]-mean*mean*volume, sum[3*k]-mean*mean*volume
		if inside > 1e-10*sum[3*k+2] {
			s.mean[k], s.slope[k], s.share[k] = mean, along/inside, value/inside
		}
		all += value
	}
	for k := range s.share {
		s.share[k] /= all
	}
	return s, true
}

// Influence is how much more the edges of a row add to s than edges do in the mean. Both ends count an edge, so twice the sum
// of the squares is the variance of s over the edges.
func (s Slopes) Influence(row []float64) (off float64) {
	degree := row[own+Directions]
	for k, mean := range s.mean {
		z := row[k] - mean*row[Directions]
		off += s.share[k] * z * (row[own+k] - mean*degree - s.slope[k]*z*degree)
	}
	return off
}

// Along is s and its deviation, by the sum of all squared influences and the sums that the slopes are of.
func (s Slopes) Along(sum []float64, squares float64) (along, deviation float64) {
	neighbours, alike := max(s.Degree, few), 0.0
	for k := range s.mean {
		alike += s.share[k] * (sum[3*k] - s.mean[k]*s.mean[k]*sum[3*Directions])
	}
	return neighbours * alike, neighbours * math.Sqrt(2*squares)
}
